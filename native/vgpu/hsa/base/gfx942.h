// What an MI300X reports about itself, once. Values as rocminfo prints them on the real device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrocm {
namespace gfx942 {

constexpr const char* kName = "gfx942";
constexpr const char* kProductName = "AMD Instinct MI300X (virtual)";
constexpr const char* kIsaName = "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-";
constexpr const char* kGenericIsaName = "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-";

constexpr uint32_t kChipId = 0x74a1;
constexpr uint32_t kAsicRevision = 1;
constexpr uint32_t kAsicFamilyId = 0x8d;  // AI (gfx9)
constexpr uint32_t kComputeUnits = 304;
constexpr uint32_t kXccs = 8;
constexpr uint32_t kShaderEngines = 32;
constexpr uint32_t kShaderArraysPerEngine = 1;
constexpr uint32_t kSimdsPerCu = 4;
constexpr uint32_t kWavesPerCu = 32;
constexpr uint32_t kWavefrontSize = 64;
constexpr uint32_t kWorkgroupMaxSize = 1024;
constexpr uint32_t kMaxClockMhz = 2100;
constexpr uint32_t kCachelineBytes = 128;
constexpr uint32_t kMemoryBusBits = 8192;
constexpr uint32_t kMemoryClockMhz = 1300;
constexpr uint32_t kCacheBytes[4] = {32 << 10, 4 << 20, 256 << 20, 0};  // L1, L2, Infinity Cache
constexpr size_t kMemoryBytes = size_t{192} << 30;
constexpr size_t kLdsBytes = 64 << 10;
constexpr size_t kScratchLimitBytes = size_t{4} << 30;
constexpr uint32_t kSdmaEngines = 2;
constexpr uint32_t kXgmiEngines = 14;
constexpr uint32_t kQueuesMax = 128;
constexpr uint32_t kQueueMinPackets = 64;
constexpr uint32_t kQueueMaxPackets = 131072;
constexpr uint32_t kFirmwareVersion = 166;
constexpr uint32_t kSdmaFirmwareVersion = 22;

// ELF e_flags of code that it runs: EF_AMDGPU_MACH and the feature selections.
constexpr uint32_t kElfMach = 0x4c;
constexpr uint32_t kElfMachGeneric = 0x5f;  // gfx9-4-generic

// Upper halves of the LDS and scratch apertures for flat addresses.
constexpr uint32_t kSharedApertureHi = 0x10000;
constexpr uint32_t kPrivateApertureHi = 0x20000;

}  // namespace gfx942
}  // namespace vrocm
