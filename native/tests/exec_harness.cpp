// Loads a code object and dispatches its kernels without HSA or HIP: the door for the tests of the
// execution room. Built as a shared library with a C interface.
#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../vgpu/device/device.h"
#include "../vgpu/exec/cover/operand_pairs.h"
#include "../vgpu/exec/wave/handlers.h"
#include "../vgpu/exec/wave/kernel_descriptor.h"
#include "../vgpu/isa/decode.h"
#include "../vgpu/model/ideal/free_places.h"
#include "../vgpu/model/ideal/ideal.h"
#include "../vgpu/model/launch/device_size.h"

namespace {

constexpr size_t kPage = 4096;

void* allocate(size_t bytes) {
  size_t rounded = (bytes + kPage) / kPage * kPage;
  // A page without access on either side, so that overruns do not hit another test allocation.
  char* memory = static_cast<char*>(
      mmap(nullptr, rounded + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + kPage, rounded, PROT_READ | PROT_WRITE);
  return memory + kPage;
}

template <class T>
T read_at(const uint8_t* data, uint64_t offset) {
  T v;
  std::memcpy(&v, data + offset, sizeof v);
  return v;
}

struct LoadedCode {
  std::vector<uint8_t> elf;
  uint8_t* image = nullptr;

  explicit LoadedCode(const uint8_t* data, size_t size) : elf(data, data + size) {
    auto header = read_at<Elf64_Ehdr>(data, 0);
    uint64_t end = 0;
    for (int n = 0; n < header.e_phnum; ++n) {
      auto segment = read_at<Elf64_Phdr>(data, header.e_phoff + uint64_t(n) * sizeof(Elf64_Phdr));
      if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_vaddr + segment.p_memsz);
    }
    image = static_cast<uint8_t*>(allocate(end));
    vgpu::map_memory(reinterpret_cast<uint64_t>(image), end, vgpu::MemoryKind::Code, "code object");
    for (int n = 0; n < header.e_phnum; ++n) {
      auto segment = read_at<Elf64_Phdr>(data, header.e_phoff + uint64_t(n) * sizeof(Elf64_Phdr));
      if (segment.p_type != PT_LOAD) continue;
      std::memcpy(image + segment.p_vaddr, data + segment.p_offset, segment.p_filesz);
    }
    relocate();
    vgpu::register_code(reinterpret_cast<uint64_t>(image), end, elf.data(), elf.size());
  }

  // Adjusts the words that hold addresses: R_AMDGPU_RELATIVE64 and R_AMDGPU_ABS64.
  void relocate() {
    for_sections(SHT_RELA, [&](const Elf64_Shdr& section) {
      for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Rela)) {
        auto r = read_at<Elf64_Rela>(elf.data(), section.sh_offset + at);
        uint32_t type = ELF64_R_TYPE(r.r_info);
        if (section.sh_flags & SHF_ALLOC && type == 13) {
          uint64_t value = reinterpret_cast<uint64_t>(image) + uint64_t(r.r_addend);
          std::memcpy(image + r.r_offset, &value, 8);
        }
      }
    });
  }

  template <class Use>
  void for_sections(uint32_t type, Use use) {
    auto header = read_at<Elf64_Ehdr>(elf.data(), 0);
    for (int n = 0; n < header.e_shnum; ++n) {
      auto s = read_at<Elf64_Shdr>(elf.data(), header.e_shoff + uint64_t(n) * sizeof(Elf64_Shdr));
      if (s.sh_type == type) use(s);
    }
  }

  uint64_t symbol(const std::string& wanted) {
    uint64_t found = 0;
    for_sections(SHT_DYNSYM, [&](const Elf64_Shdr& table) {
      auto header = read_at<Elf64_Ehdr>(elf.data(), 0);
      auto strings =
          read_at<Elf64_Shdr>(elf.data(), header.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
      const char* text = reinterpret_cast<const char*>(elf.data()) + strings.sh_offset;
      for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
        auto s = read_at<Elf64_Sym>(elf.data(), table.sh_offset + at);
        if (wanted == text + s.st_name) found = reinterpret_cast<uint64_t>(image) + s.st_value;
      }
    });
    return found;
  }
};

}  // namespace

static vgpu::DispatchResult& last_result() {
  static thread_local vgpu::DispatchResult result{};
  return result;
}

