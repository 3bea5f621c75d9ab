#include "exec/report/fault.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "exec/cover/coverage.h"
#include "exec/report/inlined_calls.h"
#include "exec/report/source_lines.h"
#include "exec/wave/host_handlers.h"
#include "isa/decode.h"
#include "memory/address_space.h"

namespace vgpu {
namespace {

constexpr const char* kDevice = "GPU node-1 (virtual MI300X)";

const char* headline(Fault fault) {
  switch (fault) {
    case Fault::MemoryAccess: return "Memory access fault by";
    case Fault::MisalignedAtomic: return "Misaligned atomic access by";
    case Fault::IllegalInstruction: return "Illegal instruction on";
    case Fault::LdsOverflow: return "LDS access out of range by";
    case Fault::Assertion: return "Kernel aborted (s_trap) on";
    case Fault::Timeout: return "Time limit exceeded on";
  }
  return "Fault on";
}

// Only one report per process: other threads that fault at the same time wait for the end.
std::unique_lock<std::mutex> only_report() {
  static std::mutex* mutex = new std::mutex;
  return std::unique_lock<std::mutex>(*mutex);
}

std::atomic<void (*)()> fault_handler{nullptr};

[[noreturn]] void end_process() {
  cover::end_with_process();
  if (void (*handler)() = fault_handler.load()) handler();
  std::fflush(stderr);
  std::abort();
}

void print_place(const Wave& wave, uint64_t pc, int lane) {
  const Workgroup& group = *wave.group;
  std::fprintf(stderr, "  kernel:      %s\n", group.dispatch->kernel_name.c_str());
  std::string line = source_line(pc);
  if (!line.empty()) std::fprintf(stderr, "  source:      %s\n", line.c_str());
  std::fprintf(stderr, "  workgroup:   (%u, %u, %u)  wave %u", group.id[0], group.id[1],
               group.id[2], wave.index);
  if (lane >= 0) {
    unsigned item = wave.index * unsigned(kLanes) + unsigned(lane);
    std::fprintf(stderr, "  lane %d  thread (%u, %u, %u)", lane, item % group.extent[0],
                 item / group.extent[0] % group.extent[1],
                 item / group.extent[0] / group.extent[1]);
  }
  std::fprintf(stderr, "\n  pc:          0x%" PRIx64, pc);
  if (pc >= group.dispatch->entry)
    std::fprintf(stderr, " (kernel entry + 0x%" PRIx64 ")", pc - group.dispatch->entry);
  std::fprintf(stderr, "\n  instruction: %s\n", instruction_text(pc).c_str());
}

void print_nearest(uint64_t address) {
  Allocation near;
  if (!AddressSpace::instance().nearest(address, near)) {
    std::fprintf(stderr, "  nearest:     the device has no memory at all\n");
    return;
  }
  uint64_t end = near.base + near.bytes;
  const char* side = address < near.base ? "before"
                     : address >= end    ? "behind the end of"
                                         : "inside";
  uint64_t distance = address < near.base ? near.base - address
                      : address >= end    ? address - end
                                          : address - near.base;
  std::fprintf(stderr,
               "  nearest:     %" PRIu64 " bytes %s %s [0x%" PRIx64 ", 0x%" PRIx64 "), %" PRIu64
               " bytes\n",
               distance, side, near.label.c_str(), near.base, end, near.bytes);
}

void print_address(const Wave& wave, Fault fault, uint64_t address) {
  if (fault == Fault::LdsOverflow) {
    std::fprintf(stderr, "  LDS offset:  %" PRIu64 " of %u bytes allocated to the workgroup\n",
                 address, wave.lds_bytes);
  } else if (address >> 32 == kPrivateAperture >> 32) {
    std::fprintf(stderr,
                 "  private:     offset %" PRIu64 " of %u bytes of a lane's private memory\n",
                 address & kApertureLimit, wave.scratch_bytes);
  } else if (fault == Fault::MemoryAccess || fault == Fault::MisalignedAtomic) {
    std::fprintf(stderr, "  address:     0x%" PRIx64 "\n", address);
    print_nearest(address);
  }
}

const char* state_name(WaveState state) {
  switch (state) {
    case WaveState::Ready:
    case WaveState::Special: return "running";
    case WaveState::AtBarrier: return "at a barrier";
    case WaveState::Sleeping: return "sleeping";
    case WaveState::Ended: return "ended";
  }
  return "";
}

}  // namespace

void set_fault_handler(void (*handler)()) { fault_handler = handler; }

std::string source_lines_with_calls(uint64_t pc) {
  std::shared_ptr<CodeRange> code = find_code(pc);
  if (!code) return std::string();
  const SourceLines lines(code->elf());
  return source_chain(lines, InlinedCalls(code->elf(), lines), pc - code->base());
}

std::string source_line(uint64_t pc) {
  std::shared_ptr<CodeRange> code = find_code(pc);
  return code ? find_source_line(code->elf(), pc - code->base()) : std::string();
}

std::string instruction_text(uint64_t pc) {
  std::shared_ptr<CodeRange> code = find_code(pc);
  if (!code) return "(no code there)";
  const Inst& inst = code->at(pc).inst;
  if (inst.op != Op::invalid) return disassemble(inst, pc);
  char text[32];
  std::snprintf(text, sizeof text, "(unknown) 0x%08x", inst.words[0]);
  return text;
}

void raise_fault(Wave& wave, const Inst& inst, Fault fault, int lane, uint64_t address) {
  auto lock = only_report();
  uint64_t pc = wave.pc - inst.bytes;
  if (fault == Fault::MemoryAccess)
    std::fprintf(stderr,
                 "%s %s on address 0x%" PRIx64 ". Reason: Page not present or not accessible.\n",
                 headline(fault), kDevice, address);
  else std::fprintf(stderr, "%s %s\n", headline(fault), kDevice);
  print_place(wave, pc, lane);
  print_address(wave, fault, address);
  end_process();
}

static void print_waves(const Workgroup& group) {
  for (uint32_t index = 0; index < group.wave_count; ++index) {
    const Wave& wave = group.waves[index];
    std::string line = source_line(wave.pc);
    std::fprintf(stderr,
                 "  workgroup (%u, %u, %u) wave %u: %s, %" PRIu64 " instructions, pc 0x%" PRIx64
                 "  %s%s%s\n",
                 group.id[0], group.id[1], group.id[2], index, state_name(wave.state),
                 wave.executed, wave.pc, instruction_text(wave.pc).c_str(),
                 line.empty() ? "" : "  at ", line.c_str());
  }
}

void report_timeout(const Dispatch& dispatch, const std::vector<const Workgroup*>& groups,
                    double seconds) {
  constexpr size_t kMostGroups = 16;
  auto lock = only_report();
  std::fprintf(stderr,
               "%s %s: kernel %s runs for more than %g s (VROCM_TIMEOUT; 0 means no limit)\n",
               headline(Fault::Timeout), kDevice, dispatch.kernel_name.c_str(), seconds);
  for (size_t g = 0; g < groups.size() && g < kMostGroups; ++g) print_waves(*groups[g]);
  if (groups.size() > kMostGroups)
    std::fprintf(stderr, "  and %zu more resident workgroups\n", groups.size() - kMostGroups);
  end_process();
}

void report_too_long(const Dispatch& dispatch, const Workgroup& group, uint64_t most) {
  auto lock = only_report();
  std::fprintf(stderr,
               "%s %s: a wave of kernel %s executes more than %" PRIu64
               " instructions (VROCM_MOST_INSTRUCTIONS)\n",
               headline(Fault::Timeout), kDevice, dispatch.kernel_name.c_str(), most);
  print_waves(group);
  end_process();
}

void report_no_code(const Dispatch& dispatch) {
  auto lock = only_report();
  std::fprintf(stderr, "%s %s: kernel %s has no code at its entry 0x%" PRIx64 "\n",
               headline(Fault::IllegalInstruction), kDevice, dispatch.kernel_name.c_str(),
               dispatch.entry);
  end_process();
}

}  // namespace vgpu
