#include "model/memory/memory_history.h"

#include <algorithm>

#include "model/memory/line_page.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// Lines still present when so many bytes were touched since they were, their own ones included. The
// cache is hashed and not quite LRU: it begins to lose lines before it is full and keeps none of a
// sweep that is a little larger.
double kept_of_sweep(double bytes) {
  double fill = bytes / double(kMallBytes);
  double x = (fill - kMallFirstLoss) / (kMallAllLost - kMallFirstLoss);
  x = std::clamp(x, 0.0, 1.0);
  return 1 - x * x;
}

// Pages of the translation, which are larger than those that are noted.
double bytes_translated(const TouchedMemory& touched) {
  constexpr uint64_t kTogether = uint64_t(kPageBytes) / TouchedPages::kPageBytes;
  uint64_t count = 0, last = 0;
  for (const TouchedPage& page : touched.pages) {
    const uint64_t number = page.number / kTogether;
    count += count == 0 || number != last;
    last = number;
  }
  return double(count) * double(kPageBytes);
}

}  // namespace

MemoryHistory::Page& MemoryHistory::page_of(uint64_t number) {
  const uint64_t block = number / kPagesPerBlock;
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  if (!blocks_[block]) blocks_[block] = std::make_unique<Block>();
  return blocks_[block]->pages[number % kPagesPerBlock];
}

MemoryHistory::Page& MemoryHistory::touch(uint64_t number, uint8_t xcds) {
  Page& page = page_of(number);
  page.current = now_;
  page.read = page.written = page.begun = 0;
  page.xcds = xcds;
  page.data = false;
  touched_.push_back(uint32_t(number));
  return page;
}

void MemoryHistory::begin(const TouchedMemory& touched) {
  ++now_;
  densities_ = looks_ = 0;
  touched_.clear();
  for (const TouchedPage& page : touched.pages)
    touch(page.number, uint8_t(__builtin_popcount(page.xcds))).data = true;
  find_kept();
  cold_bytes_ = 0;
  for (const TouchedPage& page : touched.pages)
    if (kept_since(page_at(page.number).used).share <= 0)
      cold_bytes_ += double(page.pieces * TouchedPages::kPieceBytes);
  translated_bytes_ = bytes_translated(touched);
  same_ = same_as_before();
}

HistoryOutlook MemoryHistory::look_from(const Groups& groups, const TouchedMemory& touched,
                                        const std::vector<GroupTape>& tapes) {
  for (uint32_t number : touched_) {
    Page& page = page_of(number);
    page.read = page.written = page.begun = 0;
  }
  HistoryOutlook outlook;
  outlook.xcd = groups.xcd;
  const Taped taped = look_at(tapes, groups.xcd, outlook);
  estimate(touched, groups, taped, outlook);
  return outlook;
}

// A dispatch that touches a few lines of the same pages as one before touches the same lines; one
// that shares some of the pages touches others.
bool MemoryHistory::same_as_before() const {
  constexpr double kNearlyAll = 0.95;
  if (touched_.empty()) return false;
  auto used = [&](uint32_t number) { return page_at(number).used; };
  const Stamp usual = used(touched_[touched_.size() / 2]);
  const auto found = used_.find(usual);
  if (found == used_.end()) return false;
  const double same = double(std::count_if(touched_.begin(), touched_.end(),
                                           [&](uint32_t number) { return used(number) == usual; }));
  return same > kNearlyAll * double(std::max<uint64_t>(touched_.size(), found->second.pages));
}

// What earlier dispatches left; those of which nothing is left are forgotten.
void MemoryHistory::find_kept() {
  kept_.clear();
  last_kept_ = {0, 0, 0};
  double since = 0;
  auto oldest = used_.end();
  while (oldest != used_.begin()) {
    auto before = std::prev(oldest);
    since += double(before->second.pages) * TouchedPages::kPageBytes * before->second.density;
    const double share = kept_of_sweep(since);
    if (share <= 0) break;
    kept_.push_back({before->first, share, before->second.density});
    oldest = before;
  }
  used_.erase(used_.begin(), oldest);
  std::reverse(kept_.begin(), kept_.end());
}

void MemoryHistory::note(const WaveTape& wave, Taped& taped) {
  for (const TapeAccess& access : wave.did().accesses) {
    if (access.scalar) continue;  // not counted among the bytes of the dispatch either
    taped.bytes += double(access.lanes) * access.bytes;
    for (uint32_t n = 0; n < access.count; ++n) {
      const uint64_t request = wave.lines[access.first + n], line = line_of(request);
      if (request & kTouchedBefore) continue;
      if (const uint64_t number = page_of_line(line); !taped.page || number != taped.number) {
        taped.number = number;
        taped.page = &page_of(number);
      }
      if (taped.page->current != now_) {
        taped.unmarked |= !access.link;
        continue;
      }
      const uint32_t bit = 1u << line % kLinesPerPage;
      if (access.write || access.atomic) taped.page->written |= bit;
      if (!access.write) taped.page->read |= bit;
    }
  }
}

