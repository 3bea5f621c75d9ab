#include "model/bounds/weigh.h"

#include "model/instruction/instruction_kind.h"
#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// What the wave itself cannot be faster than: it issues once per turn, and idles when it asks to.
void ask_for_issue(const Inst& inst, const InstructionKind& kind, StepWork& work) {
  if (inst.op == Op::s_sleep)
    work.ask_to_idle(WorkPart::Issue,
                     kIssueCycles + uint64_t(kSleepCycles) * (inst.words[0] & 0x7f));
  else work.ask(WorkPart::Issue, kind.unit == Unit::Internal ? kind.issue : kIssueCycles);
}

}  // namespace

StepWork work_of(const Inst& inst) {
  const InstructionKind kind = kind_of(inst);
  StepWork work;
  ask_for_issue(inst, kind, work);
  switch (kind.unit) {
    case Unit::Valu: work.ask(WorkPart::Vector, kind.issue); break;
    case Unit::Matrix:
      work.ask(WorkPart::Vector, kind.issue);
      work.ask(WorkPart::Matrix, kind.latency);
      break;
    case Unit::Salu: work.ask(WorkPart::Scalar, kind.issue); break;
    case Unit::Smem: work.ask(WorkPart::ScalarMemory, kind.issue); break;
    case Unit::Vmem:
    case Unit::Flat: work.ask(WorkPart::Memory, kind.issue); break;
    case Unit::Branch: work.ask(WorkPart::Branch, kind.issue); break;
    case Unit::Lds:
      work.ask(WorkPart::Lds, lds_bytes(shape_of(op_class(inst.op))) / kLdsPathBytesPerCycle);
      break;
    default: break;
  }
  return work;
}

}  // namespace model
}  // namespace vgpu
