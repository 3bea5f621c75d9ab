// Streams share a few hardware queues of their device: a stream gets the one that fewest have.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

namespace vgpu::hip {

class HardwareQueues {
 public:
  // Of each priority. The HIP runtime has four, unless GPU_MAX_HW_QUEUES says otherwise.
  static uint32_t count() {
    static const uint32_t number = [] {
      constexpr uint32_t kUsual = 4;
      const char* text = std::getenv("GPU_MAX_HW_QUEUES");
      const long wanted = text ? std::strtol(text, nullptr, 0) : 0;
      return wanted > 0 ? uint32_t(wanted) : kUsual;
    }();
    return number;
  }

  // With the device's order held, as for giving back.
  uint32_t take(int priority) {
    std::vector<uint32_t>& users = users_.try_emplace(priority, count(), 0).first->second;
    uint32_t best = 0;
    for (uint32_t n = 1; n < users.size(); ++n)
      if (users[n] < users[best]) best = n;
    ++users[best];
    return number_of(priority, best);
  }
  void give_back(int priority, uint32_t number) { --users_[priority][number % count()]; }

  // For branches of a graph: those behind the stream's own.
  static uint32_t behind(uint32_t number, uint32_t by) {
    return number - number % count() + (number + by) % count();
  }

 private:
  static uint32_t number_of(int priority, uint32_t index) {
    return uint32_t(priority + kPriorities) * count() + index;
  }
  static constexpr int kPriorities = 8;  // more than HIP has on either side of the usual one

  std::map<int, std::vector<uint32_t>> users_;
};

}  // namespace vgpu::hip
