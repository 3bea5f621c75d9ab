// MFMA and SMFMAC, all shapes and types of gfx942.
//
// Numerics: every element of D starts from C and adds its products in the order of increasing k,
// each by one fused multiply-add that rounds to nearest even (f32 sums for f32, xf32, f16, bf16 and
// 8-bit floats, f64 for f64, wrapping i32 for i8). Denormal inputs, sums and results are kept, as
// gfx940 and later do. The hardware sums several products before it rounds, in an order that AMD
// does not publish: sums that are not exact may differ from it in the last bits. A NaN result is
// always the device's default NaN. Matrix instructions ignore EXEC.
#include <cstring>

#include "exec/matrix/elements.h"
#include "exec/matrix/layout.h"
#include "exec/wave/handler_table.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace matrix {
namespace {

// --- Operands ---------------------------------------------------------------------------------

// The lane of B that lane `lane` reads under a lane group pattern (BLGP).
VGPU_INLINE int pattern_lane(int pattern, int lane) {
  switch (pattern) {
    case 0: return lane;
    case 1: return lane % 32;                        // lower half everywhere
    case 2: return lane % 32 + 32;                   // upper half everywhere
    case 3: return (lane + 16) % kLanes;             // rotated down by sixteen
    default: return lane % 16 + 16 * (pattern - 4);  // one quarter everywhere
  }
}

// The lane of A that a lane reads when one block in 2^CBSZ is broadcast to the others (CBSZ, ABID).
template <class S>
VGPU_INLINE int broadcast_lane(int cbsz, int abid, int lane) {
  const int block = lane / S::M % S::blocks, size = 1 << cbsz;
  const int source = (block / size * size + abid) % S::blocks;
  return lane + (source - block) * S::M;
}

// Widens one dword per lane into `per_dword` rows of elements.
template <class E>
__attribute__((noinline)) void widen_row(const u32* row, typename E::Wide* out) {
  for (int e = 0; e < E::per_dword; ++e)
    for (int lane = 0; lane < kLanes; ++lane) out[e * kLanes + lane] = E::widen(row[lane], e);
}

__attribute__((noinline)) void join_rows(const u32* low, const u32* high, f64* out) {
  for (int lane = 0; lane < kLanes; ++lane) out[lane] = as_f64(u64(high[lane]) << 32 | low[lane]);
}

// All elements of an operand: element e of every lane is row e of `out`.
template <class E, int Elements>
VGPU_INLINE void load_elements(const Wave& wave, const Operand& operand, const int* lanes,
                               typename E::Wide* out) {
  u32 moved[2][kLanes];
  constexpr int step = E::per_dword == 0 ? 1 : E::per_dword;
  for (int e = 0; e < Elements; e += step) {
    const int dword = E::per_dword == 0 ? 2 * e : e / step;
    const u32* rows[2] = {wave.row(operand, dword),
                          E::per_dword == 0 ? wave.row(operand, dword + 1) : nullptr};
    for (int part = 0; lanes && part < 2 && rows[part]; ++part) {
      for (int lane = 0; lane < kLanes; ++lane) moved[part][lane] = rows[part][lanes[lane]];
      rows[part] = moved[part];
    }
    if constexpr (E::per_dword == 0) join_rows(rows[0], rows[1], out + e * kLanes);
    else widen_row<E>(rows[0], out + e * kLanes);
  }
}

template <class T, int Outputs>
VGPU_INLINE void load_sums(const Wave& wave, const Operand& c, T* sums) {
  for (int r = 0; r < Outputs; ++r) {
    T* out = sums + r * kLanes;
    if (c.kind == OperandKind::Constant) {
      T value;
      std::memcpy(&value, &c.value, sizeof value);
      for (int lane = 0; lane < kLanes; ++lane) out[lane] = value;
    } else if constexpr (sizeof(T) == 8) {
      join_rows(wave.row(c, 2 * r), wave.row(c, 2 * r + 1), out);
    } else {
      std::memcpy(out, wave.row(c, r), kLanes * sizeof(T));
    }
  }
}

template <class T, int Outputs>
VGPU_INLINE void store_sums(Wave& wave, const Operand& d, const T* sums) {
  for (int r = 0; r < Outputs; ++r) {
    const T* in = sums + r * kLanes;
    if constexpr (sizeof(T) == 8) {
      u32 *low = wave.row(d, 2 * r), *high = wave.row(d, 2 * r + 1);
      for (int lane = 0; lane < kLanes; ++lane) {
        const u64 bits = bits_of(settled(in[lane]));
        low[lane] = u32(bits);
        high[lane] = u32(bits >> 32);
      }
    } else {
      T* out = reinterpret_cast<T*>(wave.row(d, r));
      for (int lane = 0; lane < kLanes; ++lane) out[lane] = settled(in[lane]);
    }
  }
}

// --- Multiplication ---------------------------------------------------------------------------

template <int N, class T>
VGPU_INLINE void add_row(T a, const T* b, T* sum) {
  for (int j = 0; j < N; ++j) sum[j] = multiply_add(a, b[j], sum[j]);
}

// Left to themselves, compilers turn the integer loops inside out; a vector type keeps the rows.
template <int N>
VGPU_INLINE void add_row(i32 a, const i32* b, i32* sum) {
  typedef u32 Row __attribute__((vector_size(N * sizeof(u32))));
  Row row, total;
  std::memcpy(&row, b, sizeof row);
  std::memcpy(&total, sum, sizeof total);
  total += row * u32(a);
  std::memcpy(sum, &total, sizeof total);
}

// d += a * b. A few rows of D at a time share the loads of B.
template <class S, class T>
__attribute__((noinline)) void multiply(const T* a, const T* b, T* d) {
  constexpr int kRows = S::M == 32 ? 2 : 4;  // as many sums as vector registers hold
  for (int block = 0; block < S::blocks; ++block) {
    for (int i = 0; i < S::M; i += kRows) {
      alignas(64) T sum[kRows][S::M];
      for (int r = 0; r < kRows; ++r)
        std::memcpy(sum[r], row_of_d<S>(d, block, i + r), sizeof sum[r]);
      for (int group = 0; group < S::groups; ++group) {
        const int lane = S::first_lane(block, group);
        for (int e = 0; e < S::per_lane; ++e)
          for (int r = 0; r < kRows; ++r)
            add_row<S::M>(a[e * kLanes + lane + i + r], b + e * kLanes + lane, sum[r]);
      }
      for (int r = 0; r < kRows; ++r)
        std::memcpy(row_of_d<S>(d, block, i + r), sum[r], sizeof sum[r]);
    }
  }
}

template <class S, class EA, class EB>
void dense(Wave& wave, const Inst& inst) {
  using T = typename EA::Wide;
  alignas(64) T a[S::per_lane * kLanes], b[S::per_lane * kLanes], sums[S::outputs * kLanes];
  int lanes[kLanes];
  const bool is_f64 = sizeof(T) == 8;
  const bool broadcast = S::blocks > 1 && inst.cbsz != 0 && !is_f64;
  for (int lane = 0; broadcast && lane < kLanes; ++lane)
    lanes[lane] = broadcast_lane<S>(inst.cbsz, inst.abid, lane);
  load_elements<EA, S::per_lane>(wave, inst.src[0], broadcast ? lanes : nullptr, a);
  const bool pattern = inst.blgp != 0 && !is_f64;
  for (int lane = 0; pattern && lane < kLanes; ++lane) lanes[lane] = pattern_lane(inst.blgp, lane);
  load_elements<EB, S::per_lane>(wave, inst.src[1], pattern ? lanes : nullptr, b);
  load_sums<T, S::outputs>(wave, inst.src[2], sums);
  if constexpr (sizeof(T) == 8) {  // BLGP negates A, B, C
    if (inst.blgp & 1)
      for (T& x : a) x = -x;
    if (inst.blgp & 2)
      for (T& x : b) x = -x;
    if (inst.blgp & 4)
      for (T& x : sums) x = -x;
  }
  multiply<S>(a, b, sums);
  store_sums<T, S::outputs>(wave, inst.dst, sums);
}

// A holds two of every four elements along k; the index register says which: two bits per element,
// in the order of the elements. Lane groups of A and B cover the same k, B with all its elements.
template <class S, class T>
__attribute__((noinline)) void multiply_sparse(const T* a, const T* b, const u32* index, T* d) {
  constexpr int kept = S::per_lane / 2;
  for (int i = 0; i < S::M; ++i) {
    alignas(64) T sum[S::M];
    std::memcpy(sum, row_of_d<S>(d, 0, i), sizeof sum);
    for (int group = 0; group < S::groups; ++group) {
      const int first = S::first_lane(0, group);
      const u32 which = index[first + i];
      for (int e = 0; e < kept; ++e) {
        const int k = e / 2 * 4 + int(which >> (2 * e) & 3);
        add_row<S::M>(a[e * kLanes + first + i], b + k * kLanes + first, sum);
      }
    }
    std::memcpy(row_of_d<S>(d, 0, i), sum, sizeof sum);
  }
}

template <class S, class EA, class EB>
void sparse(Wave& wave, const Inst& inst) {
  using T = typename EA::Wide;
  constexpr int kept = S::per_lane / 2, index_bits = 2 * kept, sets = 32 / index_bits;
  alignas(64) T a[kept * kLanes], b[S::per_lane * kLanes], sums[S::outputs * kLanes];
  load_elements<EA, kept>(wave, inst.src[0], nullptr, a);
  load_elements<EB, S::per_lane>(wave, inst.src[1], nullptr, b);
  load_sums<T, S::outputs>(wave, inst.dst, sums);
  // The index register holds several sets; ABID picks one, unless CBSZ says to use the first.
  const int set = inst.cbsz == 0 ? inst.abid % sets : 0;
  const u32* packed = wave.row(inst.src[2]);
  u32 index[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) index[lane] = packed[lane] >> (index_bits * set);
  multiply_sparse<S>(a, b, index, sums);
  store_sums<T, S::outputs>(wave, inst.dst, sums);
}

const OpHandler kHandlers[] = {
#define DENSE(op, M, K, blocks, A, B) {Op::op, dense<Shape<M, K, blocks>, A, B>},
#define SPARSE(op, M, K, A, B) {Op::op, sparse<Shape<M, K, 1>, A, B>},
#include "isa/tables/matrix.inc"
};

}  // namespace
}  // namespace matrix

ExecFn select_matrix(const Inst& inst) {
  const HandlerTable table = table_of(matrix::kHandlers);
  return inst.format == Format::VOP3P ? find_handler(&table, 1, inst.op) : nullptr;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
