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
#include "structure.h"

namespace vgpu {
namespace model {

// One instruction of a code object, as one host thread executed it.
struct SlotHits {
  uint64_t hits;
  uint64_t lanes;         // active lanes, summed; vector arithmetic only
  AccessShape shape;      // of memory instructions
  uint32_t line_stamp;    // first slot of a line: the workgroup that fetched it last
};

// Slots are zero pages until touched: only instructions that ran cost memory.
struct CodeHits {
  const CodeRange* code = nullptr;
  std::shared_ptr<CodeRange> keeper;     // code that was called into may be unloaded meanwhile
  LazyMemory memory;
  SlotHits* slots = nullptr;
  std::vector<uint32_t> touched;         // slot numbers
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

void count_fetch(WaveCounts& counts, CodeHits& hits, uint64_t block);
void count_memory(Wave& wave, const CodeSlot& slot, SlotHits& hits);
void begin_slot(const CodeSlot& slot, SlotHits& hits);

// Counts the instruction that the wave is about to execute; wave.pc is behind it already.
inline void count_step(Wave& wave, const CodeSlot& slot, const CodeRange& code) {
  WaveCounts& counts = *wave.counts;
  CodeHits& known = counts.thread->of(code);
  const uint64_t pc = wave.pc - slot.inst.bytes;
  const uint64_t first = pc / calibration::kFetchBytes;
  const uint64_t last = (wave.pc - 1) / calibration::kFetchBytes;
  if (pc != counts.next_pc || first != counts.fetched) count_fetch(counts, known, first);
  if (last != first) count_fetch(counts, known, last);
  counts.next_pc = wave.pc;
  if ((wave.mode & kModeSkipVector) && slot.inst.format >= Format::VOP1) {
    counts.thread->values.add(Counter::SQ_INSTS_VSKIPPED);
    return;
  }
  const uint32_t index = uint32_t((pc - code.base()) / 4);
  SlotHits& hits = known.slots[index];
  if (hits.hits++ == 0) {
    known.touched.push_back(index);
    begin_slot(slot, hits);
  }
  const Unit unit = slot.kind.unit;
  if (unit == Unit::Valu || unit == Unit::Matrix) {
    const uint64_t exec = wave.exec();
    hits.lanes += exec == ~uint64_t(0) ? uint64_t(kLanes) : uint64_t(__builtin_popcountll(exec));
  } else if (unit >= Unit::Smem && unit <= Unit::Lds) {
    count_memory(wave, slot, hits);
  }
}

}  // namespace model
}  // namespace vgpu
