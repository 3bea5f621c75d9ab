// VROCM_COVERAGE: which instructions of a dispatch were executed, and on which sides. One sheet for
// each host thread; together they are one line of the file when the dispatch ends, or when a fault
// ends the process.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exec/cover/sheet.h"
#include "exec/wave/wave.h"

namespace vgpu::cover {

bool wanted();  // read once; a file that cannot be opened ends the program with a message

class Coverage {
 public:
  // `origin`: the address of the kernel's symbol.
  Coverage(std::string kernel, uint64_t dispatch, uint64_t origin)
      : kernel_(std::move(kernel)), dispatch_(dispatch), origin_(origin) {}

  Sheet& of_this_thread();
  std::string line(bool ended);

 private:
  const std::string kernel_;
  const uint64_t dispatch_;  // 0, 1, 2... in this process
  const uint64_t origin_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Sheet>> sheets_;
};

// Null unless wanted. Those that have begun and not ended are known until the process ends.
std::shared_ptr<Coverage> begin(const std::string& kernel, uint64_t origin);
void end(const std::shared_ptr<Coverage>& coverage);
// Writes the lines of all that have not ended: a fault ends the process.
void end_with_process();

// The wave is about to execute the instruction; its pc is behind it already. `wave_number`: of the
// dispatch.
void mark(Sheet& sheet, Wave& wave, const Inst& inst, uint64_t wave_number);

}  // namespace vgpu::cover
