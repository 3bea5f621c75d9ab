// Kernels of different streams share the device. Whoever was submitted first has the CUs first, so
// the HIP runtime announces kernels in the order of its calls; the time of a kernel is settled when
// those before it are.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Work with kernels was submitted to a stream by the call with this correlation id, or has ended.
// Announced in the order of submission: after everything that the work has to wait for.
void vrocm_stream_expects(const void* stream, uint64_t correlation);
void vrocm_stream_finished(const void* stream, uint64_t correlation);
// The stream waits for the host or for a value in memory: nobody may wait for its kernels meanwhile.
void vrocm_stream_parks(const void* stream, int parked);
// Kernels of this queue (its id) go into a hardware queue of their device that others may use, too:
// those of one follow each other.
void vrocm_queue_shares(uint64_t queue, uint32_t hardware_queue);

#ifdef __cplusplus
}
#endif
