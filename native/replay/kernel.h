// Running the kernel: in place, or from another code object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "memory.h"
#include "runtime.h"

namespace replay {

struct Kernel {
  uint64_t object = 0;
  uint32_t private_bytes = 0, group_bytes = 0;
  std::unique_ptr<Image> file;      // of a loaded code object
  std::vector<uint64_t> variables;  // where each of the plan's variables lies in it; 0: not there
};

// The queue, the arguments and the signal of all dispatches.
class Launcher {
 public:
  Launcher(const Plan& plan, const Runtime& runtime);

  Kernel prepare(const Variant& variant) const;

  // Waits for the end; returns the device's time in ns.
  double run(const Kernel& kernel, const Shape& shape);

 private:
  void advance_queue();
  void write_queue_pointers(bool ours);
  void move_variables(const Kernel& kernel, bool into_kernel) const;
  void wait() const;

  const Plan& plan_;
  const Runtime& runtime_;
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_{};
  void* kernarg_ = nullptr;
  bool kernarg_on_host_ = true;
  std::vector<uint64_t> captured_queue_pointers_;
};

}  // namespace replay
