#include "metadata/kernel_metadata.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace code_metadata {
namespace {

constexpr uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr uint32_t kNoteSegment = 4;    // PT_NOTE
constexpr int kDeepest = 32;

// A cursor over msgpack that knows just the types clang writes. Throws std::runtime_error on
// anything that would lead outside of the note.
class Cursor {
 public:
  Cursor(const uint8_t* data, size_t bytes) : at_(data), end_(data + bytes) {}

  // Calls visit(key) for every pair of a map; visit must consume the value.
  template <class Visit>
  void map(Visit visit) {
    uint8_t tag = take(1)[0];
    uint32_t count;
    if ((tag & 0xf0) == 0x80) count = tag & 0x0f;
    else if (tag == 0xde) count = big_endian(2);
    else if (tag == 0xdf) count = big_endian(4);
    else throw std::runtime_error("a map was expected in the kernel metadata");
    for (uint32_t i = 0; i < count; ++i) visit(string());
  }

  template <class Visit>
  void array(Visit visit) {
    uint8_t tag = take(1)[0];
    uint32_t count;
    if ((tag & 0xf0) == 0x90) count = tag & 0x0f;
    else if (tag == 0xdc) count = big_endian(2);
    else if (tag == 0xdd) count = big_endian(4);
    else throw std::runtime_error("an array was expected in the kernel metadata");
    for (uint32_t i = 0; i < count; ++i) visit(i);
  }

  std::string string() {
    uint8_t tag = take(1)[0];
    uint32_t length;
    if ((tag & 0xe0) == 0xa0) length = tag & 0x1f;
    else if (tag == 0xd9) length = big_endian(1);
    else if (tag == 0xda) length = big_endian(2);
    else if (tag == 0xdb) length = big_endian(4);
    else throw std::runtime_error("a string was expected in the kernel metadata");
    const uint8_t* text = take(length);
    return std::string(reinterpret_cast<const char*>(text), length);
  }

  uint64_t integer() {
    uint8_t tag = take(1)[0];
    if (tag < 0x80) return tag;
    switch (tag) {
      case 0xcc:
      case 0xd0: return big_endian(1);
      case 0xcd:
      case 0xd1: return big_endian(2);
      case 0xce:
      case 0xd2: return big_endian(4);
      case 0xcf:
      case 0xd3: return big_endian(8);
      case 0xc2: return 0;  // false
      case 0xc3: return 1;  // true
      default: throw std::runtime_error("a number was expected in the kernel metadata");
    }
  }

  void skip(int depth = 0) {
    if (depth > kDeepest) throw std::runtime_error("the kernel metadata is nested too deeply");
    uint8_t tag = *peek();
    if (tag < 0x80 || (tag >= 0xc2 && tag <= 0xc3) || (tag >= 0xcc && tag <= 0xd3)) {
      integer();
    } else if (tag >= 0xe0 || tag == 0xc0) {  // negative fixint, nil
      take(1);
    } else if ((tag & 0xf0) == 0x80 || tag == 0xde || tag == 0xdf) {
      map([&](const std::string&) { skip(depth + 1); });
    } else if ((tag & 0xf0) == 0x90 || tag == 0xdc || tag == 0xdd) {
      array([&](uint32_t) { skip(depth + 1); });
    } else {
      string();
    }
  }

 private:
  const uint8_t* peek() const {
    if (at_ == end_) throw std::runtime_error("the kernel metadata ends too early");
    return at_;
  }
  const uint8_t* take(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes)
      throw std::runtime_error("the kernel metadata ends too early");
    const uint8_t* start = at_;
    at_ += bytes;
    return start;
  }
  uint64_t big_endian(int bytes) {
    const uint8_t* data = take(bytes);
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | data[i];
    return value;
  }

  const uint8_t* at_;
  const uint8_t* end_;
};

KernelArgument read_argument(Cursor& cursor) {
  KernelArgument argument;
  cursor.map([&](const std::string& key) {
    if (key == ".offset") argument.offset = static_cast<uint32_t>(cursor.integer());
    else if (key == ".size") argument.size = static_cast<uint32_t>(cursor.integer());
    else if (key == ".value_kind") argument.kind = cursor.string();
    else cursor.skip();
  });
  return argument;
}

