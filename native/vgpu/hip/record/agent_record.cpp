#include "hip/record/agent_record.h"

#include <hsa/hsa_ext_amd.h>

#include <thread>
#include <vector>

#include "arch/structure.h"
#include "hip/record/json_line.h"

namespace vgpu::hip {
namespace {

// HSA has no question for some members of rocprofiler's record: they come from the architecture data.
namespace numbers = arch::calibration;

constexpr uint32_t kHostClockMhz = 3800;  // of the host, as recorded

template <class T>
T ask(hsa_agent_t agent, int what) {
  T value{};
  hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(what), &value);
  return value;
}

uint32_t number(hsa_agent_t agent, int what) { return ask<uint32_t>(agent, what); }

std::string text(hsa_agent_t agent, int what) {
  char value[65] = {};
  hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(what), value);
  return value;
}

hsa_status_t add_pool_size(hsa_amd_memory_pool_t pool, void* data) {
  size_t bytes = 0;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes);
  hsa_amd_segment_t segment;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  auto* largest = static_cast<size_t*>(data);
  if (segment == HSA_AMD_SEGMENT_GLOBAL && bytes > *largest) *largest = bytes;
  return HSA_STATUS_SUCCESS;
}

size_t memory_bytes(hsa_agent_t agent) {
  size_t largest = 0;
  hsa_amd_agent_iterate_memory_pools(agent, add_pool_size, &largest);
  return largest;
}

hsa_status_t lds_of(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_segment_t segment;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment == HSA_AMD_SEGMENT_GROUP)
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, data);
  return HSA_STATUS_SUCCESS;
}

std::string dimension(uint32_t x, uint32_t y, uint32_t z) {
  return JsonObject().add("x", x).add("y", y).add("z", z).text();
}

// One entry per kind of cache; `count` of them are on the device.
std::string caches(hsa_agent_t agent, uint32_t units, uint32_t xccs) {
  struct CacheSizes {
    uint32_t bytes[4];
  };
  const auto sizes = ask<CacheSizes>(agent, HSA_AGENT_INFO_CACHE_SIZE);
  const uint32_t line = number(agent, HSA_AMD_AGENT_INFO_CACHELINE_SIZE);
  const uint32_t counts[] = {units, xccs, 1};
  std::vector<JsonObject> kinds;
  for (uint32_t level = 0; level < 3; ++level)
    if (sizes.bytes[level])
      kinds.push_back(JsonObject()
                          .add("level", level + 1)
                          .add("size", sizes.bytes[level] / 1024)
                          .add("cache_line_size", line)
                          .add("count", counts[level]));
  return json_list(kinds, [](const JsonObject& kind) { return kind.text(); });
}

