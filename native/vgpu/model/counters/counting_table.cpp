#include "model/counters/counting_table.h"

#include <array>
#include <atomic>
#include <memory>

#include "model/instruction/matrix_cycles.h"
#include "model/launch/structure.h"
#include "observe/access.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint32_t kOperationsPerMop = 512;  // the unit of SQ_INSTS_VALU_MFMA_MOPS_*
constexpr uint32_t kQuad = 4;                // cycles
constexpr uint32_t kCoalescableBytes = 4;    // per lane: what the address unit coalesces

using List = std::vector<Increment>;

// --- units ---------------------------------------------------------------------------------------

// Recorded on MI300X: SQ_ACTIVE_INST_SCA is scalar arithmetic and scalar memory; _MISC branches,
// messages and barriers; s_waitcnt and s_nop are in SQ_INSTS only; SMEM_NORM counts a load twice.
struct UnitRule {
  Unit unit;
  Counter counter;
  uint32_t amount;
};
constexpr UnitRule kUnitRules[] = {
    {Unit::Matrix, Counter::SQ_INSTS_VALU, 1},     {Unit::Matrix, Counter::SQ_INSTS_MFMA, 1},
    {Unit::Valu, Counter::SQ_INSTS_VALU, 1},       {Unit::Salu, Counter::SQ_INSTS_SALU, 1},
    {Unit::Salu, Counter::SQ_ACTIVE_INST_SCA, 1},  {Unit::Salu, Counter::SQ_INST_CYCLES_SALU, 1},
    {Unit::Smem, Counter::SQ_INSTS_SMEM, 1},       {Unit::Smem, Counter::SQ_INSTS_SMEM_NORM, 2},
    {Unit::Smem, Counter::SQ_ACTIVE_INST_SCA, 1},  {Unit::Smem, Counter::SQ_INST_CYCLES_SMEM, 1},
    {Unit::Branch, Counter::SQ_INSTS_BRANCH, 1},   {Unit::Branch, Counter::SQ_ACTIVE_INST_MISC, 1},
    {Unit::Message, Counter::SQ_INSTS_SENDMSG, 1}, {Unit::Message, Counter::SQ_ACTIVE_INST_MISC, 1},
    {Unit::Vmem, Counter::SQ_INSTS_VMEM, 1},       {Unit::Flat, Counter::SQ_INSTS_VMEM, 1},
};

// The end of a wave is a message to its launcher.
struct OpRule {
  Op op;
  Counter counter;
};
constexpr OpRule kOpRules[] = {
    {Op::s_endpgm, Counter::SQ_INSTS_SENDMSG},
    {Op::s_endpgm, Counter::SQ_ACTIVE_INST_MISC},
    {Op::s_barrier, Counter::SQ_ACTIVE_INST_MISC},
    {Op::buffer_inv, Counter::TCP_TOTAL_WRITEBACK_INVALIDATES},
    {Op::buffer_wbinvl1, Counter::TCP_TOTAL_WRITEBACK_INVALIDATES},
    {Op::buffer_wbinvl1_vol, Counter::TCP_TOTAL_WRITEBACK_INVALIDATES},
};

// --- vector arithmetic ---------------------------------------------------------------------------

// The counter of the smallest numbers, F16; those of F32 and F64 follow.
Counter counter_of_f16(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::Add: return Counter::SQ_INSTS_VALU_ADD_F16;
    case Arithmetic::Mul: return Counter::SQ_INSTS_VALU_MUL_F16;
    case Arithmetic::Fma: return Counter::SQ_INSTS_VALU_FMA_F16;
    default: return Counter::SQ_INSTS_VALU_TRANS_F16;
  }
}

// Bitwise operations and moves are in no class; vecCopy on MI300X has six vector instructions, of
// which v_lshlrev_b64 is counted in none.
void add_arithmetic(const OpClass& of, List& list) {
  switch (of.arithmetic) {
    case Arithmetic::None: return;
    case Arithmetic::Convert: list.push_back({Counter::SQ_INSTS_VALU_CVT, 1}); return;
    case Arithmetic::Int:
      list.push_back(
          {of.number == Number::Int32 ? Counter::SQ_INSTS_VALU_INT32 : Counter::SQ_INSTS_VALU_INT64,
           1});
      return;
    default:
      list.push_back(
          {Counter(int(counter_of_f16(of.arithmetic)) + int(of.number) - int(Number::F16)), 1});
  }
}

