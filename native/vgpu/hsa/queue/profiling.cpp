// Times of dispatches and copies. Signals always carry them; the switches only have to exist.
#include "hsa/agent/agent.h"
#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/queue/queue.h"
#include "hsa/signal/signal.h"

namespace vrocm {
namespace api {

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable) {
  VROCM_REQUIRE_OPEN();
  Queue* object = Queue::from_handle(queue);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_QUEUE);
  object->set_profiling(enable != 0);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool) {
  VROCM_REQUIRE_OPEN();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(time);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object && object->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  const Signal* completed = Signal::from_handle(signal);
  VROCM_REQUIRE(completed, HSA_STATUS_ERROR_INVALID_SIGNAL);
  *time = {completed->start_ns(), completed->end_ns()};
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                   hsa_amd_profiling_async_copy_time_t* time) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(time);
  const Signal* completed = Signal::from_handle(signal);
  VROCM_REQUIRE(completed, HSA_STATUS_ERROR_INVALID_SIGNAL);
  *time = {completed->start_ns(), completed->end_ns()};
  return HSA_STATUS_SUCCESS;
}

// One clock for all: device ticks are system ticks.
hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t* system_tick) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(system_tick);
  const Agent* object = agent_from_handle(agent);
  VROCM_REQUIRE(object && object->is_gpu(), HSA_STATUS_ERROR_INVALID_AGENT);
  *system_tick = agent_tick;
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