MemoryHistory::Taped MemoryHistory::look_at(const std::vector<GroupTape>& tapes, int xcd,
                                            HistoryOutlook& outlook) {
  Taped taped;
  for (const GroupTape& group : tapes) {
    if (xcd_of_group(group.group) != xcd) continue;
    ++taped.groups;
    for (const WaveTape& wave : group.waves) note(wave, taped);
  }
  double read = 0, written = 0;
  for (uint32_t number : touched_) {
    const Page& page = page_of(number);
    taped.lines += __builtin_popcount(page.read | page.written);
    const double lost = 1 - lines_kept(kept_since(page.used));
    read += lost * __builtin_popcount(page.read);
    written += lost * __builtin_popcount(page.written);
  }
  outlook.read_part = read + written > 0 ? read / (read + written) : 1;
  return taped;
}

void MemoryHistory::note_begin(const WaveTape& wave) {
  for (const uint64_t request : wave.lines) {
    Page& page = page_of(page_of_line(line_of(request)));
    if (page.current == now_) page.begun |= 1u << line_of(request) % kLinesPerPage;
  }
}

void MemoryHistory::follow(const HistoryOutlook& outlook, const std::vector<GroupTape>& tapes) {
  if (outlook.shared_before <= 0 && outlook.fetched_before <= outlook.fetched_now) return;
  for (uint64_t n = 0; n < tapes.size() && tapes[n].group / kXcds == n; ++n)
    for (const WaveTape& wave : tapes[n].waves) note_begin(wave);
}

bool MemoryHistory::is_begun(uint64_t line) const {
  const uint64_t number = page_of_line(line);
  if (!block_with(number)) return false;
  const Page& page = page_at(number);
  return page.current == now_ && (page.begun >> line % kLinesPerPage & 1);
}

// The tapes are a part of the dispatch. Others touch as many lines per byte that they move, but of
// the pages that are known to be touched: when that is more than these hold, they touch the same
// lines again, and some of those that the tapes touch first were touched before.
// Workgroups on the tapes go in step with those of other XCDs, whether all of their steps are on the
// tapes or not: what these have fetched before is what others of their XCD have that ran before.
void MemoryHistory::estimate(const TouchedMemory& touched, const Groups& groups, const Taped& taped,
                             HistoryOutlook& outlook) {
  const double pages = double(touched.pages.size());
  const double own =
      double(std::count_if(touched.pages.begin(), touched.pages.end(),
                           [&](const TouchedPage& page) { return page.xcds >> groups.xcd & 1; }));
  outlook.taped_bytes = taped.bytes;
  const double times = std::max(1.0, double(touched.bytes) / std::max(1.0, taped.bytes));
  const double asked = times * taped.lines;
  const double asked_here = std::max(1.0, times * groups.on_xcd / groups.all) * taped.lines;
  const double lines = asked > 0 ? std::min(pages * kLinesPerPage, asked) : pages * kLinesPerPage;
  const double lines_here = std::min(own * kLinesPerPage, asked_here);
  outlook.density = pages > 0 ? lines / (pages * kLinesPerPage) : 1;
  outlook.depends_on_others = taped.unmarked;
  outlook.reuse = kept_of_sweep(lines * kVectorLineBytes);
  outlook.fetched_before = asked > 0 ? (1 - lines / asked) * outlook.reuse : 0;
  outlook.fetched_now = outlook.fetched_before * std::min(1.0, taped.groups / groups.on_xcd);
  outlook.kept_shared = std::min(1.0, kL2Bytes / std::max(1.0, lines_here * kVectorLineBytes));
  outlook.shared_before =
      outlook.kept_shared == 1 && asked_here > 0 ? 1 - lines_here / asked_here : 0;
}

const MemoryHistory::Kept& MemoryHistory::kept_since(Stamp used) {
  if (used != last_kept_.used) last_kept_ = find_kept_since(used);
  return last_kept_;
}

MemoryHistory::Kept MemoryHistory::find_kept_since(Stamp used) const {
  auto found = std::lower_bound(kept_.begin(), kept_.end(), used,
                                [](const Kept& kept, Stamp wanted) { return kept.used < wanted; });
  const bool is_known = found != kept_.end() && found->used == used;
  return is_known ? *found : Kept{used, 0, 0};
}

void MemoryHistory::translate(uint64_t number) {
  page_of(number);
  blocks_[number / kPagesPerBlock]->translated[number % kPagesPerBlock / kPagesPerTranslation] =
      true;
}

// Few lines of a page are recent when few were touched. As if these were all lines of few pages, the
// others stay what they were.
bool MemoryHistory::keeps_its_time(uint64_t number, const Kept& kept) const {
  return !same_ && kept.share > 0 && chance(number + now_, Question::Kept) >= density();
}

void MemoryHistory::end() {
  Used used{0, 0};
  for (uint32_t number : touched_) {
    Page& page = page_of(number);
    translate(number);
    const Kept& kept = kept_since(page.used);
    if (keeps_its_time(number, kept)) continue;
    auto before = used_.find(page.used);
    if (before != used_.end() && --before->second.pages == 0) used_.erase(before);
    page.used = now_;
    ++used.pages;
    used.density += std::max(density(), kept.density);
  }
  if (!used.pages) return;
  used.density /= double(used.pages);
  used_[now_] = used;
}

}  // namespace model
}  // namespace vgpu
