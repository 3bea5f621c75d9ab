#include "model/memory/memory_history.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr uint64_t kLinesPerPage = TouchedPages::kPageBytes / kVectorLineBytes;
static_assert(kLinesPerPage == 32, "a mask of lines is a word");

uint64_t page_of_line(uint64_t line) {
  return (line * kVectorLineBytes % TouchedPages::kReach) >> TouchedPages::kPageShift;
}

// A number in [0, 1) that depends on the line only, another one for each question.
enum class Question : uint64_t { Kept, Others = 0x5851f42d4c957f2d, Shared = 0x14057b7ef767814f };
double chance(uint64_t line, Question question) {
  uint64_t h = (line + uint64_t(question)) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return double(h >> 11) * 0x1p-53;
}

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

void MemoryHistory::look_from(const Groups& groups, const TouchedMemory& touched,
                              const std::vector<GroupTape>& tapes) {
  xcd_ = groups.xcd;
  for (uint32_t number : touched_) {
    Page& page = page_of(number);
    page.read = page.written = page.begun = 0;
  }
  estimate(touched, groups, look_at(tapes, groups.xcd));
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
      if (taped.page->current != now_) continue;
      const uint32_t bit = 1u << line % kLinesPerPage;
      if (access.write || access.atomic) taped.page->written |= bit;
      if (!access.write) taped.page->read |= bit;
    }
  }
}

MemoryHistory::Taped MemoryHistory::look_at(const std::vector<GroupTape>& tapes, int xcd) {
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
    const double lost = 1 - lines_kept(page.used);
    read += lost * __builtin_popcount(page.read);
    written += lost * __builtin_popcount(page.written);
  }
  read_part_ = read + written > 0 ? read / (read + written) : 1;
  return taped;
}

void MemoryHistory::note_begin(const WaveTape& wave) {
  for (const uint64_t request : wave.lines) {
    Page& page = page_of(page_of_line(line_of(request)));
    if (page.current == now_) page.begun |= 1u << line_of(request) % kLinesPerPage;
  }
}

void MemoryHistory::follow(const std::vector<GroupTape>& tapes) {
  if (shared_before_ <= 0 && fetched_before_ <= fetched_now_) return;
  for (uint64_t n = 0; n < tapes.size() && tapes[n].group / kXcds == n; ++n)
    for (const WaveTape& wave : tapes[n].waves) note_begin(wave);
}

bool MemoryHistory::is_begun(uint64_t line) const {
  const uint64_t number = page_of_line(line), block = number / kPagesPerBlock;
  if (block >= blocks_.size() || !blocks_[block]) return false;
  const Page& page = page_at(number);
  return page.current == now_ && (page.begun >> line % kLinesPerPage & 1);
}

// The tapes are a part of the dispatch. Others touch as many lines per byte that they move, but of
// the pages that are known to be touched: when that is more than these hold, they touch the same
// lines again, and some of those that the tapes touch first were touched before.
// Workgroups on the tapes go in step with those of other XCDs, whether all of their steps are on the
// tapes or not: what these have fetched before is what others of their XCD have that ran before.
void MemoryHistory::estimate(const TouchedMemory& touched, const Groups& groups,
                             const Taped& taped) {
  const double pages = double(touched.pages.size());
  const double own =
      double(std::count_if(touched.pages.begin(), touched.pages.end(),
                           [&](const TouchedPage& page) { return page.xcds >> groups.xcd & 1; }));
  taped_bytes_ = taped.bytes;
  const double times = std::max(1.0, double(touched.bytes) / std::max(1.0, taped.bytes));
  const double asked = times * taped.lines;
  const double asked_here = std::max(1.0, times * groups.on_xcd / groups.all) * taped.lines;
  const double lines = asked > 0 ? std::min(pages * kLinesPerPage, asked) : pages * kLinesPerPage;
  const double lines_here = std::min(own * kLinesPerPage, asked_here);
  densities_ += pages > 0 ? lines / (pages * kLinesPerPage) : 1;
  ++looks_;
  reuse_ = kept_of_sweep(lines * kVectorLineBytes);
  fetched_before_ = asked > 0 ? (1 - lines / asked) * reuse_ : 0;
  fetched_now_ = fetched_before_ * std::min(1.0, taped.groups / groups.on_xcd);
  kept_shared_ = std::min(1.0, kL2Bytes / std::max(1.0, lines_here * kVectorLineBytes));
  shared_before_ = kept_shared_ == 1 && asked_here > 0 ? 1 - lines_here / asked_here : 0;
}

const MemoryHistory::Kept& MemoryHistory::kept_since(Stamp used) {
  if (used == last_kept_.used) return last_kept_;
  auto found = std::lower_bound(kept_.begin(), kept_.end(), used,
                                [](const Kept& kept, Stamp wanted) { return kept.used < wanted; });
  const bool is_known = found != kept_.end() && found->used == used;
  return last_kept_ = is_known ? *found : Kept{used, 0, 0};
}

// Of the lines that this dispatch touches in a page that was used then.
double MemoryHistory::lines_kept(Stamp used) {
  const Kept& kept = kept_since(used);
  return kept.share * (same_ ? 1 : kept.density);
}

MemoryHistory::Held MemoryHistory::holds(uint64_t line, bool again) {
  const double kept = chance(line, Question::Kept);
  if (again) return kept < reuse_ ? Held::Yes : Held::No;
  Page& page = page_of(page_of_line(line));
  if (page.current != now_) touch(page_of_line(line), 1);  // what only launching reads
  // Of data it is not known which lines of a page were touched; of others the same are, each time.
  if (kept < (page.data ? lines_kept(page.used) : kept_since(page.used).share)) return Held::Yes;
  const double others = page.data ? chance(page_of_line(line), Question::Others) : 1;
  if (others >= fetched_before_) return Held::No;
  return others < fetched_now_ || is_begun(line) ? Held::Arriving : Held::Yes;
}

MemoryHistory::Held MemoryHistory::holds_code(uint64_t code, uint64_t line, bool again) {
  const double kept = chance(line - code, Question::Kept);
  if (again) return kept < reuse_ ? Held::Yes : Held::No;
  Page& page = page_of(page_of_line(code));
  if (page.current != now_) touch(page_of_line(code), 1);
  return kept < kept_since(page.used).share ? Held::Yes : Held::No;
}

// Neighbours are touched together: all lines of a page are there or none is.
bool MemoryHistory::shared_before(uint64_t line) const {
  return chance(page_of_line(line), Question::Shared) < shared_before_ && !is_begun(line);
}

bool MemoryHistory::keeps_shared(uint64_t line) const {
  return chance(line, Question::Kept) < kept_shared_;
}

int MemoryHistory::xcds(uint64_t line) {
  const Page& page = page_of(page_of_line(line));
  return page.current == now_ ? page.xcds : 1;
}

bool MemoryHistory::first_touch(uint64_t line) {
  const uint64_t number = page_of_line(line);
  page_of(number);
  constexpr uint64_t kTogether = uint64_t(kPageBytes) / TouchedPages::kPageBytes;
  auto known = blocks_[number / kPagesPerBlock]->translated.begin() +
               std::ptrdiff_t(number % kPagesPerBlock / kTogether);
  if (*known) return false;
  *known = true;
  return true;
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
    first_touch(number * kLinesPerPage);
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
