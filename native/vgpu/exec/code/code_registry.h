// Code that programs have loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vgpu {

// Registers executable code so that it is decoded once and can be named in reports. `base` is where
// address 0 of `elf` was loaded. The ELF may be null and is copied; its DWARF line table gives
// reports their source lines. The memory itself is mapped separately.
void register_code(uint64_t base, size_t bytes, const void* elf, size_t elf_bytes);
void unregister_code(uint64_t base);

}  // namespace vgpu
