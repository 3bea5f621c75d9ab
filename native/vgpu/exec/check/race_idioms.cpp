#include "exec/check/race_idioms.h"

#include <bitset>
#include <unordered_set>

#include "exec/check/access.h"
#include "exec/code/code.h"
#include "exec/group/workgroup.h"
#include "isa/op_class.h"

namespace vgpu {
namespace {

constexpr size_t kMostInstructions = 512;    // followed from a load on
constexpr int kMostInLoop = 64;              // instructions of a loop that waits
constexpr int kRegisters = 128 + 512 + 512;  // SGPRs, VGPRs, AGPRs
using Registers = std::bitset<kRegisters>;

int first_register(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Sgpr: return operand.reg & 127;
    case OperandKind::Vgpr: return 128 + operand.reg;
    case OperandKind::Agpr: return 128 + 512 + operand.reg;
    default: return -1;
  }
}

bool holds(const Registers& registers, const Operand& operand, int dword) {
  int first = first_register(operand);
  return first >= 0 && first + dword < kRegisters && registers[size_t(first + dword)];
}

bool holds_any(const Registers& registers, const Operand& operand) {
  for (int d = 0; d < operand.dwords; ++d)
    if (holds(registers, operand, d)) return true;
  return false;
}

void set(Registers& registers, const Operand& operand, int dword, bool value) {
  int first = first_register(operand);
  if (first >= 0 && first + dword < kRegisters) registers[size_t(first + dword)] = value;
}

bool is_copy(const Inst& inst) {
  if (inst.modifier != Modifier::Plain) return false;
  switch (inst.op) {
    case Op::v_mov_b32:
    case Op::v_mov_b64:
    case Op::s_mov_b32:
    case Op::s_mov_b64:
    case Op::v_readfirstlane_b32:
    case Op::v_accvgpr_read_b32:
    case Op::v_accvgpr_write_b32:
    case Op::v_cndmask_b32:
    case Op::s_cselect_b32:
    case Op::s_cselect_b64: return true;
    default: return false;
  }
}

// What remains of the value in registers behind `inst`.
void carry(const Inst& inst, Registers& value) {
  bool copied[32] = {};
  for (int d = 0; is_copy(inst) && d < inst.dst.dwords && d < 32; ++d)
    copied[d] = holds(value, inst.src[0], d) || holds(value, inst.src[1], d);
  for (int d = 0; d < inst.dst.dwords && d < 32; ++d) set(value, inst.dst, d, copied[d]);
  for (int d = 0; d < inst.sdst.dwords; ++d) set(value, inst.sdst, d, false);
}

// LDS has the comparand in its first data operand, the others behind the new value.
bool compares_with(const Inst& inst, const Registers& value) {
  if (inst.format == Format::DS) return holds(value, inst.src[1], 0);
  return holds(value, inst.src[1], inst.src[1].dwords / 2);
}

bool stores(const Inst& inst, const Registers& value) {
  Touch touch = access_shape(inst).touch;
  bool stack = inst.format == Format::SCRATCH && inst.dst.kind == OperandKind::None;
  if (touch != Touch::Write && touch != Touch::Atomic && !stack) return false;
  return holds_any(value, inst.src[1]) ||
         (inst.format == Format::DS && holds_any(value, inst.src[2]));
}

bool is_branch(const Inst& inst) {
  return inst.format == Format::SOPP && op_class(inst.op).unit == Unit::Branch;
}

bool leaves_function(const Inst& inst) {
  return inst.op == Op::invalid || inst.op == Op::s_endpgm || inst.op == Op::s_setpc_b64 ||
         inst.op == Op::s_swappc_b64 || inst.op == Op::s_call_b64;
}

uint64_t target_of(const Inst& inst, uint64_t next) {
  return next + uint64_t(int64_t(int16_t(inst.words[0])) * 4);
}

using Answer = RaceIdioms::Answer;

// Follows one loaded value along all paths.
class ValueWalk {
 public:
  explicit ValueWalk(CodeRange& code) : code_(code) {}

  Answer reaches_comparand(uint64_t load) {
    const Inst& inst = code_.at(load).inst;
    Registers value;
    for (int d = 0; d < inst.dst.dwords; ++d) set(value, inst.dst, d, true);
    follow(load + inst.bytes, value);
    return found_ ? Answer::Yes : on_stack_ ? Answer::Unknown : Answer::No;
  }

