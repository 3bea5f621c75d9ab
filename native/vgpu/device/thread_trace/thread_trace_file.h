// The file of a thread trace, which the rocprofv3 front end turns into what the real tools write.
//
// The first line is a JSON object:
//   format       1
//   clock_ghz    of the cycles in which all times are; 0 is the start of the dispatch
//   lost         steps that were left out because of the limit
//   cut_waves    waves of which the last steps are missing, for whatever reason
//   functions    [{base, symbol, demangled, rows: [[address, text, source]...]}...] by address;
//                base + address is where an instruction was in memory
//   waves        [[engine, cu, simd, slot, begin, end, first step, steps]...]
//   occupancy    [[engine, time, cu, simd, slot, begin (1) or end (0)]...] of all waves of the
//                engines, in the order of time
//   steps        how many follow
// Behind its newline are the steps, in the order of the waves, 24 bytes each and little-endian:
//   uint64 time, uint32 stall, uint32 duration (with the stall), uint32 row (counted over all
//   functions), uint32 category
#pragma once

#include <string>

#include "model/thread_trace/thread_trace.h"

namespace vgpu {

// Writes into `folder`, beside and renamed. Returns the file's name, or an empty string after a
// message when that was not possible.
std::string write_thread_trace(const model::ThreadTrace& trace, const std::string& folder);

// The same, into the folder of the recording (VROCM_TRACE); nothing when there is none.
std::string write_thread_trace(const model::ThreadTrace& trace);

}  // namespace vgpu
