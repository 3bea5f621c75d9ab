// The memory of XCD 0 as time sees it: vector caches of its CUs, scalar and instruction caches of
// pairs of CUs, the L2 with its channels, and this XCD's share of Infinity Cache and HBM.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>
#include <vector>

#include "cache_tags.h"
#include "memory_history.h"
#include "pipe.h"
#include "structure.h"
#include "tape.h"

namespace vgpu {
namespace model {

class MemorySystem {
 public:
  // `share`: of the dispatch's work that runs on this XCD, hence of the memory's bandwidth.
  MemorySystem(double share, MemoryHistory& history);

  // When the data of a vector memory instruction that issues at `at` is there, or its store is
  // acknowledged.
  double vector(int unit, const TapeAccess& access, const uint64_t* requests, double at);
  double scalar(int unit, const TapeAccess& access, const uint64_t* requests, double at);
  // When the instruction line (64 bytes, physical) can be decoded.
  double fetch(int unit, uint64_t line, double at);

  // How far the queue of a CU's address unit reaches ahead: issue waits for it.
  double queue_free(int unit) const { return units_[size_t(unit)].address.free; }

  // Writes back what is dirty at the end of a kernel; returns when the last byte has left.
  double drain(double at);

  // Cycles that what has passed takes the fabric or the memory, whichever takes longer.
  double busiest() const { return std::max(fabric_.busy, memory_.busy); }

  double address_busy() const;
  double cache_stall() const { return cache_stall_; }

 private:
  struct Arrival {
    double ready = 0;
  };
  struct SharedLine {
    double ready = 0;
    uint8_t dirty = 0;    // mask of 64-byte halves
  };
  struct UnitCaches {
    CacheTags<Arrival> lines;
    Pipe address;    // tags and data of the vector cache
    UnitCaches();
  };
  struct PairCaches {
    CacheTags<Arrival> scalar, instructions;
    PairCaches();
  };

  double load_line(UnitCaches& unit, uint64_t request, double at);
  double store_line(uint64_t request, double at);
  double atomic_line(uint64_t request, double lanes, double at);
  double read_shared(uint64_t line, double at);
  SharedLine& shared_entry(uint64_t line, double at, bool& hit);
  double read_memory(uint64_t line, double at);
  void write_memory(uint64_t line, int halves, double at);
  double memory_cycles(double bytes, bool write);
  double translation(uint64_t line);
  Pipe& channel(uint64_t line);

  MemoryHistory& history_;
  std::vector<UnitCaches> units_;
  std::vector<PairCaches> pairs_;
  CacheTags<SharedLine> shared_;
  std::array<Pipe, calibration::kL2Channels> channels_;
  Pipe fabric_, memory_;
  double fabric_rate_, memory_read_rate_, memory_write_rate_;   // bytes per cycle
  double read_bytes_ = 0, written_bytes_ = 0;
  double cache_stall_ = 0;
  std::unordered_set<uint64_t> fetched_;   // lines that came from memory in this dispatch
};

}  // namespace model
}  // namespace vgpu
