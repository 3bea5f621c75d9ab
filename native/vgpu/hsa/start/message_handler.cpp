#include "hsa/start/message_handler.h"

#include <atomic>

#include "device/device.h"
#include "hsa/signal/signal.h"
#include "vrocm/trace.h"

namespace vrocm {
namespace {

std::atomic<void (*)(uint32_t)> handler_above{nullptr};

}  // namespace

void listen_to_messages() {
  vgpu::set_interrupt_handler([](uint32_t event) {
    if (auto handler = handler_above.load()) handler(event);
    wake_signal_waiters();
  });
}

}  // namespace vrocm

extern "C" void vrocm_set_message_handler(void (*handler)(uint32_t event)) {
  vrocm::handler_above.store(handler);
}
