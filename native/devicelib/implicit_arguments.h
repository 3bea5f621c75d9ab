// Where a kernel finds what the runtime passes without being asked (code object version 5).
#define HIDDEN_PRINTF_BUFFER 72
#define HIDDEN_HEAP_V1 96

#define HIDDEN_POINTER(T, offset) \
  (*(__global T * __constant*)((__constant char*)__builtin_amdgcn_implicitarg_ptr() + (offset)))
