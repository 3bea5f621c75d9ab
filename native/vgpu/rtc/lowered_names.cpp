#include "rtc/lowered_names.h"

#include <elf.h>

#include <cstring>
#include <map>

namespace vgpu::rtc {

namespace {

constexpr char kProbe[] = "__hiprtc_name_";
constexpr uint32_t kRelative64 = 13;  // R_AMDGPU_RELATIVE64

struct Symbol {
  std::string name;
  uint64_t value;
  bool is_named;  // a function or a variable that is defined here
};

// The parts of a code object that are needed here. Nothing is read outside of it.
class CodeObject {
 public:
  explicit CodeObject(const std::string& bytes) : bytes_(bytes) {
    Elf64_Ehdr header;
    if (!read(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (read(header.e_shoff + i * sizeof section, &section)) sections_.push_back(section);
    }
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_DYNSYM) read_symbols(section);
  }

  const std::vector<Symbol>& symbols() const { return symbols_; }

  // Where a relocation puts an address, and the symbol that it is the address of.
  std::map<uint64_t, std::string> addresses() const {
    std::map<uint64_t, std::string> found;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA) continue;
      for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela entry;
        if (read(section.sh_offset + at, &entry)) found[entry.r_offset] = target_of(entry);
      }
    }
    return found;
  }

 private:
  template <typename T>
  bool read(uint64_t offset, T* to) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(to, bytes_.data() + offset, sizeof(T));
    return true;
  }

  std::string text(const Elf64_Shdr& table, uint64_t offset) const {
    const uint64_t begin = table.sh_offset + offset;
    if (begin >= bytes_.size()) return {};
    return bytes_.substr(begin, bytes_.find('\0', begin) - begin);
  }

  void read_symbols(const Elf64_Shdr& table) {
    if (table.sh_link >= sections_.size()) return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym entry;
      if (!read(table.sh_offset + at, &entry)) return;
      const unsigned type = ELF64_ST_TYPE(entry.st_info);
      const bool is_named = (type == STT_FUNC || type == STT_OBJECT) && entry.st_shndx != SHN_UNDEF;
      symbols_.push_back({text(sections_[table.sh_link], entry.st_name), entry.st_value, is_named});
    }
  }

  std::string target_of(const Elf64_Rela& entry) const {
    const uint64_t symbol = ELF64_R_SYM(entry.r_info);
    if (symbol && symbol < symbols_.size()) return symbols_[symbol].name;
    if (ELF64_R_TYPE(entry.r_info) != kRelative64) return {};
    for (const Symbol& candidate : symbols_)
      if (candidate.is_named && candidate.value == uint64_t(entry.r_addend)) return candidate.name;
    return {};
  }

  const std::string& bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Symbol> symbols_;
};

}  // namespace

std::string name_probes(const std::vector<std::string>& expressions) {
  std::string text = "\n";
  for (size_t i = 0; i < expressions.size(); ++i) {
    const std::string& expression = expressions[i];
    text += "extern \"C\" { __device__ __attribute__((used)) const void* " +
            (kProbe + std::to_string(i)) + " = (const void*)(" + (expression[0] == '&' ? "" : "&") +
            expression + "); }\n";
  }
  return text;
}

std::vector<std::string> lowered_names(const std::string& code_object, size_t count) {
  std::vector<std::string> names(count);
  if (count == 0) return names;
  const CodeObject object(code_object);
  const std::map<uint64_t, std::string> addresses = object.addresses();
  for (const Symbol& symbol : object.symbols()) {
    if (symbol.name.rfind(kProbe, 0) != 0) continue;
    const size_t which = std::strtoul(symbol.name.c_str() + sizeof kProbe - 1, nullptr, 10);
    const auto address = addresses.find(symbol.value);
    if (which < count && address != addresses.end()) names[which] = address->second;
  }
  return names;
}

}  // namespace vgpu::rtc
