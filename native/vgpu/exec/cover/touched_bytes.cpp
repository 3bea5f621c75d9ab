#include "exec/cover/touched_bytes.h"

#include <algorithm>

namespace vgpu::cover {
namespace {

constexpr uint64_t kWord = 64;  // bytes that have their bits in one

void set(std::atomic<uint64_t>& word, uint64_t bits) {
  if (bits & ~word.load(std::memory_order_relaxed)) word.fetch_or(bits, std::memory_order_relaxed);
}

// All bits of the result depend on all bits of x: the finalizer of splitmix64.
uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31);
}

}  // namespace

TouchedBytes::Page& TouchedBytes::page(uint64_t number) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  return *page;
}

bool TouchedBytes::is_left_out(uint64_t address) const {
  return std::any_of(left_out_.begin(), left_out_.end(), [&](const AddressRange& range) {
    return address >= range.begin && address < range.end;
  });
}

uint64_t TouchedBytes::count(Bits bits) const {
  std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const auto& [number, page] : pages_)
    for (const std::atomic<uint64_t>& word : (*page).*bits)
      bytes += uint64_t(__builtin_popcountll(word.load(std::memory_order_relaxed)));
  return bytes;
}

uint64_t TouchedBytes::written_hash() const {
  std::lock_guard lock(mutex_);
  uint64_t hash = 0;  // a sum: pages have no order
  for (const auto& [number, page] : pages_)
    for (uint64_t at = 0; at < Page::kBytes / kWord; ++at) {
      const uint64_t bits = page->written[at].load(std::memory_order_relaxed);
      if (bits) hash += mixed(mixed(number * Page::kBytes / kWord + at) ^ bits);
    }
  return hash;
}

void ByteMarker::lanes(const CodeSlot&, const LaneAccess& access) {
  for (uint64_t left = access.exec; left; left &= left - 1) {
    const uint64_t address = access.of(__builtin_ctzll(left));
    if (!in_lds(address) && !in_private(address))
      mark(address, access.shape.bytes, access.shape.touch);
  }
}

void ByteMarker::scalar(const CodeSlot&, const ScalarAccess& access) {
  mark(access.address, access.bytes, access.touch);
}

void ByteMarker::mark(uint64_t address, uint64_t bytes, Touch touch) {
  if (touched_.is_left_out(address)) return;
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t from = address % kWord, count = std::min(kWord - from, end - address);
    const uint64_t ones = count == kWord ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    mark_word(address / kWord, ones << from, touch);
    address += count;
  }
}

void ByteMarker::mark_word(uint64_t word, uint64_t bits, Touch touch) {
  constexpr uint64_t kWords = TouchedBytes::Page::kBytes / kWord;
  Known& known = known_[word / kWords % kKnown];
  if (known.number != word / kWords) known = {word / kWords, &touched_.page(word / kWords)};
  std::atomic<uint64_t>& written = known.page->written[word % kWords];
  if (touch != Touch::Write)
    set(known.page->needed[word % kWords], bits & ~written.load(std::memory_order_relaxed));
  if (touch != Touch::Read) set(written, bits);
}

}  // namespace vgpu::cover
