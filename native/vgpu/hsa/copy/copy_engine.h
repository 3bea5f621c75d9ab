// Copy engines: each has a thread that does its copies in order, after the signals they wait for.
#pragma once

#include <functional>
#include <vector>

#include "hsa/agent/agent.h"
#include "hsa/signal/signal.h"
#include "hsa/signal/virtual_clock.h"
#include "vrocm/trace.h"

namespace vrocm {

struct CopyJob {
  std::function<void()> copy;
  VrocmCopyRecord record;  // times are filled in
  bool traced = true;
  std::vector<Signal*> dependencies;  // until each is 0
  Signal* completion;                 // may be null
  uint64_t enqueued_ns;
  Link link;  // that decides how long it takes
};

// Engines of an agent: SDMA engines by number, one for copies that kernels do on hardware.
constexpr int kSdmaEngineCount = 16;
constexpr int kBlitEngine = kSdmaEngineCount;
constexpr int kPrefetchEngine = kBlitEngine + 1;

void submit_copy(Agent& agent, int engine, CopyJob job);
// A bit per SDMA engine without work.
uint32_t idle_engines(Agent& agent);
void stop_copy_engines();

// Which kind of copy it is, by who owns its two ends.
Link link_between(const Agent& dst, const Agent& src);
int engine_for(Link link);

}  // namespace vrocm
