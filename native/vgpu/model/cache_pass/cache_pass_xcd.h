// The caches of one XCD, without time: what hits, what misses, and what the fabric is asked for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/counters/counter_values.h"
#include "model/counters/counting_log.h"
#include "model/launch/structure.h"
#include "model/memory/cache_tags.h"
#include "model/memory/code_history.h"
#include "model/memory/vector_tags.h"

namespace vgpu {
namespace model {

// The L2 of an XCD. Lines of 128 bytes; reads fetch the 64-byte halves that are missing, writes
// fetch nothing; dirty sectors go to memory when the line is evicted or the dispatch ends.
class SharedCache {
 public:
  explicit SharedCache(CounterValues& values);

  // `halves`: mask of the 64-byte halves of the line.
  void read(uint64_t line, uint32_t halves, bool host, bool streaming);
  void write(uint64_t line, uint8_t sectors, bool host, bool streaming);  // a request per half
  void atomic(uint64_t line, uint8_t sectors, bool host);                 // in one half
  void finish();  // writes back what is dirty; call once
  void clear() {
    tags_.clear();
    dirty_lines_.fill(0);
  }
  void prefetch(uint64_t line) const { tags_.prefetch(line); }

 private:
  struct State {
    uint8_t valid = 0;  // halves
    uint8_t dirty = 0;  // sectors
  };
  State& place(uint64_t line, bool& hit);
  void make_dirty(State& state, uint8_t sectors);
  void write_back_all();
  void count(Counter kind, bool host, bool streaming, uint64_t requests);
  void fetch(uint32_t halves, bool host);
  void write_to_memory(uint8_t sectors, bool host, uint64_t lines = 1);

  CounterValues& values_;
  DenseTags<State, calibration::kL2Ways> tags_;
  // How many lines there are with such sectors dirty: at the end it does not matter which these are.
  std::array<uint64_t, kAllSectors + 1> dirty_lines_{};
};

class XcdCaches {
 public:
  XcdCaches();

  // A dispatch begins: nothing is counted, and nothing cached but code.
  void begin(const CodeHistory& code, int xcd);

  // A wave starts on `unit`; returns its number among the waves of the unit's scalar cache.
  uint32_t wave_begins(int unit);
  // Its workgroup uses these instruction lines.
  void fetch_code(int unit, const uint64_t* lines, size_t count, uint32_t waves);
  void request(int unit, uint32_t wave, const RequestEntry& entry);
  // Such a request comes soon.
  void prefetch(const RequestEntry& entry) const;
  const CounterValues& finish();

 private:
  struct ScalarLine {
    uint32_t miss_wave = 0;  // that missed first
    uint32_t followers = 0;  // waves after it that asked while the line was under way
  };
  struct CodeLine {
    uint32_t followers = 0;
    bool is_there = true;  // before a wave asks: fetched ahead, or left by an earlier dispatch
  };
  using VectorCache = VectorTags<NoState>;
  struct PairCaches {
    DenseTags<ScalarLine, calibration::kScalarCacheWays> scalar;
    DenseTags<CodeLine, calibration::kInstructionCacheWays> code;
    uint32_t waves = 0;
    PairCaches();
  };

  void read_vector(VectorCache& cache, const RequestEntry& entry);
  void write_vector(const RequestEntry& entry);
  void atomic_vector(VectorCache& cache, const RequestEntry& entry);
  void read_scalar(PairCaches& pair, uint32_t wave, const RequestEntry& entry);
  void write_scalar(PairCaches& pair, const RequestEntry& entry);
  void fetch_line(PairCaches& pair, uint64_t line, bool prefetch, uint32_t waves);

  CounterValues values_;
  SharedCache shared_;
  std::vector<VectorCache> units_;
  std::vector<PairCaches> pairs_;
};

}  // namespace model
}  // namespace vgpu
