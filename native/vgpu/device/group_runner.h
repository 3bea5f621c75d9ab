// Runs the workgroups of a dispatch: spread over host threads, or in one fixed order when their
// results could depend on the order.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/observation.h"
#include "exec/group/settings.h"
#include "exec/group/workgroup.h"
#include "exec/wave/cost.h"

namespace vgpu {

struct Worker;  // what a host thread keeps between dispatches

class GroupRunner {
 public:
  // `on_device`: workgroups that the device holds at a time.
  GroupRunner(Dispatch& dispatch, Observation& observation, uint64_t on_device);

  cost::Totals in_parallel();
  // From workgroup `next` on.
  cost::Totals in_order(uint64_t next = 0);

 private:
  unsigned helpers_worth_waking(const Workgroup& first) const;
  void in_windows(unsigned helpers);
  void begin(Workgroup& group, uint64_t number);
  void run_up_to(uint64_t end_number, unsigned helpers);
  void take_tickets(uint64_t end_number);
  bool run_slice(Worker& worker, Workgroup& group);
  void check_limits(Workgroup& current);
  void admit(Worker& worker, uint64_t number);
  void retire(Worker& worker, size_t index);

  Dispatch& dispatch_;
  Observation& observation_;
  const uint64_t most_resident_;
  std::chrono::steady_clock::time_point started_;
  const Settings& settings_;
  std::atomic<uint64_t> ticket_{0};
  std::mutex mutex_;
  cost::Totals totals_;
  bool alone_ = true;  // no other host thread runs workgroups of this dispatch
  std::vector<std::unique_ptr<Workgroup>> resident_;
};

}  // namespace vgpu
