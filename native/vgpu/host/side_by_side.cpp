#include "host/side_by_side.h"

#include <algorithm>
#include <atomic>

#include "host/float_mode.h"
#include "host/worker_pool.h"

namespace vgpu {

void side_by_side(unsigned helpers, size_t count, const std::function<void(size_t)>& work) {
  if (count == 0) return;
  const FloatControl control = float_control();
  std::atomic<size_t> ticket{0};
  const auto take_tickets = [&] {
    const FloatControl before = float_control();
    set_float_control(control);
    for (size_t number; (number = ticket.fetch_add(1)) < count;) work(number);
    set_float_control(before);
  };
  WorkerPool::instance().run(unsigned(std::min<size_t>(helpers, count - 1)), take_tickets);
}

}  // namespace vgpu
