// The queues of the program: every packet is seen before the device gets it.
#pragma once

#include <hsa/hsa_api_trace.h>

#include <memory>
#include <vector>

#include "hooks/in_flight.h"

namespace capture {

void watch_queues(HsaApiTable* table);
std::vector<std::shared_ptr<Queue>> all_queues();

}  // namespace capture
