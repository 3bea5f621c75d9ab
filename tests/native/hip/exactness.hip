// What compiled arithmetic gives, bit by bit, beside the host.
#include "cases.h"

#include <cstdint>
#include <random>

template <class F>
__global__ void divide(const F* n, const F* d, F* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * count) out[i] = n[i / count] / d[i % count];
}

// Denormals, powers of two and their neighbours, the ends of the range, halfway cases (few bits
// set), and any bits.
template <class F, class Bits>
static std::vector<F> extreme_values(int mantissa) {
  const Bits one = 1, last = (one << mantissa) - 1, top = Bits(~Bits(0)) >> 1 >> mantissa << mantissa;
  std::vector<Bits> bits = {0, 1, 2, 3, last - 1, last, last + 1, last + 2, top, top - 1, top - 2};
  for (Bits e = 1; e < top >> mantissa; e = e + (top >> mantissa) / 23)
    for (Bits m : {Bits(0), Bits(1), last, Bits(last - 1), Bits(last / 2 + 1), Bits(last / 3)})
      bits.push_back(e << mantissa | m);
  std::mt19937_64 random(7);
  while (bits.size() < 260) bits.push_back(Bits(random()) >> 1);
  while (bits.size() < 300) bits.push_back(last >> (random() % mantissa));
  for (size_t i = 0; i < bits.size(); i += 3) bits[i] |= one << (sizeof(Bits) * 8 - 1);
  std::vector<F> values(bits.size());
  std::memcpy(values.data(), bits.data(), bits.size() * sizeof(F));
  return values;
}

template <class F, class Bits>
static void check_division(int mantissa) {
  const std::vector<F> values = extreme_values<F, Bits>(mantissa);
  const int count = int(values.size());
  F *operands = on_device(values), *out = nullptr;
  OK(hipMalloc(&out, sizeof(F) * count * count));
  divide<F><<<(count * count + 255) / 256, 256>>>(operands, operands, out, count);
  const std::vector<F> got = on_host(out, size_t(count) * count);
  int wrong = 0, denormal = 0;
  for (int i = 0; i < count * count; ++i) {
    const F n = values[i / count], d = values[i % count];
    const volatile F want = n / d;
    Bits got_bits, want_bits;
    const F copy = want;
    std::memcpy(&got_bits, &got[i], sizeof(F));
    std::memcpy(&want_bits, &copy, sizeof(F));
    const Bits size = want_bits << 1 >> 1;
    denormal += size != 0 && size >> mantissa == 0;
    if (got_bits == want_bits || (copy != copy && got[i] != got[i])) continue;
    if (wrong++ < 5)
      std::fprintf(stderr, "%a / %a = %a, not %a\n", double(n), double(d), double(got[i]),
                   double(copy));
  }
  CHECK(wrong == 0);
  CHECK(denormal > 300);
}

CASE(division_of_floats_rounds_once) { check_division<float, uint32_t>(23); }
CASE(division_of_doubles_rounds_once) { check_division<double, uint64_t>(52); }

CASE(a_denormal_quotient) {
  double *operands = on_device<double>({0x0.fffffffffffffp-1022, 0x1.fffffffffffffp-1}), *out;
  OK(hipMalloc(&out, 4 * sizeof(double)));
  divide<double><<<1, 4>>>(operands, operands, out, 2);
  CHECK(on_host(out, 2)[1] == 0x0.fffffffffffffp-1022);  // just below a tie
}
