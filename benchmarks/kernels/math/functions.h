// The functions of the sweep: ROW(T, name, inputs, reference, expression). The expression runs on
// the device with x, y, z, w of type T; `reference` names the function of reference.h that it must
// agree with. Inputs: 1 to 4 numbers; 'i' is a number and a small integer, 'n' an integer.
#pragma once

#define BOTH_1(name, reference)                        \
  ROW(float, name##f, '1', reference, name##f(x))      \
  ROW(double, name, '1', reference, name(x))
#define BOTH_2(name, reference)                        \
  ROW(float, name##f, '2', reference, name##f(x, y))   \
  ROW(double, name, '2', reference, name(x, y))
#define BOTH_INTEGER(name, reference)                       \
  ROW(float, name##f, 'i', reference, name##f(x, (int)y))   \
  ROW(double, name, 'i', reference, name(x, (int)y))
// A function that returns two things, one through a pointer.
#define BOTH_PARTS(name, part, inputs, reference, Second, call)                                  \
  ROW(float, name##f_##part, inputs, reference, ([&] { float a; Second##_f32 b; call(name##f) }())) \
  ROW(double, name##_##part, inputs, reference, ([&] { double a; Second##_f64 b; call(name) }()))
#define FIRST_OF_TWO(f) f(x, &a, &b); return a;
#define SECOND_OF_TWO(f) f(x, &a, &b); return b;
#define RETURNED(f) a = f(x, &b); return a;
#define STORED(f) (void)(a = f(x, &b)); return b;
#define RETURNED_OF_PAIR(f) a = f(x, y, &b); return a;
// Of the quotient, the sign and three bits are promised.
#define STORED_OF_PAIR(f) (void)(a = f(x, y, &b)); return b < 0 ? -(-b & 7) : b & 7;

#define MATH_FUNCTIONS                                                                       \
  BOTH_1(acos, acos) BOTH_1(acosh, acosh) BOTH_1(asin, asin) BOTH_1(asinh, asinh)            \
  BOTH_1(atan, atan) BOTH_1(atanh, atanh) BOTH_1(cbrt, cbrt) BOTH_1(ceil, ceil)              \
  BOTH_1(cos, cos) BOTH_1(cosh, cosh) BOTH_1(cospi, cospi) BOTH_1(erf, erf)                  \
  BOTH_1(erfc, erfc) BOTH_1(erfcinv, erfcinv) BOTH_1(erfcx, erfcx) BOTH_1(erfinv, erfinv)    \
  BOTH_1(exp, exp) BOTH_1(exp10, exp10) BOTH_1(exp2, exp2) BOTH_1(expm1, expm1)              \
  BOTH_1(fabs, fabs) BOTH_1(floor, floor) BOTH_1(j0, j0) BOTH_1(j1, j1)                      \
  ROW(double, ilogbf, '1', ilogb_f32, ilogbf((float)x))                                      \
  ROW(double, ilogb, '1', ilogb_f64, ilogb(x))                                               \
  BOTH_1(lgamma, lgamma) BOTH_1(llrint, rint_to_integer) BOTH_1(llround, round_to_integer)   \
  BOTH_1(log, log) BOTH_1(log10, log10) BOTH_1(log1p, log1p) BOTH_1(log2, log2)              \
  BOTH_1(logb, logb) BOTH_1(lrint, rint_to_integer) BOTH_1(lround, round_to_integer)         \
  BOTH_1(nearbyint, rint) BOTH_1(normcdf, normcdf) BOTH_1(normcdfinv, normcdfinv)            \
  BOTH_1(rcbrt, rcbrt) BOTH_1(rint, rint) BOTH_1(round, round) BOTH_1(rsqrt, rsqrt)          \
  BOTH_1(sin, sin) BOTH_1(sinh, sinh) BOTH_1(sinpi, sinpi) BOTH_1(sqrt, sqrt)                \
  BOTH_1(tan, tan) BOTH_1(tanh, tanh) BOTH_1(tgamma, tgamma) BOTH_1(trunc, trunc)            \
  BOTH_1(y0, y0) BOTH_1(y1, y1)                                                              \
  ROW(float, jnf, '1', j3, jnf(3, x)) ROW(double, jn, '1', j3, jn(3, x))                     \
  ROW(float, ynf, '1', y3, ynf(3, x)) ROW(double, yn, '1', y3, yn(3, x))                     \
  BOTH_PARTS(sincos, sin, '1', sin, real, FIRST_OF_TWO)                                      \
  BOTH_PARTS(sincos, cos, '1', cos, real, SECOND_OF_TWO)                                     \
  BOTH_PARTS(sincospi, sin, '1', sinpi, real, FIRST_OF_TWO)                                  \
  BOTH_PARTS(sincospi, cos, '1', cospi, real, SECOND_OF_TWO)                                 \
  BOTH_PARTS(modf, fraction, '1', modf_fraction, real, RETURNED)                             \
  BOTH_PARTS(modf, integer, '1', trunc, real, STORED)                                        \
  BOTH_PARTS(frexp, mantissa, '1', frexp_mantissa, integer, RETURNED)                        \
  BOTH_PARTS(frexp, exponent, '1', frexp_exponent, integer, STORED)                          \
  BOTH_PARTS(remquo, rest, '2', remainder, integer, RETURNED_OF_PAIR)                        \
  BOTH_PARTS(remquo, quotient, '2', remquo_quotient, integer, STORED_OF_PAIR)                \
  BOTH_2(atan2, atan2) BOTH_2(copysign, copysign) BOTH_2(fdim, fdim) BOTH_2(fmax, fmax)      \
  BOTH_2(fmin, fmin) BOTH_2(fmod, fmod) BOTH_2(hypot, hypot)                                 \
  ROW(float, nextafterf, '2', nextafter_f32, nextafterf(x, y))                               \
  ROW(double, nextafter, '2', nextafter_f64, nextafter(x, y))                                \
  BOTH_2(pow, pow) BOTH_2(remainder, remainder) BOTH_2(rhypot, rhypot)                       \
  BOTH_INTEGER(ldexp, ldexp) BOTH_INTEGER(powi, powi) BOTH_INTEGER(scalbn, ldexp)            \
  BOTH_INTEGER(scalbln, ldexp)                                                               \
  ROW(float, fmaf, '3', fma_f32, fmaf(x, y, z)) ROW(double, fma, '3', fma_f64, fma(x, y, z)) \
  ROW(float, norm3df, '3', norm, norm3df(x, y, z))                                           \
  ROW(double, norm3d, '3', norm, norm3d(x, y, z))                                            \
  ROW(float, norm4df, '4', norm, norm4df(x, y, z, w))                                        \
  ROW(double, norm4d, '4', norm, norm4d(x, y, z, w))                                         \
  ROW(float, rnorm3df, '3', rnorm, rnorm3df(x, y, z))                                        \
  ROW(double, rnorm3d, '3', rnorm, rnorm3d(x, y, z))                                         \
  ROW(float, rnorm4df, '4', rnorm, rnorm4df(x, y, z, w))                                     \
  ROW(double, rnorm4d, '4', rnorm, rnorm4d(x, y, z, w))

#define INTRINSICS                                                                           \
  ROW(float, __cosf, '1', cos, __cosf(x)) ROW(float, __sinf, '1', sin, __sinf(x))            \
  ROW(float, __tanf, '1', tan, __tanf(x)) ROW(float, __expf, '1', exp, __expf(x))            \
  ROW(float, __exp10f, '1', exp10, __exp10f(x)) ROW(float, __logf, '1', log, __logf(x))      \
  ROW(float, __log2f, '1', log2, __log2f(x)) ROW(float, __log10f, '1', log10, __log10f(x))   \
  ROW(float, __powf, '2', pow, __powf(x, y))                                                 \
  ROW(float, __sincosf_sin, '1', sin, ([&] { float a, b; __sincosf(x, &a, &b); return a; }())) \
  ROW(float, __sincosf_cos, '1', cos, ([&] { float a, b; __sincosf(x, &a, &b); return b; }())) \
  ROW(float, __saturatef, '1', saturate, __saturatef(x))                                     \
  ROW(float, __fadd_rn, '2', add_f32, __fadd_rn(x, y))                                           \
  ROW(float, __fsub_rn, '2', subtract_f32, __fsub_rn(x, y))                                      \
  ROW(float, __fmul_rn, '2', multiply_f32, __fmul_rn(x, y))                                      \
  ROW(float, __fdiv_rn, '2', divide_f32, __fdiv_rn(x, y))                                        \
  ROW(float, fdividef, '2', divide_f32, fdividef(x, y))                                          \
  ROW(float, __fmaf_rn, '3', fma_f32, __fmaf_rn(x, y, z))                                        \
  ROW(float, __frcp_rn, '1', reciprocal, __frcp_rn(x))                                       \
  ROW(float, __frsqrt_rn, '1', rsqrt, __frsqrt_rn(x))                                        \
  ROW(float, __fsqrt_rn, '1', sqrt, __fsqrt_rn(x))                                           \
  ROW(double, __dadd_rn, '2', add_f64, __dadd_rn(x, y))                                          \
  ROW(double, __dsub_rn, '2', subtract_f64, __dsub_rn(x, y))                                     \
  ROW(double, __dmul_rn, '2', multiply_f64, __dmul_rn(x, y))                                     \
  ROW(double, __ddiv_rn, '2', divide_f64, __ddiv_rn(x, y))                                       \
  ROW(double, __drcp_rn, '1', reciprocal, __drcp_rn(x))                                      \
  ROW(double, __dsqrt_rn, '1', sqrt, __dsqrt_rn(x))                                          \
  ROW(double, __fma_rn, '3', fma_f64, __fma_rn(x, y, z))

// Conversions: all through double, which holds every source and every result that is asked for.
#define FLOAT_TO_INTEGER(name, Source, Result)                                               \
  ROW(double, name##_rn, '1', Source##_to_##Result##_near, (double)name##_rn((Source)x))     \
  ROW(double, name##_rz, '1', Source##_to_##Result##_zero, (double)name##_rz((Source)x))     \
  ROW(double, name##_ru, '1', Source##_to_##Result##_up, (double)name##_ru((Source)x))       \
  ROW(double, name##_rd, '1', Source##_to_##Result##_down, (double)name##_rd((Source)x))
#define TO_FLOAT(name, Source, inputs)                                    \
  ROW(double, name##_rn, inputs, to_float_near, name##_rn((Source)x))     \
  ROW(double, name##_rz, inputs, to_float_zero, name##_rz((Source)x))     \
  ROW(double, name##_ru, inputs, to_float_up, name##_ru((Source)x))       \
  ROW(double, name##_rd, inputs, to_float_down, name##_rd((Source)x))
#define CONVERSIONS                                                                          \
  FLOAT_TO_INTEGER(__float2int, float, int) FLOAT_TO_INTEGER(__float2uint, float, uint)      \
  FLOAT_TO_INTEGER(__float2ll, float, ll) FLOAT_TO_INTEGER(__float2ull, float, ull)          \
  FLOAT_TO_INTEGER(__double2int, double, int) FLOAT_TO_INTEGER(__double2uint, double, uint)  \
  FLOAT_TO_INTEGER(__double2ll, double, ll) FLOAT_TO_INTEGER(__double2ull, double, ull)      \
  TO_FLOAT(__double2float, double, '1') TO_FLOAT(__ll2float, long long, 'n')

// Half precision and bfloat16: every one of the 65,536 values, alone and in a pair.
#define HALF_FUNCTIONS                                                                   \
  HALF_ROW(sin, sin) HALF_ROW(cos, cos) HALF_ROW(exp, exp) HALF_ROW(exp2, exp2)          \
  HALF_ROW(exp10, exp10) HALF_ROW(log, log) HALF_ROW(log2, log2) HALF_ROW(log10, log10)  \
  HALF_ROW(sqrt, sqrt) HALF_ROW(rsqrt, rsqrt) HALF_ROW(rcp, reciprocal)                  \
  HALF_ROW(trunc, trunc) HALF_ROW(ceil, ceil) HALF_ROW(floor, floor) HALF_ROW(rint, rint)
