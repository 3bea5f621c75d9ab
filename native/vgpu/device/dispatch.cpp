// One dispatch from start to end: executes it, lets the model say how long it took, and hands out
// counters and thread trace.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.h"
#include "device/float_environment.h"
#include "device/free_code.h"
#include "device/group_runner.h"
#include "device/thread_trace/thread_trace_choice.h"
#include "device/thread_trace/thread_trace_file.h"
#include "exec/check/check.h"
#include "exec/cover/flops.h"
#include "exec/report/fault.h"
#include "memory/physical.h"
#include "memory/touched_pages.h"
#include "model/bounds/weigh.h"
#include "model/ideal/ideal.h"
#include "model/instruction/matrix_cycles.h"
#include "model/sampling/timing.h"
#include "model/tape/spare_pool.h"

namespace vgpu {
namespace {

constexpr size_t kMostSpare = 16;  // marks of pages that are kept for later dispatches

std::atomic<uint64_t> device_clock_ns{1'000'000'000};

// Scalar registers that the launcher sets for each wave.
uint32_t set_scalars(const KernelDescriptor& kernel) {
  uint32_t registers = kernel.user_sgprs() + (kernel.workgroup_info() ? 1 : 0);
  for (int d = 0; d < 3; ++d) registers += kernel.workgroup_id(d) ? 1 : 0;
  return registers;
}

model::LaunchShape launch_shape(const Dispatch& dispatch) {
  model::LaunchShape shape;
  shape.groups = dispatch.group_total;
  shape.waves_per_group = dispatch.waves_per_group();
  shape.registers = dispatch.kernel.registers();
  shape.scalar_registers = dispatch.kernel.scalar_registers();
  shape.set_scalars = set_scalars(dispatch.kernel);
  shape.lds_bytes = dispatch.lds_bytes;
  shape.code_physical = this_thread_translator().translate(dispatch.code->base()).physical;
  return shape;
}

// As the model sees it where registers and LDS do not limit how many workgroups a CU holds.
model::LaunchShape timed_shape(model::LaunchShape shape) {
  if (model::ideals().has(model::Ideal::Occupancy))
    shape.registers = shape.scalar_registers = shape.lds_bytes = 0;
  return shape;
}

model::SamplePlan sample_of(const model::LaunchShape& shape, const model::ThreadTrace* trace) {
  if (!trace && settings().timing == Timing::Off) return {};
  return model::plan_sample(shape, trace ? trace->units() : 0, settings().timing == Timing::Full);
}

// What earlier dispatches of a queue left in the memory-side cache and the instruction caches. One per
// queue, because the order of dispatches of different queues is not the same in every run.
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
  TouchedMemory touched = dispatch.touched->take(AddressSpace::instance().physical_end());
  spare_pages().give_back(std::move(dispatch.touched));
  touched.leave_own(AddressSpace::instance().linked_to(dispatch.request.device));
  touched.bytes = totals.bytes;
  return touched;
}

// The checks keep what they saw in one place: one dispatch at a time, on one thread.
cost::Totals run_with_checks(const Dispatch& dispatch, GroupRunner& runner) {
  static std::mutex* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  check_dispatch_begins(dispatch);
  const cost::Totals totals = runner.in_order();
  check_dispatch_ends();
  return totals;
}

cost::Totals execute(Dispatch& dispatch, Observation& observation, uint64_t on_device) {
  if (dispatch.group_total == 0) return {};
  if (settings().timing != Timing::Off && !spare_pages().take(dispatch.touched))
    dispatch.touched = std::make_unique<TouchedPages>();
  if (settings().timing != Timing::Off || observation.counting())
    dispatch.executed =
        std::make_unique<ExecutedCode>(dispatch.code->base(), dispatch.code->bytes());
  GroupRunner runner(dispatch, observation, on_device);
  DeviceFloatMode mode;
  if (checks().any()) return run_with_checks(dispatch, runner);
  if (dispatch.code->traits(dispatch.entry).order_dependent) return runner.in_order();
  return runner.in_parallel();
}

model::TimingTotals modelled_times(const model::LaunchShape& shape, model::Observed observed,
                                   model::MemoryHistory& history, model::StepListener* listener) {
  model::TimingTotals times =
      model::simulate(shape, observed, history, settings().threads - 1, listener);
  if (!listener) {  // the tapes of a thread trace are too large to be kept
    model::spare_tapes().give_back(observed.planned);
    model::spare_tapes().give_back(observed.longest);
  }
  return times;
}

uint64_t matrix_flops(Op op) {
  return model::matrix_element(op) == model::MatrixElement::I8 ? 0 : model::matrix_operations(op);
}

}  // namespace

DispatchResult run_dispatch(const DispatchRequest& request) {
  static const bool weighed =
      (set_weigher(model::work_of), cover::set_matrix_flops(matrix_flops), true);
  (void)weighed;
  const auto dispatch = std::make_unique<Dispatch>(request, device_clock_ns.load());
  if (!dispatch->code) report_no_code(*dispatch);
  const auto free_code = free_code_of(*dispatch->code, dispatch->kernel_name);
  model::LaunchShape shape = launch_shape(*dispatch);
  shape.free_code = free_code.get();
  const model::LaunchShape timed = timed_shape(shape);
  const std::unique_ptr<model::ThreadTrace> trace =
      thread_trace_of(request.kernel_object, dispatch->kernel_name, dispatch->code->base());
  const bool waits = !checks().any() && dispatch->code->traits(dispatch->entry).waits;
  model::MemoryHistory& history = history_of(request.queue_address);
  Observation observation(shape, timed, sample_of(timed, trace.get()), history.code(), waits);
  const cost::Totals totals =
      execute(*dispatch, observation, model::groups_per_round(shape) * model::calibration::kXcds);
  cover::end(dispatch->coverage);
  const model::TimingTotals times =
      modelled_times(timed, observation.take(take_touched(*dispatch, totals), totals.instructions),
                     history, trace.get());
  const uint64_t duration = uint64_t(times.duration_ns);
  device_clock_ns.fetch_add(duration);
  std::string counters;
  if (auto* counting = observation.counting())
    counters = model::counters_json(counting->totals(), times);
  if (dispatch->executed)
    history.code().executed(
        shape.groups, dispatch->executed->lines(shape.code_physical / ExecutedCode::kLineBytes));
  return {totals.instructions,
          duration,
          times.demand,
          counters,
          trace ? write_thread_trace(*trace) : std::string(),
          uint64_t(times.simulated_ns),
          times.bounds};
}

}  // namespace vgpu