// --- matrix --------------------------------------------------------------------------------------

struct MatrixCounters {
  Counter instructions, operations;
};
MatrixCounters counters_of(MatrixElement element) {
  switch (element) {
    case MatrixElement::Bf16:
      return {Counter::SQ_INSTS_VALU_MFMA_BF16, Counter::SQ_INSTS_VALU_MFMA_MOPS_BF16};
    case MatrixElement::F16:
      return {Counter::SQ_INSTS_VALU_MFMA_F16, Counter::SQ_INSTS_VALU_MFMA_MOPS_F16};
    case MatrixElement::I8:
      return {Counter::SQ_INSTS_VALU_MFMA_I8, Counter::SQ_INSTS_VALU_MFMA_MOPS_I8};
    case MatrixElement::Fp8:
    case MatrixElement::Bf8:
      return {Counter::SQ_INSTS_VALU_MFMA_F8, Counter::SQ_INSTS_VALU_MFMA_MOPS_F8};
    case MatrixElement::F64:
      return {Counter::SQ_INSTS_VALU_MFMA_F64, Counter::SQ_INSTS_VALU_MFMA_MOPS_F64};
    default:  // F32 and Xf32
      return {Counter::SQ_INSTS_VALU_MFMA_F32, Counter::SQ_INSTS_VALU_MFMA_MOPS_F32};
  }
}

void add_matrix(Op op, const InstructionKind& kind, List& list) {
  const MatrixCounters counters = counters_of(matrix_element(op));
  list.push_back({Counter::SQ_VALU_MFMA_BUSY_CYCLES, kind.latency});
  list.push_back({counters.instructions, 1});
  list.push_back({counters.operations, uint32_t(matrix_operations(op) / kOperationsPerMop)});
}

// --- memory --------------------------------------------------------------------------------------

struct TouchRule {
  Touch touch;
  Counter instructions, cycles, flat, buffer, returned;
};
constexpr TouchRule kTouchRules[] = {
    {Touch::Read, Counter::SQ_INSTS_VMEM_RD, Counter::SQ_INST_CYCLES_VMEM_RD,
     Counter::TA_FLAT_READ_WAVEFRONTS, Counter::TA_BUFFER_READ_WAVEFRONTS, Counter::count_},
    {Touch::Write, Counter::SQ_INSTS_VMEM_WR, Counter::SQ_INST_CYCLES_VMEM_WR,
     Counter::TA_FLAT_WRITE_WAVEFRONTS, Counter::TA_BUFFER_WRITE_WAVEFRONTS,
     Counter::TD_STORE_WAVEFRONT},
    {Touch::Atomic, Counter::SQ_INSTS_VMEM_WR, Counter::SQ_INST_CYCLES_VMEM_WR,
     Counter::TA_FLAT_ATOMIC_WAVEFRONTS, Counter::TA_BUFFER_ATOMIC_WAVEFRONTS,
     Counter::TD_ATOMIC_WAVEFRONT}};

// Instructions of the FLAT encoding, global ones too, are FLAT to sequencer and address unit; only
// private memory goes the way of buffers. Loads and stores alike return through the TD.
void add_vector_memory(const Inst& inst, List& list) {
  bool buffer = inst.format == Format::MUBUF || inst.format == Format::MTBUF;
  bool flat_address = inst.format == Format::FLAT || inst.format == Format::GLOBAL;
  if (!buffer) list.push_back({Counter::SQ_INSTS_FLAT, 1});
  list.push_back({buffer ? Counter::SQ_ACTIVE_INST_VMEM : Counter::SQ_ACTIVE_INST_FLAT, 1});
  const OpClass& shape = op_class(inst.op);
  if (shape.touch == Touch::None) return;  // cache controls
  static constexpr Counter kAlways[] = {Counter::TA_TOTAL_WAVEFRONTS, Counter::TD_LOAD_WAVEFRONT,
                                        Counter::TCP_TA_TCP_STATE_READ};
  for (Counter counter : kAlways) list.push_back({counter, 1});
  list.push_back({flat_address ? Counter::TA_FLAT_WAVEFRONTS : Counter::TA_BUFFER_WAVEFRONTS, 1});
  if (shape.bytes <= kCoalescableBytes && shape.touch != Touch::Atomic)
    list.push_back({Counter::TD_COALESCABLE_WAVEFRONT, 1});
  for (const TouchRule& rule : kTouchRules) {
    if (rule.touch != shape.touch) continue;
    list.push_back({rule.instructions, 1});
    list.push_back({rule.cycles, 1});
    list.push_back({flat_address ? rule.flat : rule.buffer, 1});
    if (rule.returned != Counter::count_) list.push_back({rule.returned, 1});
  }
}

