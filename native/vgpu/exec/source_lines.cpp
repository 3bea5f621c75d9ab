// A small reader of DWARF line tables (.debug_line, versions 4 and 5).
#include "source_lines.h"

#include <elf.h>

#include <cstring>

namespace vgpu {
namespace {

// A bounded view that reads little-endian values; reading past the end yields zeros.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : p_(data), end_(data + size) {}

  bool done() const { return p_ >= end_; }
  size_t left() const { return size_t(end_ - p_); }
  const uint8_t* position() const { return p_; }
  void skip(uint64_t bytes) { p_ += bytes < left() ? bytes : left(); }

  template <class T>
  T take() {
    T v{};
    if (left() >= sizeof v) std::memcpy(&v, p_, sizeof v);
    skip(sizeof v);
    return v;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; !done(); shift += 7) {
      uint8_t byte = *p_++;
      if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) break;
    }
    return value;
  }
  int64_t sleb() {
    int64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = take<uint8_t>();
      if (shift < 64) value |= int64_t(uint64_t(byte & 0x7f) << shift);
      shift += 7;
    } while (byte & 0x80 && !done());
    if (shift < 64 && byte & 0x40) value |= int64_t(~uint64_t(0) << shift);
    return value;
  }
  std::string text() {
    const uint8_t* start = p_;
    while (p_ < end_ && *p_) ++p_;
    std::string s(reinterpret_cast<const char*>(start), size_t(p_ - start));
    skip(1);
    return s;
  }
  Reader sub(uint64_t bytes) {
    Reader part(p_, bytes < left() ? bytes : left());
    skip(bytes);
    return part;
  }

 private:
  const uint8_t *p_, *end_;
};

struct Sections {
  Reader line{nullptr, 0};
  Reader line_strings{nullptr, 0}, strings{nullptr, 0};
};

Reader section(const std::vector<uint8_t>& elf, const char* wanted) {
  Elf64_Ehdr header;
  if (elf.size() < sizeof header) return {nullptr, 0};
  std::memcpy(&header, elf.data(), sizeof header);
  auto read = [&](unsigned index, Elf64_Shdr& out) {
    uint64_t at = header.e_shoff + uint64_t(index) * sizeof out;
    if (at + sizeof out > elf.size()) return false;
    std::memcpy(&out, elf.data() + at, sizeof out);
    return out.sh_type == SHT_NOBITS || out.sh_offset + out.sh_size <= elf.size();
  };
  Elf64_Shdr names, candidate;
  if (!read(header.e_shstrndx, names)) return {nullptr, 0};
  for (unsigned n = 0; n < header.e_shnum; ++n) {
    if (!read(n, candidate) || candidate.sh_name >= names.sh_size) continue;
    uint64_t at = names.sh_offset + candidate.sh_name;
    const char* name = reinterpret_cast<const char*>(elf.data()) + at;
    if (std::strncmp(name, wanted, names.sh_size - candidate.sh_name) == 0)
      return {elf.data() + candidate.sh_offset, candidate.sh_size};
  }
  return {nullptr, 0};
}

enum Form { kString = 0x08, kStrp = 0x0e, kUdata = 0x0f, kLineStrp = 0x1f, kData16 = 0x1e,
            kData1 = 0x0b, kData2 = 0x05, kData4 = 0x06, kData8 = 0x07, kBlock = 0x09 };
enum Content { kPath = 1, kDirectory = 2 };

std::string string_at(Reader strings, uint64_t offset) {
  strings.skip(offset);
  return strings.text();
}

// One attribute of a version 5 directory or file entry.
struct Attribute {
  uint64_t number = 0;
  std::string text;
};

Attribute read_form(Reader& r, uint64_t form, const Sections& sections) {
  Attribute a;
  switch (form) {
    case kString: a.text = r.text(); break;
    case kStrp: a.text = string_at(sections.strings, r.take<uint32_t>()); break;
    case kLineStrp: a.text = string_at(sections.line_strings, r.take<uint32_t>()); break;
    case kUdata: a.number = r.uleb(); break;
    case kData1: a.number = r.take<uint8_t>(); break;
    case kData2: a.number = r.take<uint16_t>(); break;
    case kData4: a.number = r.take<uint32_t>(); break;
    case kData8: a.number = r.take<uint64_t>(); break;
    case kData16: r.skip(16); break;
    case kBlock: r.skip(r.uleb()); break;
    default: r.skip(r.left()); break;  // unknown form: give this table up
  }
  return a;
}

struct FileName {
  std::string path;
  uint64_t directory = 0;
};

std::vector<FileName> read_entries_v5(Reader& r, const Sections& sections) {
  std::vector<std::pair<uint64_t, uint64_t>> formats(r.take<uint8_t>());
  for (auto& f : formats) f = {r.uleb(), r.uleb()};
  uint64_t count = r.uleb();
  std::vector<FileName> entries;
  for (uint64_t n = 0; n < count && !r.done(); ++n) {
    FileName name;
    for (const auto& f : formats) {
      Attribute a = read_form(r, f.second, sections);
      if (f.first == kPath) name.path = a.text;
      if (f.first == kDirectory) name.directory = a.number;
    }
    entries.push_back(name);
  }
  return entries;
}

