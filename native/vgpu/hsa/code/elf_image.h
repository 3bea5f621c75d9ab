// Reading an AMDGPU code object: a bounds-checked view of its ELF file.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vrocm {

struct ElfSymbol {
  std::string name;
  uint64_t value;  // ELF virtual address
  uint64_t size;
  uint8_t type;      // STT_*
  uint8_t binding;   // STB_*
  uint16_t section;  // SHN_UNDEF: to be defined by somebody else
};

struct ElfRelocation {
  uint64_t offset;  // ELF virtual address
  uint32_t type;    // R_AMDGPU_*
  uint32_t symbol;  // index into symbols(), 0: none
  int64_t addend;
};

class ElfImage {
 public:
  // Why the bytes are no loadable code object is in error(); empty when they are.
  ElfImage(const void* bytes, size_t size);

  const std::string& error() const { return error_; }
  uint32_t flags() const { return header_.e_flags; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }  // PT_LOAD only
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }     // dynamic
  const std::vector<ElfRelocation>& relocations() const { return relocations_; }
  const uint8_t* data() const { return bytes_; }

  uint64_t lowest_address() const { return lowest_; }
  uint64_t highest_address() const { return highest_; }

 private:
  bool check_header();
  bool read_segments();
  bool read_dynamic();
  bool read_symbols(uint64_t table, uint64_t strings, uint64_t strings_size, uint64_t count);
  bool read_relocations(uint64_t table, uint64_t bytes);
  uint64_t symbol_count(uint64_t hash, uint64_t gnu_hash) const;
  const uint8_t* at_address(uint64_t address, uint64_t bytes) const;  // null: outside
  bool fail(const char* why);

  const uint8_t* bytes_;
  size_t size_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<ElfSymbol> symbols_;
  std::vector<ElfRelocation> relocations_;
  uint64_t lowest_ = UINT64_MAX, highest_ = 0;
  std::string error_;
};

}  // namespace vrocm
