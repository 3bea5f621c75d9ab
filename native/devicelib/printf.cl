// Room for one printf record. The compiler (-mprintf-kind=buffered) writes the record itself:
//   u32 control   (bytes of the record, this word included) << 2 | constant format << 1 | stderr
//   u64 hash      of the format string, as listed in the code object's amdhsa.printf, or, when the
//                 format is not constant, the string itself, padded with zeros to 8 bytes
//   u64 each      for every argument; strings stand in place, padded to 8 bytes
// The runtime provides the buffer: u32 bytes used (0 at start), u32 bytes of room behind these two
// words, then the records. It prints them when the kernel has ended and sets the first word to 0.
#include "implicit_arguments.h"

__global char* __printf_alloc(uint bytes) {
  __global uint* buffer = HIDDEN_POINTER(uint, HIDDEN_PRINTF_BUFFER);
  if (!buffer) return 0;
  const uint room = buffer[1];
  uint used = __opencl_atomic_load((__global atomic_uint*)buffer, memory_order_relaxed,
                                   memory_scope_device);
  do {
    if (used > room || bytes > room - used) return 0;
  } while (!__opencl_atomic_compare_exchange_strong((__global atomic_uint*)buffer, &used,
                                                    used + bytes, memory_order_relaxed,
                                                    memory_order_relaxed, memory_scope_device));
  return (__global char*)(buffer + 2) + used;
}
