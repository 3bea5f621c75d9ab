// The cache pass: sends the requests of executed workgroups through models of the vector, scalar
// and instruction caches and the L2 of each XCD, in an order that does not depend on host threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/counters/counter_values.h"
#include "model/counters/counting.h"
#include "model/launch/launch.h"
#include "model/memory/code_history.h"

namespace vgpu {
namespace model {

class XcdCaches;

// A workgroup that has ended, as it was noted, or what counts it.
struct PassedGroup {
  uint64_t number;
  const uint64_t* note;
  GroupCounts* counts;  // if there is no note
};

class CachePass {
 public:
  CachePass(const LaunchShape& shape, const CodeHistory& code);
  ~CachePass();

  // What workgroups asked for since the last call, in the order of their numbers; caches keep their
  // contents. XCDs are independent and are shared out over this and `helpers` more host threads.
  void run(const std::vector<PassedGroup>& groups, unsigned helpers);

  // What is dirty at the end of the dispatch is written back; call once.
  CounterValues finish();

 private:
  // `groups`: those of this XCD.
  void run_xcd(int xcd, const std::vector<PassedGroup>& groups);

  uint64_t groups_at_once_;  // on one XCD
  std::vector<std::unique_ptr<XcdCaches>> xcds_;
};

}  // namespace model
}  // namespace vgpu
