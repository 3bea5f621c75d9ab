#include "exec/run/random_rounding.h"

#include <array>
#include <cstring>

#include "exec/group/settings.h"
#include "exec/group/workgroup.h"
#include "host/float_mode.h"
#include "isa/op_class.h"

namespace vgpu {
namespace {

// How the two neighbours of an exact result are found.
enum class Way : uint8_t {
  None,
  Mode,    // rounds as MODE says
  Host,    // rounds as the host does
  Unit,    // approximates: one unit either way
  Atomic,  // changes memory, and can run only once
};

struct Rule {
  Way way = Way::None;
  uint8_t bits = 32;  // of one number of the result
};

constexpr int kMostRows = 32;  // registers of the largest result
constexpr uint32_t kTwoTo32 = 0x4f800000;
constexpr uint32_t kModeRounds = 0xf, kModeUp = 0x5, kModeDown = 0xa;  // f32, and f16 with f64

using Rules = std::array<Rule, size_t(Op::count_)>;

Rules make_rules() {
  Rules rules;
  const auto set = [&](std::initializer_list<Op> ops, Way way, uint8_t bits) {
    for (Op op : ops) rules[size_t(op)] = {way, bits};
  };
  set({Op::v_add_f32, Op::v_sub_f32, Op::v_subrev_f32, Op::v_mul_f32, Op::v_mul_legacy_f32,
       Op::v_fma_f32, Op::v_fmac_f32, Op::v_fmamk_f32, Op::v_fmaak_f32, Op::v_div_fmas_f32,
       Op::v_pk_add_f32, Op::v_pk_mul_f32, Op::v_pk_fma_f32, Op::v_fma_mix_f32, Op::v_dot2_f32_f16,
       Op::v_dot2c_f32_f16, Op::v_cvt_f32_f64},
      Way::Mode, 32);
  set({Op::v_add_f64, Op::v_mul_f64, Op::v_fma_f64, Op::v_fmac_f64, Op::v_div_fmas_f64}, Way::Mode,
      64);
  set({Op::v_add_f16, Op::v_sub_f16, Op::v_subrev_f16, Op::v_mul_f16, Op::v_fma_f16,
       Op::v_fma_legacy_f16, Op::v_mad_f16, Op::v_mad_legacy_f16, Op::v_mac_f16, Op::v_madmk_f16,
       Op::v_madak_f16, Op::v_pk_add_f16, Op::v_pk_mul_f16, Op::v_pk_fma_f16, Op::v_pk_fmac_f16,
       Op::v_fma_mixlo_f16, Op::v_fma_mixhi_f16, Op::v_cvt_f16_f32},
      Way::Mode, 16);
  set({Op::v_rcp_f32, Op::v_rsq_f32, Op::v_sqrt_f32}, Way::Host, 32);
  set({Op::v_rcp_f64, Op::v_rsq_f64, Op::v_sqrt_f64}, Way::Host, 64);
  set({Op::v_exp_f32, Op::v_exp_legacy_f32, Op::v_log_f32, Op::v_log_legacy_f32, Op::v_sin_f32,
       Op::v_cos_f32},
      Way::Unit, 32);
  set({Op::v_rcp_f16, Op::v_rsq_f16, Op::v_sqrt_f16, Op::v_exp_f16, Op::v_log_f16, Op::v_sin_f16,
       Op::v_cos_f16},
      Way::Unit, 16);
  set({Op::buffer_atomic_add_f32, Op::flat_atomic_add_f32, Op::global_atomic_add_f32,
       Op::ds_add_f32, Op::ds_add_rtn_f32},
      Way::Atomic, 32);
  set({Op::buffer_atomic_add_f64, Op::flat_atomic_add_f64, Op::global_atomic_add_f64,
       Op::ds_add_f64, Op::ds_add_rtn_f64},
      Way::Atomic, 64);
  const auto set_matrix = [&](Op op, const char* element) {
    if (std::strcmp(element, "I8") != 0)
      rules[size_t(op)] = {Way::Host, uint8_t(std::strcmp(element, "F64") == 0 ? 64 : 32)};
  };
#define DENSE(op, M, K, blocks, A, B) set_matrix(Op::op, #A);
#define SPARSE(op, M, K, A, B) set_matrix(Op::op, #A);
#include "isa/tables/matrix.inc"
  return rules;
}

const Rule& rule_of(Op op) {
  static const Rules rules = make_rules();
  static const Rule none;
  if (op >= Op::count_ || rules[size_t(op)].bits < settings().rounding_bits) return none;
  return rules[size_t(op)];
}

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// One number for each instruction that each wave executes.
uint64_t drawn(const Wave& wave) {
  uint64_t h = mixed(settings().rounding + 0x9e3779b97f4a7c15ull);
  const Workgroup& group = *wave.group;
  for (uint64_t part : {uint64_t(group.id[0]), uint64_t(group.id[1]), uint64_t(group.id[2]),
                        uint64_t(wave.index), wave.executed})
    h = mixed(h + 0x9e3779b97f4a7c15ull + part);
  return h;
}

// --- Numbers as bits --------------------------------------------------------------------------

template <class Bits>
struct Layout {
  static constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  static constexpr Bits infinity = sizeof(Bits) == 2   ? Bits(0x7c00)
                                   : sizeof(Bits) == 4 ? Bits(0x7f800000)
                                                       : Bits(0x7ff0000000000000ull);
  static bool finite(Bits x) { return (x & infinity) != infinity; }
  static bool zero(Bits x) { return (x & ~sign) == 0; }
};

// The number that takes the place of `nearest`. Zeros of either sign are the same; what is finite stays
// so, as what overflows is not a matter of the last place.
template <class Bits>
Bits one_of(Bits nearest, Bits up, Bits down, bool upward) {
  using L = Layout<Bits>;
  if (up == down || !L::finite(nearest) || (L::zero(up) && L::zero(down))) return nearest;
  const Bits chosen = upward ? up : down;
  return L::finite(chosen) ? chosen : nearest;
}

template <class Bits>
Bits one_unit_off(Bits x, bool away) {
  using L = Layout<Bits>;
  if (!L::finite(x) || L::zero(x)) return x;
  const Bits moved = Bits(away ? x + 1 : x - 1);
  return L::finite(moved) && !L::zero(moved) ? moved : x;
}

// A result as it lies in rows of 64 lanes.
struct Rows {
  uint32_t value[kMostRows * kLanes];
};

template <class Bits>
Bits get(const uint32_t* rows, int number, int lane) {
  if constexpr (sizeof(Bits) == 8) {
    const uint32_t* low = rows + 2 * number * kLanes + lane;
    return uint64_t(low[kLanes]) << 32 | low[0];
  } else if constexpr (sizeof(Bits) == 4) {
    return rows[number * kLanes + lane];
  } else {
    return Bits(rows[number / 2 * kLanes + lane] >> (16 * (number % 2)));
  }
}

template <class Bits>
void put(uint32_t* rows, int number, int lane, Bits value) {
  if constexpr (sizeof(Bits) == 8) {
    uint32_t* low = rows + 2 * number * kLanes + lane;
    low[0] = uint32_t(value);
    low[kLanes] = uint32_t(value >> 32);
  } else if constexpr (sizeof(Bits) == 4) {
    rows[number * kLanes + lane] = value;
  } else {
    uint32_t& dword = rows[number / 2 * kLanes + lane];
    const int shift = 16 * (number % 2);
    dword = (dword & ~(0xffffu << shift)) | uint32_t(value) << shift;
  }
}

template <class Bits>
int numbers_in(int rows) {
  return sizeof(Bits) == 8 ? rows / 2 : sizeof(Bits) == 4 ? rows : 2 * rows;
}

template <class Bits>
void choose(uint32_t* nearest, const Rows& up, const Rows& down, int rows, uint64_t draw) {
  for (int number = 0; number < numbers_in<Bits>(rows); ++number) {
    const uint64_t upward = mixed(draw + uint64_t(number));
    for (int lane = 0; lane < kLanes; ++lane)
      put<Bits>(nearest, number, lane,
                one_of(get<Bits>(nearest, number, lane), get<Bits>(up.value, number, lane),
                       get<Bits>(down.value, number, lane), (upward >> lane & 1) != 0));
  }
}

// `old` tells which numbers the instruction left alone: lanes that are not active, and the other half.
template <class Bits>
void move_by_units(uint32_t* result, const Rows& old, int rows, uint64_t exec, uint64_t draw) {
  for (int number = 0; number < numbers_in<Bits>(rows); ++number) {
    const uint64_t moves = mixed(draw + uint64_t(2 * number)) & exec;
    const uint64_t away = mixed(draw + uint64_t(2 * number + 1));
    for (int lane = 0; lane < kLanes; ++lane) {
      const Bits x = get<Bits>(result, number, lane);
      if ((moves >> lane & 1) == 0 || x == get<Bits>(old.value, number, lane)) continue;
      put<Bits>(result, number, lane, one_unit_off(x, (away >> lane & 1) != 0));
    }
  }
}

// --- Execution --------------------------------------------------------------------------------

class HostRounding {
 public:
  explicit HostRounding(FloatControl round) : saved_(float_control()) {
    set_float_control((saved_ & ~kRoundMask) | round);
  }
  ~HostRounding() { set_float_control(saved_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  FloatControl saved_;
};

void execute_directed(Wave& wave, const Inst& inst, Way way, bool up) {
  if (way == Way::Mode) {
    const uint32_t mode = wave.mode;
    wave.mode = (mode & ~kModeRounds) | (up ? kModeUp : kModeDown);
    inst.exec(wave, inst);
    wave.mode = mode;
  } else {
    const HostRounding rounding(kRound[up ? 1 : 2]);
    inst.exec(wave, inst);
  }
}

void execute_both_ways(Wave& wave, const Inst& inst, const Rule& rule) {
  uint32_t* result = wave.row(inst.dst);
  const int rows = inst.dst.dwords;
  const size_t bytes = size_t(rows) * kLanes * sizeof(uint32_t);
  Rows old, up, down;
  std::memcpy(old.value, result, bytes);
  for (Rows* directed : {&up, &down}) {
    execute_directed(wave, inst, rule.way, directed == &up);
    std::memcpy(directed->value, result, bytes);
    std::memcpy(result, old.value, bytes);
  }
  inst.exec(wave, inst);
  const uint64_t draw = drawn(wave);
  if (rule.bits == 64) choose<uint64_t>(result, up, down, rows, draw);
  else if (rule.bits == 32) choose<uint32_t>(result, up, down, rows, draw);
  else choose<uint16_t>(result, up, down, rows, draw);
}

void execute_and_move(Wave& wave, const Inst& inst, const Rule& rule) {
  uint32_t* result = wave.row(inst.dst);
  Rows old;
  std::memcpy(old.value, result, size_t(inst.dst.dwords) * kLanes * sizeof(uint32_t));
  const uint64_t exec = wave.exec();
  inst.exec(wave, inst);
  if (rule.bits == 32) move_by_units<uint32_t>(result, old, inst.dst.dwords, exec, drawn(wave));
  else move_by_units<uint16_t>(result, old, inst.dst.dwords, exec, drawn(wave));
}

// --- Division of integers ---------------------------------------------------------------------

bool marked(const Wave& wave, const Operand& o) {
  return o.kind == OperandKind::Vgpr &&
         (wave.dividing_rows[o.reg / 64 % kRowWords] >> (o.reg % 64) & 1) != 0;
}

void mark(Wave& wave, const Operand& o, bool on) {
  for (int reg = o.reg; o.kind == OperandKind::Vgpr && reg < o.reg + o.dwords; ++reg) {
    uint64_t& word = wave.dividing_rows[reg / 64 % kRowWords];
    const uint64_t bit = 1ull << (reg % 64);
    word = on ? word | bit : word & ~bit;
  }
}

bool is_two_to_32(const Operand& o) {
  return o.kind == OperandKind::Constant && uint32_t(o.value) == kTwoTo32;
}

// Compilers divide integers by v_rcp_iflag_f32, and those of 64 bits by the reciprocal of a float that
// they put together from two halves, one times 2^32.
bool begins_division(const Inst& inst) {
  switch (inst.op) {
    case Op::v_rcp_iflag_f32: return true;
    case Op::v_fma_f32:
    case Op::v_fmac_f32:
    case Op::v_fmamk_f32:
      return is_two_to_32(inst.src[0]) || is_two_to_32(inst.src[1]) || is_two_to_32(inst.src[2]);
    default: return false;
  }
}

bool divides_integers(const Wave& wave, const Inst& inst, const Rule& rule) {
  if (begins_division(inst)) return true;
  if (rule.way == Way::None && inst.op != Op::v_trunc_f32) return false;
  for (const Operand& o : inst.src)
    if (marked(wave, o)) return true;
  return false;
}

}  // namespace

bool rounds_at_random() { return settings().rounding != 0; }

void execute_rounding_at_random(Wave& wave, const Inst& inst) {
  const Rule& rule = rule_of(inst.op);
  const bool dividing = divides_integers(wave, inst, rule);
  if (rule.way == Way::Atomic) {
    const HostRounding rounding(kRound[drawn(wave) & 1 ? 1 : 2]);
    inst.exec(wave, inst);
  } else if (rule.way == Way::None || dividing || inst.dst.dwords > kMostRows) {
    inst.exec(wave, inst);
  } else if (rule.way == Way::Unit) {
    execute_and_move(wave, inst, rule);
  } else {
    execute_both_ways(wave, inst, rule);
  }
  mark(wave, inst.dst, dividing);
}

}  // namespace vgpu
