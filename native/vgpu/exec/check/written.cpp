// VROCM_CHECK=uninit: fresh device memory is filled with a pattern that depends on the address, so
// a dword that still holds its pattern was written by nobody, neither kernel nor host nor copy. LDS
// has a shadow bit per byte instead, because it starts as zeros.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "exec/check/check.h"
#include "exec/check/rules.h"
#include "exec/wave/services.h"

namespace vgpu {
namespace {

// Larger allocations are left alone: touching all of their pages would cost more than it finds.
constexpr uint64_t kMostBytes = uint64_t(256) << 20;
constexpr uint64_t kPage = 4096;

uint32_t pattern(uint64_t dword_address) {
  uint64_t mixed = dword_address * 0x9e37'79b9'7f4a'7c15;
  return uint32_t(mixed >> 32) | 1;
}

bool all_zero(const uint32_t* words, size_t count) {
  return std::all_of(words, words + count, [](uint32_t w) { return w == 0; });
}

bool unwritten(uint64_t address) {
  uint64_t dword = address & ~uint64_t(3);
  uint32_t value;
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): nothing is mapped at 0
  std::memcpy(&value, reinterpret_cast<const void*>(dword), 4);
  return value == pattern(dword);
}

// Which bytes of a workgroup's LDS were written.
struct LdsShadow {
  uint64_t group = ~uint64_t(0);
  std::vector<bool> written;
};

std::unordered_map<const Workgroup*, LdsShadow>& lds_shadows() {
  static auto* shadows = new std::unordered_map<const Workgroup*, LdsShadow>;
  return *shadows;
}

LdsShadow& shadow_of(const Workgroup& group) {
  LdsShadow& shadow = lds_shadows()[&group];
  if (shadow.group != group.number)
    shadow = {group.number, std::vector<bool>(group.dispatch->lds_bytes)};
  return shadow;
}

// Marks or tests LDS bytes; true when a byte is read that nobody wrote.
bool visit_lds(LdsShadow& shadow, uint64_t offset, const AccessShape& shape) {
  for (uint64_t b = offset; b < offset + shape.bytes && b < shadow.written.size(); ++b) {
    if (shape.touch != Touch::Write && !shadow.written[b]) return true;
    if (shape.touch != Touch::Read) shadow.written[b] = true;
  }
  return false;
}

// `range` is accessible memory that was looked up before, to be used again.
bool reads_unwritten(uint64_t address, const AccessShape& shape, AccessRange& range) {
  uint64_t end = address + shape.bytes;
  bool known = address >= range.low && end <= range.high;
  if (shape.touch == Touch::Write || (!known && !find_range(address, end, range))) return false;
  for (uint64_t b = 0; b < shape.bytes; b += 4)
    if (unwritten(address + b)) return true;
  return false;
}

}  // namespace

void written_dispatch_begins() { lds_shadows().clear(); }

void check_memory_mapped(uint64_t base, uint64_t bytes, MemoryKind kind) {
  if (!checks().uninit || kind != MemoryKind::Device || bytes > kMostBytes) return;
  uint64_t end = (base + bytes) & ~uint64_t(3);
  for (uint64_t page = (base + 3) & ~uint64_t(3); page < end; page += kPage) {
    uint64_t stop = std::min(page + kPage, end);
    uint32_t* words = reinterpret_cast<uint32_t*>(page);
    if (!all_zero(words, (stop - page) / 4)) continue;  // mapped again: it already holds data
    for (uint64_t a = page; a < stop; a += 4) *words++ = pattern(a);
  }
}

void check_written(const Wave& wave, const Inst& inst, const LaneAccess& access) {
  AccessRange range;
  for (uint64_t left = access.exec; left; left &= left - 1) {
    int lane = __builtin_ctzll(left);
    uint64_t address = access.at[lane];
    bool lds = in_lds(address), found = false;
    if (lds) found = visit_lds(shadow_of(*wave.group), address & kApertureLimit, access.shape);
    else if (!in_private(address)) found = reads_unwritten(address, access.shape, range);
    if (found)
      report_finding(make_finding(wave, wave.pc - inst.bytes, 0,
                                  "lane " + std::to_string(lane) + " reads " +
                                      (lds ? "LDS" : "global memory") + " that nobody wrote"));
  }
}

}  // namespace vgpu
