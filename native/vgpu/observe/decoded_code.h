// Code as it is executed: decoded once per address, with what is known of an instruction before it
// runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "isa/inst.h"
#include "observe/access.h"
#include "observe/step_work.h"

namespace vgpu {

// What the loop of the interpreter reads comes first, the operands next: an instruction costs it two
// lines of the host's cache.
struct alignas(64) CodeSlot {
  StepWork work;
  Inst inst;
  Unit unit;
  AccessShape access;  // what it does to memory

  // In memory; only where inst.ahead says that it is decoded.
  const CodeSlot& next() const { return this[inst.ahead]; }
};
static_assert(sizeof(CodeSlot) == 192, "three lines of the host's cache");

// One code object, or a stretch of plain memory that is executed.
class DecodedCode : public std::enable_shared_from_this<DecodedCode> {
 public:
  DecodedCode(const DecodedCode&) = delete;
  DecodedCode& operator=(const DecodedCode&) = delete;

  uint64_t base() const { return base_; }
  size_t bytes() const { return bytes_; }
  bool contains(uint64_t pc) const { return pc - base_ < bytes_; }

  // The decoded instruction at `pc`, which must lie inside.
  const CodeSlot& at(uint64_t pc) {
    const CodeSlot& slot = slots_[(pc - base_) / 4];
    if (__builtin_expect(__atomic_load_n(&slot.inst.exec, __ATOMIC_ACQUIRE) == nullptr, 0))
      decode_from(pc);
    return slot;
  }
  // The same where `before` is the one before it in memory. Where the two were decoded together,
  // whoever sees the one sees the other: Arm's loads that acquire would hold up those behind them.
  const CodeSlot& behind(const CodeSlot& before, uint64_t pc) {
    return __builtin_expect(before.inst.ahead != 0, 1) ? before.next() : at(pc);
  }

 protected:
  // `slots`: one per dword, zeros until decoded; not owned.
  DecodedCode(uint64_t base, size_t bytes, CodeSlot* slots)
      : base_(base), bytes_(bytes), slots_(slots) {}
  virtual ~DecodedCode() = default;
  CodeSlot* slots() const { return slots_; }

 private:
  // Fills the slot at `pc` and those that follow it. inst.exec is written last, and for the slot that
  // inst.ahead leads to before that of the slot itself.
  virtual void decode_from(uint64_t pc) = 0;

  const uint64_t base_;
  const size_t bytes_;
  CodeSlot* const slots_;
};

}  // namespace vgpu
