#include "hsa/queue/device_calendar.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "hsa/queue/shared_time.h"
#include "vrocm/calendar.h"

namespace vrocm {
namespace {

// A program may let one stream wait for another in ways that nobody announced: when no kernel has
// executed for so long, nobody is waited for.
constexpr auto kPatience = std::chrono::seconds(5);

struct Expected {
  std::multiset<uint64_t> places;  // of its calls in the order of submission
  bool parked = false;
  bool given_up = false;  // somebody waited in vain; until it ends something
};

struct Call {
  uint64_t place;
  size_t expected;  // pieces of work with kernels that have not ended
};

class Calendar {
 public:
  void expect(const void* stream, uint64_t correlation) {
    std::lock_guard<std::mutex> lock(mutex_);
    Call& call = calls_.try_emplace(correlation, Call{calls_seen_++, 0}).first->second;
    ++call.expected;
    streams_[stream].places.insert(call.place);
  }

  void finish(const void* stream, uint64_t correlation) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto call = calls_.find(correlation);
      auto known = streams_.find(stream);
      if (call == calls_.end() || known == streams_.end()) return;
      known->second.given_up = false;
      std::multiset<uint64_t>& places = known->second.places;
      if (auto one = places.find(call->second.place); one != places.end()) places.erase(one);
      if (places.empty()) streams_.erase(known);
      if (--call->second.expected == 0) calls_.erase(call);
    }
    changed_.notify_all();
  }

  void park(const void* stream, bool parked) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto known = streams_.find(stream);
      if (known != streams_.end()) known->second.parked = parked;
    }
    changed_.notify_all();
  }

  void execute(int change) {
    std::lock_guard<std::mutex> lock(mutex_);
    executing_ += change;
  }

  KernelSpan settle(KernelWish wish) {
    std::unique_lock<std::mutex> lock(mutex_);
    bool first = false;
    do {
      first = changed_.wait_for(lock, kPatience, [&] { return is_first(wish.correlation); });
    } while (!first && executing_ > 0);
    if (!first) give_up_those_before(wish.correlation);
    uint64_t* const last_end = last_end_of(wish.device, wish.queue);
    if (last_end) wish.start_ns = std::max(wish.start_ns, *last_end);
    const KernelSpan span = shared_time_.settle(wish);
    if (last_end) *last_end = span.end;
    return span;
  }

  void map_queue(uint64_t queue, uint32_t hardware_queue) {
    std::lock_guard<std::mutex> lock(mutex_);
    hardware_queues_[queue] = hardware_queue;
  }

 private:
  // A kernel that was never announced waits for nobody.
  bool is_first(uint64_t correlation) const {
    const auto call = calls_.find(correlation);
    if (call == calls_.end()) return true;
    for (const auto& stream : streams_)
      if (holds_up(stream.second, call->second)) return false;
    return true;
  }

  static bool holds_up(const Expected& expected, const Call& call) {
    return !expected.parked && !expected.given_up && *expected.places.begin() < call.place;
  }

  // Others need not wait in vain as well.
  void give_up_those_before(uint64_t correlation) {
    const auto call = calls_.find(correlation);
    if (call == calls_.end()) return;
    for (auto& stream : streams_)
      if (holds_up(stream.second, call->second)) stream.second.given_up = true;
  }

  // When the kernel before it in its hardware queue has ended; null for a queue of its own.
  uint64_t* last_end_of(uint64_t device, uint64_t queue) {
    const auto mapped = hardware_queues_.find(queue);
    return mapped == hardware_queues_.end() ? nullptr : &last_ends_[{device, mapped->second}];
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const void*, Expected> streams_;  // only those that expect something
  // Correlation ids are given when a call begins, and threads may submit in another order. What a
  // stream waits for was submitted before: places in that order alone can never wait in a circle.
  std::map<uint64_t, Call> calls_;
  uint64_t calls_seen_ = 0;
  SharedTime shared_time_;
  std::map<uint64_t, uint32_t> hardware_queues_;  // by queue
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> last_ends_;
  int executing_ = 0;  // kernels, on the host
};

Calendar& calendar() {
  static Calendar* one = new Calendar;  // outlives the threads of streams
  return *one;
}

}  // namespace

KernelExecutes::KernelExecutes() { calendar().execute(+1); }
KernelExecutes::~KernelExecutes() { calendar().execute(-1); }

KernelSpan settle_kernel(const KernelWish& wish) {
  if (wish.correlation == 0) return {wish.start_ns, wish.start_ns + wish.duration_ns};
  return calendar().settle(wish);
}

}  // namespace vrocm

extern "C" {

void vrocm_stream_expects(const void* stream, uint64_t correlation) {
  vrocm::calendar().expect(stream, correlation);
}

void vrocm_stream_finished(const void* stream, uint64_t correlation) {
  vrocm::calendar().finish(stream, correlation);
}

void vrocm_stream_parks(const void* stream, int parked) {
  vrocm::calendar().park(stream, parked != 0);
}

void vrocm_queue_shares(uint64_t queue, uint32_t hardware_queue) {
  vrocm::calendar().map_queue(queue, hardware_queue);
}

}  // extern "C"
