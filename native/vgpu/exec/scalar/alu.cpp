// Scalar arithmetic: the operations of scalar/ops.inc, each expanded into a handler.
#include "exec/scalar/select.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

constexpr uint64_t kQuadLsb = 0x1111'1111'1111'1111;

VGPU_INLINE uint64_t extract(uint64_t v, unsigned from, unsigned width, unsigned bits) {
  uint64_t shifted = v >> from;
  return width >= bits ? shifted : shifted & ((uint64_t(1) << width) - 1);
}

VGPU_INLINE uint64_t extract_signed(uint64_t v, unsigned from, unsigned width, unsigned bits) {
  if (width == 0) return 0;
  int64_t value = bits == 32 ? int64_t(int32_t(v)) : int64_t(v);
  int64_t shifted = value >> from;
  if (width >= bits) return uint64_t(shifted);
  return uint64_t(int64_t(uint64_t(shifted) << (64 - width)) >> (64 - width));
}

// One bit per quad of lanes that has any bit set, at the quad's lowest lane.
VGPU_INLINE uint64_t any_in_quad(uint64_t v) { return (v | v >> 1 | v >> 2 | v >> 3) & kQuadLsb; }
VGPU_INLINE uint64_t whole_quads(uint64_t v) { return any_in_quad(v) * 15; }

VGPU_INLINE uint64_t quad_mask(uint64_t v) {
  uint64_t any = any_in_quad(v), result = 0;
  for (int quad = 0; quad < 16; ++quad) result |= ((any >> (quad * 4)) & 1) << quad;
  return result;
}

// How many bits from the top equal the sign, or -1 when all do; v is sign-extended to 64 bits.
VGPU_INLINE uint32_t sign_bits(uint64_t v, unsigned bits) {
  uint64_t different = v ^ uint64_t(int64_t(v) >> 63);
  return different ? uint32_t(__builtin_clzll(different)) - (64 - bits) : ~0u;
}

VGPU_INLINE uint64_t reverse_bits(uint64_t v) {
  v = ((v >> 1) & 0x5555'5555'5555'5555) | ((v & 0x5555'5555'5555'5555) << 1);
  v = ((v >> 2) & 0x3333'3333'3333'3333) | ((v & 0x3333'3333'3333'3333) << 2);
  v = ((v >> 4) & 0x0f0f'0f0f'0f0f'0f0f) | ((v & 0x0f0f'0f0f'0f0f'0f0f) << 4);
  return __builtin_bswap64(v);
}

VGPU_INLINE uint64_t replicate_bits(uint32_t v) {
  uint64_t result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= uint64_t((v >> bit) & 1) * 3 << (bit * 2);
  return result;
}

VGPU_INLINE const Operand& src(const Inst& i, int n) { return i.src[n]; }

// D: type of the destination, A and B: reading the sources, AFTER: what happens to scc.
#define HANDLER(name, D, TA, RA, TB, RB, READ_D, WRITE_D, AFTER, ...) \
  void name(Wave& w, const Inst& i) {                                 \
    TA a = RA;                                                        \
    TB b = RB;                                                        \
    D d = READ_D;                                                     \
    bool scc = w.scc;                                                 \
    (void)a, (void)b, (void)d, (void)scc;                             \
    __VA_ARGS__                                                       \
    WRITE_D;                                                          \
    w.scc = AFTER;                                                    \
  }

#define U32T uint32_t
#define U64T uint64_t
#define A32 read32(w, src(i, 0))
#define A64 read64(w, src(i, 0))
#define B_32 read32(w, src(i, 1))
#define B_64 read64(w, src(i, 1))
#define D32 w.sgpr[i.dst.reg & 127]
#define D64 w.pair(i.dst.reg & 126)
#define W32 write32(w, i.dst, d)
#define W64 write64(w, i.dst, d)
#define NONE (void)0

