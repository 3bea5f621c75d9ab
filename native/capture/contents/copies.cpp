// Copies by the DMA engines: they run beside the queues and tell their end by a signal only.
#include <algorithm>

#include "hooks/gate.h"
#include "hooks/in_flight.h"
#include "hooks/tables.h"

namespace capture {
namespace {

struct Copy {
  hsa_signal_t completion;
  hsa_signal_value_t before;  // the engine counts it down at the end
  std::vector<hsa_signal_t> dependencies;
};

struct Book {
  std::mutex mutex;
  std::vector<Copy> copies;
};

Book& book() {
  static Book* instance = new Book;
  return *instance;
}

hsa_signal_value_t value_of(hsa_signal_t signal) {
  return core().hsa_signal_load_scacquire_fn(signal);
}

bool is_done(const Copy& copy) { return value_of(copy.completion) != copy.before; }

bool is_blocked(const Copy& copy) {
  return std::any_of(copy.dependencies.begin(), copy.dependencies.end(),
                     [](hsa_signal_t signal) { return value_of(signal) != 0; });
}

void drop_done(std::vector<Copy>& copies) {
  copies.erase(std::remove_if(copies.begin(), copies.end(), is_done), copies.end());
}

// Entered before the call: a short copy may be over when the call returns.
void enter(hsa_signal_t completion, uint32_t count, const hsa_signal_t* dependencies) {
  if (!completion.handle) return;
  Copy copy{completion, value_of(completion), {}};
  if (dependencies) copy.dependencies.assign(dependencies, dependencies + count);
  std::lock_guard<std::mutex> lock(book().mutex);
  drop_done(book().copies);
  book().copies.push_back(std::move(copy));
}

void withdraw(hsa_signal_t signal) {
  std::lock_guard<std::mutex> lock(book().mutex);
  auto& copies = book().copies;
  copies.erase(
      std::remove_if(copies.begin(), copies.end(),
                     [signal](const Copy& c) { return c.completion.handle == signal.handle; }),
      copies.end());
}

hsa_status_t outcome(hsa_status_t status, hsa_signal_t completion) {
  if (status != HSA_STATUS_SUCCESS) withdraw(completion);
  return status;
}

hsa_status_t async_copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent,
                        size_t size, uint32_t count, const hsa_signal_t* dependencies,
                        hsa_signal_t completion) {
  const Passing pass(gate());
  enter(completion, count, dependencies);
  return outcome(amd().hsa_amd_memory_async_copy_fn(to, to_agent, from, from_agent, size, count,
                                                    dependencies, completion),
                 completion);
}

hsa_status_t async_copy_on_engine(void* to, hsa_agent_t to_agent, const void* from,
                                  hsa_agent_t from_agent, size_t size, uint32_t count,
                                  const hsa_signal_t* dependencies, hsa_signal_t completion,
                                  hsa_amd_sdma_engine_id_t engine, bool force) {
  const Passing pass(gate());
  enter(completion, count, dependencies);
  return outcome(
      amd().hsa_amd_memory_async_copy_on_engine_fn(to, to_agent, from, from_agent, size, count,
                                                   dependencies, completion, engine, force),
      completion);
}

hsa_status_t async_copy_rect(const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset,
                             const hsa_pitched_ptr_t* from, const hsa_dim3_t* from_offset,
                             const hsa_dim3_t* range, hsa_agent_t agent,
                             hsa_amd_copy_direction_t direction, uint32_t count,
                             const hsa_signal_t* dependencies, hsa_signal_t completion) {
  const Passing pass(gate());
  enter(completion, count, dependencies);
  return outcome(
      amd().hsa_amd_memory_async_copy_rect_fn(to, to_offset, from, from_offset, range, agent,
                                              direction, count, dependencies, completion),
      completion);
}

hsa_status_t signal_destroy(hsa_signal_t signal) {
  withdraw(signal);
  return core().hsa_signal_destroy_fn(signal);
}

// A program that stores to the signal of a copy uses it again: it knows that the copy is over.
template <void (*CoreApiTable::*original)(hsa_signal_t, hsa_signal_value_t)>
void signal_store(hsa_signal_t signal, hsa_signal_value_t value) {
  withdraw(signal);
  (core().*original)(signal, value);
}

}  // namespace

void watch_copies(HsaApiTable* table) {
  table->amd_ext_->hsa_amd_memory_async_copy_fn = async_copy;
  table->amd_ext_->hsa_amd_memory_async_copy_on_engine_fn = async_copy_on_engine;
  table->amd_ext_->hsa_amd_memory_async_copy_rect_fn = async_copy_rect;
  CoreApiTable& functions = *table->core_;
  functions.hsa_signal_destroy_fn = signal_destroy;
  functions.hsa_signal_store_relaxed_fn = signal_store<&CoreApiTable::hsa_signal_store_relaxed_fn>;
  functions.hsa_signal_store_screlease_fn =
      signal_store<&CoreApiTable::hsa_signal_store_screlease_fn>;
  functions.hsa_signal_silent_store_relaxed_fn =
      signal_store<&CoreApiTable::hsa_signal_silent_store_relaxed_fn>;
  functions.hsa_signal_silent_store_screlease_fn =
      signal_store<&CoreApiTable::hsa_signal_silent_store_screlease_fn>;
}

bool copies_are_quiet() {
  std::lock_guard<std::mutex> lock(book().mutex);
  drop_done(book().copies);
  return std::all_of(book().copies.begin(), book().copies.end(), is_blocked);
}

}  // namespace capture
