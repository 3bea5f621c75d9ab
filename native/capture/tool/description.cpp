#include "tool/description.h"

#include <unistd.h>

#include "hooks/json_text.h"
#include "hooks/tables.h"

namespace capture {
namespace {

std::string number(uint64_t value) { return std::to_string(value); }
std::string flag(bool value) { return value ? "true" : "false"; }
std::string triple(uint32_t x, uint32_t y, uint32_t z) {
  return "[" + number(x) + ", " + number(y) + ", " + number(z) + "]";
}

struct Fields {
  std::string text;
  void add(const char* name, const std::string& value) {
    text += (text.empty() ? "  \"" : ",\n  \"") + std::string(name) + "\": " + value;
  }
  std::string object() const { return "{\n" + text + "\n}\n"; }
};

void write_text(const std::string& path, const std::string& text) {
  write_file(path, text.data(), text.size());
}

std::string hex_bytes(const Packet& packet) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&packet);
  for (size_t i = 0; i < sizeof packet; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string agent_name(hsa_agent_t agent, hsa_agent_info_t what) {
  char name[64] = {};
  core().hsa_agent_get_info_fn(agent, what, name);
  name[sizeof name - 1] = 0;
  return name;
}

std::string isa_name(hsa_agent_t agent) {
  hsa_isa_t isa{};
  uint32_t length = 0;
  core().hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_ISA, &isa);
  core().hsa_isa_get_info_alt_fn(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
  std::string name(length, '\0');
  core().hsa_isa_get_info_alt_fn(isa, HSA_ISA_INFO_NAME, &name[0]);
  return name.c_str();  // the length counts the terminator
}

struct AgentSearch {
  uint64_t wanted;
  int gpus;
  int found;
};

// The place of the agent among the GPUs, which is how people name it; -1 for the host.
int gpu_index(uint64_t agent) {
  AgentSearch search{agent, 0, -1};
  core().hsa_iterate_agents_fn(
      [](hsa_agent_t one, void* data) {
        auto* s = static_cast<AgentSearch*>(data);
        hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
        core().hsa_agent_get_info_fn(one, HSA_AGENT_INFO_DEVICE, &type);
        if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
        if (one.handle == s->wanted) s->found = s->gpus;
        ++s->gpus;
        return HSA_STATUS_SUCCESS;
      },
      &search);
  return search.found;
}

std::string unsupported(const Taken& taken) {
  std::string list;
  const auto add = [&list](const std::string& kind, const std::string& detail) {
    list += (list.empty() ? "" : ", ") + std::string("{\"kind\": ") + quoted(kind) +
            ", \"detail\": " + quoted(detail) + "}";
  };
  if (taken.images) add("images", "the application made " + number(taken.images) + " image(s)");
  for (const Region& region : taken.regions) {
    if (region.owner && region.owner != taken.agent.handle) {
      add("peer_memory", "0x" + hex(region.base) + " lies on another GPU");
    }
  }
  return "[" + list + "]";
}

std::string dispatch(const Taken& taken, const Kernel& kernel, const LoadedCode& code,
                     uint64_t kernarg_bytes) {
  const Packet& packet = taken.packet;
  uint32_t wavefront = 0;
  core().hsa_agent_get_info_fn(taken.agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wavefront);
  Fields f;
  f.add("mangled_name", quoted(kernel.mangled));
  f.add("demangled_name", quoted(kernel.demangled));
  f.add("agent_name", quoted(agent_name(taken.agent, HSA_AGENT_INFO_NAME)));
  f.add("agent_product", quoted(agent_name(taken.agent, static_cast<hsa_agent_info_t>(
                                                            HSA_AMD_AGENT_INFO_PRODUCT_NAME))));
  f.add("agent_index", std::to_string(gpu_index(taken.agent.handle)));
  f.add("isa_name", quoted(isa_name(taken.agent)));
  f.add("wavefront_size", number(wavefront));
  f.add("kernel_object", number(packet.kernel_object));
  f.add("grid", triple(packet.grid_size_x, packet.grid_size_y, packet.grid_size_z));
  f.add("block", triple(packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z));
  f.add("group_segment_size", number(packet.group_segment_size));
  f.add("private_segment_size", number(packet.private_segment_size));
  f.add("kernarg_size", number(kernarg_bytes));
  f.add("kernarg_address", number(reinterpret_cast<uint64_t>(packet.kernarg_address)));
  f.add("packet_header", number(packet.header));
  f.add("packet_setup", number(packet.setup));
  f.add("packet", quoted(hex_bytes(packet)));
  f.add("queue_index", number(taken.queue_index));
  f.add("queue_size", number(taken.queue->size));
  f.add("queue_type", number(taken.queue->type));
  f.add("dispatch_index", number(taken.index));
  f.add("code_base", number(code.base));
  f.add("code_size", number(code.size));
  f.add("code_delta", std::to_string(code.delta));
  f.add("pid", std::to_string(getpid()));
  f.add("drain_seconds", std::to_string(taken.drain_seconds));
  f.add("unsupported", unsupported(taken));
  return f.object();
}

std::string region_entry(const Taken& taken, size_t i) {
  const Region& region = taken.regions[i];
  const auto kernarg = reinterpret_cast<uint64_t>(taken.packet.kernarg_address);
  const bool pool = region.kind == MemoryKind::Device || region.kind == MemoryKind::Host;
  return "{\"base\": " + number(region.base) + ", \"size\": " + number(region.size) +
         ", \"is_pool\": " + flag(pool) +
         ", \"is_vmem\": " + flag(region.kind == MemoryKind::Vmem) +
         ", \"contains_kernarg\": " + flag(kernarg - region.base < region.size) +
         ", \"handle\": " + number(region.handle) +
         ", \"access\": " + number(HSA_ACCESS_PERMISSION_RW) +
         ", \"kind\": " + quoted(name_of(region.kind)) +
         ", \"agent_index\": " + std::to_string(gpu_index(region.owner)) +
         ", \"pool_flags\": " + number(region.pool_flags) +
         ", \"alloc_flags\": " + number(region.alloc_flags) +
         ", \"stored_bytes\": " + number(taken.stored[i]) + "}";
}

std::string change_entry(const Region& region, const Changes& changes) {
  std::string runs;
  for (const auto& [first, count] : changes.runs) {
    runs += (runs.empty() ? "[" : ", [") + number(first) + ", " + number(count) + "]";
  }
  return "{\"base\": " + number(region.base) + ", \"stored_bytes\": " + number(changes.bytes) +
         ", \"runs\": [" + runs + "]}";
}

template <typename Entry>
std::string list(const Entry& entry, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const std::string one = entry(i);
    if (!one.empty()) text += (text.empty() ? "\n" : ",\n") + one;
  }
  return "[" + text + "\n]";
}

}  // namespace

void write_description(const std::string& folder, const Taken& taken, const Kernel& kernel,
                       const LoadedCode& code, uint64_t kernarg_bytes) {
  write_text(folder + "/dispatch.json", dispatch(taken, kernel, code, kernarg_bytes));
  const auto region = [&](size_t i) { return region_entry(taken, i); };
  write_text(folder + "/memory_regions.json",
             "{\"regions\": " + list(region, taken.regions.size()) + "}\n");
  const auto change = [&](size_t i) {
    return taken.changes[i].runs.empty() ? std::string()
                                         : change_entry(taken.regions[i], taken.changes[i]);
  };
  write_text(folder + "/after/regions.json",
             "{\"page_bytes\": " + number(kPage) +
                 ", \"regions\": " + list(change, taken.regions.size()) + "}\n");
}

}  // namespace capture
