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
#include "model/memory/code_history.h"
#include "model/memory/page_stack.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

class HistoryView;

// What an XCD finds, as far as the tapes of its workgroups and the marks of all say.
struct HistoryOutlook {
  int xcd = 0;
  double taped_bytes = 0;                      // that lanes move on the tapes
  double reuse = 1;                            // of lines that the dispatch has fetched before
  double fetched_before = 0, fetched_now = 0;  // by others: and of that, at the same time
  double kept_shared = 1;                      // of the lines of the XCD, by its L2
  double shared_before = 0;                    // of lines that the L2 has because of others
  double read_part = 1;  // of the bytes between the Infinity Cache and the memory: those read
  double density = 0;    // of the lines of touched pages that are touched; 0: nobody looked
  // Waves touch memory that they leave no marks on, as their private memory: what is counted of it is
  // what XCDs before this one have touched, too.
  bool depends_on_others = false;
};

class MemoryHistory {
 public:
  // Begins a dispatch that touches this memory.
  void begin(const TouchedMemory& touched);
  // Before an XCD of it is followed, of which some workgroups are on these tapes. So many there are in
  // all, and on it. Of several XCDs: in their order.
  struct Groups {
    double all = 1, on_xcd = 1;
    int xcd = 0;
  };
  HistoryOutlook look_from(const Groups& groups, const TouchedMemory& touched,
                           const std::vector<GroupTape>& tapes);

  // These are simulated, in this order: what those touch who begin before all others of their XCD nobody
  // of it has touched before, and other XCDs ask for it at the same time. Nothing to be known where all of
  // the XCD is on the tapes. No other XCD is simulated at the same time.
  void follow(const HistoryOutlook& outlook, const std::vector<GroupTape>& tapes);

  // Of what the dispatch touches: bytes of pages of which the cache had nothing when it began.
  double cold_bytes() const { return cold_bytes_; }

  void end();  // the touched pages are the most recent ones now

  CodeHistory& code() { return code_; }

 private:
  friend class HistoryView;  // reads while XCDs are simulated, and is added in the end
  friend class ExpectedPages;
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
  static constexpr uint64_t kPagesPerTranslation =
      uint64_t(calibration::kPageBytes) / TouchedPages::kPageBytes;
  struct Block {
    std::array<Page, kPagesPerBlock> pages;
    std::vector<bool> translated = std::vector<bool>(kPagesPerBlock);  // by first page of each
  };

  Page& page_of(uint64_t number);
  const Block* block_with(uint64_t number) const {
    const uint64_t block = number / kPagesPerBlock;
    return block < blocks_.size() ? blocks_[block].get() : nullptr;
  }
  bool is_translated(uint64_t number) const {
    const Block* block = block_with(number);
    return block && block->translated[number % kPagesPerBlock / kPagesPerTranslation];
  }
  static uint64_t translation_of(uint64_t number) { return number / kPagesPerTranslation; }
  void translate(uint64_t number);
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
    bool unmarked = false;  // some are in pages that the dispatch is not known to touch
  };
  Taped look_at(const std::vector<GroupTape>& tapes, int xcd, HistoryOutlook& outlook);
  void note(const WaveTape& wave, Taped& taped);
  void note_begin(const WaveTape& wave);
  bool is_begun(uint64_t line) const;
  void find_kept();
  void estimate(const TouchedMemory& touched, const Groups& groups, const Taped& taped,
                HistoryOutlook& outlook);
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
  Kept find_kept_since(Stamp used) const;
  const Kept& kept_since(Stamp used);
  double lines_kept(const Kept& kept) const { return kept.share * (same_ ? 1 : kept.density); }
  bool keeps_its_time(uint64_t number, const Kept& kept) const;
  double density() const { return looks_ > 0 ? densities_ / looks_ : 1; }  // of touched lines
  std::vector<Kept> kept_;  // when the dispatch began, oldest first
  Kept last_kept_{0, 0, 0};
  double translated_bytes_ = 0;
  double densities_ = 0, looks_ = 0;  // of the dispatch, as each XCD followed shows it; how many
  double cold_bytes_ = 0;
  bool same_ = false;  // pages as an earlier dispatch, so probably lines, too
  Stamp now_ = 0;
  using PagesOfUnits = std::array<PageStack, calibration::kUnitsPerXcd>;
  PagesOfUnits pages_of_units_;
  CodeHistory code_;
};

}  // namespace model
}  // namespace vgpu
