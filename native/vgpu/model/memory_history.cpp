#include "memory_history.h"

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
enum class Question : uint64_t { Kept = 0, Others = 0x5851f42d4c957f2d };
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
  page.lines = 0;
  page.xcds = xcds;
  touched_.push_back(uint32_t(number));
  return page;
}

void MemoryHistory::begin(const std::vector<TouchedPage>& touched,
                          const std::vector<GroupTape>& tapes) {
  ++now_;
  touched_.clear();
  for (const TouchedPage& page : touched)
    touch(page.number, uint8_t(__builtin_popcount(page.xcds)));
  note_lines(tapes);
  footprint_ = double(touched_.size()) * TouchedPages::kPageBytes;
  reuse_ = kept_of_sweep(footprint_);
  kept_.clear();
  double since = 0;
  for (auto used = used_pages_.rbegin(); used != used_pages_.rend(); ++used) {
    since += double(used->second) * TouchedPages::kPageBytes;
    double share = kept_of_sweep(since);
    if (share <= 0) break;
    kept_.push_back({used->first, share});
  }
  std::reverse(kept_.begin(), kept_.end());
  last_kept_ = {0, 0};
  // Those before are forgotten.
  used_pages_.erase(used_pages_.begin(), kept_.empty() ? used_pages_.end()
                                                       : used_pages_.find(kept_.front().used));
}

void MemoryHistory::note_lines(const std::vector<GroupTape>& tapes) {
  for (const GroupTape& group : tapes)
    for (const WaveTape& wave : group.waves)
      for (uint64_t request : wave.lines) {
        Page& page = page_of(page_of_line(line_of(request)));
        if (page.current == now_) page.lines |= 1u << line_of(request) % kLinesPerPage;
      }
}

double MemoryHistory::kept_since(Stamp used) {
  if (used == last_kept_.used) return last_kept_.share;
  auto found = std::lower_bound(kept_.begin(), kept_.end(), used,
                                [](const Kept& kept, Stamp wanted) { return kept.used < wanted; });
  last_kept_ = {used, found != kept_.end() && found->used == used ? found->share : 0};
  return last_kept_.share;
}

// How likely it is that another XCD has fetched a line of the page before XCD 0 does. Workgroups
// are dealt one by one, so that XCDs have different lines of a page as often as the same ones: each
// has as many as XCD 0 does.
double MemoryHistory::fetched_by_others(const Page& page) const {
  double users = double(page.xcds) * __builtin_popcount(page.lines) / double(kLinesPerPage);
  return users > 1 ? 1 - 1 / users : 0;
}

bool MemoryHistory::holds(uint64_t line, bool again) {
  if (again) return chance(line, Question::Kept) < reuse_;
  Page& page = page_of(page_of_line(line));
  if (page.current != now_) touch(page_of_line(line), 1);   // code, and what only launching reads
  return chance(line, Question::Kept) < kept_since(page.used) ||
         chance(line, Question::Others) < fetched_by_others(page);
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

void MemoryHistory::end() {
  for (uint32_t number : touched_) {
    Page& page = page_of(number);
    auto before = used_pages_.find(page.used);
    if (before != used_pages_.end() && --before->second == 0) used_pages_.erase(before);
    page.used = now_;
    first_touch(number * kLinesPerPage);
  }
  if (!touched_.empty()) used_pages_[now_] += touched_.size();
}

}  // namespace model
}  // namespace vgpu