KernelMetadata read_kernel(Cursor& cursor) {
  KernelMetadata kernel;
  struct Field {
    const char* key;
    uint32_t* target;
  } fields[] = {
      {".kernarg_segment_size", &kernel.kernarg_bytes},
      {".group_segment_fixed_size", &kernel.static_lds},
      {".private_segment_fixed_size", &kernel.private_bytes},
      {".max_flat_workgroup_size", &kernel.max_workgroup_size},
      {".vgpr_count", &kernel.vgpr},
      {".agpr_count", &kernel.agpr},
      {".sgpr_count", &kernel.sgpr},
  };
  cursor.map([&](const std::string& key) {
    for (Field& field : fields) {
      if (key == field.key) {
        *field.target = static_cast<uint32_t>(cursor.integer());
        return;
      }
    }
    if (key == ".name") kernel.name = cursor.string();
    else if (key == ".symbol") kernel.symbol = cursor.string();
    else if (key == ".uses_dynamic_stack") kernel.dynamic_stack = cursor.integer() != 0;
    else if (key == ".uniform_work_group_size") kernel.uniform_workgroups = cursor.integer() != 0;
    else if (key == ".args")
      cursor.array([&](uint32_t) { kernel.arguments.push_back(read_argument(cursor)); });
    else if (key == ".reqd_workgroup_size")
      cursor.array([&](uint32_t i) {
        uint32_t size = static_cast<uint32_t>(cursor.integer());
        if (i < 3) kernel.required_size[i] = size;
      });
    else cursor.skip();
  });
  return kernel;
}

template <class T>
bool read_at(const uint8_t* elf, size_t bytes, uint64_t offset, T& value) {
  if (offset > bytes || bytes - offset < sizeof(T)) return false;
  std::memcpy(&value, elf + offset, sizeof(T));
  return true;
}

struct ProgramHeader {
  uint32_t type, flags;
  uint64_t offset, address, physical, file_bytes, memory_bytes, align;
};

// The metadata blob inside one note segment, or null.
const uint8_t* find_note(const uint8_t* notes, size_t bytes, size_t& length) {
  for (size_t at = 0; at + 12 <= bytes;) {
    uint32_t header[3];  // name length, description length, type
    std::memcpy(header, notes + at, sizeof header);
    size_t name_at = at + 12;
    size_t text_at = name_at + ((size_t{header[0]} + 3) & ~size_t{3});
    if (text_at > bytes || header[1] > bytes - text_at) return nullptr;
    if (header[2] == kMetadataNote && header[0] == 7 &&
        std::memcmp(notes + name_at, "AMDGPU", 7) == 0) {
      length = header[1];
      return notes + text_at;
    }
    at = text_at + ((size_t{header[1]} + 3) & ~size_t{3});
  }
  return nullptr;
}

const uint8_t* find_metadata(const uint8_t* elf, size_t bytes, size_t& length) {
  uint64_t program_offset;
  uint16_t entry_bytes, count;
  if (!read_at(elf, bytes, 32, program_offset) || !read_at(elf, bytes, 54, entry_bytes) ||
      !read_at(elf, bytes, 56, count))
    return nullptr;
  for (unsigned i = 0; i < count; ++i) {
    ProgramHeader header;
    if (!read_at(elf, bytes, program_offset + uint64_t{i} * entry_bytes, header)) return nullptr;
    if (header.type != kNoteSegment || header.offset > bytes ||
        header.file_bytes > bytes - header.offset)
      continue;
    if (const uint8_t* note = find_note(elf + header.offset, header.file_bytes, length))
      return note;
  }
  return nullptr;
}

}  // namespace

size_t KernelMetadata::argument_end() const {
  size_t end = kernarg_bytes;
  for (const KernelArgument& argument : arguments)
    end = std::max<size_t>(end, size_t{argument.offset} + argument.size);
  return end;
}

bool read_code_metadata(const uint8_t* elf, size_t bytes, CodeMetadata& code, std::string& error) {
  size_t length = 0;
  const uint8_t* note = find_metadata(elf, bytes, length);
  if (!note) {
    error = "the code object has no AMDGPU metadata note";
    return false;
  }
  try {
    Cursor cursor(note, length);
    cursor.map([&](const std::string& key) {
      if (key == "amdhsa.kernels")
        cursor.array([&](uint32_t) { code.kernels.push_back(read_kernel(cursor)); });
      else if (key == "amdhsa.printf")
        cursor.array([&](uint32_t) { code.printf_formats.push_back(cursor.string()); });
      else cursor.skip();
    });
  } catch (const std::runtime_error& problem) {
    error = problem.what();
    return false;
  }
  return true;
}

std::unordered_map<std::string, uint32_t> argument_bytes_of(const uint8_t* elf, size_t bytes) {
  std::unordered_map<std::string, uint32_t> found;
  CodeMetadata code;
  std::string error;
  if (!read_code_metadata(elf, bytes, code, error)) return found;
  for (const KernelMetadata& kernel : code.kernels) found[kernel.symbol] = kernel.kernarg_bytes;
  return found;
}

}  // namespace code_metadata
