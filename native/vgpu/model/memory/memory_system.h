// The memory of an XCD as time sees it: vector caches of its CUs, scalar and instruction caches of
// pairs of CUs, the L2 with its channels, and this XCD's share of Infinity Cache, HBM and links.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/ideal/ideal.h"
#include "model/launch/structure.h"
#include "model/memory/cache_tags.h"
#include "model/memory/history_view.h"
#include "model/memory/latencies.h"
#include "model/memory/line_set.h"
#include "model/memory/links.h"
#include "model/memory/memory_activity.h"
#include "model/memory/pipe.h"
#include "model/memory/vector_tags.h"
#include "model/tape/tape.h"

namespace vgpu {
namespace model {

class MemorySystem {
 public:
  // `share`: of the dispatch's work that runs on this XCD, hence of the memory's bandwidth.
  MemorySystem(double share, HistoryView& history);

  // When the data of a vector memory instruction that issues at `at` is there, or its store is
  // acknowledged.
  double vector(int unit, const TapeAccess& access, const uint64_t* requests, double at);
  double scalar(int unit, const TapeAccess& access, const uint64_t* requests, double at);
  // What a step that is not simulated accessed is in the caches from now on.
  void touch(int unit, const TapeAccess& access, const uint64_t* requests, double at);
  // A workgroup that touches so many bytes begins on a CU, or ends there (less than 0).
  void reside(int unit, double bytes) { resident_bytes_[size_t(unit)] += bytes; }
  // When the instruction line (64 bytes, physical) of the code object that begins with line `code`
  // can be decoded. `first`: it is waited for because nobody has fetched it before.
  double fetch(int unit, uint64_t code, uint64_t line, double at, bool& first);

  // How far the queue of a CU's address unit reaches ahead: issue waits for it.
  double queue_free(int unit) const { return address_[size_t(unit)].free; }

  // Writes back what is dirty at the end of a kernel; returns when the last byte has left.
  double drain(double at);
  // Halves of lines, before that and by it; and the lines that the L2 had then.
  struct WrittenBack {
    double before = 0, at_end = 0, resident = 0;
  };
  const WrittenBack& written_back() const { return written_back_; }

  // Cycles that what has passed takes the fabric, the memory, a link or the line with most atomics,
  // whichever takes longest.
  double busiest() const {
    return std::max({fabric_.busy, memory_.busy, links_.busy(), atomics_on_one_line_});
  }
  double atomics_on_one_line() const { return atomics_on_one_line_; }
  // Of that, what the Infinity Cache and the memory of the whole device would take.
  double fabric_work() const { return fabric_.busy * fabric_rate_ / device_fabric_rate_; }
  double hbm_work() const { return memory_.busy * memory_read_rate_ / device_read_rate_; }

  const Links& links() const { return links_; }

  MemoryTotals activity() const { return activity_.totals(); }

 private:
  struct Arrival {
    double ready = 0;
  };
  struct SharedLine {
    uint64_t line = 0;
    double ready = 0;
    uint8_t dirty = 0;  // mask of 64-byte halves
    Link link = kOwnMemory;
  };
  struct PairCaches {
    DenseTags<Arrival, calibration::kScalarCacheWays> scalar{calibration::kScalarCacheBytes /
                                                             calibration::kScalarLineBytes};
    DenseTags<Arrival, calibration::kInstructionCacheWays> instructions{
        calibration::kInstructionCacheBytes / calibration::kInstructionLineBytes};
    bool code_evicted = false;  // more code of this dispatch than the cache holds
  };
  using UnitLines = VectorTags<Arrival>;
  struct Caches {
    std::vector<UnitLines> units;
    std::vector<PairCaches> pairs;
    DenseTags<SharedLine, calibration::kL2Ways> shared;
    Caches();
    void begin(const HistoryView& history);
  };
  static Caches& this_thread_caches();  // kept from dispatch to dispatch: clearing them is quick

  static constexpr int kNoUnit = -1;  // scalar and instruction caches ask, too
  double load_line(int unit, uint64_t request, Link link, double at);
  double store_line(int unit, uint64_t request, Link link, double at);
  double atomic_line(int unit, uint64_t request, const TapeAccess& access, double at);
  double look_up_pages(int unit, const TapeAccess& access, const uint64_t* requests);
  double read_shared(int unit, uint64_t request, Link link, double at);
  double enter_channel(int unit, uint64_t line, double at, double cycles, const Latencies& way);
  double read_code(uint64_t line, uint64_t code, double at);
  SharedLine& shared_line(uint64_t request, Link link, double at, bool& hit);
  SharedLine& take_shared(uint64_t line, double at, bool& hit);
  bool fetched_in_between(uint64_t line);
  bool was_evicted(uint64_t line) const { return evicted_.has(line); }
  double read_memory(uint64_t line, double at);
  double read_memory(uint64_t line, double at, HistoryView::Held held, double walking,
                     const Latencies& way);
  double read_behind(Link link, uint64_t line, double at);
  double read_argument(double at);
  double read_link(Link link, double bytes, double at);
  double write_link(Link link, uint64_t line, double bytes, double at);
  void write_back(const SharedLine& shared, double halves, double at);
  void write_memory(uint64_t line, double halves, double at);
  double memory_cycles(double bytes, bool write) const;
  double behind_fabric(double rate) const {
    return free_.has(Ideal::InfinityCache) ? rate : std::min(fabric_rate_, rate);
  }
  double fabric_queue_cycles(double bytes) const;
  double translation(uint64_t line);

  double address_cycles(const TapeAccess& access, double bytes) const;
  double order_atomics(uint64_t line, double at, double turns, double xcds);
  double pass(Ideal ideal, Pipe& pipe, double at, double cycles) {
    return free_.has(ideal) ? at : pipe.take(at, cycles);
  }

  HistoryView& history_;
  const Ideals free_;
  Caches& caches_;
  std::array<Pipe, calibration::kUnitsPerXcd> address_;   // tags and data of the vector caches
  std::array<Pipe, calibration::kUnitsPerXcd> fetching_;  // of instructions
  std::array<Pipe, calibration::kL2Channels> channels_;
  Pipe fabric_, memory_;
  Links links_;
  MemoryActivity activity_;
  std::array<uint64_t, calibration::kUnitsPerXcd> unit_pages_;  // looked up last by each CU
  double device_fabric_rate_, device_read_rate_;                // bytes per cycle
  double fabric_rate_, memory_read_rate_, memory_write_rate_;   // of that, this XCD's
  const Latencies code_, data_;
  std::array<double, calibration::kUnitsPerXcd> resident_bytes_{};  // that workgroups touch
  double most_xcds_;                                                // that work as much as this one
  std::unordered_map<uint64_t, Pipe> atomics_;                      // by line
  double atomics_on_one_line_ = 0, atomics_end_ = 0;
  LineSet evicted_;  // lines that L2 held earlier in this dispatch
  WrittenBack written_back_;
  std::array<uint64_t, 64> recent_pages_;
};

}  // namespace model
}  // namespace vgpu
