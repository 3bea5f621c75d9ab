#include "device/group_runner.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "device/float_environment.h"
#include "device/progress.h"
#include "exec/report/fault.h"
#include "exec/run/round.h"
#include "host/worker_pool.h"
#include "memory/address_space.h"
#include "memory/physical.h"

namespace vgpu {
namespace {

// Instructions of a workgroup until others have their turn: it may be waiting for one of them.
constexpr uint64_t kGroupSlice = 1 << 16;
// Host memory for the state of resident workgroups, which bounds how many there are.
constexpr uint64_t kResidentBytes = uint64_t(8) << 30;
// Waking other host threads takes this long; less work than that is done alone.
constexpr double kWorthHelpSeconds = 100e-6;
constexpr uint32_t kShortSlices = 32;  // between two looks at the time
constexpr size_t kMostSpare = 16;      // workgroup states that a host thread keeps for later

}  // namespace

// What a host thread keeps between dispatches.
struct Worker {
  Workgroup group;
  std::vector<std::unique_ptr<Workgroup>> spare;  // for dispatches that keep several resident
  AccessRange ranges[kAccessRanges];
  uint64_t epoch = ~uint64_t(0);
  uint32_t short_slices = 0;  // in which a workgroup ended, since the time was looked at

  // Forgets remembered ranges when memory was taken away meanwhile.
  void refresh() {
    uint64_t now = AddressSpace::instance().epoch();
    if (now == epoch) return;
    for (AccessRange& range : ranges) range = AccessRange{};
    epoch = now;
  }
};

namespace {

Worker& this_worker() {
  static thread_local std::unique_ptr<Worker> worker = std::make_unique<Worker>();
  return *worker;
}

// How many workgroups are resident at a time.
uint64_t residency(const Dispatch& dispatch, uint64_t on_device) {
  uint64_t waves = dispatch.waves_per_group(), registers = dispatch.kernel.registers();
  uint64_t bytes =
      dispatch.lds_bytes + waves * kLanes * (registers * 4 + dispatch.scratch_bytes) + 4096;
  return std::max<uint64_t>(1, std::min(on_device, kResidentBytes / bytes));
}

}  // namespace

GroupRunner::GroupRunner(Dispatch& dispatch, Observation& observation, uint64_t on_device)
    : dispatch_(dispatch),
      observation_(observation),
      most_resident_(residency(dispatch, on_device)),
      started_(std::chrono::steady_clock::now()),
      settings_(settings()) {
  count_launch(started_);
}

cost::Totals GroupRunner::in_parallel() {
  Worker& worker = this_worker();
  begin(worker.group, ticket_++);
  run_slice(worker, worker.group);
  observation_.first_turn(worker.group);
  unsigned helpers = helpers_worth_waking(worker.group);
  if (observation_.counting()) in_windows(helpers);
  else run_up_to(dispatch_.group_total, helpers);
  return totals_;
}

cost::Totals GroupRunner::in_order(uint64_t next) {
  Worker& worker = this_worker();
  while (next < dispatch_.group_total || !resident_.empty()) {
    bool progress = false;
    while (next < dispatch_.group_total && resident_.size() < most_resident_) {
      admit(worker, next++);
      ticket_ = next;  // for those who ask how far it is
      progress |= run_slice(worker, *resident_.back());
      if (next == 1) observation_.first_turn(*resident_.back());
      if (resident_.back()->finished()) retire(worker, resident_.size() - 1);
      if (next == observation_.choice_at()) observation_.choose_xcd(resident_);
    }
    for (size_t r = 0; r < resident_.size();) {
      progress |= run_slice(worker, *resident_[r]);
      if (resident_[r]->finished()) retire(worker, r);
      else ++r;
    }
    // Everybody sleeps: somebody on the host has to act first.
    if (!progress && !resident_.empty()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  if (worker.spare.size() > kMostSpare) worker.spare.resize(kMostSpare);
  if (auto* counting = observation_.counting()) counting->finish_window(settings_.threads - 1);
  return totals_;
}

// Judged by how far the first workgroup came in its first slice.
unsigned GroupRunner::helpers_worth_waking(const Workgroup& first) const {
  uint64_t left = dispatch_.group_total - 1;
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  if (first.finished() && spent.count() * double(left) < kWorthHelpSeconds) return 0;
  return unsigned(std::min<uint64_t>(settings_.threads - 1, left));
}

// Counted workgroups run in windows, which bounds the memory for what is noted about them; very
// large ones in order, where that can be worked off while they run.
void GroupRunner::in_windows(unsigned helpers) {
  model::DispatchCounting& counting = *observation_.counting();
  take_tickets(counting.window_end());
  if (counting.large()) {
    in_order(1);
    return;
  }
  alone_ = false;
  while (counting.window_end() < dispatch_.group_total) {
    ticket_ = counting.window_end();
    counting.finish_window(helpers);
    run_up_to(counting.window_end(), helpers);
  }
  counting.finish_window(helpers);
}

void GroupRunner::begin(Workgroup& group, uint64_t number) {
  this_thread_translator().serve(dispatch_.request.device);
  group.start(dispatch_, number);
  observation_.begin(group);
}

// Those before the choice of an XCD end before others begin.
void GroupRunner::run_up_to(uint64_t end_number, unsigned helpers) {
  if (const uint64_t choice = observation_.choice_at(); choice && choice <= end_number) {
    WorkerPool::instance().run(helpers, [this, choice] { take_tickets(choice); });
    observation_.choose_xcd({});
    ticket_ = choice;
  }
  WorkerPool::instance().run(helpers, [this, end_number] { take_tickets(end_number); });
}

// Ends the workgroup that this thread has begun, then takes others below `end_number`.
void GroupRunner::take_tickets(uint64_t end_number) {
  DeviceFloatMode mode;
  Worker& worker = this_worker();
  cost::Totals mine;
  model::DispatchWork asked;
  bool begun = worker.group.dispatch == &dispatch_;
  for (;;) {
    if (!begun) {
      uint64_t number = ticket_.fetch_add(1, std::memory_order_relaxed);
      if (number >= end_number) break;
      begin(worker.group, number);
    }
    begun = false;
    while (!worker.group.finished()) run_slice(worker, worker.group);
    mine.add(worker.group.totals());
    observation_.end(worker.group, asked);
  }
  worker.group.dispatch = nullptr;
  std::lock_guard lock(mutex_);
  totals_.add(mine);
  observation_.add(asked);
}

// Returns false when all of the group's waves just sleep.
bool GroupRunner::run_slice(Worker& worker, Workgroup& group) {
  worker.refresh();
  group.use_ranges(worker.ranges);
  uint64_t done = 0;
  bool asleep = false;
  while (!group.finished() && done < kGroupSlice && !asleep) {
    GroupRound round = run_round(group);
    observation_.look_at_length(group);
    done += round.instructions;
    asleep = round.all_asleep;
  }
  // Asking for the time costs as much as some instructions of a short workgroup.
  if (!group.finished() || ++worker.short_slices == kShortSlices) {
    worker.short_slices = 0;
    check_limits(group);
  }
  if (auto* counting = observation_.counting(); counting && alone_)
    counting->look_at(group.number, settings_.threads - 1);
  return !asleep;
}

void GroupRunner::check_limits(Workgroup& current) {
  if (settings_.most_instructions) {
    for (uint32_t index = 0; index < current.wave_count; ++index)
      if (current.waves[index].executed > settings_.most_instructions)
        report_too_long(dispatch_, current, settings_.most_instructions);
  }
  const auto now = std::chrono::steady_clock::now();
  show_progress(dispatch_, ticket_.load(std::memory_order_relaxed), started_, now);
  double limit = settings_.timeout_seconds;
  std::chrono::duration<double> spent = now - started_;
  if (limit == 0 || spent.count() < limit) return;
  std::vector<const Workgroup*> groups;
  for (const auto& group : resident_) groups.push_back(group.get());
  if (groups.empty()) groups.push_back(&current);
  report_timeout(dispatch_, groups, limit);
}

void GroupRunner::admit(Worker& worker, uint64_t number) {
  if (worker.spare.empty()) worker.spare.push_back(std::make_unique<Workgroup>());
  resident_.push_back(std::move(worker.spare.back()));
  worker.spare.pop_back();
  begin(*resident_.back(), number);
}

void GroupRunner::retire(Worker& worker, size_t index) {
  totals_.add(resident_[index]->totals());
  model::DispatchWork asked;
  observation_.end(*resident_[index], asked);
  observation_.add(asked);
  worker.spare.push_back(std::move(resident_[index]));
  resident_.erase(resident_.begin() + std::ptrdiff_t(index));
}

}  // namespace vgpu
