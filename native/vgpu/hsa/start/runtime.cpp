// hsa_init and hsa_shut_down: a reference count; tools come first and go last.
#include "hsa/base/runtime.h"

#include <atomic>
#include <mutex>

#include "hsa/agent/agent.h"
#include "hsa/base/aperture.h"
#include "hsa/base/api.h"
#include "hsa/copy/copy_engine.h"
#include "hsa/queue/queue.h"
#include "hsa/signal/async_handlers.h"
#include "hsa/start/message_handler.h"
#include "hsa/start/tools.h"

namespace vrocm {
namespace {

struct State {
  std::recursive_mutex mutex;  // a tool may call hsa_init from its OnLoad
  std::atomic<uint32_t> references{0};
};

State& state() {
  static State* instance = new State;
  return *instance;
}

void close_runtime() {
  unload_tools();
  destroy_all_queues();
  stop_copy_engines();
  stop_async_handlers();
  reset_tables();
}

// A program that ends without hsa_shut_down still lets its tools write what they have.
__attribute__((destructor)) void at_exit() {
  if (state().references.load() > 0) unload_tools();
}

}  // namespace

bool runtime_open() { return state().references.load(std::memory_order_acquire) > 0; }

namespace api {

hsa_status_t hsa_init() {
  State& s = state();
  std::lock_guard<std::recursive_mutex> lock(s.mutex);
  const uint32_t references = s.references.load();
  VROCM_REQUIRE(references != UINT32_MAX, HSA_STATUS_ERROR_REFCOUNT_OVERFLOW);
  if (references > 0) {
    s.references = references + 1;
    return HSA_STATUS_SUCCESS;
  }
  VROCM_REQUIRE(Aperture::get().bytes() > 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  discover_agents();
  listen_to_messages();
  s.references = 1;  // tools call back into the runtime
  load_tools();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_shut_down() {
  State& s = state();
  std::lock_guard<std::recursive_mutex> lock(s.mutex);
  const uint32_t references = s.references.load();
  VROCM_REQUIRE(references > 0, HSA_STATUS_ERROR_NOT_INITIALIZED);
  if (references == 1) close_runtime();
  s.references = references - 1;
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
