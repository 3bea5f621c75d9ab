#include "exec/check/check.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "exec/check/access.h"
#include "exec/check/rules.h"
#include "exec/cover/coverage.h"
#include "exec/report/fault.h"

namespace vgpu {
namespace {

void print_instruction(const char* role, uint64_t pc) {
  std::string line = source_lines_with_calls(pc);
  std::fprintf(stderr, "  %s %s%s%s (pc 0x%" PRIx64 ")\n", role, instruction_text(pc).c_str(),
               line.empty() ? "" : " at ", line.c_str(), pc);
}

// Pairs of code addresses about which something was said.
std::set<std::pair<uint64_t, uint64_t>>& told() {
  static auto* pairs = new std::set<std::pair<uint64_t, uint64_t>>;
  return *pairs;
}

bool is_scalar_load(Op op) {
  return op == Op::s_load_dword || op == Op::s_load_dwordx2 || op == Op::s_load_dwordx4 ||
         op == Op::s_load_dwordx8 || op == Op::s_load_dwordx16;
}

}  // namespace

void check_dispatch_begins(const Dispatch& dispatch) {
  if (checks().each) told().clear();  // dispatches with checks run one at a time
  if (checks().uninit) written_dispatch_begins();
  if (checks().race) race_dispatch_begins(dispatch);
}

void check_dispatch_ends() {
  if (checks().race) race_dispatch_ends();
}

void check_instruction(Wave& wave, const Inst& inst) {
  if (checks().waitcnt) check_waitcnt(wave, inst);
  if (checks().divide) check_divide(wave, inst);
  if (checks().race) race_instruction(wave, inst);
  if (checks().race && is_scalar_load(inst.op)) check_race_scalar(wave, inst);
  LaneAccess access;
  for (int element = 0; element < 2 && lane_access(wave, inst, element, access); ++element) {
    if (checks().memory) check_bounds(wave, inst, access);
    if (checks().uninit) check_written(wave, inst, access);
    if (checks().race) check_race(wave, inst, access, element);
  }
  if (checks().uninit && lds_filled(wave, inst, access)) check_written(wave, inst, access);
}

Finding make_finding(const Wave& wave, uint64_t pc, uint64_t other_pc, const std::string& what) {
  const Workgroup& group = *wave.group;
  std::string id;
  for (uint32_t number : group.id) id += (id.empty() ? "" : ", ") + std::to_string(number);
  return {pc, other_pc, what,
          "in kernel " + group.dispatch->kernel_name + ", workgroup (" + id + "), wave " +
              std::to_string(wave.index)};
}

void report_finding(const Finding& finding) {
  static std::mutex* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  if (!told().insert({finding.pc, finding.other_pc}).second) return;
  std::fprintf(stderr, "VROCM_CHECK: %s\n  %s\n", finding.what.c_str(), finding.where.c_str());
  print_instruction("instruction", finding.pc);
  if (finding.other_pc) print_instruction("and before ", finding.other_pc);
  if (!checks().fatal) return;
  cover::end_with_process();
  std::abort();
}

}  // namespace vgpu