 private:
  void follow(uint64_t pc, Registers value) {
    while (value.any() && !found_ && code_.contains(pc) && seen_.size() < kMostInstructions &&
           seen_.insert(pc).second) {
      const Inst& inst = code_.at(pc).inst;
      uint64_t next = pc + inst.bytes;
      if (leaves_function(inst)) return;
      if (is_compare_and_swap(inst.op) && compares_with(inst, value)) {
        found_ = true;
        return;
      }
      if (stores(inst, value)) {
        on_stack_ |= inst.format == Format::FLAT || inst.format == Format::SCRATCH;
        return;
      }
      carry(inst, value);
      if (is_branch(inst)) follow(target_of(inst, next), value);
      if (inst.op == Op::s_branch) return;
      pc = next;
    }
  }

  CodeRange& code_;
  std::unordered_set<uint64_t> seen_;
  bool found_ = false, on_stack_ = false;
};

bool writes_memory_or_meets(const Inst& inst) {
  Touch touch = access_shape(inst).touch;
  return touch == Touch::Write || touch == Touch::Atomic || inst.op == Op::s_barrier;
}

bool overlaps(const Operand& a, const Operand& b) {
  int first = first_register(a), other = first_register(b);
  return first >= 0 && other >= 0 && first < other + b.dwords && other < first + a.dwords;
}

// Compilers put constants into registers again where they use them.
bool changes(const Inst& inst, const Operand& address) {
  bool constant = inst.op == Op::v_mov_b32 && inst.src[0].kind == OperandKind::Constant;
  return overlaps(inst.dst, address) && !constant;
}

bool is_waiting_loop(CodeRange& code, uint64_t begin, uint64_t end, const Operand& address) {
  for (uint64_t pc = begin; pc < end;) {
    const Inst& inst = code.at(pc).inst;
    if (leaves_function(inst) || writes_memory_or_meets(inst) || changes(inst, address))
      return false;
    pc += inst.bytes;
  }
  return true;
}

bool same_load(const Inst& a, const Inst& b) {
  return a.op == b.op && a.offset == b.offset && a.src[0].kind == b.src[0].kind &&
         a.src[0].reg == b.src[0].reg;
}

// The nearest branch back over the load closes its loop. Compilers also put a first look before the
// loop, which then repeats that load.
bool find_waiting_loop(CodeRange& code, uint64_t load) {
  const Inst& first = code.at(load).inst;
  Operand address = first.src[0];
  address.dwords =
      1;  // the upper half of a flat address is the aperture, which compilers set again
  uint64_t pc = load;
  for (int n = 0; n < kMostInLoop && code.contains(pc); ++n) {
    const Inst& inst = code.at(pc).inst;
    const uint64_t next = pc + inst.bytes;
    if (leaves_function(inst) || changes(inst, address)) return false;
    if (pc != load && same_load(inst, first)) return find_waiting_loop(code, pc);
    if (is_branch(inst) && target_of(inst, next) <= load && code.contains(target_of(inst, next)))
      return is_waiting_loop(code, target_of(inst, next), next, address);
    pc = next;
  }
  return false;
}

// Code of other code objects than the kernel's own is not looked at.
template <class T, class Look>
T remembered(std::unordered_map<uint64_t, T>& answers, const Wave& wave, uint64_t pc, Look look) {
  CodeRange& code = *wave.group->dispatch->code;
  if (!code.contains(pc)) return T();
  auto [at, fresh] = answers.try_emplace(pc, T());
  if (fresh) at->second = look(code);
  return at->second;
}

}  // namespace

bool is_compare_and_swap(Op op) {
  switch (op) {
    case Op::global_atomic_cmpswap:
    case Op::global_atomic_cmpswap_x2:
    case Op::flat_atomic_cmpswap:
    case Op::flat_atomic_cmpswap_x2:
    case Op::buffer_atomic_cmpswap:
    case Op::buffer_atomic_cmpswap_x2:
    case Op::ds_cmpst_b32:
    case Op::ds_cmpst_b64:
    case Op::ds_cmpst_rtn_b32:
    case Op::ds_cmpst_rtn_b64: return true;
    default: return false;
  }
}

bool is_swap(Op op) {
  return is_compare_and_swap(op) || op == Op::ds_wrxchg_rtn_b32 || op == Op::ds_wrxchg_rtn_b64;
}

Answer RaceIdioms::feeds_compare_and_swap(const Wave& wave, uint64_t pc) {
  return remembered(feeding_, wave, pc,
                    [&](CodeRange& code) { return ValueWalk(code).reaches_comparand(pc); });
}

bool RaceIdioms::waits_in_loop(const Wave& wave, uint64_t pc) {
  return remembered(waiting_, wave, pc,
                    [&](CodeRange& code) { return find_waiting_loop(code, pc); });
}

}  // namespace vgpu
