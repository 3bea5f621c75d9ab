// Messages of waves to the host.
#pragma once

namespace vrocm {

// From now on a message wakes whoever waits for a signal and calls the handler of the runtime on top
// (vrocm_set_message_handler).
void listen_to_messages();

}  // namespace vrocm
