// Loading a code object: memory, relocations, symbols, and telling device and tracer about it.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "device/device.h"
#include "hsa/base/aperture.h"
#include "hsa/base/gfx942.h"
#include "hsa/code/executable.h"
#include "hsa/code/kernel_registry.h"
#include "hsa/trace/trace_sink.h"
#include "metadata/kernel_metadata.h"

namespace vrocm {
namespace {

// AMDGPU relocation types (LLVM's AMDGPUUsage, "Relocation Records").
enum : uint32_t {
  kNone = 0,
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel32 = 4,
  kRel64 = 5,
  kAbs32 = 6,
  kRel32Lo = 10,
  kRel32Hi = 11,
  kRelative64 = 13,
};

// e_flags: target and feature selections of code object version 4 and later.
constexpr uint32_t kMachMask = 0xff;
constexpr uint32_t kXnackMask = 0x300, kXnackOn = 0x300;
constexpr uint32_t kSrameccMask = 0xc00, kSrameccOff = 0x800;

hsa_status_t reject(const CodeBytes& code, const std::string& why, hsa_status_t status) {
  std::fprintf(stderr, "virtual ROCm: cannot load code object %s: %s\n", code.uri.c_str(),
               why.c_str());
  return status;
}

hsa_status_t check_target(const ElfImage& elf, const CodeBytes& code) {
  const uint32_t mach = elf.flags() & kMachMask;
  if (mach != gfx942::kElfMach && mach != gfx942::kElfMachGeneric) {
    char why[128];
    std::snprintf(why, sizeof why,
                  "it is code for another target (e_flags 0x%x); build it with "
                  "--offload-arch=gfx942",
                  elf.flags());
    return reject(code, why, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  }
  if ((elf.flags() & kXnackMask) == kXnackOn || (elf.flags() & kSrameccMask) == kSrameccOff) {
    return reject(code, "it was built for xnack+ or sramecc-; this device is sramecc+:xnack-",
                  HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  }
  return HSA_STATUS_SUCCESS;
}

bool place(const ElfImage& elf, LoadedCodeObject& object) {
  const uint64_t lowest = elf.lowest_address() / kPageSize * kPageSize;
  object.load_size = align_up(elf.highest_address() - lowest, kPageSize);
  const uint64_t base = Aperture::get().reserve(object.load_size, kPageSize);
  if (!base || !Aperture::commit(base, object.load_size)) return false;
  object.load_base = base;
  object.load_delta = static_cast<int64_t>(base - lowest);
  object.segments = elf.segments();
  for (const Elf64_Phdr& segment : elf.segments()) {
    std::memcpy(reinterpret_cast<void*>(segment.p_vaddr + object.load_delta),
                elf.data() + segment.p_offset, segment.p_filesz);
  }
  return true;
}

bool is_kernel(const ElfSymbol& symbol) {
  const std::string& name = symbol.name;
  return name.size() > 3 && name.compare(name.size() - 3, 3, ".kd") == 0 &&
         symbol.size == sizeof(amd_kernel_descriptor_t);
}

hsa_status_t define_symbols(Executable& executable, Agent& agent, const ElfImage& elf,
                            const LoadedCodeObject& object) {
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (symbol.section == SHN_UNDEF || symbol.binding == STB_LOCAL || symbol.type != STT_OBJECT) {
      continue;
    }
    if (symbol.value < elf.lowest_address() || symbol.value > elf.highest_address() ||
        symbol.size > elf.highest_address() - symbol.value) {
      return reject(object.code, "symbol " + symbol.name + " lies outside of its segments",
                    HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    }
    if (executable.find(symbol.name, &agent)) {
      return reject(object.code, "symbol " + symbol.name + " is already defined",
                    HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
    }
    executable.add({&executable, &agent, symbol.name,
                    is_kernel(symbol) ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE,
                    symbol.value + static_cast<uint64_t>(object.load_delta), symbol.size});
  }
  return HSA_STATUS_SUCCESS;
}

// The address a relocation refers to: here, or a variable that the program defined.
bool resolve(const Executable& executable, const Agent& agent, const ElfSymbol& symbol,
             const LoadedCodeObject& object, uint64_t& address) {
  if (symbol.section != SHN_UNDEF) {
    address = symbol.value + static_cast<uint64_t>(object.load_delta);
    return true;
  }
  const LoadedSymbol* defined = executable.find(symbol.name, &agent);
  if (defined) address = defined->address;
  return defined || symbol.binding == STB_WEAK;
}

template <typename T>
void put(uint64_t address, uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(reinterpret_cast<void*>(address), &narrow, sizeof narrow);
}

bool apply(uint32_t type, uint64_t place, uint64_t value, uint64_t base_plus_addend) {
  switch (type) {
    case kNone: return true;
    case kAbs32Lo:
    case kAbs32: put<uint32_t>(place, value); return true;
    case kAbs32Hi: put<uint32_t>(place, value >> 32); return true;
    case kAbs64: put<uint64_t>(place, value); return true;
    case kRel32:
    case kRel32Lo: put<uint32_t>(place, value - place); return true;
    case kRel32Hi: put<uint32_t>(place, (value - place) >> 32); return true;
    case kRel64: put<uint64_t>(place, value - place); return true;
    case kRelative64: put<uint64_t>(place, base_plus_addend); return true;
    default: return false;
  }
}

hsa_status_t relocate(const Executable& executable, const Agent& agent, const ElfImage& elf,
                      const LoadedCodeObject& object) {
  for (const ElfRelocation& relocation : elf.relocations()) {
    const uint64_t place = relocation.offset + static_cast<uint64_t>(object.load_delta);
    if (place < object.load_base || place + 8 > object.load_base + object.load_size) {
      return reject(object.code, "a relocation lies outside of its segments",
                    HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    }
    uint64_t address = 0;
    const ElfSymbol* symbol = relocation.symbol ? &elf.symbols()[relocation.symbol] : nullptr;
    if (symbol && !resolve(executable, agent, *symbol, object, address)) {
      return reject(object.code, "variable " + symbol->name + " is not defined",
                    HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
    }
    const auto addend = static_cast<uint64_t>(relocation.addend);
    if (!apply(relocation.type, place, address + addend,
               static_cast<uint64_t>(object.load_delta) + addend)) {
      return reject(object.code,
                    "relocation type " + std::to_string(relocation.type) + " is not supported",
                    HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    }
  }
  return HSA_STATUS_SUCCESS;
}

// Register counts as the descriptor states them (gfx90a and later: unified file, AGPRs behind
// accum_offset; SGPRs in blocks of 16).
VrocmKernelRecord describe_kernel(const LoadedSymbol& symbol, uint64_t code_object_id) {
  const amd_kernel_descriptor_t& descriptor = symbol.descriptor();
  const uint32_t registers = ((descriptor.compute_pgm_rsrc1 & 0x3f) + 1) * 8;
  const uint32_t accum_offset = ((descriptor.compute_pgm_rsrc3 & 0x3f) + 1) * 4;
  VrocmKernelRecord record{};
  record.code_object_id = code_object_id;
  record.name = symbol.name.c_str();
  record.kernel_object = symbol.address;
  record.kernarg_size = descriptor.kernarg_size;
  record.kernarg_alignment = 16;
  record.group_segment_size = descriptor.group_segment_fixed_size;
  record.private_segment_size = descriptor.private_segment_fixed_size;
  record.sgpr_count = (((descriptor.compute_pgm_rsrc1 >> 6) & 0xf) / 2 + 1) * 16;
  record.arch_vgpr_count = registers < accum_offset ? registers : accum_offset;
  record.accum_vgpr_count = registers - record.arch_vgpr_count;
  return record;
}

uint32_t argument_bytes(const LoadedSymbol& symbol,
                        const std::unordered_map<std::string, uint32_t>& stated) {
  const auto found = stated.find(symbol.name);
  return code_metadata::argument_bytes(found == stated.end() ? 0 : found->second,
                                       symbol.descriptor().kernarg_size);
}

void trace_code_object(const LoadedCodeObject& object, bool loaded) {
  const VrocmTraceSink* sink = trace_sink();
  if (!sink || !sink->on_code_object) return;
  const VrocmCodeObjectRecord record{object.id,        object.agent->handle(),  object.load_base,
                                     object.load_size, object.load_delta,       object.code.data,
                                     object.code.size, object.code.uri.c_str(), loaded};
  sink->on_code_object(sink->user, &record);
}

void announce(const Executable& executable, const LoadedCodeObject& object, size_t first_symbol) {
  vgpu::map_memory(object.load_base, object.load_size, vgpu::MemoryKind::Code,
                   "code object #" + std::to_string(object.id), object.agent->node);
  vgpu::register_code(object.load_base, object.load_size, object.code.data, object.code.size);
  trace_code_object(object, true);
  const VrocmTraceSink* sink = trace_sink();
  const auto stated = code_metadata::argument_bytes_of(object.code.data, object.code.size);
  for (size_t i = first_symbol; i < executable.symbols.size(); ++i) {
    const LoadedSymbol& symbol = *executable.symbols[i];
    if (symbol.kind != HSA_SYMBOL_KIND_KERNEL) continue;
    VrocmKernelRecord record = describe_kernel(symbol, object.id);
    record.kernel_id = register_kernel(symbol.address, symbol.name, argument_bytes(symbol, stated));
    if (sink && sink->on_kernel_symbol) sink->on_kernel_symbol(sink->user, &record);
  }
}

void give_back(const LoadedCodeObject& object) {
  if (!object.load_base) return;
  Aperture::discard(object.load_base, object.load_size);
  Aperture::get().release(object.load_base, object.load_size);
}

}  // namespace

hsa_status_t load_code_object(Executable& executable, Agent& agent, const CodeBytes& code,
                              LoadedCodeObject** loaded) {
  static std::atomic<uint64_t> last_id{0};
  const ElfImage elf(code.data, code.size);
  if (!elf.error().empty()) {
    return reject(code, elf.error(), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  }
  hsa_status_t status = check_target(elf, code);
  if (status != HSA_STATUS_SUCCESS) return status;
  auto object = std::make_unique<LoadedCodeObject>(
      LoadedCodeObject{++last_id, &executable, &agent, code, 0, 0, 0, {}});
  if (!place(elf, *object)) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const size_t first_symbol = executable.symbols.size();
  status = define_symbols(executable, agent, elf, *object);
  if (status == HSA_STATUS_SUCCESS) status = relocate(executable, agent, elf, *object);
  if (status != HSA_STATUS_SUCCESS) {
    executable.drop_symbols_from(first_symbol);
    give_back(*object);
    return status;
  }
  announce(executable, *object, first_symbol);
  if (loaded) *loaded = object.get();
  executable.code_objects.push_back(std::move(object));
  return HSA_STATUS_SUCCESS;
}

Executable::~Executable() {
  for (const auto& symbol : symbols) {
    if (symbol->kind == HSA_SYMBOL_KIND_KERNEL) unregister_kernel(symbol->address);
  }
  for (const auto& object : code_objects) {
    trace_code_object(*object, false);
    vgpu::unregister_code(object->load_base);
    vgpu::unmap_memory(object->load_base);
    give_back(*object);
  }
}

}  // namespace vrocm
