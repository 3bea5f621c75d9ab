// What handlers ask of the device around them. Defined once, for every host instruction set.
#pragma once

#include "exec/wave/wave.h"

namespace vgpu {

// The state in which a wave runs on: Special while MODE asks for the scheduler's slow loop.
VGPU_INLINE WaveState running_state(const Wave& wave) {
  return wave.mode & (kModeGprIndex | kModeSkipVector) ? WaveState::Special : WaveState::Ready;
}

// Gives up the rest of the time slice and executes `inst` again when the wave's turn comes.
VGPU_INLINE void wait_and_retry(Wave& wave, const Inst& inst) {
  wave.pc -= inst.bytes;
  wave.state = WaveState::Sleeping;
}

uint32_t read_hardware_register(const Wave& wave, int id);
void write_hardware_register(Wave& wave, int id, uint32_t value);

// s_memtime counts core clock cycles, s_memrealtime a 100 MHz clock; both are modelled time.
uint64_t core_clock(const Wave& wave);
uint64_t real_time_clock(const Wave& wave);

void send_message(Wave& wave, uint32_t message);

// ds_gws_*; returns false when the wave has to wait.
bool global_wave_sync(Wave& wave, Op op, uint32_t resource, uint32_t value);

}  // namespace vgpu