#define B32(n, ...) HANDLER(n, U32T, U32T, A32, U32T, B_32, 0, W32, d != 0, __VA_ARGS__)
#define NB32(n, ...) HANDLER(n, U32T, U32T, A32, U32T, B_32, 0, W32, scc, __VA_ARGS__)
#define B64(n, ...) HANDLER(n, U64T, U64T, A64, U64T, B_64, 0, W64, d != 0, __VA_ARGS__)
#define NB64(n, ...) HANDLER(n, U64T, U64T, A64, U64T, B_64, 0, W64, scc, __VA_ARGS__)
#define S64_32(n, ...) HANDLER(n, U64T, U64T, A64, U32T, B_32, 0, W64, d != 0, __VA_ARGS__)
#define N64_32_32(n, ...) HANDLER(n, U64T, U32T, A32, U32T, B_32, 0, W64, scc, __VA_ARGS__)
#define U32(n, ...) HANDLER(n, U32T, U32T, A32, U32T, 0, 0, W32, d != 0, __VA_ARGS__)
#define NU32(n, ...) HANDLER(n, U32T, U32T, A32, U32T, 0, D32, W32, scc, __VA_ARGS__)
#define U64(n, ...) HANDLER(n, U64T, U64T, A64, U32T, 0, 0, W64, d != 0, __VA_ARGS__)
#define NU64(n, ...) HANDLER(n, U64T, U64T, A64, U32T, 0, D64, W64, scc, __VA_ARGS__)
#define R32_64(n, ...) HANDLER(n, U32T, U64T, A64, U32T, 0, 0, W32, d != 0, __VA_ARGS__)
#define NR32_64(n, ...) HANDLER(n, U32T, U64T, A64, U32T, 0, 0, W32, scc, __VA_ARGS__)
#define N64_32(n, ...) HANDLER(n, U64T, U32T, A32, U32T, 0, D64, W64, scc, __VA_ARGS__)
#define C32(n, ...) HANDLER(n, U32T, U32T, A32, U32T, B_32, 0, NONE, scc, __VA_ARGS__)
#define C64(n, ...) HANDLER(n, U64T, U64T, A64, U64T, B_64, 0, NONE, scc, __VA_ARGS__)
#define C64_32(n, ...) HANDLER(n, U64T, U64T, A64, U32T, B_32, 0, NONE, scc, __VA_ARGS__)

// The destination is written last: it may be exec itself.
#define EXEC(n, ...)                           \
  void n(Wave& w, const Inst& i) {             \
    uint64_t a = A64, old = w.exec(), exec, d; \
    __VA_ARGS__                                \
    w.set_exec(exec);                          \
    write64(w, i.dst, d);                      \
    w.scc = exec != 0;                         \
  }

#define K32(n, ...)                                 \
  void n(Wave& w, const Inst& i) {                  \
    uint32_t& d = w.sgpr[(i.words[0] >> 16) & 127]; \
    int32_t k = int16_t(i.words[0]);                \
    uint32_t u = uint16_t(i.words[0]);              \
    bool scc = w.scc;                               \
    (void)k, (void)u;                               \
    __VA_ARGS__                                     \
    w.scc = scc;                                    \
  }

#include "exec/scalar/ops.inc"

#undef B32
#undef NB32
#undef B64
#undef NB64
#undef S64_32
#undef N64_32_32
#undef U32
#undef NU32
#undef U64
#undef NU64
#undef R32_64
#undef NR32_64
#undef N64_32
#undef C32
#undef C64
#undef C64_32
#undef EXEC
#undef K32

#define ENTRY(n, ...) {Op::n, n},
#define B32 ENTRY
#define NB32 ENTRY
#define B64 ENTRY
#define NB64 ENTRY
#define S64_32 ENTRY
#define N64_32_32 ENTRY
#define U32 ENTRY
#define NU32 ENTRY
#define U64 ENTRY
#define NU64 ENTRY
#define R32_64 ENTRY
#define NR32_64 ENTRY
#define N64_32 ENTRY
#define C32 ENTRY
#define C64 ENTRY
#define C64_32 ENTRY
#define EXEC ENTRY
#define K32 ENTRY

constexpr OpHandler kHandlers[] = {
#include "exec/scalar/ops.inc"
};

}  // namespace

HandlerTable scalar_alu_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
