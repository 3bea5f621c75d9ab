// What an MI300X reports about itself, once. Names are as rocminfo prints them on the real device; what
// hardware it is, and the driver's numbers, come from the architecture data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/structure.h"

namespace vrocm {
namespace gfx942 {

constexpr const char* kName = "gfx942";
constexpr const char* kProductName = "AMD Instinct MI300X (virtual)";
constexpr const char* kIsaName = "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-";
constexpr const char* kGenericIsaName = "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-";

namespace numbers = vgpu::arch::calibration;
constexpr uint32_t kChipId = numbers::kChipId;
constexpr uint32_t kAsicRevision = numbers::kAsicRevision;
constexpr uint32_t kAsicFamilyId = numbers::kAsicFamily;

constexpr uint32_t kXccs = numbers::kXcds;
constexpr uint32_t kComputeUnits = kXccs * numbers::kUnitsPerXcd;
constexpr uint32_t kShaderEngines = kXccs * numbers::kEnginesPerXcd;
constexpr uint32_t kShaderArraysPerEngine = 1;
constexpr uint32_t kSimdsPerCu = numbers::kSimdsPerUnit;
constexpr uint32_t kWavesPerCu = kSimdsPerCu * numbers::kWavesPerSimd;
constexpr uint32_t kWavefrontSize = numbers::kWaveLanes;
constexpr uint32_t kWorkgroupMaxSize = numbers::kWorkgroupThreads;
constexpr uint32_t kMaxClockMhz = numbers::kClockMhz;
constexpr uint32_t kCachelineBytes = numbers::kVectorLineBytes;
constexpr uint32_t kMemoryBusBits = numbers::kMemoryBusBits;
constexpr uint32_t kMemoryClockMhz = numbers::kMemoryClockMhz;
constexpr uint32_t kCacheBytes[4] = {numbers::kVectorCacheBytes, numbers::kL2Bytes,
                                     uint32_t(numbers::kMallBytes), 0};
constexpr size_t kMemoryBytes = numbers::kMemoryBytes;
constexpr size_t kLdsBytes = numbers::kLdsBytes;

constexpr size_t kScratchLimitBytes = size_t{4} << 30;
constexpr uint32_t kSdmaEngines = numbers::kSdmaEngines;
constexpr uint32_t kXgmiEngines = numbers::kXgmiEngines;
constexpr uint32_t kQueuesMax = numbers::kQueuesMost;
constexpr uint32_t kQueueMinPackets = numbers::kQueuePacketsLeast;
constexpr uint32_t kQueueMaxPackets = numbers::kQueuePacketsMost;
constexpr uint32_t kFirmwareVersion = numbers::kFirmwareVersion;
constexpr uint32_t kSdmaFirmwareVersion = numbers::kSdmaFirmwareVersion;

// ELF e_flags of code that it runs: EF_AMDGPU_MACH and the feature selections.
constexpr uint32_t kElfMach = 0x4c;
constexpr uint32_t kElfMachGeneric = 0x5f;  // gfx9-4-generic

// Upper halves of the LDS and scratch apertures for flat addresses.
constexpr uint32_t kSharedApertureHi = 0x10000;
constexpr uint32_t kPrivateApertureHi = 0x20000;

}  // namespace gfx942
}  // namespace vrocm
