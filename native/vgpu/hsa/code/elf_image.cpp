#include "hsa/code/elf_image.h"

#include <algorithm>
#include <cstring>

namespace vrocm {
namespace {

constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiHsa = 64;

template <typename T>
T read(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

ElfImage::ElfImage(const void* bytes, size_t size)
    : bytes_(static_cast<const uint8_t*>(bytes)), size_(size) {
  if (check_header() && read_segments()) read_dynamic();
}

bool ElfImage::fail(const char* why) {
  error_ = why;
  return false;
}

bool ElfImage::check_header() {
  if (size_ < sizeof header_) return fail("it is shorter than an ELF header");
  header_ = read<Elf64_Ehdr>(bytes_);
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return fail("it is no ELF file");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail("it is no 64-bit little-endian ELF file");
  }
  if (header_.e_machine != kMachineAmdgpu || header_.e_ident[EI_OSABI] != kOsAbiHsa) {
    return fail("it is not AMDGPU code for HSA");
  }
  if (header_.e_type != ET_DYN) return fail("it is not linked (no shared object)");
  return true;
}

bool ElfImage::read_segments() {
  const uint64_t table_bytes = uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr);
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phoff > size_ ||
      table_bytes > size_ - header_.e_phoff) {
    return fail("its program headers lie outside of the file");
  }
  for (uint16_t i = 0; i < header_.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(bytes_ + header_.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size_ || segment.p_filesz > size_ - segment.p_offset ||
        segment.p_filesz > segment.p_memsz || segment.p_vaddr + segment.p_memsz < segment.p_vaddr) {
      return fail("a segment lies outside of the file");
    }
    lowest_ = std::min(lowest_, segment.p_vaddr);
    highest_ = std::max(highest_, segment.p_vaddr + segment.p_memsz);
    segments_.push_back(segment);
  }
  return segments_.empty() ? fail("it has nothing to load") : true;
}

const uint8_t* ElfImage::at_address(uint64_t address, uint64_t bytes) const {
  for (const Elf64_Phdr& segment : segments_) {
    const uint64_t within = address - segment.p_vaddr;
    if (within <= segment.p_filesz && bytes <= segment.p_filesz - within) {
      return bytes_ + segment.p_offset + within;
    }
  }
  return nullptr;
}

bool ElfImage::read_dynamic() {
  uint64_t value[DT_NUM] = {};  // by tag
  uint64_t gnu_hash = 0;
  for (uint16_t i = 0; i < header_.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(bytes_ + header_.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_DYNAMIC) continue;
    if (segment.p_offset > size_ || segment.p_filesz > size_ - segment.p_offset) {
      return fail("its dynamic section lies outside of the file");
    }
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = read<Elf64_Dyn>(bytes_ + segment.p_offset + at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_GNU_HASH) gnu_hash = entry.d_un.d_ptr;
      if (entry.d_tag > 0 && entry.d_tag < DT_NUM) value[entry.d_tag] = entry.d_un.d_val;
    }
  }
  if (!value[DT_SYMTAB]) return true;  // no symbols: nothing to find or relocate
  const uint64_t count = symbol_count(value[DT_HASH], gnu_hash);
  return read_symbols(value[DT_SYMTAB], value[DT_STRTAB], value[DT_STRSZ], count) &&
         (!value[DT_RELA] || read_relocations(value[DT_RELA], value[DT_RELASZ]));
}

// The dynamic section does not say how many symbols there are; the hash tables do.
uint64_t ElfImage::symbol_count(uint64_t hash, uint64_t gnu_hash) const {
  if (const uint8_t* table = hash ? at_address(hash, 8) : nullptr) {
    return read<uint32_t>(table + 4);  // nchain
  }
  const uint8_t* table = gnu_hash ? at_address(gnu_hash, 16) : nullptr;
  if (!table) return 0;
  const uint32_t buckets = read<uint32_t>(table), first = read<uint32_t>(table + 4);
  const uint64_t bucket_at = gnu_hash + 16 + uint64_t{read<uint32_t>(table + 8)} * 8;
  const uint8_t* bucket = at_address(bucket_at, uint64_t{buckets} * 4);
  if (!bucket) return 0;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) last = std::max(last, read<uint32_t>(bucket + i * 4));
  if (last < first) return first;
  for (uint64_t at = bucket_at + (uint64_t{buckets} + last - first) * 4;; at += 4, ++last) {
    const uint8_t* chain = at_address(at, 4);
    if (!chain || (read<uint32_t>(chain) & 1)) return last + 1;  // bit 0 ends the chain
  }
}

bool ElfImage::read_symbols(uint64_t table, uint64_t strings, uint64_t strings_size,
                            uint64_t count) {
  const uint8_t* entries = count < size_ ? at_address(table, count * sizeof(Elf64_Sym)) : nullptr;
  const auto* names = reinterpret_cast<const char*>(at_address(strings, strings_size));
  if (!entries || !names || (strings_size && names[strings_size - 1] != '\0')) {
    return fail("its symbol table lies outside of its segments");
  }
  for (uint64_t i = 0; i < count; ++i) {
    const auto symbol = read<Elf64_Sym>(entries + i * sizeof(Elf64_Sym));
    if (symbol.st_name >= strings_size && symbol.st_name != 0) return fail("a symbol has no name");
    symbols_.push_back({strings_size ? names + symbol.st_name : "", symbol.st_value, symbol.st_size,
                        uint8_t(ELF64_ST_TYPE(symbol.st_info)),
                        uint8_t(ELF64_ST_BIND(symbol.st_info)), symbol.st_shndx});
  }
  return true;
}

bool ElfImage::read_relocations(uint64_t table, uint64_t bytes) {
  const uint8_t* entries = at_address(table, bytes);
  if (!entries) return fail("its relocations lie outside of its segments");
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
    const auto entry = read<Elf64_Rela>(entries + at);
    const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(entry.r_info));
    if (symbol != 0 && symbol >= symbols_.size()) return fail("a relocation names no symbol");
    relocations_.push_back({entry.r_offset, static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info)),
                            symbol, entry.r_addend});
  }
  return true;
}

}  // namespace vrocm
