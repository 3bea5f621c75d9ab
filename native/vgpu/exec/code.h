// Machine code that the device may run, decoded once per address and executed many times.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "../isa/inst.h"
#include "../model/instruction_kind.h"
#include "check_access.h"

namespace vgpu {

struct CodeSlot {
  Inst inst;
  uint16_t cycles;
  model::InstructionKind kind;
  AccessShape access;  // what it does to memory
};

// What a static look at a kernel's reachable code says about how it may be scheduled.
struct KernelTraits {
  bool order_dependent = false;  // results may depend on the order of workgroups
};

class CodeRange {
 public:
  CodeRange(uint64_t base, size_t bytes, const void* elf, size_t elf_bytes);
  ~CodeRange();
  CodeRange(const CodeRange&) = delete;
  CodeRange& operator=(const CodeRange&) = delete;

  uint64_t base() const { return base_; }
  size_t bytes() const { return bytes_; }
  // The part that the ELF marks executable; everything when there is no ELF.
  uint64_t executable_begin() const { return executable_begin_; }
  uint64_t executable_end() const { return executable_end_; }
  bool contains(uint64_t pc) const { return pc - base_ < bytes_; }
  const std::vector<uint8_t>& elf() const { return elf_; }
  // Whether it is plain memory that no loader registered.
  bool in_plain_memory() const { return elf_.empty(); }

  // The decoded instruction at `pc`, which must lie inside.
  const CodeSlot& at(uint64_t pc) {
    CodeSlot& slot = slots_[(pc - base_) / 4];
    if (__builtin_expect(__atomic_load_n(&slot.inst.exec, __ATOMIC_ACQUIRE) == nullptr, 0))
      decode_slot(pc, slot);
    return slot;
  }

  KernelTraits traits(uint64_t entry);

 private:
  void decode_slot(uint64_t pc, CodeSlot& slot);

  void find_executable_part();

  uint64_t base_;
  size_t bytes_;
  uint64_t executable_begin_, executable_end_;
  CodeSlot* slots_;  // zero pages until decoded
  std::vector<uint8_t> elf_;
  std::mutex mutex_;
  std::vector<std::pair<uint64_t, KernelTraits>> known_;
};

// The range that holds `pc`, or null: registered code, or plain memory, from which code runs as on the
// hardware (a program may put machine code where it likes). Such memory is decoded once, until it is
// unmapped.
std::shared_ptr<CodeRange> find_code(uint64_t pc);
void forget_code_in_memory(uint64_t base);

}  // namespace vgpu
