#include "model/cache_pass/counting_dispatch.h"

#include <algorithm>
#include <cstdlib>

#include "memory/physical.h"
#include "model/tape/spare_pool.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kWindowBytes = uint64_t(64) << 20;  // for the requests of workgroups
constexpr size_t kMostSpareGroups = calibration::kXcds * calibration::kUnitsPerXcd *
                                    calibration::kSimdsPerUnit * calibration::kWavesPerSimd;
constexpr size_t kMostSpareNotes = 16;

SparePool<std::unique_ptr<GroupCounts>>& spare_groups() {
  static auto* pool = new SparePool<std::unique_ptr<GroupCounts>>(kMostSpareGroups);
  return *pool;
}

SparePool<GroupNotes>& spare_notes() {
  static auto* pool = new SparePool<GroupNotes>(kMostSpareNotes);
  return *pool;
}

// A window of waves keeps as much as it may have, thousands of them a little each in any case.
size_t kept_words(const LaunchShape& shape, uint64_t resident) {
  constexpr uint64_t kLeastWords = 256;
  const uint64_t waves = std::min(shape.groups, resident) * shape.waves_per_group;
  return std::max(kLeastWords, kWindowBytes / sizeof(uint64_t) / std::max<uint64_t>(1, waves));
}

uint64_t next_number() {
  static std::atomic<uint64_t> dispatches{0};
  return ++dispatches;
}

}  // namespace

bool counting_wanted() {
  static const bool wanted = [] {
    const char* text = std::getenv("VROCM_COUNTERS");
    return text && *text == '1';
  }();
  return wanted;
}

DispatchCounting::DispatchCounting(const LaunchShape& shape, const CodeHistory& code)
    : number_(next_number()),
      shape_(shape),
      resident_(groups_per_round(shape) * calibration::kXcds),
      kept_words_(kept_words(shape, resident_)),
      caches_(shape, code),
      groups_(shape.groups) {
  spare_groups().take(std::min(shape.groups, resident_), spare_);
}

DispatchCounting::~DispatchCounting() {
  for (auto& [id, thread] : threads_) {
    if (thread.spare) spare_.push_back(std::move(thread.spare));
    thread.notes.shrink();
    spare_notes().give_back(std::move(thread.notes));
  }
  spare_groups().give_back(spare_);
}

// Dispatches are told apart by a number: another one may lie where an earlier one did.
ThreadCounts& DispatchCounting::this_thread() {
  static thread_local struct {
    uint64_t dispatch = 0;
    ThreadCounts* counts = nullptr;
  } latest;
  if (latest.dispatch == number_) return *latest.counts;
  std::lock_guard lock(mutex_);
  const auto [known, is_new] = threads_.try_emplace(std::this_thread::get_id());
  if (is_new) spare_notes().take(known->second.notes);
  latest = {number_, &known->second};
  return known->second;
}

std::unique_ptr<GroupCounts> DispatchCounting::new_counts(ThreadCounts& thread) {
  if (thread.spare) return std::move(thread.spare);
  std::lock_guard lock(mutex_);
  if (spare_.empty()) return std::make_unique<GroupCounts>();
  std::unique_ptr<GroupCounts> counts = std::move(spare_.back());
  spare_.pop_back();
  return counts;
}

GroupCounts& DispatchCounting::begin(const GroupStart& start) {
  ThreadCounts& thread = this_thread();
  groups_[start.number].counts = new_counts(thread);
  GroupCounts& counts = *groups_[start.number].counts;
  counts.thread = &thread;
  counts.stamp = ++stamp_;
  uint64_t begun = begun_;
  while (begun <= start.number && !begun_.compare_exchange_weak(begun, start.number + 1)) {
  }
  // Private memory belongs to a place on the device and is used again by the next wave there.
  const uint64_t place = start.number % resident_ / calibration::kXcds;
  const uint64_t private_bytes = uint64_t(start.scratch_bytes) * kLanes;  // of one wave
  const uint64_t private_base = kPrivatePhysical + place * shape_.waves_per_group * private_bytes;
  counts.number = start.number;
  counts.ended = counts.placed = false;
  counts.noted_bytes = 0;
  counts.code_lines.clear();
  counts.waves.resize(start.waves);
  for (uint32_t index = 0; index < start.waves; ++index)
    counts.waves[index].begin(counts, private_base + index * private_bytes);
  count_waves(start, thread.values);
  return counts;
}