void add_shape(JsonObject& to, hsa_agent_t agent) {
  const uint32_t units = number(agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
  const uint32_t simds = number(agent, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU);
  const uint32_t waves = number(agent, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU);
  const uint32_t engines = number(agent, HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES);
  const uint32_t arrays = number(agent, HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE);
  const uint32_t xccs = number(agent, HSA_AMD_AGENT_INFO_NUM_XCC);
  size_t lds = 0;
  hsa_amd_agent_iterate_memory_pools(agent, lds_of, &lds);
  to.add("cu_count", units)
      .add("num_xcc", xccs)
      .add("simd_count", units * simds)
      .add("simd_per_cu", simds)
      .add("max_waves_per_cu", waves)
      .add("max_waves_per_simd", waves / simds)
      .add("wave_front_size", number(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE))
      .add("lds_size_in_kb", lds / 1024)
      .add("gds_size_in_kb", 0)
      .add("num_gws", numbers::kGlobalWaveSyncs)
      .add("array_count", engines * arrays)
      .add("num_shader_banks", engines)
      .add("simd_arrays_per_engine", arrays)
      .add("cu_per_simd_array", numbers::kUnitsPerArray)
      .add("cu_per_engine", units / engines)
      .add("max_slots_scratch_cu", waves)
      .raw("caches", caches(agent, units, xccs));
}

void add_identity(JsonObject& to, hsa_agent_t agent) {
  to.add("gfx_target_version", numbers::kTargetVersion)
      .add("vendor_id", numbers::kVendorId)
      .add("device_id", number(agent, HSA_AMD_AGENT_INFO_CHIP_ID))
      .add("location_id", number(agent, HSA_AMD_AGENT_INFO_BDFID))
      .add("domain", number(agent, HSA_AMD_AGENT_INFO_DOMAIN))
      .add("family_id", number(agent, HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID))
      .add("num_sdma_engines", number(agent, HSA_AMD_AGENT_INFO_NUM_SDMA_ENG))
      .add("num_sdma_xgmi_engines", number(agent, HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG))
      .add("num_sdma_queues_per_engine", numbers::kSdmaQueuesPerEngine)
      .add("num_cp_queues", numbers::kCommandQueues)
      .raw("fw_version",
           JsonObject().add("uCode", number(agent, HSA_AMD_AGENT_INFO_UCODE_VERSION)).text())
      .raw("sdma_fw_version",
           JsonObject()
               .add("uCodeSDMA", number(agent, HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION))
               .text());
}

void add_limits(JsonObject& to, hsa_agent_t agent) {
  const auto grid = ask<hsa_dim3_t>(agent, HSA_AGENT_INFO_GRID_MAX_DIM);
  const uint32_t side = number(agent, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE);
  to.add("max_engine_clk_fcompute", number(agent, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY))
      .add("workgroup_max_size", side)
      .raw("workgroup_max_dim", dimension(side, side, side))
      .add("grid_max_size", number(agent, HSA_AGENT_INFO_GRID_MAX_SIZE))
      .raw("grid_max_dim", dimension(grid.x, grid.y, grid.z));
}

JsonObject properties(hsa_agent_t agent, bool gpu) {
  JsonObject result;
  result.add("node_id", agent_node(agent))
      .add("cpu_cores_count", gpu ? 0u : std::thread::hardware_concurrency())
      .add("max_engine_clk_ccompute", kHostClockMhz);
  if (gpu) {
    add_shape(result, agent);
    add_identity(result, agent);
    add_limits(result, agent);
  } else {
    result.add("simd_count", 0).add("cu_count", 0);
  }
  const JsonObject bank =
      JsonObject()
          .add("heap_type", gpu ? 1 : 0)
          .add("width", number(agent, HSA_AMD_AGENT_INFO_MEMORY_WIDTH))
          .add("mem_clk_max", number(agent, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY))
          .add("size_in_bytes", memory_bytes(agent));
  return result.raw("mem_banks", "[" + bank.text() + "]");
}

}  // namespace

unsigned agent_node(hsa_agent_t agent) { return number(agent, HSA_AGENT_INFO_NODE); }

std::string agent_record(hsa_agent_t agent, unsigned type_index) {
  const bool gpu = ask<hsa_device_type_t>(agent, HSA_AGENT_INFO_DEVICE) == HSA_DEVICE_TYPE_GPU;
  return JsonObject()
      .add("record", "agent")
      .add("id", agent_node(agent))
      .add("handle", agent.handle)
      .add("type", gpu ? "GPU" : "CPU")
      .add("type_index", type_index)
      .add("name", text(agent, HSA_AGENT_INFO_NAME))
      .add("product_name", text(agent, HSA_AMD_AGENT_INFO_PRODUCT_NAME))
      .add("vendor_name", text(agent, HSA_AGENT_INFO_VENDOR_NAME))
      .add("model_name", gpu ? "ip discovery" : "")
      .add("uuid", text(agent, HSA_AMD_AGENT_INFO_UUID))
      .add("properties", properties(agent, gpu))
      .text();
}

}  // namespace vgpu::hip
