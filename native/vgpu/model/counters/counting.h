// Counting what waves execute, exactly: how often each instruction ran, and the memory requests of
// each wave for the cache pass.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/lazy_memory.h"
#include "memory/physical.h"
#include "model/counters/counter_values.h"
#include "model/counters/counting_log.h"
#include "model/counters/group_notes.h"
#include "model/launch/structure.h"
#include "observe/observer.h"

namespace vgpu {
namespace model {

// How much more often an instruction of a code object ran than the one before it, and with how many
// more lanes in all, as one host thread executed it.
struct SlotChange {
  int64_t hits;
  int64_t lanes;
  uint32_t line_stamp;  // first slot of a line: the workgroup that fetched it last
  bool listed;          // in CodeHits::changes
};

// Slots are zero pages until touched: only instructions that ran cost memory.
struct CodeHits {
  std::shared_ptr<DecodedCode> code;  // kept: code that was called into may be unloaded meanwhile
  LazyMemory memory;
  SlotChange* slots = nullptr;
  std::vector<uint32_t> changes;  // slot numbers

  void change(uint64_t pc, int64_t hits, int64_t lanes);
  void add_to(CounterValues& totals);
};

struct GroupCounts;

// What one host thread counted for one dispatch.
class ThreadCounts {
 public:
  CodeHits& of(DecodedCode& code) {
    return last_ && last_->code.get() == &code ? *last_ : find(code);
  }
  // Everything that follows from the instructions, and what was added on the way.
  CounterValues totals();

  CounterValues values;
  Translator& translator = this_thread_translator();
  GroupNotes notes;                    // of workgroups that have ended
  std::unique_ptr<GroupCounts> spare;  // of the last of them

 private:
  CodeHits& find(DecodedCode& code);

  std::vector<std::unique_ptr<CodeHits>> codes_;
  CodeHits* last_ = nullptr;
};

class WaveCounts final : public WaveObserver {
 public:
  WaveCounts() : WaveObserver(kStretches | kMemory) {}
  void begin(GroupCounts& group, uint64_t private_base);
  // Another one who wants nothing but to be asked again; null: nobody.
  void ask_too(WaveObserver* who);
  void ask_again(uint64_t pc) override;

  // It counts stretches, not steps: what every instruction of one adds is summed up at the end.
  void enter(DecodedCode& code) override;
  void ran(uint64_t first, uint64_t end, uint64_t exec, bool jumped) override;
  void skipped(uint64_t first, uint64_t end, bool jumped) override;
  void lanes(const CodeSlot& slot, const LaneAccess& access) override;
  void scalar(const CodeSlot& slot, const ScalarAccess& access) override;
  void cache_control(const CodeSlot& slot) override;

  RequestLog requests;  // since the last cache pass
  uint32_t place = 0;   // number among the waves of its scalar cache; set by the pass

 private:
  ThreadCounts& thread() const;
  void count_fetches(uint64_t first, uint64_t end, bool jumped);
  void count_requests(const Inst& inst, const PlacedRequests& placed, Touch touch, bool host);
  void count_vector(const CodeSlot& slot, const LaneAccess& access);
  void count_private(const Inst& inst, const LaneAccess& access, uint64_t lanes);

  WaveObserver* asked_too_ = nullptr;
  GroupCounts* group_ = nullptr;
  CodeHits* code_ = nullptr;   // where the wave is
  uint64_t private_base_ = 0;  // physical address of its private memory
  uint64_t fetched_ = 0;       // instruction block fetched last
};

// A workgroup from its start until it is noted, or until the cache pass has seen all of it.
struct GroupCounts {
  uint64_t number = 0;
  bool ended = false;
  bool placed = false;             // the pass has seen a part of it
  uint32_t stamp = 0;              // marks the instruction lines that it fetched
  size_t noted_bytes = 0;          // of bytes(), when its dispatch looked last
  ThreadCounts* thread = nullptr;  // that executes it
  std::vector<WaveCounts> waves;
  std::vector<uint64_t> code_lines;  // physical instruction lines, in the order of first use
  size_t bytes() const;
  // Each wave keeps memory for so many words at most.
  void clear_requests(size_t most_kept);
};

}  // namespace model
}  // namespace vgpu
