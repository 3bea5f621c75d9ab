// VROCM_COVERAGE: which instructions of a dispatch were executed, and on which sides; which bytes it
// needs and makes, and its floating-point operations. Each host thread has a part; together they are
// one line of the file when the dispatch ends, or when a fault ends the process.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exec/cover/sheet.h"
#include "exec/cover/touched_bytes.h"
#include "exec/wave/wave.h"

namespace vgpu::cover {

bool wanted();  // read once; a file that cannot be opened ends the program with a message

// What one host thread has seen.
struct Part {
  explicit Part(TouchedBytes& touched) : bytes(touched) {}

  Sheet sheet;
  ByteMarker bytes;
  // Another thread may read these, as it may the sheet; one writes them.
  std::atomic<uint64_t> flops{0};
  std::atomic<uint64_t> executed{0};      // instructions, of all waves
  std::atomic<uint64_t> longest_wave{0};  // instructions of the wave that has most

  void add_flops(uint64_t more) { set(flops, get(flops) + more); }
  void add_instruction(uint64_t of_its_wave) {
    set(executed, get(executed) + 1);
    if (of_its_wave > get(longest_wave)) set(longest_wave, of_its_wave);
  }

  static uint64_t get(const std::atomic<uint64_t>& one) {
    return one.load(std::memory_order_relaxed);
  }

 private:
  static void set(std::atomic<uint64_t>& one, uint64_t value) {
    one.store(value, std::memory_order_relaxed);
  }
};

// What is covered.
struct Subject {
  std::string kernel;
  uint64_t origin = 0;                 // the address of the kernel's symbol
  std::vector<AddressRange> left_out;  // memory whose bytes are not counted
};

class Coverage {
 public:
  Coverage(Subject subject, uint64_t dispatch)
      : kernel_(std::move(subject.kernel)),
        dispatch_(dispatch),
        origin_(subject.origin),
        touched_(std::move(subject.left_out)) {}

  Part& of_this_thread();
  std::string line(bool ended);

 private:
  const std::string kernel_;
  const uint64_t dispatch_;  // 0, 1, 2... in this process
  const uint64_t origin_;
  std::mutex mutex_;
  TouchedBytes touched_;
  std::vector<std::unique_ptr<Part>> parts_;
};

// Null unless wanted. Those that have begun and not ended are known until the process ends.
std::shared_ptr<Coverage> begin(Subject subject);
void end(const std::shared_ptr<Coverage>& coverage);
// Writes the lines of all that have not ended: a fault ends the process.
void end_with_process();

// The wave is about to execute the instruction; its pc is behind it already. `wave_number`: of the
// dispatch.
void mark(Sheet& sheet, Wave& wave, const Inst& inst, uint64_t wave_number);
void count_flops(Part& part, const Wave& wave, const Inst& inst);

}  // namespace vgpu::cover
