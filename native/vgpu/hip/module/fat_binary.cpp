#include "hip/module/fat_binary.h"

#include <cstring>

namespace vgpu::hip {
namespace {

constexpr char kBundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t kBundleMagicBytes = sizeof(kBundleMagic) - 1;
constexpr char kCompressedMagic[] = "CCOB";
constexpr uint8_t kElfMagic[] = {0x7f, 'E', 'L', 'F'};

uint64_t read_u64(const uint8_t* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool is_device_entry(const std::string& id) {
  return id.rfind("hip-", 0) == 0 || id.rfind("hipv4-", 0) == 0;
}

// "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+" -> "amdgcn-amd-amdhsa--gfx942:sramecc+"
std::string target_of(const std::string& id) { return id.substr(id.find('-') + 1); }

// Processor and features of a target: "...--gfx942:sramecc+:xnack-".
std::string processor_part(const std::string& target) {
  size_t cut = target.rfind("--");
  if (cut == std::string::npos) cut = target.rfind('-');
  size_t start = cut == std::string::npos ? 0 : target.find_first_not_of('-', cut);
  return start == std::string::npos ? std::string() : target.substr(start);
}

// A feature that the code object fixes must agree with the device: sramecc on, xnack off.
bool features_agree(const std::string& processor) {
  return processor.find(":sramecc-") == std::string::npos &&
         processor.find(":xnack+") == std::string::npos;
}

}  // namespace

size_t elf_image_bytes(const uint8_t* data) {
  if (std::memcmp(data, kElfMagic, sizeof kElfMagic) != 0 || data[4] != 2) return 0;
  uint64_t section_offset = read_u64(data + 40), program_offset = read_u64(data + 32);
  uint16_t program_size, program_count, section_size, section_count;
  std::memcpy(&program_size, data + 54, 2);
  std::memcpy(&program_count, data + 56, 2);
  std::memcpy(&section_size, data + 58, 2);
  std::memcpy(&section_count, data + 60, 2);
  uint64_t end = section_offset + uint64_t{section_size} * section_count;
  for (unsigned i = 0; i < program_count; ++i) {
    const uint8_t* header = data + program_offset + uint64_t{i} * program_size;
    uint64_t segment_end = read_u64(header + 8) + read_u64(header + 32);
    if (segment_end > end) end = segment_end;
  }
  return end;
}

FatBinaryError list_code_objects(const void* raw, size_t available,
                                 std::vector<CodeObjectView>& found) {
  const auto* data = static_cast<const uint8_t*>(raw);
  size_t limit = available ? available : SIZE_MAX;
  if (limit < 64) return FatBinaryError::Truncated;
  if (std::memcmp(data, kElfMagic, sizeof kElfMagic) == 0) {
    found.push_back({"", data, available ? available : elf_image_bytes(data)});
    return FatBinaryError::None;
  }
  if (std::memcmp(data, kCompressedMagic, 4) == 0) return FatBinaryError::Compressed;
  if (std::memcmp(data, kBundleMagic, kBundleMagicBytes) != 0) return FatBinaryError::NotABundle;

  uint64_t count = read_u64(data + kBundleMagicBytes);
  size_t at = kBundleMagicBytes + 8;
  for (uint64_t i = 0; i < count; ++i) {
    if (at + 24 > limit) return FatBinaryError::Truncated;
    uint64_t offset = read_u64(data + at), bytes = read_u64(data + at + 8);
    uint64_t id_bytes = read_u64(data + at + 16);
    at += 24;
    if (id_bytes > limit - at || offset > limit || bytes > limit - offset)
      return FatBinaryError::Truncated;
    std::string id(reinterpret_cast<const char*>(data + at), id_bytes);
    at += id_bytes;
    if (is_device_entry(id) && bytes > 0)
      found.push_back({target_of(id), data + offset, static_cast<size_t>(bytes)});
  }
  return FatBinaryError::None;
}

const CodeObjectView* select_code_object(const std::vector<CodeObjectView>& objects,
                                         const std::string& processor) {
  const CodeObjectView* best = nullptr;
  size_t best_length = 0;
  for (const CodeObjectView& object : objects) {
    if (object.target.empty()) return &object;  // a plain ELF: the loader checks its target
    std::string have = processor_part(object.target);
    bool same = have == processor || have.rfind(processor + ":", 0) == 0;
    // The most specific match wins, as in AMD's runtime.
    if (same && features_agree(have) && have.size() > best_length) {
      best = &object;
      best_length = have.size();
    }
  }
  return best;
}

}  // namespace vgpu::hip
