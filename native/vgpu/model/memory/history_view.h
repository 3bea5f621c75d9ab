// The history as one XCD sees it while it is simulated. XCDs that are simulated side by side have a view
// each, which writes nothing into the history, and are added to it in their order. What an XCD finds
// translated depends on those before it: a view begins with what they are expected to leave, and notes
// what it was told. If the history, once these are added, would have told something else, the XCD has to
// be simulated again.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "model/launch/launch.h"
#include "model/memory/memory_history.h"
#include "model/memory/page_stack.h"

namespace vgpu {
namespace model {

// What is translated once XCDs have been simulated that are not yet part of the history, as far as their
// tapes say.
class ExpectedPages {
 public:
  explicit ExpectedPages(const MemoryHistory& history) : of_units_(history.pages_of_units_) {}
  // An XCD with these workgroups is simulated.
  void add(const LaunchShape& shape, const std::vector<GroupTape>& tapes);

 private:
  friend class HistoryView;
  void add(const WaveTape& wave, PageStack& of_unit);
  void fetch(uint64_t line);

  std::unordered_set<uint64_t> fetched_;  // numbers of translations
  uint64_t last_ = ~uint64_t(0);
  MemoryHistory::PagesOfUnits of_units_;
};

class HistoryView {
 public:
  // `before`: of XCDs that are simulated at the same time, and added before; null: all are added.
  HistoryView(MemoryHistory& history, const HistoryOutlook& outlook,
              const ExpectedPages* before = nullptr);

  // Whether the cache answers for a line that the L2 misses: `again` when this dispatch has
  // fetched it before. Arriving: other XCDs, which go in step, ask the memory for it at the same
  // time. Decided by hashes, so that it is the same in every run.
  enum class Held { No, Arriving, Yes };
  Held holds(uint64_t line, bool again);
  // The same of a line of the code object that begins at `code`. All of its code is as recent as the
  // last dispatch of one of its kernels: where a kernel lies in it must not matter.
  Held holds_code(uint64_t code, uint64_t line, bool again);

  // True the first time that any dispatch of this history touches the page of `line`.
  bool first_touch(uint64_t line);

  // Whether the translation cache of a CU has the page; it has it from now on.
  bool translated(int unit, uint64_t page);

  // Of what the dispatch touches.
  double translated_bytes() const { return history_.translated_bytes_; }
  double taped_bytes() const { return outlook_.taped_bytes; }  // that lanes move on the tapes

  void follow(const std::vector<GroupTape>& tapes) { history_.follow(outlook_, tapes); }

  // Whether the L2 has a line that the tapes have not touched before, because workgroups
  // that are not on them have.
  bool shared_before(uint64_t line) const;
  // Whether it still has one that a workgroup has touched before, on steps that are not on its tape.
  bool keeps_shared(uint64_t line) const;
  double share_before() const { return outlook_.shared_before; }  // of such lines

  // Of the bytes that the dispatch moves between the Infinity Cache and the memory: those read.
  double read_part() const { return outlook_.read_part; }

  int xcds(uint64_t line) const;  // that touch its page

  // In the instruction cache of a pair of CUs.
  const CodeHistory::Lines* code_left_in(int pair) const {
    return history_.code_.left_in(outlook_.xcd, pair);
  }

  // Whether what the view was told is what the history says now.
  bool holds_true() const;
  // What the XCD left becomes part of the history.
  void add_to_history() const;

 private:
  using Page = MemoryHistory::Page;
  using Kept = MemoryHistory::Kept;
  // A page of which it is told how recent it is counts as touched by the dispatch.
  const Page& seen(uint64_t number);
  bool is_current(const Page& page) const { return page.current == history_.now_; }
  const Page& page_of(uint64_t number) const;
  const Kept& kept_since(MemoryHistory::Stamp used);

  MemoryHistory& history_;
  const HistoryOutlook outlook_;
  Kept last_kept_{0, 0, 0};
  std::vector<uint32_t> seen_;  // that nobody knew to be touched, in this order
  std::unordered_set<uint64_t> is_seen_;
  std::unordered_set<uint64_t> expected_, asked_;  // numbers of translations
  struct Told {
    uint32_t page;
    bool was_there;
  };
  std::vector<Told> first_touches_;  // in their order
  // Only when a CU asks for a page for the first time it matters what was there before: from then on its
  // place in the order follows from what it asks for itself. Nor does it once it has asked for as many
  // pages as are kept.
  struct Unit {
    PageStack pages;
    std::vector<Told> asked;
  };
  std::vector<Unit> units_;
};

}  // namespace model
}  // namespace vgpu
