// Values of the hardware's counters, summed over all of their instances, and how they are reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vgpu {
namespace model {

enum class Counter : uint16_t {
#define VGPU_COUNTER(name) name,
#include "model/counters/counter_values.inc"
#undef VGPU_COUNTER
  count_,
};

class CounterValues {
 public:
  void add(Counter counter, uint64_t amount = 1) { values_[size_t(counter)] += amount; }
  void add(const CounterValues& other) {
    for (size_t n = 0; n < kCount; ++n) values_[n] += other.values_[n];
  }
  uint64_t operator[](Counter counter) const { return values_[size_t(counter)]; }

 private:
  static constexpr size_t kCount = size_t(Counter::count_);
  uint64_t values_[kCount] = {};
};

const char* counter_name(Counter counter);

struct TimingTotals;  // timing.h

// One JSON object with every exact counter and, when time was modelled, those that follow from it.
std::string counters_json(const CounterValues& exact, const TimingTotals& timing);

}  // namespace model
}  // namespace vgpu
