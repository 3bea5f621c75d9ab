// Prints the speed of some vector handlers per host instruction set, in 10^9 lane-instructions/s.
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
  uint64_t exec;
};

constexpr uint64_t kFull = ~0ull, kMasked = 0x0f0f3c5a8001fffeull;

// Registers: sources from v2 up, results in v0 and v1.
const Measured kMeasured[] = {
    {"v_add_f32 v0, v2, v3", {0x02000702, 0}, kFull},
    {"v_add_f32, masked", {0x02000702, 0}, kMasked},
    {"v_fma_f32 v0, v2, v3, v4", {0xd1cb0000, 0x04120702}, kFull},
    {"v_fma_f32, masked", {0xd1cb0000, 0x04120702}, kMasked},
    {"v_mul_f32 v0, s4, v3", {0x0a000604, 0}, kFull},
    {"v_fma_f32 v0, -v2, v3, v4", {0xd1cb0000, 0x24120702}, kFull},
    {"v_mov_b32 v0, v2", {0x7e000302, 0}, kFull},
    {"v_mov_b32 v0, s4", {0x7e000204, 0}, kFull},
    {"v_pk_fma_f32 with op_sel_hi:[0,1,1]", {0xd3b04000, 0x141a0902}, kFull},
    {"v_add_u32 v0, v2, v3", {0x68000702, 0}, kFull},
    {"v_add_u32, masked", {0x68000702, 0}, kMasked},
    {"v_cmp_lt_f32 vcc, v2, v3", {0x7c820702, 0}, kFull},
    {"v_cndmask_b32 v0, v2, v3, vcc", {0x00000702, 0}, kFull},
    {"v_lshl_add_u64 v[0:1], v[2:3], 2, v[4:5]", {0xd2080000, 0x04110502}, kFull},
    {"v_lshl_add_u64 v[0:1], v[2:3], v6, v[4:5]", {0xd2080000, 0x04120d02}, kFull},
    {"v_lshlrev_b32 v0, 2, v3", {0x24000682, 0}, kFull},
    {"v_lshlrev_b32 v0, v2, v3", {0x24000702, 0}, kFull},
    {"v_lshlrev_b64 v[0:1], 2, v[2:3]", {0xd28f0000, 0x00020482}, kFull},
    {"v_lshlrev_b64 v[0:1], v4, v[2:3]", {0xd28f0000, 0x00020504}, kFull},
    {"v_mad_u64_u32 v[0:1], s[0:1], v2, v3, v[4:5]", {0xd1e80000, 0x04120702}, kFull},
    {"v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", {0xd1cc0000, 0x041a0902}, kFull},
    {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", {0xd3b04000, 0x1c1a0902}, kFull},
    {"v_pk_fma_f16 v0, v2, v3, v4", {0xd38e4000, 0x1c120702}, kFull},
    {"v_exp_f32 v0, v2", {0x7e004102, 0}, kFull},
    {"v_rcp_f32 v0, v2", {0x7e004502, 0}, kFull},
};

double measure(vgpu::ExecFn handler, const vgpu::Inst& inst, vgpu::Wave& wave) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int round = 0; round < 300; ++round) {  // short rounds: the best one was not interrupted
    constexpr int repeats = 1000;
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
  vgpu::Wave wave{};
  wave.vgpr = wave.agpr = rows.data();
  wave.mode = vgpu::kModeDefault;
  wave.sgpr[4] = 0x3f8ccccd;
  std::printf("%-48s", "");
  for (const vgpu::Handlers& handlers : vgpu::kHandlers) std::printf(" %9s", handlers.target);
  std::printf("\n");
  for (const Measured& m : kMeasured) {
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = 0x3c003c00u + uint32_t(i * 13);
    wave.set_exec(m.exec);
    vgpu::Inst inst;
    std::printf("%-48s", m.name);
    if (!vgpu::decode(m.words, 2, inst)) return std::printf(" not decoded\n"), 1;
    for (const vgpu::Handlers& handlers : vgpu::kHandlers)
      if (handlers.supported) std::printf(" %9.2f", measure(handlers.vector(inst), inst, wave));
    std::printf("\n");
  }
  return 0;
}
