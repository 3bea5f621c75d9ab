// VROCM_ROUNDING: every floating-point result that is not exact is rounded up or down at random. How far
// the results of a kernel move tells how much of them is rounding.
#pragma once

#include "exec/wave/wave.h"

namespace vgpu {

bool rounds_at_random();

// Executes the instruction of a wave that is Ready. A result that the device computes exactly stays what
// it is. Others become the next number above or below, decided by the seed, the wave, the instruction
// count and the lane, so that neither the number of host threads nor their timing matters.
//
// - Sums, products, fused and packed forms, dot products, steps of divisions and conversions to fewer
//   bits are computed with MODE rounding up and down; matrix instructions, reciprocals and roots with
//   the host's rounding.
// - exp, log, sin and cos, which the hardware approximates to one unit in the last place, move by one
//   unit up, down or not at all, exact or not.
// - Floating-point atomics are rounded in one direction for all lanes: what was in memory is not known
//   before. Packed 16-bit ones are left alone.
// - Conversions from integers and what the compiler computes in floats to divide integers are left
//   alone: those are proven for rounding to nearest, and their results are addresses.
void execute_rounding_at_random(Wave& wave, const Inst& inst);

}  // namespace vgpu