struct ScalarWidth {
  uint8_t dwords;
  Counter counter;
};
constexpr ScalarWidth kScalarWidths[] = {{1, Counter::SQC_DCACHE_REQ_READ_1},
                                         {2, Counter::SQC_DCACHE_REQ_READ_2},
                                         {4, Counter::SQC_DCACHE_REQ_READ_4},
                                         {8, Counter::SQC_DCACHE_REQ_READ_8},
                                         {16, Counter::SQC_DCACHE_REQ_READ_16}};

void add_scalar_memory(const Inst& inst, List& list) {
  const OpClass& of = op_class(inst.op);
  if (of.touch == Touch::Atomic) list.push_back({Counter::SQC_DCACHE_ATOMIC, 1});
  if (of.form == MemoryForm::CacheControl)
    list.push_back({Counter::SQ_INSTS_SMEM_NORM, 2});  // four in all
  if (of.touch != Touch::Read) return;
  for (const ScalarWidth& width : kScalarWidths)
    if (width.dwords == inst.dst.dwords) list.push_back({width.counter, 1});
}

void add_lds(const Inst& inst, List& list) {
  if (!inst.gds) {
    list.push_back({Counter::SQ_INSTS_LDS, 1});
    if (op_class(inst.op).touch == Touch::None)  // permutes and the like use the crossbar once
      list.push_back({Counter::SQ_LDS_IDX_ACTIVE, kLanes / calibration::kLdsBanks});
    return;
  }
  for (Counter counter :
       {Counter::SQ_INSTS_GDS, Counter::SQ_INSTS_EXP_GDS, Counter::SQ_ACTIVE_INST_EXP_GDS})
    list.push_back({counter, 1});
}

// Everything below depends on the opcode only, and on whether it means GDS.
List make_list(const Inst& inst, const InstructionKind& kind) {
  List list{{Counter::SQ_INSTS, 1}};
  for (const UnitRule& rule : kUnitRules)
    if (rule.unit == kind.unit) list.push_back({rule.counter, rule.amount});
  for (const OpRule& rule : kOpRules)
    if (rule.op == inst.op) list.push_back({rule.counter, 1});
  if (uint32_t quads = vector_quads(kind)) list.push_back({Counter::SQ_ACTIVE_INST_VALU, quads});
  switch (kind.unit) {
    case Unit::Valu: add_arithmetic(op_class(inst.op), list); break;
    case Unit::Matrix: add_matrix(inst.op, kind, list); break;
    case Unit::Vmem:
    case Unit::Flat: add_vector_memory(inst, list); break;
    case Unit::Smem: add_scalar_memory(inst, list); break;
    case Unit::Lds: add_lds(inst, list); break;
    default: break;
  }
  return list;
}

}  // namespace

uint32_t vector_quads(const InstructionKind& kind) {
  bool vector = kind.unit == Unit::Valu || kind.unit == Unit::Matrix;
  return vector ? kind.issue / kQuad : 0;
}

const std::vector<Increment>& increments(const Inst& inst, const InstructionKind& kind) {
  static const List* const kNothing = new List;
  static auto* known = new std::array<std::atomic<const List*>, 2 * size_t(Op::count_)>{};
  if (inst.op >= Op::count_) return *kNothing;
  std::atomic<const List*>& entry = (*known)[size_t(inst.op) * 2 + inst.gds];
  const List* list = entry.load(std::memory_order_acquire);
  if (list) return *list;
  auto made = std::make_unique<const List>(make_list(inst, kind));
  if (entry.compare_exchange_strong(list, made.get())) return *made.release();
  return *list;  // another thread was faster
}

}  // namespace model
}  // namespace vgpu
