// Scalar flow: branches, calls, forks, barriers, waiting and messages.
#include "exec/scalar/select.h"
#include "exec/wave/own_chain.h"
#include "exec/wave/services.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// wave.pc already points behind the instruction, which is what branch offsets are relative to.
VGPU_INLINE void jump(Wave& w, const Inst& i) {
  const int64_t offset = int64_t(int16_t(i.words[0])) * 4;
  if (offset) note_taken_branch(w);
  w.pc += offset;
}

void no_effect(Wave&, const Inst&) {}
void s_branch(Wave& w, const Inst& i) { jump(w, i); }

#define BRANCH_IF(name, condition)    \
  void name(Wave& w, const Inst& i) { \
    if (condition) jump(w, i);        \
  }
BRANCH_IF(s_cbranch_scc0, !w.scc)
BRANCH_IF(s_cbranch_scc1, w.scc)
BRANCH_IF(s_cbranch_vccz, w.vcc() == 0)
BRANCH_IF(s_cbranch_vccnz, w.vcc() != 0)
BRANCH_IF(s_cbranch_execz, w.exec() == 0)
BRANCH_IF(s_cbranch_execnz, w.exec() != 0)
#undef BRANCH_IF

constexpr uint64_t kCodeAddress = ~uint64_t(3);  // the low bits of a target are ignored

void s_getpc_b64(Wave& w, const Inst& i) { write64(w, i.dst, w.pc); }
void s_setpc_b64(Wave& w, const Inst& i) { w.pc = read64(w, i.src[0]) & kCodeAddress; }

void s_swappc_b64(Wave& w, const Inst& i) {
  uint64_t target = read64(w, i.src[0]) & kCodeAddress;
  write64(w, i.dst, w.pc);
  w.pc = target;
}

void s_call_b64(Wave& w, const Inst& i) {
  w.set_pair((i.words[0] >> 16) & 126, w.pc);
  jump(w, i);
}

// The control stack of forks lives in SGPRs, four per entry: the mask, then the address.
constexpr int kStackShift = 29;  // MODE.CSP

VGPU_INLINE void push_path(Wave& w, uint64_t mask, uint64_t address) {
  int entry = int(w.mode >> kStackShift) * 4;
  w.set_pair(entry, mask);
  w.set_pair(entry + 2, address);
  w.mode += 1u << kStackShift;
}

VGPU_INLINE void fork(Wave& w, uint64_t condition, uint64_t target) {
  uint64_t pass = condition & w.exec(), fail = ~condition & w.exec();
  if (fail == 0) {
    w.pc = target;
  } else if (pass != 0) {
    bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    push_path(w, fail_first ? pass : fail, fail_first ? target : w.pc);
    w.set_exec(fail_first ? fail : pass);
    if (!fail_first) w.pc = target;
  }
}

void s_cbranch_g_fork(Wave& w, const Inst& i) {
  fork(w, read64(w, i.src[0]), read64(w, i.src[1]) & kCodeAddress);
}

void s_cbranch_i_fork(Wave& w, const Inst& i) {
  uint64_t target = w.pc + uint64_t(int64_t(int16_t(i.words[0])) * 4);
  fork(w, w.pair((i.words[0] >> 16) & 126), target);
}

void s_cbranch_join(Wave& w, const Inst& i) {
  if (w.mode >> kStackShift == (read32(w, i.src[0]) & 7)) return;
  w.mode -= 1u << kStackShift;
  int entry = int(w.mode >> kStackShift) * 4;
  w.set_exec(w.pair(entry));
  w.pc = w.pair(entry + 2) & kCodeAddress;
}

// Memory completes in order, so that there is nothing to wait for but time. vmcnt is in bits 3:0 and
// 15:14, lgkmcnt in bits 11:8.
void s_waitcnt(Wave& w, const Inst& i) {
  if ((i.words[0] & 0xc00f) == 0) wait_for_memory(w);
  if ((i.words[0] & 0x0f00) == 0) wait_for_scalars(w);
}

// "The hardware implicitly executes S_WAITCNT 0 before executing this instruction."
void end_program(Wave& w, const Inst&) {
  wait_for_memory(w);
  wait_for_scalars(w);
  w.state = WaveState::Ended;
}
void s_barrier(Wave& w, const Inst&) { w.state = WaveState::AtBarrier; }
void s_sleep(Wave& w, const Inst&) { w.state = WaveState::Sleeping; }

void s_setkill(Wave& w, const Inst& i) {
  if (i.words[0] & 1) w.state = WaveState::Ended;
}

// A halted wave waits for a debugger for ever; the dispatch's time limit will report it.
void s_sethalt(Wave& w, const Inst& i) {
  if (i.words[0] & 1) wait_and_retry(w, i);
}

void s_sendmsg(Wave& w, const Inst& i) { send_message(w, i.words[0] & 0xffff); }

void s_sendmsghalt(Wave& w, const Inst& i) {
  send_message(w, i.words[0] & 0xffff);
  wait_and_retry(w, i);
}

// Trap 2 is abort and assert, trap 3 a debugger breakpoint, which without debugger does nothing.
void s_trap(Wave& w, const Inst& i) {
  if ((i.words[0] & 0xff) != 3) raise_fault(w, i, Fault::Assertion, -1, i.words[0] & 0xff);
}

constexpr OpHandler kHandlers[] = {
    {Op::s_nop, no_effect},
    {Op::s_waitcnt, s_waitcnt},
    {Op::s_branch, s_branch},
    {Op::s_cbranch_scc0, s_cbranch_scc0},
    {Op::s_cbranch_scc1, s_cbranch_scc1},
    {Op::s_cbranch_vccz, s_cbranch_vccz},
    {Op::s_cbranch_vccnz, s_cbranch_vccnz},
    {Op::s_cbranch_execz, s_cbranch_execz},
    {Op::s_cbranch_execnz, s_cbranch_execnz},
    {Op::s_cbranch_cdbgsys, no_effect},  // never taken: no debugger sets its conditions
    {Op::s_cbranch_cdbguser, no_effect},
    {Op::s_cbranch_cdbgsys_or_user, no_effect},
    {Op::s_cbranch_cdbgsys_and_user, no_effect},
    {Op::s_cbranch_g_fork, s_cbranch_g_fork},
    {Op::s_cbranch_i_fork, s_cbranch_i_fork},
    {Op::s_cbranch_join, s_cbranch_join},
    {Op::s_getpc_b64, s_getpc_b64},
    {Op::s_setpc_b64, s_setpc_b64},
    {Op::s_swappc_b64, s_swappc_b64},
    {Op::s_call_b64, s_call_b64},
    {Op::s_rfe_b64, s_setpc_b64},
    {Op::s_rfe_restore_b64, s_setpc_b64},  // its second source only restores privileged state
    {Op::s_endpgm, end_program},
    {Op::s_endpgm_saved, end_program},
    {Op::s_endpgm_ordered_ps_done, end_program},
    {Op::s_barrier, s_barrier},
    {Op::s_sleep, s_sleep},
    {Op::s_setkill, s_setkill},
    {Op::s_sethalt, s_sethalt},
    {Op::s_sendmsg, s_sendmsg},
    {Op::s_sendmsghalt, s_sendmsghalt},
    {Op::s_trap, s_trap},
    {Op::s_setprio, no_effect},
    {Op::s_wakeup, no_effect},
    {Op::s_icache_inv, no_effect},
    {Op::s_incperflevel, no_effect},
    {Op::s_decperflevel, no_effect},
    {Op::s_ttracedata, no_effect},
};

}  // namespace

HandlerTable scalar_control_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
