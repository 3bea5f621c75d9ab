// dispatch.json, memory_regions.json and after/regions.json.
#pragma once

#include <hsa/hsa.h>

#include <string>
#include <vector>

#include "contents/code_objects.h"
#include "contents/snapshot.h"
#include "hooks/in_flight.h"

namespace capture {

struct Taken {
  Packet packet;
  uint64_t index;  // among the dispatches of matching kernels
  hsa_agent_t agent;
  const hsa_queue_t* queue;
  uint64_t queue_index;  // of the packet in its queue, from the first one on
  double drain_seconds;
  uint64_t images;  // that the program had made
  std::vector<Region> regions;
  std::vector<uint64_t> stored;  // bytes on disk, per region
  std::vector<Changes> changes;  // per region
};

void write_description(const std::string& folder, const Taken& taken, const Kernel& kernel,
                       const LoadedCode& code, uint64_t kernarg_bytes);

}  // namespace capture
