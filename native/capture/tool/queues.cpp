#include "tool/queues.h"

#include <dlfcn.h>

#include <atomic>
#include <map>

#include "contents/arguments.h"
#include "contents/code_objects.h"
#include "hooks/gate.h"
#include "hooks/settings.h"
#include "hooks/tables.h"
#include "tool/capture.h"
#include "tool/listing.h"

namespace capture {
namespace {

struct Book {
  std::mutex mutex;
  std::map<const hsa_queue_t*, std::shared_ptr<Queue>> queues;
};

Book& book() {
  static Book* instance = new Book;
  return *instance;
}

std::atomic<uint64_t> matching{0};  // dispatches of wanted kernels so far
std::atomic<bool> finished{false};  // the wanted dispatch is captured

// The index of the dispatch to capture, or `count`.
uint64_t find_wanted(const Packet* packets, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    if (type_of(packets[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
    const auto kernel = kernel_at(packets[i].kernel_object);
    if (!kernel || !kernel->wanted) continue;
    if (matching.fetch_add(1) == settings().dispatch) return i;
  }
  return count;
}

void handle(const void* data, uint64_t count, uint64_t first, void* user,
            hsa_amd_queue_intercept_packet_writer write) {
  auto& queue = *static_cast<Queue*>(user);
  const auto* packets = static_cast<const Packet*>(data);
  if (settings().list_only) list_packets(packets, count, queue.agent());
  if (settings().list_only || finished) {
    note_arguments(packets, count);
    write(packets, count);
    return;
  }
  const uint64_t wanted = find_wanted(packets, count);
  if (wanted > 0) {
    const Passing pass(gate());
    note_arguments(packets, wanted);  // a capture may have gone on while we waited at the gate
    queue.submit(packets, wanted, write);
  }
  if (wanted == count) return;
  capture_dispatch(queue, packets[wanted], settings().dispatch, first + wanted, write);
  finished = true;  // only now: until then everybody has to pass the gate
  if (wanted + 1 < count) write(packets + wanted + 1, count - wanted - 1);
}

// A tool that was loaded before us and watches queues has made hsa_queue_create its own function.
bool another_tool_creates_queues() {
  Dl_info creates{}, runtime{};
  return dladdr(reinterpret_cast<void*>(core().hsa_queue_create_fn), &creates) &&
         dladdr(reinterpret_cast<void*>(core().hsa_init_fn), &runtime) &&
         creates.dli_fbase != runtime.dli_fbase;
}

hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                    void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data,
                    uint32_t private_size, uint32_t group_size, hsa_queue_t** queue) {
  const auto make = another_tool_creates_queues() ? core().hsa_queue_create_fn
                                                  : amd().hsa_amd_queue_intercept_create_fn;
  hsa_status_t status = make(agent, size, type, callback, data, private_size, group_size, queue);
  if (status != HSA_STATUS_SUCCESS) return status;
  auto made = std::make_shared<Queue>(*queue, agent);
  status = amd().hsa_amd_queue_intercept_register_fn(*queue, handle, made.get());
  if (status != HSA_STATUS_SUCCESS) return status;
  std::lock_guard<std::mutex> lock(book().mutex);
  book().queues[*queue] = std::move(made);
  return status;
}

hsa_status_t destroy(hsa_queue_t* queue) {
  const Passing pass(gate());
  std::shared_ptr<Queue> gone;  // its signal may be in packets until the queue is gone
  {
    std::lock_guard<std::mutex> lock(book().mutex);
    const auto it = book().queues.find(queue);
    if (it != book().queues.end()) {
      gone = it->second;
      book().queues.erase(it);
    }
  }
  return core().hsa_queue_destroy_fn(queue);
}

}  // namespace

void watch_queues(HsaApiTable* table) {
  table->core_->hsa_queue_create_fn = create;
  table->core_->hsa_queue_destroy_fn = destroy;
}

std::vector<std::shared_ptr<Queue>> all_queues() {
  std::vector<std::shared_ptr<Queue>> all;
  std::lock_guard<std::mutex> lock(book().mutex);
  for (const auto& entry : book().queues) all.push_back(entry.second);
  return all;
}

}  // namespace capture
