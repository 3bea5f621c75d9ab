// Runs the workgroups of a dispatch: spread over host threads, or in one fixed order when their
// results could depend on the order.
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "../model/counting_dispatch.h"
#include "../model/physical.h"
#include "../model/thread_trace.h"
#include "../model/thread_trace_file.h"
#include "../model/timing.h"
#include "address_space.h"
#include "check.h"
#include "cost.h"
#include "device.h"
#include "fault.h"
#include "settings.h"
#include "worker_pool.h"
#include "workgroup.h"

namespace vgpu {
namespace {

// Instructions of a workgroup until others have their turn: it may be waiting for one of them.
constexpr uint64_t kGroupSlice = 1 << 16;
// Host memory for the state of resident workgroups, which bounds how many there are.
constexpr uint64_t kResidentBytes = uint64_t(8) << 30;
// A preloaded kernel has a prologue of this size for firmware that does not preload; we do.
constexpr uint64_t kPreloadPrologueBytes = 256;
// Waking other host threads takes this long; less work than that is done alone.
constexpr double kWorthHelpSeconds = 100e-6;
constexpr size_t kMostSpare = 16;  // of each kind that is kept for later dispatches
constexpr unsigned kDefaultMxcsr = 0x1f80;  // round to nearest, no traps, denormals kept

std::atomic<uint64_t> device_clock_ns{1'000'000'000};

// What a host thread keeps between dispatches.
struct Worker {
  Workgroup group;
  std::vector<std::unique_ptr<Workgroup>> spare;  // for dispatches that keep several resident
  AccessRange ranges[kAccessRanges];
  uint64_t epoch = ~uint64_t(0);

  // Forgets remembered ranges when memory was taken away meanwhile.
  void refresh() {
    uint64_t now = AddressSpace::instance().epoch();
    if (now == epoch) return;
    for (AccessRange& range : ranges) range = AccessRange{};
    epoch = now;
  }
};

Worker& this_worker() {
  static thread_local std::unique_ptr<Worker> worker = std::make_unique<Worker>();
  return *worker;
}

class Run {
 public:
  explicit Run(Dispatch& dispatch)
      : dispatch_(dispatch), started_(std::chrono::steady_clock::now()), settings_(settings()) {
    if (model::counting_wanted())
      counting_ = std::make_unique<model::DispatchCounting>(dispatch.shape);
  }

  cost::Totals in_parallel() {
    Worker& worker = this_worker();
    begin(worker.group, ticket_++);
    run_slice(worker, worker.group);
    unsigned helpers = helpers_worth_waking(worker.group);
    if (counting_)
      in_windows(helpers);
    else
      WorkerPool::instance().run(helpers, [this] { take_tickets(dispatch_.group_total); });
    return totals_;
  }

  // From workgroup `next` on.
  cost::Totals in_order(uint64_t next = 0) {
    Worker& worker = this_worker();
    uint64_t limit = residency();
    while (next < dispatch_.group_total || !resident_.empty()) {
      bool progress = false;
      while (next < dispatch_.group_total && resident_.size() < limit) {
        admit(worker, next++);
        progress |= run_slice(worker, *resident_.back());
        if (resident_.back()->finished()) retire(worker, resident_.size() - 1);
      }
      for (size_t r = 0; r < resident_.size();) {
        progress |= run_slice(worker, *resident_[r]);
        if (resident_[r]->finished())
          retire(worker, r);
        else
          ++r;
      }
      // Everybody sleeps: somebody on the host has to act first.
      if (!progress && !resident_.empty())
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (worker.spare.size() > kMostSpare) worker.spare.resize(kMostSpare);
    if (counting_) counting_->finish_window(settings_.threads - 1);
    return totals_;
  }

  // Null unless counters were asked for.
  model::DispatchCounting* counting() { return counting_.get(); }

  // What the sampled workgroups executed, in the order of their numbers.
  std::vector<model::GroupTape> take_tapes() {
    std::sort(tapes_.begin(), tapes_.end(),
              [](const auto& a, const auto& b) { return a.group < b.group; });
    return std::move(tapes_);
  }

 private:
  // Judged by how far the first workgroup came in its first slice.
  unsigned helpers_worth_waking(const Workgroup& first) const {
    uint64_t left = dispatch_.group_total - 1;
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    if (first.finished() && spent.count() * double(left) < kWorthHelpSeconds) return 0;
    return unsigned(std::min<uint64_t>(settings_.threads - 1, left));
  }

  // Counted workgroups run in windows, which bounds the memory for what is noted about them; very
  // large ones in order, where that can be worked off while they run.
  void in_windows(unsigned helpers) {
    take_tickets(counting_->window_end());
    if (counting_->large()) {
      in_order(1);
      return;
    }
    alone_ = false;
    while (counting_->window_end() < dispatch_.group_total) {
      ticket_ = counting_->window_end();
      counting_->finish_window(helpers);
      uint64_t end = counting_->window_end();
      WorkerPool::instance().run(helpers, [this, end] { take_tickets(end); });
    }
    counting_->finish_window(helpers);
  }

  void begin(Workgroup& group, uint64_t number) {
    group.start(dispatch_, number);
    if (counting_) counting_->begin(group);
  }

  void end(Workgroup& group) {
    keep_tape(group);
    if (counting_) counting_->end(group);
  }

  // Ends the workgroup that this thread has begun, then takes others below `end_number`.
  void take_tickets(uint64_t end_number) {
    unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(kDefaultMxcsr);
    Worker& worker = this_worker();
    cost::Totals mine;
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
      end(worker.group);
    }
    worker.group.dispatch = nullptr;
    _mm_setcsr(mxcsr);
    std::lock_guard lock(mutex_);
    totals_.add(mine);
  }

  void keep_tape(Workgroup& group) {
    if (!group.tape) return;
    for (uint32_t index = 0; index < group.wave_count; ++index)
      group.tape->waves[index].executed = group.waves[index].executed;
    std::lock_guard lock(mutex_);
    tapes_.push_back(std::move(*group.tape));
    group.tape.reset();
  }

  // Returns false when all of the group's waves just sleep.
  bool run_slice(Worker& worker, Workgroup& group) {
    worker.refresh();
    group.use_ranges(worker.ranges);
    uint64_t done = 0;
    bool asleep = false;
    while (!group.finished() && done < kGroupSlice && !asleep) {
      Workgroup::Round round = group.run_round();
      done += round.instructions;
      asleep = round.all_asleep;
    }
    check_time(group);
    if (counting_ && alone_) counting_->look_at(group, settings_.threads - 1);
    return !asleep;
  }

  void check_time(Workgroup& current) {
    double limit = settings_.timeout_seconds;
    if (limit == 0) return;
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
    if (spent.count() < limit) return;
    std::vector<const Workgroup*> groups;
    for (const auto& group : resident_) groups.push_back(group.get());
    if (groups.empty()) groups.push_back(&current);
    report_timeout(dispatch_, groups, limit);
  }

  void admit(Worker& worker, uint64_t number) {
    if (worker.spare.empty()) worker.spare.push_back(std::make_unique<Workgroup>());
    resident_.push_back(std::move(worker.spare.back()));
    worker.spare.pop_back();
    begin(*resident_.back(), number);
  }

  void retire(Worker& worker, size_t index) {
    totals_.add(resident_[index]->totals());
    end(*resident_[index]);
    worker.spare.push_back(std::move(resident_[index]));
    resident_.erase(resident_.begin() + std::ptrdiff_t(index));
  }

  // How many workgroups the device holds at a time.
  uint64_t residency() const {
    uint64_t waves = dispatch_.shape.waves_per_group, registers = dispatch_.kernel.registers();
    uint64_t bytes = dispatch_.lds_bytes +
                     waves * kLanes * (registers * 4 + dispatch_.scratch_bytes) + 4096;
    uint64_t on_device = model::groups_per_round(dispatch_.shape) * model::calibration::kXcds;
    return std::max<uint64_t>(1, std::min(on_device, kResidentBytes / bytes));
  }

  Dispatch& dispatch_;
  std::chrono::steady_clock::time_point started_;
  const Settings& settings_;
  std::atomic<uint64_t> ticket_{0};
  std::mutex mutex_;
  cost::Totals totals_;
  std::vector<model::GroupTape> tapes_;
  std::unique_ptr<model::DispatchCounting> counting_;
  bool alone_ = true;   // no other host thread runs workgroups of this dispatch
  std::vector<std::unique_ptr<Workgroup>> resident_;
};

model::LaunchShape launch_shape(const Dispatch& dispatch) {
  uint64_t items = 1;
  for (uint16_t size : dispatch.packet->workgroup_size) items *= size;
  model::LaunchShape shape;
  shape.groups = dispatch.group_total;
  shape.waves_per_group = uint32_t((items + kLanes - 1) / kLanes);
  shape.registers = dispatch.kernel.registers();
  shape.scalar_registers = dispatch.kernel.scalar_registers();
  shape.lds_bytes = dispatch.lds_bytes;
  shape.code_physical = model::this_thread_translator().translate(dispatch.code->base()).physical;
  return shape;
}

// What earlier dispatches of a queue left in the memory-side cache. One per queue, because the
// order of dispatches of different queues is not the same in every run.
model::MemoryHistory& history_of(uint64_t queue) {
  static std::mutex* mutex = new std::mutex;
  static auto* histories = new std::map<uint64_t, model::MemoryHistory>;
  std::lock_guard lock(*mutex);
  return (*histories)[queue];
}

model::SparePool<std::unique_ptr<TouchedPages>>& spare_pages() {
  static auto* pool = new model::SparePool<std::unique_ptr<TouchedPages>>(kMostSpare);
  return *pool;
}

TouchedMemory take_touched(Dispatch& dispatch, const cost::Totals& totals) {
  if (!dispatch.touched) return {};
  auto pages = dispatch.touched->take(AddressSpace::instance().physical_end());
  spare_pages().give_back(std::move(dispatch.touched));
  return {std::move(pages), totals.bytes};
}

void prepare(Dispatch& dispatch, const DispatchRequest& request) {
  dispatch.request = request;
  dispatch.packet = static_cast<const AqlDispatchPacket*>(request.packet);
  std::memcpy(&dispatch.kernel, reinterpret_cast<const void*>(request.kernel_object),
              sizeof dispatch.kernel);
  dispatch.kernel_name = request.kernel_name ? request.kernel_name : "(unnamed kernel)";
  dispatch.entry = request.kernel_object + uint64_t(dispatch.kernel.entry_offset);
  if (dispatch.kernel.preload_dwords()) dispatch.entry += kPreloadPrologueBytes;
  dispatch.code = find_code(dispatch.entry);
  if (!dispatch.code) report_no_code(dispatch);
  dispatch.group_total = 1;
  for (int d = 0; d < 3; ++d) {
    uint32_t size = dispatch.packet->workgroup_size[d];
    dispatch.groups[d] = size ? (dispatch.packet->grid_size[d] + size - 1) / size : 0;
    dispatch.group_total *= dispatch.groups[d];
  }
  dispatch.lds_bytes = dispatch.packet->group_segment_size;
  dispatch.scratch_bytes = (dispatch.packet->private_segment_size + 3) & ~3u;
  dispatch.start_ns = device_clock_ns.load();
  dispatch.shape = launch_shape(dispatch);
  if (!settings().timing) return;
  dispatch.sample = model::plan_sample(dispatch.shape, 0);
  if (!spare_pages().take(dispatch.touched)) dispatch.touched = std::make_unique<TouchedPages>();
}

// The checks keep what they saw in one place: one dispatch at a time, on one thread.
cost::Totals run_with_checks(const Dispatch& dispatch, Run& run) {
  static std::mutex* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  check_dispatch_begins(dispatch);
  cost::Totals totals = run.in_order();
  check_dispatch_ends();
  return totals;
}

model::TimingTotals modelled_times(Dispatch& dispatch, std::vector<model::GroupTape> tapes,
                                   const cost::Totals& totals, model::StepListener* listener) {
  model::MemoryHistory& history = history_of(dispatch.request.queue_address);
  model::TimingTotals times =
      model::simulate(dispatch.shape, tapes, take_touched(dispatch, totals), totals.instructions,
                      history, listener);
  if (!listener) model::spare_tapes().give_back(tapes);   // those of a thread trace are too large
  return times;
}

}  // namespace

DispatchResult run_dispatch(const DispatchRequest& request) {
  auto dispatch = std::make_unique<Dispatch>();
  prepare(*dispatch, request);
  const std::unique_ptr<model::ThreadTrace> trace = model::thread_trace_of(
      request.kernel_object, dispatch->kernel_name, dispatch->code->base());
  if (trace) dispatch->sample = model::plan_sample(dispatch->shape, trace->units());
  cost::Totals totals;
  std::vector<model::GroupTape> tapes;
  Run run(*dispatch);
  if (dispatch->group_total) {
    unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(kDefaultMxcsr);
    if (checks().any())
      totals = run_with_checks(*dispatch, run);
    else if (dispatch->code->traits(dispatch->entry).order_dependent)
      totals = run.in_order();
    else
      totals = run.in_parallel();
    tapes = run.take_tapes();
    _mm_setcsr(mxcsr);
  }
  model::TimingTotals times =
      modelled_times(*dispatch, std::move(tapes), totals, trace.get());
  uint64_t duration = uint64_t(times.duration_ns);
  device_clock_ns.fetch_add(duration);
  std::string counters;
  if (run.counting()) counters = model::counters_json(run.counting()->totals(), times);
  return {totals.instructions, duration, model::device_share(dispatch->shape), counters,
          trace ? model::write_thread_trace(*trace) : std::string()};
}

}  // namespace vgpu
