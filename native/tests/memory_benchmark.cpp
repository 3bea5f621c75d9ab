// Prints the speed of the handlers that move registers to and from memory per host instruction
// set, in 10^9 lanes per second: lanes one behind the other, scattered, and half of them masked.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../vgpu/exec/wave/wave.h"
#include "../vgpu/isa/decode.h"
#include "cpu_targets.h"

namespace {

struct Measured {
  const char* name;
  uint32_t words[2];
  uint32_t bytes;
};

// The address in v[10:11] or v10, data from v0 up.
const Measured kMeasured[] = {
    {"global_load_ushort", {0xdc488000, 0x007f000a}, 2},
    {"global_load_dword", {0xdc508000, 0x007f000a}, 4},
    {"global_load_dwordx2", {0xdc548000, 0x007f000a}, 8},
    {"global_load_dwordx3", {0xdc588000, 0x007f000a}, 12},
    {"global_load_dwordx4", {0xdc5c8000, 0x007f000a}, 16},
    {"global_store_dword", {0xdc708000, 0x007f000a}, 4},
    {"global_store_dwordx2", {0xdc748000, 0x007f000a}, 8},
    {"global_store_dwordx3", {0xdc788000, 0x007f000a}, 12},
    {"global_store_dwordx4", {0xdc7c8000, 0x007f000a}, 16},
    {"ds_read_b32", {0xd86c0000, 0x0000000a}, 4},
    {"ds_read_b64", {0xd8ec0000, 0x0000000a}, 8},
    {"ds_read_b128", {0xd9fe0000, 0x0000000a}, 16},
    {"ds_write_b32", {0xd81a0000, 0x0000000a}, 4},
    {"ds_write_b64", {0xd89a0000, 0x0000000a}, 8},
    {"ds_write_b128", {0xd9be0000, 0x0000000a}, 16},
};

struct Pattern {
  const char* name;
  int step;  // lane l takes element l * step
  uint64_t exec;
};
const Pattern kPatterns[] = {
    {"row", 1, ~0ull}, {"scattered", 37, ~0ull}, {"masked", 1, 0x0f0f3c5a8001fffeull}};

double measure(vgpu::ExecFn handler, const vgpu::Inst& inst, vgpu::Wave& wave) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int round = 0; round < 300; ++round) {  // short rounds: the best one was not interrupted
    constexpr int repeats = 300;
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) handler(wave, inst);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const double rate = repeats * 64.0 / seconds / 1e9;
    if (rate > best) best = rate;
  }
  return best;
}

}  // namespace

int main() {
  std::vector<uint32_t> rows(16 * 64);
  std::vector<uint64_t> memory(8192);
  vgpu::AccessRange ranges[vgpu::kAccessRanges];
  for (vgpu::AccessRange& range : ranges) range = {0, ~uint64_t(0)};
  vgpu::Wave wave{};
  wave.vgpr = wave.agpr = rows.data();
  wave.lds = reinterpret_cast<uint8_t*>(memory.data());
  wave.lds_bytes = uint32_t(memory.size() * 8);
  wave.ranges = ranges;
  std::printf("%-32s", "");
  for (const vgpu::Handlers& handlers : vgpu::kHandlers) std::printf(" %9s", handlers.target);
  std::printf("\n");
  for (const Measured& m : kMeasured) {
    vgpu::Inst inst;
    if (!vgpu::decode(m.words, 2, inst)) return std::printf("%s: not decoded\n", m.name), 1;
    bool lds = inst.format == vgpu::Format::DS;
    uint64_t base = lds ? 0 : reinterpret_cast<uint64_t>(memory.data());
    for (const Pattern& p : kPatterns) {
      for (int l = 0; l < vgpu::kLanes; ++l) {
        uint64_t at = base + uint64_t(l * p.step) * m.bytes;
        rows[10 * 64 + l] = uint32_t(at);
        rows[11 * 64 + l] = uint32_t(at >> 32);
      }
      wave.set_exec(p.exec);
      std::printf("%-21s %-10s", m.name, p.name);
      for (const vgpu::Handlers& handlers : vgpu::kHandlers)
        if (handlers.supported) std::printf(" %9.2f", measure(handlers.memory(inst), inst, wave));
      std::printf("\n");
    }
  }
  return 0;
}
