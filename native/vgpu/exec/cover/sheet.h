// What one host thread has seen of a dispatch: the facts of every instruction that it executed. Another
// thread may read facts meanwhile, because a fault there ends the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "exec/cover/facts.h"
#include "exec/cover/operand_pairs.h"

namespace vgpu::cover {

struct Seen {
  uint8_t facts = 0;
  OperandPairs pairs;
};

class Sheet {
 public:
  Sheet() = default;
  ~Sheet();
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;

  uint8_t facts(uint64_t pc) { return at(pc).load(std::memory_order_relaxed); }
  void add(uint64_t pc, uint8_t facts) {
    std::atomic<uint8_t>& known = at(pc);
    const uint8_t before = known.load(std::memory_order_relaxed);
    if (facts & ~before) known.store(before | facts, std::memory_order_relaxed);
  }
  void add(uint64_t pc, const Moment& when, const OperandPair& pair);

  // Into `all`, by address. Pairs only where this thread, or none, writes the sheet.
  void collect(std::map<uint64_t, Seen>& all, bool with_pairs) const;

 private:
  static constexpr unsigned kDwords = 256;  // of code, in a page
  static constexpr uint64_t kBytes = kDwords * 4;

  struct Page {
    uint64_t first = 0;  // address
    Page* next = nullptr;
    std::atomic<uint8_t> facts[kDwords] = {};
    std::unique_ptr<OperandPairs> pairs[kDwords];
  };

  Page& page(uint64_t pc) {
    if (!latest_ || pc - latest_->first >= kBytes) latest_ = &find(pc);
    return *latest_;
  }
  std::atomic<uint8_t>& at(uint64_t pc) { return page(pc).facts[pc % kBytes / 4]; }
  Page& find(uint64_t pc);

  Page* latest_ = nullptr;
  std::unordered_map<uint64_t, Page*> by_address_;
  std::atomic<Page*> pages_{nullptr};  // a list to which pages are only added
};

}  // namespace vgpu::cover