struct LineProgram {
  uint8_t min_instruction = 1, line_range = 1, opcode_base = 1;
  int8_t line_base = 0;
  std::vector<uint8_t> operand_counts;
  std::vector<FileName> directories, files;   // indexed as the program does
};

void read_names_v4(Reader& r, LineProgram& program) {
  program.directories.push_back({});  // 0: the compilation directory, not recorded here
  while (!r.done()) {
    std::string name = r.text();
    if (name.empty()) break;
    program.directories.push_back({name, 0});
  }
  program.files.push_back({});  // files count from 1
  while (!r.done()) {
    FileName file{r.text(), 0};
    if (file.path.empty()) break;
    file.directory = r.uleb();
    r.uleb(), r.uleb();  // time and length
    program.files.push_back(file);
  }
}

std::string full_path(const LineProgram& program, uint64_t file) {
  if (file >= program.files.size()) return "(unknown file)";
  const FileName& name = program.files[file];
  if (name.path.empty() || name.path[0] == '/' || name.directory >= program.directories.size())
    return name.path;
  const std::string& directory = program.directories[name.directory].path;
  return directory.empty() ? name.path : directory + "/" + name.path;
}

struct Row {
  uint64_t address = 0, file = 1;
  int64_t line = 1;
};

// Runs the line program until a row range [previous, current) holds the address.
class Machine {
 public:
  Machine(const LineProgram& program, uint64_t wanted) : program_(program), wanted_(wanted) {}

  bool run(Reader r) {
    while (!r.done() && !found_) {
      uint8_t opcode = r.take<uint8_t>();
      if (opcode >= program_.opcode_base)
        special(opcode);
      else if (opcode == 0)
        extended(r);
      else
        standard(opcode, r);
    }
    return found_;
  }
  const Row& result() const { return previous_; }

 private:
  void emit() {
    if (has_previous_ && previous_.address <= wanted_ && wanted_ < row_.address) {
      found_ = true;
      return;
    }
    previous_ = row_;
    has_previous_ = true;
  }
  void special(uint8_t opcode) {
    unsigned adjusted = unsigned(opcode - program_.opcode_base);
    row_.address += uint64_t(adjusted / program_.line_range) * program_.min_instruction;
    row_.line += program_.line_base + int(adjusted % program_.line_range);
    emit();
  }
  void extended(Reader& r) {
    Reader body = r.sub(r.uleb());
    uint8_t opcode = body.take<uint8_t>();
    if (opcode == 1) {  // end of a sequence
      emit();
      row_ = Row{};
      has_previous_ = false;
    } else if (opcode == 2) {
      row_.address = body.take<uint64_t>();
    }
  }
  void standard(uint8_t opcode, Reader& r) {
    switch (opcode) {
      case 1: emit(); break;
      case 2: row_.address += r.uleb() * program_.min_instruction; break;
      case 3: row_.line += r.sleb(); break;
      case 4: row_.file = r.uleb(); break;
      case 8:
        row_.address += uint64_t((255 - program_.opcode_base) / program_.line_range) *
                        program_.min_instruction;
        break;
      case 9: row_.address += r.take<uint16_t>(); break;
      default:
        for (uint8_t n = 0; n < program_.operand_counts[opcode - 1u]; ++n) r.uleb();
    }
  }

  const LineProgram& program_;
  uint64_t wanted_;
  Row row_, previous_;
  bool has_previous_ = false, found_ = false;
};

// One unit of .debug_line; empty when the address is not in it.
std::string search_unit(Reader unit, const Sections& sections, uint64_t address) {
  uint16_t version = unit.take<uint16_t>();
  if (version < 4 || version > 5) return {};
  if (version == 5) unit.skip(2);  // address and segment selector sizes
  Reader header = unit.sub(unit.take<uint32_t>());
  LineProgram program;
  program.min_instruction = header.take<uint8_t>();
  header.skip(2);  // operations per instruction, default is_stmt
  program.line_base = header.take<int8_t>();
  program.line_range = header.take<uint8_t>();
  program.opcode_base = header.take<uint8_t>();
  if (program.line_range == 0 || program.opcode_base == 0) return {};
  for (unsigned n = 1; n < program.opcode_base; ++n)
    program.operand_counts.push_back(header.take<uint8_t>());
  if (version == 5) {
    program.directories = read_entries_v5(header, sections);
    program.files = read_entries_v5(header, sections);
  } else {
    read_names_v4(header, program);
  }
  Machine machine(program, address);
  if (!machine.run(unit)) return {};
  return full_path(program, machine.result().file) + ":" + std::to_string(machine.result().line);
}

}  // namespace

std::string find_source_line(const std::vector<uint8_t>& elf, uint64_t address) {
  Sections sections;
  sections.line = section(elf, ".debug_line");
  sections.line_strings = section(elf, ".debug_line_str");
  sections.strings = section(elf, ".debug_str");
  Reader lines = sections.line;
  while (lines.left() > 4) {
    uint32_t length = lines.take<uint32_t>();
    if (length >= 0xfffffff0) break;  // 64-bit DWARF: not written for this target
    std::string found = search_unit(lines.sub(length), sections, address);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace vgpu
