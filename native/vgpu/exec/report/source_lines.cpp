// A small reader of DWARF line tables (.debug_line, versions 4 and 5).
#include "exec/report/source_lines.h"

#include <iterator>

#include "exec/report/dwarf_reader.h"

namespace vgpu {
namespace {

using dwarf::Reader;
using dwarf::string_at;

struct Sections {
  Reader line{nullptr, 0};
  Reader line_strings{nullptr, 0}, strings{nullptr, 0};
};

enum Form {
  kString = 0x08,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kLineStrp = 0x1f,
  kData16 = 0x1e,
  kData1 = 0x0b,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kBlock = 0x09
};
enum Content { kPath = 1, kDirectory = 2 };

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
  std::vector<FileName> directories, files;  // indexed as the program does
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
  std::string directory = program.directories[name.directory].path;
  if (directory.empty()) return name.path;
  // Directory 0 is where the compiler ran; version 4 does not tell it here.
  const std::string& compiled_in = program.directories[0].path;
  if (directory[0] != '/' && !compiled_in.empty()) directory = compiled_in + "/" + directory;
  return directory + "/" + name.path;
}

struct Row {
  uint64_t address = 0, file = 1;
  int64_t line = 1;
  bool end = false;  // of a sequence: the first address behind it
};

// Runs the line program and keeps every row that it emits.
class Machine {
 public:
  explicit Machine(const LineProgram& program) : program_(program) {}

  std::vector<Row> run(Reader r) {
    while (!r.done()) {
      uint8_t opcode = r.take<uint8_t>();
      if (opcode >= program_.opcode_base) special(opcode);
      else if (opcode == 0) extended(r);
      else standard(opcode, r);
    }
    return std::move(rows_);
  }

 private:
  void emit() {
    if (!discarded_) rows_.push_back(at_);
  }
  void special(uint8_t opcode) {
    unsigned adjusted = unsigned(opcode - program_.opcode_base);
    at_.address += uint64_t(adjusted / program_.line_range) * program_.min_instruction;
    at_.line += program_.line_base + int(adjusted % program_.line_range);
    emit();
  }
  void extended(Reader& r) {
    Reader body = r.sub(r.uleb());
    uint8_t opcode = body.take<uint8_t>();
    if (opcode == 1) {  // end of a sequence
      at_.end = true;
      emit();
      at_ = Row{};
      discarded_ = false;
    } else if (opcode == 2) {
      at_.address = body.take<uint64_t>();
      discarded_ = at_.address == 0;  // the linker has left this function out
    }
  }
  void standard(uint8_t opcode, Reader& r) {
    switch (opcode) {
      case 1: emit(); break;
      case 2: at_.address += r.uleb() * program_.min_instruction; break;
      case 3: at_.line += r.sleb(); break;
      case 4: at_.file = r.uleb(); break;
      case 8:
        at_.address +=
            uint64_t((255 - program_.opcode_base) / program_.line_range) * program_.min_instruction;
        break;
      case 9: at_.address += r.take<uint16_t>(); break;
      default:
        for (uint8_t n = 0; n < program_.operand_counts[opcode - 1u]; ++n) r.uleb();
    }
  }

  const LineProgram& program_;
  Row at_;
  bool discarded_ = false;
  std::vector<Row> rows_;
};

// The header of one unit of .debug_line; `unit` is left where its program begins. False for
// versions that are not known here.
bool read_header(Reader& unit, const Sections& sections, LineProgram& program) {
  uint16_t version = unit.take<uint16_t>();
  if (version < 4 || version > 5) return false;
  if (version == 5) unit.skip(2);  // address and segment selector sizes
  Reader header = unit.sub(unit.take<uint32_t>());
  program.min_instruction = header.take<uint8_t>();
  header.skip(2);  // operations per instruction, default is_stmt
  program.line_base = header.take<int8_t>();
  program.line_range = header.take<uint8_t>();
  program.opcode_base = header.take<uint8_t>();
  if (program.line_range == 0 || program.opcode_base == 0) return false;
  for (unsigned n = 1; n < program.opcode_base; ++n)
    program.operand_counts.push_back(header.take<uint8_t>());
  if (version == 5) {
    program.directories = read_entries_v5(header, sections);
    program.files = read_entries_v5(header, sections);
  } else {
    read_names_v4(header, program);
  }
  return true;
}

}  // namespace

SourceLines::SourceLines(const std::vector<uint8_t>& elf) {
  Sections sections;
  sections.line = dwarf::section(elf, ".debug_line");
  sections.line_strings = dwarf::section(elf, ".debug_line_str");
  sections.strings = dwarf::section(elf, ".debug_str");
  Reader lines = sections.line;
  const uint8_t* begin = lines.position();
  while (lines.left() > 4) {
    const uint64_t offset = uint64_t(lines.position() - begin);
    uint32_t length = lines.take<uint32_t>();
    if (length >= dwarf::kLongestUnit) break;
    Reader unit = lines.sub(length);
    LineProgram program;
    if (!read_header(unit, sections, program)) continue;
    const uint32_t first = uint32_t(files_.size());
    first_file_[offset] = first;
    for (uint64_t n = 0; n < program.files.size(); ++n) files_.push_back(full_path(program, n));
    for (const Row& row : Machine(program).run(unit)) {
      if (row.end)  // another sequence may begin at the same address
        rows_.insert({row.address, {kNoFile, 0}});
      else if (row.file < program.files.size())
        rows_[row.address] = {first + uint32_t(row.file), uint32_t(row.line)};
    }
  }
}

std::string SourceLines::find(uint64_t address) const {
  auto behind = rows_.upper_bound(address);
  if (behind == rows_.begin()) return {};
  const Position& at = std::prev(behind)->second;
  return at.file == kNoFile ? std::string() : files_[at.file] + ":" + std::to_string(at.line);
}

std::vector<std::pair<uint64_t, uint64_t>> SourceLines::ranges(const std::string& file,
                                                               uint32_t line) const {
  auto is_meant = [&](const Position& at) {
    if (at.file == kNoFile || at.line != line || file.empty()) return false;
    const std::string& path = files_[at.file];
    if (path.size() < file.size()) return false;
    const size_t before = path.size() - file.size();
    return path.compare(before, file.size(), file) == 0 && (!before || path[before - 1] == '/');
  };
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (auto row = rows_.begin(); row != rows_.end(); ++row) {
    const auto next = std::next(row);
    if (is_meant(row->second) && next != rows_.end()) found.emplace_back(row->first, next->first);
  }
  return found;
}

std::string SourceLines::file(uint64_t table, uint64_t number) const {
  auto first = first_file_.find(table);
  if (first == first_file_.end() || first->second + number >= files_.size()) return {};
  return files_[first->second + number];
}

std::string find_source_line(const std::vector<uint8_t>& elf, uint64_t address) {
  return SourceLines(elf).find(address);
}

}  // namespace vgpu
