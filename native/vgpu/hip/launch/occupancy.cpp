#include "hip/launch/occupancy.h"

#include <algorithm>

#include "arch/structure.h"
#include "hip/core/runtime.h"
#include "hip/device/device_properties.h"

namespace vgpu::hip {
namespace {

namespace numbers = arch::calibration;
constexpr uint32_t kWave = numbers::kWaveLanes, kSimds = numbers::kSimdsPerUnit;
constexpr uint32_t kWavesPerSimd = numbers::kWavesPerSimd;
constexpr uint32_t kVgprs = numbers::kRegistersPerLane, kVgprGranule = numbers::kRegisterGranule;
constexpr uint32_t kSgprs = numbers::kScalarRegistersPerSimd;
constexpr uint32_t kSgprGranule = numbers::kScalarRegisterGranule;

uint32_t round_up(uint32_t value, uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

// Waves that the registers allow on one SIMD.
uint32_t register_waves(const KernelMetadata& kernel) {
  uint32_t waves = kWavesPerSimd;
  const uint32_t vgprs = round_up(kernel.vgpr, kVgprGranule);
  const uint32_t sgprs = round_up(kernel.sgpr, kSgprGranule);
  if (vgprs) waves = std::min(waves, kVgprs / vgprs);
  if (sgprs) waves = std::min(waves, kSgprs / sgprs);
  return waves;
}

}  // namespace

uint32_t active_blocks(const Function& function, uint32_t block, size_t dynamic_lds) {
  if (block == 0 || block > function.metadata.max_workgroup_size) return 0;
  const uint32_t waves = kSimds * register_waves(function.metadata);
  uint32_t blocks = waves * kWave / round_up(block, kWave);
  const size_t lds = function.static_lds + dynamic_lds;
  if (lds) blocks = static_cast<uint32_t>(std::min<size_t>(blocks, kLdsBytes / lds));
  return blocks;
}

BestBlock best_block(const Function& function, size_t dynamic_lds, uint32_t limit) {
  uint32_t largest = function.metadata.max_workgroup_size;
  if (limit) largest = std::min(largest, limit);
  uint32_t best_items = 0, best_size = 0, best_count = 0;
  for (uint32_t size = std::max(kWave, largest / kWave * kWave); size >= kWave; size -= kWave) {
    const uint32_t block = std::min(size, largest);
    const uint32_t count = active_blocks(function, block, dynamic_lds);
    if (count * block <= best_items) continue;
    best_items = count * block;
    best_size = block;
    best_count = count;
  }
  const int units = device_properties(function.module->device()).multiProcessorCount;
  return {static_cast<int>(best_count) * units, static_cast<int>(best_size)};
}

}  // namespace vgpu::hip
