// A weak definition of every declared HIP function. Where another file defines the function, the
// linker takes that one; what remains says so once and returns hipErrorNotSupported. The HIP
// headers are not included here: these definitions ignore the parameters.
#include "hip/core/fallback.h"

#define HIP_DECLARED(name)                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name(void) { \
    return vgpu::hip::answer_not_supported(#name);                         \
  }
#include "declared_functions.inc"
#undef HIP_DECLARED
