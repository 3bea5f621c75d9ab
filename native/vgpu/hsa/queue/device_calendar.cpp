#include "hsa/queue/device_calendar.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "vrocm/calendar.h"

namespace vrocm {
namespace {

// A program may let one stream wait for another in ways that nobody announced: when no kernel has
// executed for so long, nobody is waited for.
constexpr auto kPatience = std::chrono::seconds(5);
constexpr size_t kRemembered = 256;  // spans; older ones have passed
constexpr double kLeastRate = 1e-3;  // below it a kernel has no CU to begin on

struct Occupied {
  uint64_t device;
  KernelSpan span;
  double share;
};

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

  KernelSpan settle(uint64_t device, uint64_t correlation, uint64_t start, uint64_t duration,
                    double share) {
    std::unique_lock<std::mutex> lock(mutex_);
    bool first = false;
    do {
      first = changed_.wait_for(lock, kPatience, [&] { return is_first(correlation); });
    } while (!first && executing_ > 0);
    if (!first) give_up_those_before(correlation);
    KernelSpan span = fit(device, start, duration, share);
    remember({device, span, share});
    return span;
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

  // Goes through the times at which the free share changes and does as much work as fits into each.
  KernelSpan fit(uint64_t device, uint64_t start, uint64_t duration, double share) const {
    std::vector<uint64_t> changes;
    for (const Occupied& other : occupied_)
      for (uint64_t time : {other.span.start, other.span.end})
        if (other.device == device && time > start) changes.push_back(time);
    std::sort(changes.begin(), changes.end());
    double left = double(duration);
    uint64_t now = start, began = start;
    bool begun = false;
    for (uint64_t change : changes) {
      double free = free_share(device, now);
      double rate = free >= share ? 1 : free / share;
      if (rate < kLeastRate) rate = 0;
      if (rate > 0 && !begun) {
        begun = true;
        began = now;
      }
      if (rate * double(change - now) >= left) return {began, now + uint64_t(left / rate)};
      left -= rate * double(change - now);
      now = change;
    }
    return {begun ? began : now, now + uint64_t(left)};
  }

  double free_share(uint64_t device, uint64_t time) const {
    double used = 0;
    for (const Occupied& other : occupied_)
      if (other.device == device && other.span.start <= time && time < other.span.end)
        used += other.share;
    return std::max(0.0, 1 - used);
  }

  void remember(Occupied occupied) {
    if (occupied_.size() == kRemembered)
      occupied_.erase(std::min_element(
          occupied_.begin(), occupied_.end(),
          [](const Occupied& a, const Occupied& b) { return a.span.end < b.span.end; }));
    occupied_.push_back(occupied);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const void*, Expected> streams_;  // only those that expect something
  // Correlation ids are given when a call begins, and threads may submit in another order. What a
  // stream waits for was submitted before: places in that order alone can never wait in a circle.
  std::map<uint64_t, Call> calls_;
  uint64_t calls_seen_ = 0;
  std::vector<Occupied> occupied_;
  int executing_ = 0;  // kernels, on the host
};

Calendar& calendar() {
  static Calendar* one = new Calendar;  // outlives the threads of streams
  return *one;
}

}  // namespace

KernelExecutes::KernelExecutes() { calendar().execute(+1); }
KernelExecutes::~KernelExecutes() { calendar().execute(-1); }

KernelSpan settle_kernel(uint64_t device, uint64_t correlation, uint64_t start_ns,
                         uint64_t duration_ns, double share) {
  if (correlation == 0) return {start_ns, start_ns + duration_ns};
  return calendar().settle(device, correlation, start_ns, duration_ns, share);
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

}  // extern "C"