void DispatchCounting::end(uint64_t number) {
  Kept& kept = groups_[number];
  GroupCounts& counts = *kept.counts;
  ThreadCounts& thread = *counts.thread;
  counts.ended = true;
  const size_t bytes = counts.bytes();
  if (!counts.placed) kept.note = thread.notes.add(counts);
  if (kept.note) {
    counts.clear_requests(kept_words_);
    std::swap(thread.spare, kept.counts);
  }
  ended_bytes_ += bytes;
  if (!kept.note || !kept.counts) return;
  std::lock_guard lock(mutex_);
  spare_.push_back(std::move(kept.counts));
}

void DispatchCounting::count_waves(const GroupStart& start, CounterValues& values) const {
  values.add(Counter::SQ_ITEMS, start.items);
  values.add(Counter::SPI_CSN_NUM_THREADGROUPS);
  for (Counter counter : {Counter::SQ_WAVES, Counter::SPI_CSN_WAVE, Counter::SPI_VWC_CSC_WR})
    values.add(counter, start.waves);
  // Scalar registers are set two at a time (recorded: 2 writes for 3, 3 for 5).
  values.add(Counter::SPI_SWC_CSC_WR, start.waves * uint64_t((shape_.set_scalars + 1) / 2));
  uint64_t rest = start.items % kLanes;
  values.add(Counter::SQ_WAVES_EQ_64, start.items / kLanes);
  static constexpr struct {
    uint64_t limit;
    Counter counter;
  } kPartial[] = {{64, Counter::SQ_WAVES_LT_64},
                  {48, Counter::SQ_WAVES_LT_48},
                  {32, Counter::SQ_WAVES_LT_32},
                  {16, Counter::SQ_WAVES_LT_16}};
  for (const auto& partial : kPartial)
    if (rest && rest < partial.limit) values.add(partial.counter);
}

void DispatchCounting::pass(unsigned helpers) {
  std::vector<PassedGroup> groups;
  for (uint64_t number = first_; number < begun_; ++number)
    if (const Kept& kept = groups_[number]; kept.is_there())
      groups.push_back({number, kept.note, kept.counts.get()});
  caches_.run(groups, helpers);
  for (const PassedGroup& group : groups) {
    groups_[group.number].note = nullptr;
    if (!group.counts) continue;
    group.counts->clear_requests(kept_words_);
    group.counts->noted_bytes = 0;
    if (group.counts->ended) spare_.push_back(std::move(groups_[group.number].counts));
  }
  for (auto& [id, thread] : threads_) thread.notes.clear();
  while (first_ < begun_ && !groups_[first_].is_there()) ++first_;
  noted_bytes_ = 0;
}

void DispatchCounting::finish_window(unsigned helpers) {
  pass(helpers);
  uint64_t per_group = std::max<uint64_t>(1, ended_bytes_ / window_end_);
  uint64_t groups = std::clamp<uint64_t>(kWindowBytes / per_group, calibration::kXcds, resident_);
  window_end_ = std::min(shape_.groups, window_end_ + groups);
}

void DispatchCounting::look_at(uint64_t number, unsigned helpers) {
  GroupCounts& counts = *groups_[number].counts;
  size_t bytes = counts.bytes();
  noted_bytes_ += bytes - counts.noted_bytes;
  counts.noted_bytes = bytes;
  large_ |= bytes > kWindowBytes / calibration::kXcds;
  if (noted_bytes_ > kWindowBytes) pass(helpers);
}

CounterValues DispatchCounting::totals() {
  CounterValues totals = caches_.finish();
  for (auto& thread : threads_) totals.add(thread.second.totals());
  uint64_t fetches = totals[Counter::SQ_IFETCH];
  totals.add(Counter::SQC_ICACHE_REQ, fetches);
  totals.add(Counter::SQC_ICACHE_HITS, fetches - totals[Counter::SQC_ICACHE_MISSES] -
                                           totals[Counter::SQC_ICACHE_MISSES_DUPLICATE]);
  return totals;
}

}  // namespace model
}  // namespace vgpu
