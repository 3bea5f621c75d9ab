// Machine code that the device may run, decoded once per address and executed many times.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "observe/decoded_code.h"

namespace vgpu {

// What a static look at a kernel's reachable code says about how it may be scheduled.
struct KernelTraits {
  bool order_dependent = false;  // results may depend on the order of workgroups
  bool waits = false;            // and they may wait for what others store
};

class CodeRange final : public DecodedCode {
 public:
  CodeRange(uint64_t base, size_t bytes, const void* elf, size_t elf_bytes);
  ~CodeRange() override;

  // The part that the ELF marks executable; everything when there is no ELF.
  uint64_t executable_begin() const { return executable_begin_; }
  uint64_t executable_end() const { return executable_end_; }
  const std::vector<uint8_t>& elf() const { return elf_; }
  // Whether it is plain memory that no loader registered.
  bool in_plain_memory() const { return elf_.empty(); }

  KernelTraits traits(uint64_t entry);

 private:
  void decode_from(uint64_t pc) override;
  ExecFn fill(uint64_t pc, CodeSlot& slot) const;
  void find_executable_part();

  uint64_t executable_begin_, executable_end_;
  std::vector<uint8_t> elf_;
  std::mutex mutex_;
  std::vector<std::pair<uint64_t, KernelTraits>> known_;
};

// Before the first instruction is decoded; without one nothing but the wave's own clock is summed.
void set_weigher(Weigher who);

// The range that holds `pc`, or null: registered code, or plain memory, from which code runs as on the
// hardware (a program may put machine code where it likes). Such memory is decoded once, until it is
// unmapped.
std::shared_ptr<CodeRange> find_code(uint64_t pc);
void forget_code_in_memory(uint64_t base);

}  // namespace vgpu
