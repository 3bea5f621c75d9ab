// Host code. The C library has most functions for _Float128; the others are put together from them.
#include "reference.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>

#define LIBRARY(name) extern "C" Quad name##f128(Quad)
LIBRARY(acos); LIBRARY(acosh); LIBRARY(asin); LIBRARY(asinh); LIBRARY(atan); LIBRARY(atanh);
LIBRARY(cbrt); LIBRARY(ceil); LIBRARY(cos); LIBRARY(cosh); LIBRARY(erf); LIBRARY(erfc);
LIBRARY(exp); LIBRARY(exp10); LIBRARY(exp2); LIBRARY(expm1); LIBRARY(fabs); LIBRARY(floor);
LIBRARY(j0); LIBRARY(j1); LIBRARY(lgamma); LIBRARY(log); LIBRARY(log10); LIBRARY(log1p);
LIBRARY(log2); LIBRARY(logb); LIBRARY(rint); LIBRARY(round); LIBRARY(sin); LIBRARY(sinh);
LIBRARY(sqrt); LIBRARY(tan); LIBRARY(tanh); LIBRARY(tgamma); LIBRARY(trunc); LIBRARY(y0);
LIBRARY(y1);
#undef LIBRARY
#define LIBRARY(name) extern "C" Quad name##f128(Quad, Quad)
LIBRARY(atan2); LIBRARY(copysign); LIBRARY(fdim); LIBRARY(fmax); LIBRARY(fmin); LIBRARY(fmod);
LIBRARY(hypot); LIBRARY(pow); LIBRARY(remainder);
#undef LIBRARY
extern "C" {
Quad jnf128(int, Quad);
Quad ynf128(int, Quad);
Quad frexpf128(Quad, int*);
Quad ldexpf128(Quad, int);
Quad remquof128(Quad, Quad, int*);
}

