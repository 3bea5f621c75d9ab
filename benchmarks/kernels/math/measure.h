// How far a result is from the exact one.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "reference.h"

namespace measure {

// The formats by their precision (with the hidden bit) and the exponents of their ends.
struct Format {
  int precision, lowest_exponent, highest_exponent;  // of the last denormal, of the largest number
};
constexpr Format f64{53, -1074, 1023}, f32{24, -149, 127}, f16{11, -24, 15}, bf16{8, -133, 127};

inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }
inline Quad power_of_two(int exponent) {
  Quad power = 1;
  for (int e = exponent < 0 ? -exponent : exponent; e > 0; e -= 512)
    power *= static_cast<Quad>(std::ldexp(1.0, e > 512 ? 512 : e));
  return exponent < 0 ? 1 / power : power;
}
inline int exponent_of(Quad x) {
  // The exponent field of a quadruple; values that matter here are never denormal in it.
  unsigned __int128 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<int>(bits >> 112 & 0x7fff) - 16383;
}
// The distance between neighbouring numbers of the format around x, as OpenCL C defines ulp.
inline Quad ulp(Quad x, const Format& format) {
  int exponent = x == 0 ? format.lowest_exponent : exponent_of(x) - (format.precision - 1);
  if (exponent < format.lowest_exponent) exponent = format.lowest_exponent;
  const int top = format.highest_exponent - (format.precision - 1);
  return power_of_two(exponent > top ? top : exponent);
}
// x rounded to the nearest number of the format, ties to even.
inline Quad rounded(Quad x, const Format& format) {
  if (x != x || x == 0 || magnitude(x) == std::numeric_limits<double>::infinity()) return x;
  const Quad unit = ulp(x, format), shifter = static_cast<Quad>(1.5) * power_of_two(112);
  const Quad steps = x / unit;
  const Quad whole = magnitude(steps) < power_of_two(111) ? steps + shifter - shifter : steps;
  const Quad size = magnitude(whole) * unit, value = x < 0 ? -size : size;
  const Quad limit = power_of_two(format.highest_exponent + 1);
  if (size >= limit)
    return x < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return value;
}

// What one function does over all of its inputs.
struct Findings {
  long long inputs = 0;
  long long nans = 0;            // NaN where there is a number, or the other way round
  long long signs_of_zero = 0;   // 0 with the other sign
  double largest_ulp = 0;        // against the exact value
  double range_error = -1;       // inside the documented range: largest absolute error, and
  double range_steps = 0;        // there the steps from the correctly rounded value
  double worst_input[4] = {}, worst_result = 0, worst_exact = 0;
};

// An overflow within the permitted error counts as the number behind the largest one.
inline Quad finite(Quad x, const Format& format) {
  const Quad end = power_of_two(format.highest_exponent + 1);
  return x > end ? end : x < -end ? -end : x;
}

struct Measure {
  Format format;
  bool unit;  // results below 1 in ulp of 1
};

inline double error_in_ulp(Quad result, Quad exact, const Measure& measure) {
  const Format& format = measure.format;
  const Quad infinity = std::numeric_limits<double>::infinity();
  if (result == exact) return 0;
  if (magnitude(exact) == infinity) return std::numeric_limits<double>::infinity();
  if (rounded(exact, format) == result) {  // also an infinity that the rounding itself gives
    if (magnitude(result) == infinity) return 0.5;
  }
  return static_cast<double>(magnitude(finite(result, format) - finite(exact, format)) /
                             ulp(measure.unit && magnitude(exact) < 1 ? 1 : exact, format));
}

inline void note(Findings& findings, const Measure& measure, const double (&input)[4], Quad result,
                 Quad exact, bool in_range) {
  const Format& format = measure.format;
  if (exact == open_result()) return;
  ++findings.inputs;
  double error;
  if ((result != result) != (exact != exact)) {
    ++findings.nans;
    error = std::numeric_limits<double>::infinity();
  } else {
    error = exact != exact ? 0 : error_in_ulp(result, exact, measure);
    const Quad wanted = rounded(exact, format);
    if (result == 0 && wanted == 0 &&
        std::signbit(static_cast<double>(result)) != std::signbit(static_cast<double>(wanted)))
      ++findings.signs_of_zero;
    if (in_range && exact == exact && magnitude(wanted) < std::numeric_limits<double>::infinity()) {
      const Quad away = magnitude(finite(result, format) - wanted);
      if (static_cast<double>(away) > findings.range_error) {
        findings.range_error = static_cast<double>(away);
        findings.range_steps = static_cast<double>(away / ulp(wanted, format));
      }
    }
  }
  if (error > findings.largest_ulp) {
    findings.largest_ulp = error;
    std::memcpy(findings.worst_input, input, sizeof input);
    findings.worst_result = static_cast<double>(result);
    findings.worst_exact = static_cast<double>(exact);
  }
}

}  // namespace measure
