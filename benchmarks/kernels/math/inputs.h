// Where functions go wrong: the ends of the formats, zeros and poles of the functions, halfway
// points, huge arguments; and random numbers of every magnitude.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

struct Range {
  double low, high;
};

template <class T>
struct Inputs {
  std::vector<T> x, y, z, w;
  void add(T a, T b, T c, T d) {
    x.push_back(a);
    y.push_back(b);
    z.push_back(c);
    w.push_back(d);
  }
};

template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all = {0, Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::min(),
                        Limits::epsilon(), Limits::max(), Limits::infinity()};
  for (double x : {1e-30, 1e-8, 0.1, 0.25, 0.5, 0.75, 0.8935769662791675, 1.0, 1.4616321449683623,
                   1.5, 2.0, 2.404825557695773, 2.5, 2.718281828459045, 3.5, 3.8317059702075125,
                   10.5, 20.0, 33.0, 38.0, 88.7, 89.5, 103.9, 104.5, 171.6, 308.25, 709.78, 745.13,
                   1023.5, 1e4, 123456.789, 0x1p23, 0x1p24, 0x1p31, 0x1p52, 0x1p63, 0x1p64, 1e22})
    for (T neighbour : {T(x), std::nextafter(T(x), T(0)), std::nextafter(T(x), Limits::infinity())})
      all.push_back(neighbour);
  for (int k = 1; k <= 1000000; k = k < 9 ? k + 1 : k * 7)
    for (double unit : {1.5707963267948966, 1.0})
      for (double shift : {0.0, 0.5}) all.push_back(T(k * unit + shift));
  const std::size_t positive = all.size();
  for (std::size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
  all.push_back(Limits::quiet_NaN());
  return all;
}

template <class T>
class Generator {
  std::mt19937_64 random_{20240607};
  static constexpr int kMantissa = std::numeric_limits<T>::digits - 1;

 public:
  std::uint64_t bits() { return random_(); }
  T inside(Range range) {
    const double unit = (random_() >> 11) * 0x1p-53;
    return static_cast<T>(range.low + (range.high - range.low) * unit);
  }
  // Any bit pattern; NaNs are quiet.
  T any() {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Bits bits = static_cast<Bits>(random_());
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value == value ? value : std::numeric_limits<T>::quiet_NaN();
  }
  // Between 2^-20 and 2^20, where most programs live.
  T usual() {
    const double size = std::exp2(-20 + 40 * ((random_() >> 11) * 0x1p-53));
    return static_cast<T>(random_() & 1 ? size : -size);
  }
  T one_of(const std::vector<T>& list) { return list[random_() % list.size()]; }
};

// kind: '1' to '4' numbers, 'i' a number and a small integer, 'n' an integer.
template <class T>
Inputs<T> make_inputs(char kind, const std::vector<Range>& ranges, int count) {
  Inputs<T> inputs;
  Generator<T> next;
  const std::vector<T> list = edges<T>();
  const auto range = [&](std::size_t i) {
    return ranges.empty() ? Range{-10, 10} : ranges[i < ranges.size() ? i : ranges.size() - 1];
  };
  const auto small = [&] { return T(static_cast<int>(next.bits() % 401) - 200); };
  if (kind == 'n') {
    for (int i = 0; i < 3 * count; ++i)
      inputs.add(static_cast<T>(static_cast<std::int64_t>(next.bits()) >> (11 + i % 52)), 0, 0, 0);
    return inputs;
  }
  if (kind == '1') {
    for (T edge : list) inputs.add(edge, 0, 0, 0);
  } else {
    for (int i = 0; i < 2 * count; ++i)
      inputs.add(next.one_of(list), kind == 'i' ? small() : next.one_of(list),
                 kind >= '3' && kind <= '4' ? next.one_of(list) : T(0),
                 kind == '4' ? next.one_of(list) : T(0));
  }
  const bool three = kind == '3' || kind == '4';
  for (int i = 0; i < count; ++i) {
    inputs.add(next.any(), kind == 'i' ? small() : next.any(), three ? next.any() : T(0),
               kind == '4' ? next.any() : T(0));
    inputs.add(next.usual(), kind == 'i' ? T(static_cast<int>(next.bits() % 21) - 10) : next.usual(),
               three ? next.usual() : T(0), kind == '4' ? next.usual() : T(0));
    T second = next.inside(range(1));
    if (kind == 'i') second = std::rint(second);
    inputs.add(next.inside(range(0)), kind == '1' ? T(0) : second,
               three ? next.inside(range(2)) : T(0), kind == '4' ? next.inside(range(3)) : T(0));
  }
  return inputs;
}
