// hsa_agent_get_info: standard attributes first, then AMD's.
#include "hsa/agent/agent.h"
#include "hsa/agent/isa.h"
#include "hsa/base/answer.h"
#include "hsa/base/api.h"
#include "hsa/base/gfx942.h"
#include "hsa/base/runtime.h"
#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

constexpr size_t kNameField = 64;
constexpr size_t kUuidField = 21;
constexpr size_t kExtensionBytes = 128;

hsa_status_t answer_extensions(void* value) {
  uint8_t bits[kExtensionBytes] = {};
  for (uint32_t extension : {HSA_EXTENSION_AMD_PROFILER, HSA_EXTENSION_AMD_LOADER}) {
    bits[extension / 8] |= static_cast<uint8_t>(1u << (extension % 8));
  }
  return answer(value, bits);
}

hsa_status_t answer_dispatch_limits(const Agent& agent, uint32_t attribute, void* value) {
  const bool gpu = agent.is_gpu();
  const uint16_t side = gpu ? gfx942::kWorkgroupMaxSize : 0;
  switch (attribute) {
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
      return answer(value, gpu ? gfx942::kWavefrontSize : uint32_t{0});
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: {
      const uint16_t dim[3] = {side, side, side};
      return answer(value, dim);
    }
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: return answer(value, uint32_t{side});
    case HSA_AGENT_INFO_GRID_MAX_DIM: {
      const uint32_t most = gpu ? UINT32_MAX : 0;
      return answer(value, hsa_dim3_t{most, most, most});
    }
    case HSA_AGENT_INFO_GRID_MAX_SIZE: return answer(value, gpu ? UINT32_MAX : uint32_t{0});
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: return answer(value, gpu ? uint32_t{32} : uint32_t{0});
    case HSA_AGENT_INFO_QUEUES_MAX: return answer(value, gpu ? gfx942::kQueuesMax : uint32_t{0});
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
      return answer(value, gpu ? gfx942::kQueueMinPackets : uint32_t{0});
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
      return answer(value, gpu ? gfx942::kQueueMaxPackets : uint32_t{0});
    case HSA_AGENT_INFO_QUEUE_TYPE: return answer(value, HSA_QUEUE_TYPE_MULTI);
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t answer_standard(const Agent& agent, uint32_t attribute, void* value) {
  const bool gpu = agent.is_gpu();
  switch (attribute) {
    case HSA_AGENT_INFO_NAME: return answer_text(value, agent.name, kNameField);
    case HSA_AGENT_INFO_VENDOR_NAME: return answer_text(value, gpu ? "AMD" : "CPU", kNameField);
    case HSA_AGENT_INFO_FEATURE:
      return answer(value, gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : hsa_agent_feature_t(0));
    case HSA_AGENT_INFO_MACHINE_MODEL: return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_PROFILE: return answer(value, gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return answer(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_FAST_F16_OPERATION: return answer(value, gpu);
    case HSA_AGENT_INFO_NODE: return answer(value, agent.node);
    case HSA_AGENT_INFO_DEVICE: return answer(value, agent.type);
    case HSA_AGENT_INFO_CACHE_SIZE: {
      uint32_t bytes[4] = {};
      for (const auto& cache : agent.caches) bytes[cache->level - 1] = cache->bytes;
      return answer(value, bytes);
    }
    case HSA_AGENT_INFO_ISA: return answer(value, gpu ? isas().front().handle() : hsa_isa_t{0});
    case HSA_AGENT_INFO_EXTENSIONS: return answer_extensions(value);
    case HSA_AGENT_INFO_VERSION_MAJOR: return answer(value, uint16_t{1});
    case HSA_AGENT_INFO_VERSION_MINOR: return answer(value, uint16_t{1});
    default: return answer_dispatch_limits(agent, attribute, value);
  }
}

// PCI location: bus 5, 21, 37... of domain 0, as MI300X boards place them.
uint32_t bdf(const Agent& agent) { return agent.is_gpu() ? (5 + 16 * (agent.node - 1)) << 8 : 0; }

hsa_status_t answer_amd_shape(const Agent& agent, uint32_t attribute, void* value) {
  const bool gpu = agent.is_gpu();
  const auto of_gpu = [gpu](uint32_t number) { return gpu ? number : 0; };
  switch (attribute) {
    case HSA_AMD_AGENT_INFO_CHIP_ID: return answer(value, of_gpu(gfx942::kChipId));
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return answer(value, gpu ? gfx942::kCachelineBytes : uint32_t{64});
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return answer(value, agent.compute_units);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: return answer(value, of_gpu(gfx942::kMaxClockMhz));
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: return answer(value, of_gpu(4));
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: return answer(value, of_gpu(gfx942::kMemoryBusBits));
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
      return answer(value, of_gpu(gfx942::kMemoryClockMhz));
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: return answer(value, of_gpu(gfx942::kWavesPerCu));
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU: return answer(value, of_gpu(gfx942::kSimdsPerCu));
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
      return answer(value, of_gpu(gfx942::kShaderEngines));
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
      return answer(value, of_gpu(gfx942::kShaderArraysPerEngine));
    case HSA_AMD_AGENT_INFO_NUM_XCC: return answer(value, of_gpu(gfx942::kXccs));
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG: return answer(value, of_gpu(gfx942::kSdmaEngines));
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG: return answer(value, of_gpu(gfx942::kXgmiEngines));
    case HSA_AMD_AGENT_INFO_ASIC_REVISION: return answer(value, of_gpu(gfx942::kAsicRevision));
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID: return answer(value, of_gpu(gfx942::kAsicFamilyId));
    case HSA_AMD_AGENT_INFO_UCODE_VERSION: return answer(value, of_gpu(gfx942::kFirmwareVersion));
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
      return answer(value, of_gpu(gfx942::kSdmaFirmwareVersion));
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t answer_amd_identity(const Agent& agent, uint32_t attribute, void* value) {
  const bool gpu = agent.is_gpu();
  switch (attribute) {
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
    case HSA_AMD_AGENT_INFO_DRIVER_UID: return answer(value, agent.node);
    case HSA_AMD_AGENT_INFO_BDFID: return answer(value, bdf(agent));
    case HSA_AMD_AGENT_INFO_DOMAIN: return answer(value, uint32_t{0});
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME: return answer_text(value, agent.product_name, kNameField);
    case HSA_AMD_AGENT_INFO_UUID: return answer_text(value, agent.uuid, kUuidField);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH: return answer(value, hsa_amd_hdp_flush_t{});
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: return answer(value, gpu);
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: return answer(value, !gpu);
    case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
      return answer(value, uint64_t{agent.memory_bytes - agent.memory_used});
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY: return answer(value, kClockFrequency);
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT: return answer(value, HSA_IOMMU_SUPPORT_NONE);
    case HSA_AMD_AGENT_INFO_NEAREST_CPU: return answer(value, cpu_agent()->handle());
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
    case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS: return answer(value, uint64_t{0});
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
      return answer(value, uint64_t{gpu ? gfx942::kScratchLimitBytes : 0});
    case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: {
      const uint64_t now = vrocm_host_now();
      return answer(value, hsa_amd_clock_counters_t{now, now, now, kClockFrequency});
    }
    default: return answer_amd_shape(agent, attribute, value);
  }
}

}  // namespace

namespace api {

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(value);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_AGENT);
  const auto number = static_cast<uint32_t>(attribute);
  if (number >= HSA_AMD_AGENT_INFO_CHIP_ID) return answer_amd_identity(*object, number, value);
  if (number >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS &&
      number <= HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT) {
    return hsa_status_t(answer(value, uint32_t{0}));  // gfx942 has no image hardware
  }
  return answer_standard(*object, number, value);
}

}  // namespace api
}  // namespace vrocm