extern "C" {

struct ExecLaunch {
  uint32_t grid[3];
  uint16_t group[3];
  uint16_t dimensions;
  uint32_t dynamic_lds, private_bytes;
};

void* exec_load(const uint8_t* elf, size_t size) { return new LoadedCode(elf, size); }

uint64_t exec_symbol(void* code, const char* name) {
  return static_cast<LoadedCode*>(code)->symbol(name);
}

void* exec_allocate(size_t bytes, const char* label) {
  void* memory = allocate(bytes);
  vgpu::map_memory(reinterpret_cast<uint64_t>(memory), bytes, vgpu::MemoryKind::Device, label);
  return memory;
}

void exec_free(void* memory) { vgpu::unmap_memory(reinterpret_cast<uint64_t>(memory)); }

// Gives the number of wave instructions and the modelled duration; -1: there is no such kernel.
int exec_dispatch(void* code, const char* kernel, const ExecLaunch* launch, void* arguments,
                  uint64_t* instructions, uint64_t* duration_ns) {
  uint64_t object = static_cast<LoadedCode*>(code)->symbol(std::string(kernel) + ".kd");
  if (!object) return -1;
  auto descriptor = read_at<vgpu::KernelDescriptor>(reinterpret_cast<const uint8_t*>(object), 0);
  vgpu::AqlDispatchPacket packet{};
  packet.setup = launch->dimensions;
  std::copy(launch->group, launch->group + 3, packet.workgroup_size);
  std::copy(launch->grid, launch->grid + 3, packet.grid_size);
  packet.private_segment_size =
      std::max(descriptor.private_segment_fixed_size, launch->private_bytes);
  packet.group_segment_size = descriptor.group_segment_fixed_size + launch->dynamic_lds;
  packet.kernel_object = object;
  packet.kernarg_address = reinterpret_cast<uint64_t>(arguments);
  auto* mapped = static_cast<vgpu::AqlDispatchPacket*>(exec_allocate(sizeof packet, "AQL packet"));
  *mapped = packet;
  vgpu::DispatchRequest request{mapped, 0, 7, object, kernel, descriptor.kernarg_size};
  vgpu::DispatchResult result = vgpu::run_dispatch(request);
  exec_free(mapped);
  *instructions = result.wave_instructions;
  *duration_ns = result.duration_ns;
  last_result() = std::move(result);
  return 0;
}

// The counters of this thread's last dispatch as JSON; empty unless VROCM_COUNTERS=1.
const char* exec_counters() { return last_result().counters.c_str(); }

// What the simulation said of this thread's last dispatch, before bounds, and what each of these
// says; null behind the last one.
uint64_t exec_simulated_ns() { return last_result().simulated_ns; }
const char* exec_bound_name(int number) {
  return number < vgpu::model::kBounds ? vgpu::model::name_of(vgpu::model::Bound(number)) : nullptr;
}
double exec_bound_cycles(int number) {
  return last_result().bounds.cycles(vgpu::model::Bound(number));
}

// From now on the modelled device has so many CUs per XCD at that clock.
void exec_set_device_size(int units_per_xcd, double clock_ghz) {
  vgpu::model::set_device_size({units_per_xcd, clock_ghz});
}

// From now on these mechanisms are free; -1 when a name is unknown.
int exec_set_ideals(const char* names) { return vgpu::model::set_ideals(names) ? 0 : -1; }
int exec_set_free_places(const char* text) { return vgpu::model::set_free_places(text) ? 0 : -1; }

// Names of the instructions that no handler executes, one per line.
const char* exec_unhandled() {
  static std::string names;
  names.clear();
  for (int op = 0; op < int(vgpu::Op::count_); ++op) {
    vgpu::Inst inst;
    inst.op = vgpu::Op(op);
    vgpu::bind(inst);
    if (!inst.exec) names += std::string(vgpu::mnemonic(inst.op)) + "\n";
  }
  return names.c_str();
}

// What coverage keeps of comparisons: `seen` has wave, step and two operands of each, of which `front`
// came to one host thread and the others to another. Returns how many pairs are kept in `pairs`.
int exec_operand_pairs(const uint64_t* seen, int count, int front, uint64_t* pairs) {
  vgpu::cover::OperandPairs parts[2];
  for (int n = 0; n < count; ++n)
    parts[n >= front].add({seen[4 * n], seen[4 * n + 1]}, {seen[4 * n + 2], seen[4 * n + 3]});
  parts[0].add(parts[1]);
  int kept = 0;
  for (const auto& [first, second] : parts[0].all()) {
    pairs[kept++] = first;
    pairs[kept++] = second;
  }
  return kept / 2;
}
}  // extern "C"
