// Waves that wait for the same resource.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace vgpu {
namespace model {

// When the resource is free the first of the waiting waves tries again; the others stay until that
// one has had its turn. Nobody reserves it: who waits for something else as well holds up no other
// wave.
struct WaitingLine {
  double free = 0;              // when it can be taken again
  bool called = false;          // one wave was told and has not tried yet
  std::vector<uint64_t> waves;  // a heap of rank << 32 | wave, the lowest in front

  void enter(uint32_t rank, uint32_t wave) {
    if (waves.capacity() == 0) waves.reserve(kUsual);  // once, not by doubling
    waves.push_back(uint64_t(rank) << 32 | wave);
    std::push_heap(waves.begin(), waves.end(), std::greater<uint64_t>());
  }
  uint32_t leave_first() {
    std::pop_heap(waves.begin(), waves.end(), std::greater<uint64_t>());
    const uint32_t wave = uint32_t(waves.back());
    waves.pop_back();
    return wave;
  }

 private:
  static constexpr size_t kUsual = 16;
};

}  // namespace model
}  // namespace vgpu