namespace {

Quad infinity() { return std::numeric_limits<double>::infinity(); }
Quad nan() { return std::numeric_limits<double>::quiet_NaN(); }
bool is_nan(Quad x) { return x != x; }
bool is_infinite(Quad x) { return fabsf128(x) == infinity(); }
Quad pi() { return 4 * atanf128(1); }
Quad root_of_two() { return sqrtf128(2); }

// sin(pi x) and cos(pi x): the turns go first, exactly; then the octant, so that zeros are exact.
Quad sinpi(Quad x) {
  if (is_nan(x) || is_infinite(x)) return nan();
  const Quad r = fmodf128(x, 2), a = fabsf128(r);
  const Quad half = a <= 1 ? a : 2 - a, quarter = half <= 0.5 ? half : 1 - half;
  const Quad value = quarter <= 0.25 ? sinf128(pi() * quarter) : cosf128(pi() * (0.5 - quarter));
  return value == 0 ? copysignf128(0, x) : (x < 0) != (a > 1) ? -value : value;
}
Quad cospi(Quad x) {
  if (is_nan(x) || is_infinite(x)) return nan();
  const Quad a = fabsf128(fmodf128(x, 2)), half = a <= 1 ? a : 2 - a;
  const Quad quarter = half <= 0.5 ? half : 1 - half;
  const Quad value = quarter <= 0.25 ? cosf128(pi() * quarter) : sinf128(pi() * (0.5 - quarter));
  return half > 0.5 ? -value : value;
}

// exp(x^2) erfc(x): for large x by its continued fraction, from the far end.
Quad erfcx(Quad x) {
  if (is_nan(x)) return x;
  if (x < 12) return expf128(x * x) * erfcf128(x);
  if (is_infinite(x)) return 0;
  Quad tail = x;
  for (int k = 120; k >= 1; --k) tail = x + (static_cast<Quad>(k) / 2) / tail;
  return 1 / (tail * sqrtf128(pi()));
}

// The x with erfc(x) = y, by Newton's method on log(erfc) (y < 1) or on erfc.
Quad erfcinv(Quad y) {
  if (is_nan(y) || y < 0 || y > 2) return nan();
  if (y == 0) return infinity();
  if (y == 2) return -infinity();
  if (y > 1) return -erfcinv(2 - y);
  Quad x = y > 0.5 ? (1 - y) * sqrtf128(pi()) / 2 : sqrtf128(-logf128(y));
  for (int i = 0; i < 60; ++i) {
    const Quad step = (logf128(erfcf128(x)) - logf128(y)) * erfcx(x) * sqrtf128(pi()) / 2;
    x += step;
    if (fabsf128(step) <= fabsf128(x) * 1e-31) break;
  }
  return x;
}
Quad erfinv(Quad y) {
  if (is_nan(y) || fabsf128(y) > 1) return nan();
  if (fabsf128(y) == 1) return copysignf128(infinity(), y);
  if (y == 0) return y;
  if (fabsf128(y) > 0.5) return copysignf128(erfcinv(1 - fabsf128(y)), y);
  Quad x = y * sqrtf128(pi()) / 2;
  for (int i = 0; i < 60; ++i) {
    const Quad step = (erff128(x) - y) * expf128(x * x) * sqrtf128(pi()) / 2;
    x -= step;
    if (fabsf128(step) <= fabsf128(x) * 1e-31) break;
  }
  return x;
}

Quad norm(Quad x, Quad y, Quad z, Quad w) {
  if (is_infinite(x) || is_infinite(y) || is_infinite(z) || is_infinite(w)) return infinity();
  return sqrtf128(x * x + y * y + z * z + w * w);
}
Quad reciprocal(Quad x) { return 1 / x; }

template <class T>
Quad next_after(Quad x, Quad y) {
  return std::nextafter(static_cast<T>(x), static_cast<T>(y));
}

Quad frexp_exponent(Quad x) {
  if (is_nan(x) || is_infinite(x)) return open_result();
  int exponent;
  frexpf128(x, &exponent);
  return exponent;
}
Quad frexp_mantissa(Quad x) {
  int exponent;
  return frexpf128(x, &exponent);
}
Quad remquo_quotient(Quad x, Quad y) {
  if (is_nan(x) || is_nan(y) || is_infinite(x) || y == 0) return open_result();
  int quotient;
  remquof128(x, y, &quotient);
  return quotient < 0 ? -(-quotient & 7) : quotient & 7;
}
// Of an integer there is one zero.
Quad without_sign_of_zero(Quad x) { return x == 0 ? Quad(0) : x; }

Quad ilogb(Quad x) {
  if (is_nan(x)) return open_result();  // INT_MIN or INT_MAX
  if (is_infinite(x)) return std::numeric_limits<int>::max();
  // C leaves a zero to FP_ILOGB0, which is another number on Arm hosts: the device's is the lowest.
  return x == 0 ? static_cast<Quad>(std::numeric_limits<int>::min()) : logbf128(x);
}
Quad integer_or_open(Quad value, Quad lowest, Quad highest) {
  return value >= lowest && value <= highest ? without_sign_of_zero(value) : open_result();
}
// To an integer that the device returns as a double: that rounds once more, to nearest.
Quad as_double(Quad value, Quad lowest, Quad highest) {
  const Quad integer = integer_or_open(value, lowest, highest);
  return integer == open_result() ? integer : static_cast<Quad>(static_cast<double>(integer));
}
Quad as_long(Quad value) { return integer_or_open(value, -0x1p63, Quad(0x1p63) - 1); }

Quad to_float(Quad exact, int direction) {
  const float near = static_cast<float>(exact);
  if (near == exact || is_nan(exact)) return near;
  if (direction > 0) return near > exact ? near : std::nextafter(near, INFINITY);
  return near < exact ? near : std::nextafter(near, -INFINITY);
}

using Table = std::map<std::string, Reference>;
#define QUAD_ARGUMENTS [[maybe_unused]] Quad x, [[maybe_unused]] Quad y, \
                       [[maybe_unused]] Quad z, [[maybe_unused]] Quad w
#define DEFINE(name, expression) table[name] = [](QUAD_ARGUMENTS) -> Quad { return expression; };
#define SAME_1(name) DEFINE(#name, name##f128(x))
#define SAME_2(name) DEFINE(#name, name##f128(x, y))

void add_library(Table& table) {
  SAME_1(acos) SAME_1(acosh) SAME_1(asin) SAME_1(asinh) SAME_1(atan) SAME_1(atanh) SAME_1(cbrt)
  SAME_1(ceil) SAME_1(cos) SAME_1(cosh) SAME_1(erf) SAME_1(erfc) SAME_1(exp) SAME_1(exp10)
  SAME_1(exp2) SAME_1(expm1) SAME_1(fabs) SAME_1(floor) SAME_1(j0) SAME_1(j1) SAME_1(lgamma)
  SAME_1(log) SAME_1(log10) SAME_1(log1p) SAME_1(log2) SAME_1(logb) SAME_1(rint) SAME_1(round)
  SAME_1(sin) SAME_1(sinh) SAME_1(sqrt) SAME_1(tan) SAME_1(tanh) SAME_1(tgamma) SAME_1(trunc)
  SAME_1(y0) SAME_1(y1)
  SAME_2(atan2) SAME_2(copysign) SAME_2(fdim) SAME_2(fmax) SAME_2(fmin) SAME_2(fmod) SAME_2(hypot)
  SAME_2(pow) SAME_2(remainder)
  DEFINE("j3", jnf128(3, x))
  DEFINE("y3", ynf128(3, x))
  DEFINE("ldexp", ldexpf128(x, static_cast<int>(y)))
}

void add_own(Table& table) {
  DEFINE("sinpi", sinpi(x)) DEFINE("cospi", cospi(x)) DEFINE("erfcx", erfcx(x))
  DEFINE("erfcinv", erfcinv(x)) DEFINE("erfinv", erfinv(x))
  DEFINE("normcdf", erfcf128(-x / root_of_two()) / 2)
  DEFINE("normcdfinv", -root_of_two() * erfcinv(2 * x))
  DEFINE("rcbrt", reciprocal(cbrtf128(x))) DEFINE("rsqrt", reciprocal(sqrtf128(x)))
  DEFINE("rhypot", reciprocal(hypotf128(x, y)))
  DEFINE("norm", norm(x, y, z, w)) DEFINE("rnorm", reciprocal(norm(x, y, z, w)))
  DEFINE("powi", powf128(x, y))
  DEFINE("reciprocal", reciprocal(x))
  DEFINE("saturate", is_nan(x) ? open_result() : x < 0 ? Quad(0) : x > 1 ? Quad(1) : x)
  DEFINE("nextafter_f32", next_after<float>(x, y)) DEFINE("nextafter_f64", next_after<double>(x, y))
  DEFINE("modf_fraction", copysignf128(is_infinite(x) ? Quad(0) : x - truncf128(x), x))
  DEFINE("frexp_mantissa", frexp_mantissa(x)) DEFINE("frexp_exponent", frexp_exponent(x))
  DEFINE("remquo_quotient", remquo_quotient(x, y)) DEFINE("ilogb_f32", ilogb(static_cast<float>(x)))
  DEFINE("ilogb_f64", ilogb(x))
  DEFINE("rint_to_integer", as_long(rintf128(x))) DEFINE("round_to_integer", as_long(roundf128(x)))
}

// Arithmetic by the processor in the precision itself: a sum of numbers of very different size would
// be rounded twice on its way through quadruple precision.
#define ARITHMETIC(T, suffix)                                                                  \
  DEFINE("add_" suffix, T(x) + T(y)) DEFINE("subtract_" suffix, T(x) - T(y))                   \
  DEFINE("multiply_" suffix, T(x) * T(y)) DEFINE("divide_" suffix, T(x) / T(y))                \
  DEFINE("fma_" suffix, std::fma(T(x), T(y), T(z)))

#define TO_INTEGER(Source, Result, lowest, highest)                                              \
  DEFINE(#Source "_to_" #Result "_near", as_double(rintf128((Source)x), lowest, highest))        \
  DEFINE(#Source "_to_" #Result "_zero", as_double(truncf128((Source)x), lowest, highest))       \
  DEFINE(#Source "_to_" #Result "_up", as_double(ceilf128((Source)x), lowest, highest))          \
  DEFINE(#Source "_to_" #Result "_down", as_double(floorf128((Source)x), lowest, highest))
void add_exact(Table& table) {
  ARITHMETIC(float, "f32")
  ARITHMETIC(double, "f64")
  TO_INTEGER(float, int, -0x1p31, 0x1p31 - 1) TO_INTEGER(float, uint, 0, 0x1p32 - 1)
  TO_INTEGER(float, ll, -0x1p63, Quad(0x1p63) - 1) TO_INTEGER(float, ull, 0, Quad(0x1p64) - 1)
  TO_INTEGER(double, int, -0x1p31, 0x1p31 - 1) TO_INTEGER(double, uint, 0, 0x1p32 - 1)
  TO_INTEGER(double, ll, -0x1p63, Quad(0x1p63) - 1) TO_INTEGER(double, ull, 0, Quad(0x1p64) - 1)
  DEFINE("to_float_near", static_cast<float>(x))
  DEFINE("to_float_zero", to_float(x, x > 0 ? -1 : 1))
  DEFINE("to_float_up", to_float(x, 1))
  DEFINE("to_float_down", to_float(x, -1))
}

}  // namespace

Reference reference_of(const std::string& name) {
  static const Table all = [] {
    Table table;
    add_library(table);
    add_own(table);
    add_exact(table);
    return table;
  }();
  const auto found = all.find(name);
  if (found == all.end()) {
    std::fprintf(stderr, "no reference for %s\n", name.c_str());
    std::exit(2);
  }
  return found->second;
}
