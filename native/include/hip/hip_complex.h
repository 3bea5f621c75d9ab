// Complex numbers as pairs of float or double.
#pragma once

#include <hip/hip_vector_types.h>
#ifdef __cplusplus
#include <cmath>
#else
#include <math.h>
#endif

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#ifdef __cplusplus
#define __HIP_COMPLEX_FN__ static __HOST_DEVICE__
#else
#define __HIP_COMPLEX_FN__ static inline
#endif

// The single precision names end in f, the double precision ones do not.
#define __HIP_COMPLEX(suffix, Complex, make, Real, root)                                          \
  __HIP_COMPLEX_FN__ Real hipCreal##suffix(Complex z) { return z.x; }                             \
  __HIP_COMPLEX_FN__ Real hipCimag##suffix(Complex z) { return z.y; }                             \
  __HIP_COMPLEX_FN__ Complex hipConj##suffix(Complex z) { return make(z.x, -z.y); }               \
  __HIP_COMPLEX_FN__ Real hipCsqabs##suffix(Complex z) { return z.x * z.x + z.y * z.y; }          \
  __HIP_COMPLEX_FN__ Real hipCabs##suffix(Complex z) { return root(hipCsqabs##suffix(z)); }       \
  __HIP_COMPLEX_FN__ Complex hipCadd##suffix(Complex p, Complex q) {                              \
    return make(p.x + q.x, p.y + q.y);                                                            \
  }                                                                                               \
  __HIP_COMPLEX_FN__ Complex hipCsub##suffix(Complex p, Complex q) {                              \
    return make(p.x - q.x, p.y - q.y);                                                            \
  }                                                                                               \
  __HIP_COMPLEX_FN__ Complex hipCmul##suffix(Complex p, Complex q) {                              \
    return make(p.x * q.x - p.y * q.y, p.y * q.x + p.x * q.y);                                    \
  }                                                                                               \
  __HIP_COMPLEX_FN__ Complex hipCdiv##suffix(Complex p, Complex q) {                              \
    const Real square = hipCsqabs##suffix(q);                                                     \
    return make((p.x * q.x + p.y * q.y) / square, (p.y * q.x - p.x * q.y) / square);              \
  }                                                                                               \
  __HIP_COMPLEX_FN__ Complex hipCfma##suffix(Complex p, Complex q, Complex r) {                   \
    return hipCadd##suffix(hipCmul##suffix(p, q), r);                                             \
  }
__HIP_COMPLEX(f, hipFloatComplex, make_float2, float, sqrtf)
__HIP_COMPLEX(, hipDoubleComplex, make_double2, double, sqrt)
#undef __HIP_COMPLEX

__HIP_COMPLEX_FN__ hipFloatComplex make_hipFloatComplex(float x, float y) {
  return make_float2(x, y);
}
__HIP_COMPLEX_FN__ hipDoubleComplex make_hipDoubleComplex(double x, double y) {
  return make_double2(x, y);
}
__HIP_COMPLEX_FN__ hipComplex make_hipComplex(float x, float y) { return make_float2(x, y); }
__HIP_COMPLEX_FN__ hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
  return make_float2((float)z.x, (float)z.y);
}
__HIP_COMPLEX_FN__ hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) {
  return make_double2(z.x, z.y);
}
