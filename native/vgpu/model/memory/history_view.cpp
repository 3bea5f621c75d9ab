#include "model/memory/history_view.h"

#include "model/launch/device_size.h"
#include "model/memory/line_page.h"

namespace vgpu {
namespace model {

using namespace calibration;

// --- What others are expected to leave -----------------------------------------------------------

// On the CUs that they are given as long as none of them has ended.
void ExpectedPages::add(const LaunchShape& shape, const std::vector<GroupTape>& tapes) {
  fetch(shape.code_physical / kVectorLineBytes);
  const size_t units = size_t(device_size().units_per_xcd);
  for (size_t n = 0; n < tapes.size(); ++n)
    for (const WaveTape& wave : tapes[n].waves) add(wave, of_units_[n % units]);
}

void ExpectedPages::add(const WaveTape& wave, PageStack& of_unit) {
  for (const TapeAccess& access : wave.did().accesses)
    for (uint32_t n = 0; n < access.count; ++n) {
      const uint64_t line = line_of(wave.lines[access.first + n]);
      if (!access.link && !access.write) fetch(line);
      if (!access.scalar) of_unit.take(uint32_t(line * kVectorLineBytes / kTranslatedBytes));
    }
}

void ExpectedPages::fetch(uint64_t line) {
  const uint64_t number = MemoryHistory::translation_of(page_of_line(line));
  if (number == last_) return;
  last_ = number;
  fetched_.insert(number);
}

// --- The view ------------------------------------------------------------------------------------

HistoryView::HistoryView(MemoryHistory& history, const HistoryOutlook& outlook,
                         const ExpectedPages* before)
    : history_(history), outlook_(outlook), units_(kUnitsPerXcd) {
  const auto& pages = before ? before->of_units_ : history.pages_of_units_;
  for (size_t n = 0; n < units_.size(); ++n) units_[n].pages = pages[n];
  if (!before) return;
  expected_ = before->fetched_;
}

const HistoryView::Page& HistoryView::page_of(uint64_t number) const {
  static const Page untouched;
  const auto* block = history_.block_with(number);
  return block ? block->pages[number % MemoryHistory::kPagesPerBlock] : untouched;
}

const HistoryView::Page& HistoryView::seen(uint64_t number) {
  const Page& page = page_of(number);
  if (is_current(page)) return page;
  if (is_seen_.insert(number).second) seen_.push_back(uint32_t(number));
  return page;
}

const HistoryView::Kept& HistoryView::kept_since(MemoryHistory::Stamp used) {
  if (used != last_kept_.used) last_kept_ = history_.find_kept_since(used);
  return last_kept_;
}

HistoryView::Held HistoryView::holds(uint64_t line, bool again) {
  const double kept = chance(line, Question::Kept);
  if (again) return kept < outlook_.reuse ? Held::Yes : Held::No;
  const uint64_t number = page_of_line(line);
  const Page& page = seen(number);
  const bool data = is_current(page) && page.data;
  const Kept& left = kept_since(page.used);
  // Of data it is not known which lines of a page were touched; of others the same are, each time.
  if (kept < (data ? history_.lines_kept(left) : left.share)) return Held::Yes;
  const double others = data ? chance(number, Question::Others) : 1;
  if (others >= outlook_.fetched_before) return Held::No;
  return others < outlook_.fetched_now || history_.is_begun(line) ? Held::Arriving : Held::Yes;
}

HistoryView::Held HistoryView::holds_code(uint64_t code, uint64_t line, bool again) {
  const double kept = chance(line - code, Question::Kept);
  if (again) return kept < outlook_.reuse ? Held::Yes : Held::No;
  return kept < kept_since(seen(page_of_line(code)).used).share ? Held::Yes : Held::No;
}

// Neighbours are touched together: all lines of a page are there or none is.
bool HistoryView::shared_before(uint64_t line) const {
  return chance(page_of_line(line), Question::Shared) < outlook_.shared_before &&
         !history_.is_begun(line);
}

bool HistoryView::keeps_shared(uint64_t line) const {
  return chance(line, Question::Kept) < outlook_.kept_shared;
}

int HistoryView::xcds(uint64_t line) const {
  const Page& page = page_of(page_of_line(line));
  return is_current(page) ? page.xcds : 1;
}

bool HistoryView::first_touch(uint64_t line) {
  const uint64_t page = page_of_line(line);
  if (history_.is_translated(page)) return false;
  const uint64_t number = MemoryHistory::translation_of(page);
  if (!asked_.insert(number).second) return false;
  const bool was_there = expected_.count(number) > 0;
  first_touches_.push_back({uint32_t(page), was_there});
  return !was_there;
}

bool HistoryView::translated(int unit, uint64_t page) {
  Unit& own = units_[size_t(unit)];
  const size_t size = own.pages.size(), place = own.pages.take(uint32_t(page));
  const bool was_there = place < size;
  if (place >= own.asked.size() && own.asked.size() < PageStack::kMost)
    own.asked.push_back({uint32_t(page), was_there});
  return was_there;
}

bool HistoryView::holds_true() const {
  for (const Told& told : first_touches_)
    if (history_.is_translated(told.page) != told.was_there) return false;
  for (size_t n = 0; n < units_.size(); ++n) {
    PageStack pages = history_.pages_of_units_[n];
    for (const Told& told : units_[n].asked) {
      const size_t size = pages.size();
      if ((pages.take(told.page) < size) != told.was_there) return false;
    }
  }
  return true;
}

void HistoryView::add_to_history() const {
  history_.densities_ += outlook_.density;
  history_.looks_ += outlook_.density > 0;
  for (const uint32_t number : seen_)
    if (!is_current(history_.page_of(number))) history_.touch(number, 1);
  for (const Told& told : first_touches_) history_.translate(told.page);
  for (size_t n = 0; n < units_.size(); ++n) {
    PageStack& pages = history_.pages_of_units_[n];
    for (const Told& told : units_[n].asked) pages.take(told.page);
    pages.take_order(units_[n].pages, units_[n].asked.size());
  }
}

}  // namespace model
}  // namespace vgpu
