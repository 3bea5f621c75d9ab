// Counting of one dispatch: hands workgroups their counters, collects them, and bounds the memory
// for their requests by running the cache pass over windows of workgroups.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "model/cache_pass/cache_pass.h"
#include "model/counters/counting.h"
#include "model/launch/launch.h"

namespace vgpu {
namespace model {

// Whether VROCM_COUNTERS asks for counters; read once.
bool counting_wanted();

class DispatchCounting {
 public:
  // `code`: what the instruction caches hold when it begins.
  DispatchCounting(const LaunchShape& shape, const CodeHistory& code);
  ~DispatchCounting();

  // Around the execution of a workgroup, on the host thread that executes it.
  GroupCounts& begin(const GroupStart& start);
  void end(uint64_t number);

  // Workgroups below this number may begin before the next window. It follows from how much memory
  // earlier ones took, so it is the same for any number of threads.
  uint64_t window_end() const { return window_end_; }
  // Every workgroup that has begun has ended: sends their requests through the caches.
  void finish_window(unsigned helpers);

  // For workgroups that run in one fixed order on one thread, now and then while they do: sends
  // what there is of their requests through the caches when it has grown too large.
  void look_at(uint64_t number, unsigned helpers);
  // The first workgroup asked for so much that a window of them would not fit into memory.
  bool large() const { return large_; }

  // After the last window.
  CounterValues totals();

 private:
  ThreadCounts& this_thread();
  std::unique_ptr<GroupCounts> new_counts(ThreadCounts& thread);
  void count_waves(const GroupStart& start, CounterValues& values) const;
  void pass(unsigned helpers);

  const uint64_t number_;
  LaunchShape shape_;
  uint64_t resident_;  // workgroups that the device holds at a time
  size_t kept_words_;  // of host memory, by each wave for the next one
  CachePass caches_;
  uint64_t window_end_ = 1;  // the first workgroup alone says how big windows are
  uint64_t first_ = 0;       // groups_ holds something between this number and the next only
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> ended_bytes_{0};  // of all workgroups
  uint64_t noted_bytes_ = 0;              // since the last pass
  bool large_ = false;
  // From its begin to the cache pass.
  struct Kept {
    std::unique_ptr<GroupCounts> counts;
    const uint64_t* note = nullptr;  // of one that has ended, instead
    bool is_there() const { return counts || note; }
  };
  std::vector<Kept> groups_;  // by number
  std::mutex mutex_;  // of what is below, which a host thread needs for its first workgroups only
  std::atomic<uint32_t> stamp_{0};
  std::map<std::thread::id, ThreadCounts> threads_;
  std::vector<std::unique_ptr<GroupCounts>> spare_;
};

}  // namespace model
}  // namespace vgpu
