#include "exec/cover/sheet.h"

namespace vgpu::cover {

Sheet::~Sheet() {
  for (Page* page = pages_.load(); page;) {
    Page* next = page->next;
    delete page;
    page = next;
  }
}

Sheet::Page& Sheet::find(uint64_t pc) {
  const uint64_t first = pc / kBytes * kBytes;
  Page*& known = by_address_[first];
  if (known) return *known;
  known = new Page;
  known->first = first;
  known->next = pages_.load(std::memory_order_relaxed);
  pages_.store(known, std::memory_order_release);
  return *known;
}

void Sheet::add(uint64_t pc, const Moment& when, const OperandPair& pair) {
  std::unique_ptr<OperandPairs>& pairs = page(pc).pairs[pc % kBytes / 4];
  if (!pairs) pairs = std::make_unique<OperandPairs>();
  pairs->add(when, pair);
}

void Sheet::collect(std::map<uint64_t, Seen>& all, bool with_pairs) const {
  for (const Page* page = pages_.load(std::memory_order_acquire); page; page = page->next) {
    for (unsigned n = 0; n < kDwords; ++n) {
      const uint8_t facts = page->facts[n].load(std::memory_order_relaxed);
      if (!facts) continue;
      Seen& seen = all[page->first + n * 4];
      seen.facts |= facts;
      if (with_pairs && page->pairs[n]) seen.pairs.add(*page->pairs[n]);
    }
  }
}

}  // namespace vgpu::cover
