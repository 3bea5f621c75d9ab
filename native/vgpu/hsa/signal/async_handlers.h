// Callbacks that the runtime calls from its own thread when a signal meets a condition.
#pragma once

namespace vrocm {

void stop_async_handlers();

}  // namespace vrocm
