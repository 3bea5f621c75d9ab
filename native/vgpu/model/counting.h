// Counting what waves execute, exactly: how often each instruction ran, and the memory requests of
// each wave for the cache pass. A wave is counted while Wave::counts is set.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../exec/code.h"
#include "../exec/workgroup.h"
#include "counter_values.h"
#include "counting_access.h"
#include "counting_log.h"
#include "physical.h"
#include "structure.h"

namespace vgpu {
namespace model {

// How much more often an instruction of a code object ran than the one before it, and with how many
// more lanes in all, as one host thread executed it.
struct SlotChange {
  int64_t hits;
  int64_t lanes;
  uint32_t line_stamp;    // first slot of a line: the workgroup that fetched it last
  bool listed;            // in CodeHits::changes
};

// Slots are zero pages until touched: only instructions that ran cost memory.
struct CodeHits {
  const CodeRange* code = nullptr;
  std::shared_ptr<CodeRange> keeper;     // code that was called into may be unloaded meanwhile
  LazyMemory memory;
  SlotChange* slots = nullptr;
  std::vector<uint32_t> changes;         // slot numbers

  void change(uint64_t pc, int64_t hits, int64_t lanes);
  void add_to(CounterValues& totals);
};

// What one host thread counted for one dispatch.
class ThreadCounts {
 public:
  CodeHits& of(const CodeRange& code) {
    return last_ && last_->code == &code ? *last_ : find(code);
  }
  // Everything that follows from the instructions, and what was added on the way.
  CounterValues totals();

  CounterValues values;
  Translator& translator = this_thread_translator();

 private:
  CodeHits& find(const CodeRange& code);

  std::vector<std::unique_ptr<CodeHits>> codes_;
  CodeHits* last_ = nullptr;
};

struct GroupCounts;

struct WaveCounts {
  ThreadCounts* thread = nullptr;
  GroupCounts* group = nullptr;
  uint64_t next_pc = 0;          // where the wave goes on unless it jumps
  uint64_t fetched = 0;          // instruction block fetched last
  RequestLog requests;           // since the last cache pass
  uint32_t place = 0;            // number among the waves of its scalar cache; set by the pass
};

// A workgroup from its start until the cache pass has seen all of it.
struct GroupCounts {
  uint64_t number = 0;
  bool ended = false;
  bool placed = false;                      // the pass has seen a part of it
  size_t noted_bytes = 0;                   // of bytes(), when its dispatch looked last
  uint32_t stamp = 0;                       // marks the instruction lines that it fetched
  uint64_t private_base = 0;                // physical address of the first wave's private memory
  uint64_t private_bytes = 0;               // of one wave
  std::vector<WaveCounts> waves;
  std::vector<uint64_t> code_lines;         // physical instruction lines, in the order of first use
  size_t bytes() const;
  void clear_requests();
};

void count_memory(Wave& wave, const CodeSlot& slot);

// Counts what a wave executes within one code object, until its turn ends or it leaves that. It
// counts stretches, not steps: instructions one behind the other with the same lanes active.
class StretchCounter {
 public:
  StretchCounter(WaveCounts& counts, const CodeRange& code)
      : counts_(counts),
        code_(counts.thread->of(code)),
        first_(counts.next_pc),
        next_(counts.next_pc) {}
  ~StretchCounter() {
    end();
    counts_.next_pc = next_;
  }
  StretchCounter(const StretchCounter&) = delete;
  StretchCounter& operator=(const StretchCounter&) = delete;

  // The wave is about to execute the instruction; wave.pc is behind it already.
  void step(Wave& wave, const CodeSlot& slot) {
    const uint64_t pc = wave.pc - slot.inst.bytes, exec = wave.exec();
    if (pc != next_ || exec != exec_) begin(pc, exec);
    next_ = wave.pc;
    if (slot.kind.unit >= Unit::Smem && slot.kind.unit <= Unit::Lds) count_memory(wave, slot);
  }
  // It is about to pass by the instruction without executing it.
  void skip(const Wave& wave, const CodeSlot& slot);

 private:
  void begin(uint64_t pc, uint64_t exec);
  void end();
  void count_fetches();

  WaveCounts& counts_;
  CodeHits& code_;
  uint64_t first_, next_;      // the present stretch; next_ is behind its end
  uint64_t exec_ = 0;
  bool jumped_ = false;        // to first_
};

}  // namespace model
}  // namespace vgpu
