#include "hsa/signal/async_handlers.h"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

#include "hsa/base/api.h"
#include "hsa/base/runtime.h"
#include "hsa/signal/signal.h"
#include "hsa/signal/virtual_clock.h"

namespace vrocm {
namespace {

struct Handler {
  Signal* signal;  // null: call once, at once
  hsa_signal_condition_t condition;
  int64_t compare;
  hsa_amd_signal_handler callback;
  void (*function)(void*);
  void* argument;
};

struct Handlers {
  std::mutex mutex;
  std::list<Handler> registered;
  std::thread thread;
  std::atomic<bool> stop{false};
};

Handlers& handlers() {
  static Handlers* instance = new Handlers;
  return *instance;
}

// Takes one handler whose condition holds out of the list.
bool take_ready(Handler& ready, int64_t& value) {
  Handlers& h = handlers();
  std::lock_guard<std::mutex> lock(h.mutex);
  for (auto it = h.registered.begin(); it != h.registered.end(); ++it) {
    value = it->signal ? it->signal->load() : 0;
    if (it->signal && !satisfies(value, it->condition, it->compare)) continue;
    ready = *it;
    h.registered.erase(it);
    return true;
  }
  return false;
}

void call(const Handler& handler, int64_t value) {
  if (!handler.signal) {
    handler.function(handler.argument);
    return;
  }
  vrocm_service_set_time(handler.signal->time() + kSignalWakeupNs);
  if (!handler.callback(value, handler.argument)) return;
  Handlers& h = handlers();
  std::lock_guard<std::mutex> lock(h.mutex);
  h.registered.push_back(handler);
}

void serve() {
  Handlers& h = handlers();
  while (!h.stop) {
    Handler ready{};
    int64_t value = 0;
    bool found = false;
    wait_for_signals([&] { return h.stop || (found = take_ready(ready, value)); }, kForever);
    if (found) call(ready, value);
  }
}

void add(const Handler& handler) {
  Handlers& h = handlers();
  {
    std::lock_guard<std::mutex> lock(h.mutex);
    h.registered.push_back(handler);
    if (!h.thread.joinable()) {
      h.stop = false;
      h.thread = std::thread(serve);
    }
  }
  wake_signal_waiters();
}

}  // namespace

void stop_async_handlers() {
  Handlers& h = handlers();
  h.stop = true;
  wake_signal_waiters();
  if (!h.thread.joinable()) return;
  if (h.thread.get_id() == std::this_thread::get_id()) {
    h.thread.detach();  // shut down from inside a handler
  } else {
    h.thread.join();
  }
  std::lock_guard<std::mutex> lock(h.mutex);
  h.registered.clear();
}

namespace api {

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler,
                                          void* arg) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(handler);
  Signal* object = Signal::from_handle(signal);
  VROCM_REQUIRE(object, HSA_STATUS_ERROR_INVALID_SIGNAL);
  add({object, cond, value, handler, nullptr, arg});
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_async_function(void (*callback)(void* arg), void* arg) {
  VROCM_REQUIRE_OPEN();
  VROCM_REQUIRE_ARGUMENT(callback);
  add({nullptr, HSA_SIGNAL_CONDITION_EQ, 0, nullptr, callback, arg});
  return HSA_STATUS_SUCCESS;
}

}  // namespace api
}  // namespace vrocm
