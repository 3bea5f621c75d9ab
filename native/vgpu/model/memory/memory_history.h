// What the Infinity Cache (MALL) still holds of each page. It lies at the memory's side, so it keeps
// data from one dispatch to the next, and all XCDs share it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "memory/touched_pages.h"
#include "model/launch/structure.h"
#include "model/memory/cache_tags.h"
#include "model/memory/code_history.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

class MemoryHistory {
 public:
  // Begins a dispatch that touches this memory.
  void begin(const TouchedMemory& touched);
  // Before an XCD of it is followed, of which some workgroups are on these tapes. So many there are in
  // all, and on it.
  struct Groups {
    double all = 1, on_xcd = 1;
    int xcd = 0;
  };
  void look_from(const Groups& groups, const TouchedMemory& touched,
                 const std::vector<GroupTape>& tapes);

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
  bool translated(int unit, uint64_t page) { return pages_of_units_[size_t(unit)].take(page).hit; }

  // Of what the dispatch touches: bytes of pages of which the cache had nothing when it began.
  double cold_bytes() const { return cold_bytes_; }

  double translated_bytes() const { return translated_bytes_; }  // of what the dispatch touches
  double taped_bytes() const { return taped_bytes_; }            // that lanes move on the tapes

  // These are simulated, in this order: what those touch who begin before all others of their XCD nobody
  // of it has touched before, and other XCDs ask for it at the same time. Nothing to be known where all of
  // the XCD is on the tapes.
  void follow(const std::vector<GroupTape>& tapes);

  // Whether the L2 has a line that the tapes have not touched before, because workgroups
  // that are not on them have.
  bool shared_before(uint64_t line) const;
  // Whether it still has one that a workgroup has touched before, on steps that are not on its tape.
  bool keeps_shared(uint64_t line) const;
  double share_before() const { return shared_before_; }  // of such lines

  // Of the bytes that the dispatch moves between the Infinity Cache and the memory: those read.
  double read_part() const { return read_part_; }

  int xcds(uint64_t line);  // that touch its page

  void end();  // the touched pages are the most recent ones now

  CodeHistory& code() { return code_; }
  // In the instruction cache of a pair of CUs of the XCD that is followed.
  const CodeHistory::Lines* code_left_in(int pair) const { return code_.left_in(xcd_, pair); }

 private:
  using Stamp = uint32_t;  // number of a dispatch
  struct Page {
    Stamp used = 0;                  // by this dispatch last; 0: never, or too long ago
    Stamp current = 0;               // dispatch that the following belong to
    uint32_t read = 0, written = 0;  // lines, as far as they are on the tapes
    uint32_t begun = 0;              // lines that are touched when the dispatch begins
    uint8_t xcds = 0;                // how many touch it
    bool data = false;               // not only code, and what launching reads
  };
  static constexpr uint64_t kPagesPerBlock =
      uint64_t(1) << (TouchedPages::kBlockShift - TouchedPages::kPageShift);
  struct Block {
    std::array<Page, kPagesPerBlock> pages;
    std::vector<bool> translated = std::vector<bool>(kPagesPerBlock);  // by first page of each
  };

  Page& page_of(uint64_t number);
  const Page& page_at(uint64_t number) const {  // of one that has been touched
    return blocks_[number / kPagesPerBlock]->pages[number % kPagesPerBlock];
  }
  Page& touch(uint64_t number, uint8_t xcds);
  struct Taped {
    double bytes = 0;  // that lanes move
    double lines = 0;  // each once
    double groups = 0;
    Page* page = nullptr;  // of the last line, and its number: neighbours come together
    uint64_t number = 0;
  };
  Taped look_at(const std::vector<GroupTape>& tapes, int xcd);
  void note(const WaveTape& wave, Taped& taped);
  void note_begin(const WaveTape& wave);
  bool is_begun(uint64_t line) const;
  void find_kept();
  void estimate(const TouchedMemory& touched, const Groups& groups, const Taped& taped);
  bool same_as_before() const;

  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<uint32_t> touched_;  // numbers of pages
  struct Used {
    uint64_t pages = 0;
    double density = 1;  // of their lines that were touched
  };
  std::map<Stamp, Used> used_;  // last, by each dispatch
  struct Kept {
    Stamp used;
    double share;    // of the lines that it touched that are still there
    double density;  // how many of its pages' lines that were
  };
  const Kept& kept_since(Stamp used);
  double lines_kept(Stamp used);
  bool keeps_its_time(uint64_t number, const Kept& kept) const;
  double density() const { return looks_ > 0 ? densities_ / looks_ : 1; }  // of touched lines
  std::vector<Kept> kept_;  // when the dispatch began, oldest first
  Kept last_kept_{0, 0, 0};
  double translated_bytes_ = 0, reuse_ = 1;
  double densities_ = 0, looks_ = 0;  // of the dispatch, as each XCD followed shows it; how many
  double cold_bytes_ = 0, taped_bytes_ = 0;
  double kept_shared_ = 1;  // of the lines of the XCD, by its L2
  bool same_ = false;       // pages as an earlier dispatch, so probably lines, too
  double shared_before_ = 0, fetched_before_ = 0, fetched_now_ = 0, read_part_ = 1;
  Stamp now_ = 0;
  CodeHistory code_;
  int xcd_ = 0;
  using UnitPages = DenseTags<NoState, calibration::kTranslationEntries>;
  std::vector<UnitPages> pages_of_units_{calibration::kUnitsPerXcd,
                                         UnitPages(calibration::kTranslationEntries)};
};

}  // namespace model
}  // namespace vgpu
