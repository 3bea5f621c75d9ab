#include "exec/code/order_scan.h"

#include <unordered_set>
#include <vector>

#include "exec/code/code.h"
#include "isa/op_class.h"

namespace vgpu {
namespace {

bool is_memory(const Inst& i) {
  return i.format == Format::FLAT || i.format == Format::GLOBAL || i.format == Format::MUBUF ||
         i.format == Format::MTBUF;
}

class Scanner {
 public:
  explicit Scanner(CodeRange& code) : code_(code) {}

  KernelTraits run(uint64_t entry) {
    pending_.push_back(entry);
    while (!pending_.empty() && !found_.waits) {
      uint64_t pc = pending_.back();
      pending_.pop_back();
      follow(pc);
    }
    return found_;
  }

 private:
  void follow(uint64_t pc) {
    while (!found_.waits && code_.contains(pc) && seen_.insert(pc).second) {
      const Inst& i = code_.at(pc).inst;
      uint64_t next = pc + i.bytes;
      judge(i);
      if (i.op == Op::invalid || i.op == Op::s_endpgm) return;
      if (is_branch(i)) pending_.push_back(next + uint64_t(int64_t(int16_t(i.words[0])) * 4));
      if (i.op == Op::s_branch) return;
      if (is_indirect(i)) {
        // Any function may be called. Those that this kernel does not call cost only speed.
        if (!swept_) sweep();
        if (i.op == Op::s_setpc_b64) return;
      }
      pc = next;
    }
  }

  // Every instruction of the code object, in address order.
  void sweep() {
    swept_ = true;
    for (uint64_t pc = code_.executable_begin(); pc < code_.executable_end() && !found_.waits;) {
      const Inst& i = code_.at(pc).inst;
      judge(i);
      pc += i.bytes;
    }
  }

  static bool is_branch(const Inst& i) {
    return i.op == Op::s_call_b64 || i.op == Op::s_cbranch_i_fork ||
           (i.format == Format::SOPP && op_class(i.op).unit == Unit::Branch);
  }

  static bool is_indirect(const Inst& i) {
    return i.op == Op::s_setpc_b64 || i.op == Op::s_swappc_b64 || i.op == Op::s_cbranch_g_fork;
  }

  void judge(const Inst& i) {
    const OpClass& of = op_class(i.op);
    const bool atomic = of.touch == Touch::Atomic;
    if (atomic && is_memory(i)) {
      // Atomics of one kind may run in any order, unless somebody looks at what was there before.
      const Commutes kind = i.sc0 ? Commutes::No : of.commutes;
      if (kind == Commutes::No || (kind_ != Commutes::No && kind_ != kind))
        found_.order_dependent = true;
      if (kind != Commutes::No) kind_ = kind;
      if (i.sc0) found_.waits = true;
    } else if (is_memory(i) && i.sc1 && of.touch == Touch::Read) {
      found_ = {true, true};
    }
    if (of.form == MemoryForm::GlobalSync) found_ = {true, true};
    if ((i.format == Format::SMEM && atomic) || i.op == Op::s_sendmsg ||
        (i.op == Op::buffer_inv && i.sc1))
      found_.order_dependent = true;
  }

  CodeRange& code_;
  std::vector<uint64_t> pending_;
  std::unordered_set<uint64_t> seen_;
  Commutes kind_ = Commutes::No;  // of the atomics seen so far
  bool swept_ = false;
  KernelTraits found_;
};

}  // namespace

KernelTraits order_traits(CodeRange& code, uint64_t entry) { return Scanner(code).run(entry); }

}  // namespace vgpu
