// Checks shared by the functions that create queues.
#pragma once

#include "hsa/queue/queue.h"

namespace vrocm {

// Fills settings.agent from the handle; rounds nothing: sizes must be powers of two.
hsa_status_t check_queue_settings(hsa_agent_t agent, hsa_queue_t** queue, QueueSettings& settings);

}  // namespace vrocm
