#include "model/cache_pass/cache_pass_xcd.h"

#include <algorithm>

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr uint64_t kLine = kVectorLineBytes;
constexpr uint32_t kBothHalves = 3;
constexpr uint8_t kHalfSectors[2] = {0x3, 0xc};
constexpr uint32_t kSectorsPerHalf = 2;

int half_count(uint32_t halves) { return int(halves & 1) + int(halves >> 1 & 1); }
int sector_count(uint8_t sectors) { return __builtin_popcount(sectors); }
uint32_t halves_in(uint8_t sectors) {
  return ((sectors & kHalfSectors[0]) != 0) + ((sectors & kHalfSectors[1]) != 0);
}

// The half of an L2 line that a 64-byte line is.
uint32_t half_of(uint64_t small_line) { return 1u << (small_line & 1); }

}  // namespace

// --- L2 ------------------------------------------------------------------------------------------

SharedCache::SharedCache(CounterValues& values) : values_(values), tags_(kL2Bytes / kLine) {}

// What all requests have in common is added up at the end (finish).
void SharedCache::count(Counter kind, bool host, bool streaming, uint64_t requests) {
  values_.add(kind, requests);
  if (host) values_.add(Counter::TCC_UC_REQ, requests);
  if (streaming) values_.add(Counter::TCC_STREAMING_REQ, requests);
}

void SharedCache::fetch(uint32_t halves, bool host) {
  values_.add(Counter::TCC_EA0_RDREQ);
  if (halves == kBothHalves) values_.add(Counter::TCC_BUBBLE);
  if (host)
    values_.add(Counter::TCC_EA0_RD_UNCACHED_32B, kSectorsPerHalf * uint64_t(half_count(halves)));
  else values_.add(Counter::TCC_EA0_RDREQ_DRAM);
}

// A half whose sectors are both dirty is one request of 64 bytes, else one of 32.
void SharedCache::write_to_memory(uint8_t sectors, bool host, uint64_t lines) {
  for (uint8_t half : kHalfSectors) {
    uint8_t dirty = sectors & half;
    if (!dirty) continue;
    values_.add(Counter::TCC_EA0_WRREQ, lines);
    if (dirty == half) values_.add(Counter::TCC_EA0_WRREQ_64B, lines);
    if (host) values_.add(Counter::TCC_EA0_WR_UNCACHED_32B, lines * uint64_t(sector_count(dirty)));
    else values_.add(Counter::TCC_EA0_WRREQ_DRAM, lines);
  }
}

SharedCache::State& SharedCache::place(uint64_t line, bool& hit) {
  auto found = tags_.take(line);
  hit = found.hit;
  if (found.evicted) {
    values_.add(Counter::TCC_NORMAL_EVICT);
    if (found.state->dirty) {
      values_.add(Counter::TCC_NORMAL_WRITEBACK);
      values_.add(Counter::TCC_WRITEBACK);
      write_to_memory(found.state->dirty, false);
      --dirty_lines_[found.state->dirty];
    }
  }
  if (!found.hit) *found.state = State{};
  return *found.state;
}

void SharedCache::read(uint64_t line, uint32_t halves, bool host, bool streaming) {
  count(Counter::TCC_READ, host, streaming, 1);
  if (host) {
    values_.add(Counter::TCC_MISS);
    return fetch(halves, true);
  }
  bool hit;
  State& state = place(line, hit);
  uint32_t missing = halves & ~uint32_t(state.valid);
  if (missing) {
    values_.add(Counter::TCC_MISS);
    fetch(missing, false);
  }
  state.valid = uint8_t(state.valid | halves);
}

void SharedCache::write(uint64_t line, uint8_t sectors, bool host, bool streaming) {
  const uint64_t requests = halves_in(sectors);
  count(Counter::TCC_WRITE, host, streaming, requests);
  if (host) {
    values_.add(Counter::TCC_MISS, requests);
    return write_to_memory(sectors, true);
  }
  bool hit;
  State& state = place(line, hit);
  if (!hit) values_.add(Counter::TCC_MISS);  // the second half finds the line
  make_dirty(state, sectors);
  for (uint32_t half = 0; half < 2; ++half)
    if ((state.dirty & kHalfSectors[half]) == kHalfSectors[half])
      state.valid = uint8_t(state.valid | 1u << half);
}

void SharedCache::atomic(uint64_t line, uint8_t sectors, bool host) {
  count(Counter::TCC_ATOMIC, host, false, 1);
  if (host) {
    values_.add(Counter::TCC_MISS);
    values_.add(Counter::TCC_EA0_ATOMIC);
    return write_to_memory(sectors, true);
  }
  bool hit;
  State& state = place(line, hit);
  uint32_t half = sectors & kHalfSectors[0] ? 1 : 2;
  bool missing = half & ~uint32_t(state.valid);
  if (missing) {
    values_.add(Counter::TCC_MISS);
    fetch(half, false);
  }
  state.valid = uint8_t(state.valid | half);
  make_dirty(state, sectors);
}

void SharedCache::make_dirty(State& state, uint8_t sectors) {
  if (state.dirty) --dirty_lines_[state.dirty];
  state.dirty = uint8_t(state.dirty | sectors);
  if (state.dirty) ++dirty_lines_[state.dirty];
}

void SharedCache::write_back_all() {
  for (size_t sectors = 1; sectors < dirty_lines_.size(); ++sectors) {
    const uint64_t lines = dirty_lines_[sectors];
    values_.add(Counter::TCC_ALL_TC_OP_WB_WRITEBACK, lines);
    values_.add(Counter::TCC_WRITEBACK, lines);
    write_to_memory(uint8_t(sectors), false, lines);
  }
}

void SharedCache::finish() {
  write_back_all();
  const uint64_t requests =
      values_[Counter::TCC_READ] + values_[Counter::TCC_WRITE] + values_[Counter::TCC_ATOMIC];
  values_.add(Counter::TCC_REQ, requests);
  values_.add(Counter::TCC_RW_REQ, requests - values_[Counter::TCC_UC_REQ]);
  values_.add(Counter::TCC_HIT, requests - values_[Counter::TCC_MISS]);
}

// --- vector cache --------------------------------------------------------------------------------

XcdCaches::PairCaches::PairCaches()
    : scalar(kScalarCacheBytes / kScalarLineBytes),
      code(kInstructionCacheBytes / kInstructionLineBytes) {}

XcdCaches::XcdCaches()
    : shared_(values_),
      units_(kUnitsPerXcd, VectorCache(kVectorCacheBytes / kLine)),
      pairs_(kPairsPerXcd) {}

void XcdCaches::begin(const CodeHistory& code, int xcd) {
  shared_.clear();
  for (VectorCache& unit : units_) unit.clear();
  for (int pair = 0; pair < kPairsPerXcd; ++pair) {
    PairCaches& caches = pairs_[size_t(pair)];
    caches.scalar.clear();
    caches.code.clear(code.left_in(xcd, pair));
    caches.waves = 0;
  }
  values_ = CounterValues{};
  values_.add(Counter::TCP_TOTAL_WRITEBACK_INVALIDATES, kUnitsPerXcd);  // as the dispatch begins
}

// A miss fetches the whole line, also when a lane needs a part of it only.
void XcdCaches::read_vector(VectorCache& cache, const RequestEntry& entry) {
  const bool cached = !entry.host && !entry.coherent;
  uint64_t requests = 0;
  for (uint32_t n = 0; n < entry.count; ++n) {
    if (!cached) cache.forget(entry.line(n));
    if (cached && cache.take(entry.line(n)).hit) continue;
    ++requests;
    shared_.read(entry.line(n), kBothHalves, entry.host, entry.streaming);
  }
  values_.add(Counter::TCP_TCC_READ_REQ, requests);
  values_.add(entry.host ? Counter::TCP_TCC_UC_READ_REQ : Counter::TCP_TCC_RW_READ_REQ, requests);
}

// Written through, one request for every half, and not allocated.
void XcdCaches::write_vector(const RequestEntry& entry) {
  uint64_t requests = 0;
  for (uint32_t n = 0; n < entry.count; ++n) {
    requests += halves_in(entry.sectors(n));
    shared_.write(entry.line(n), entry.sectors(n), entry.host, entry.streaming);
  }
  values_.add(Counter::TCP_TCC_WRITE_REQ, requests);
  values_.add(entry.host ? Counter::TCP_TCC_UC_WRITE_REQ : Counter::TCP_TCC_RW_WRITE_REQ, requests);
}

// Done by the L2, whose value the vector cache does not learn.
void XcdCaches::atomic_vector(VectorCache& cache, const RequestEntry& entry) {
  for (uint32_t n = 0; n < entry.count; ++n) {
    cache.forget(entry.line(n));
    for (uint8_t half : kHalfSectors) {
      uint8_t sectors = entry.sectors(n) & half;
      if (!sectors) continue;
      values_.add(entry.kind == Request::AtomicReturn ? Counter::TCP_TCC_ATOMIC_WITH_RET_REQ
                                                      : Counter::TCP_TCC_ATOMIC_WITHOUT_RET_REQ);
      values_.add(entry.host ? Counter::TCP_TCC_UC_ATOMIC_REQ : Counter::TCP_TCC_RW_ATOMIC_REQ);
      shared_.atomic(entry.line(n), sectors, entry.host);
    }
  }
}

// --- scalar and instruction caches ---------------------------------------------------------------

uint32_t XcdCaches::wave_begins(int unit) { return pairs_[size_t(pair_of_unit(unit))].waves++; }

// The first request of a wave that comes while the line is under way is a duplicate miss; on MI300X
// those are the next 30 waves (vecCopy: 1 miss and 30 duplicates in each of 160 caches).
void XcdCaches::read_scalar(PairCaches& pair, uint32_t wave, const RequestEntry& entry) {
  for (uint32_t n = 0; n < entry.count; ++n) {
    auto found = pair.scalar.take(entry.line(n));
    ScalarLine& line = *found.state;
    if (found.hit) {
      uint32_t behind = wave - line.miss_wave;
      bool waits = behind >= 1 && behind <= uint32_t(kDuplicateMissWaves);
      uint32_t bit = waits ? 1u << (behind - 1) : 0;
      bool duplicate = bit & ~line.followers;
      line.followers |= bit;
      values_.add(duplicate ? Counter::SQC_DCACHE_MISSES_DUPLICATE : Counter::SQC_DCACHE_HITS);
      continue;
    }
    line = {wave, 0};
    values_.add(Counter::SQC_DCACHE_MISSES);
    values_.add(Counter::SQC_TC_REQ);
    values_.add(Counter::SQC_TC_DATA_READ_REQ);
    shared_.read(entry.line(n) / 2, half_of(entry.line(n)), entry.host, false);
  }
}

void XcdCaches::write_scalar(PairCaches& pair, const RequestEntry& entry) {
  for (uint32_t n = 0; n < entry.count; ++n) {
    pair.scalar.forget(entry.line(n));
    values_.add(Counter::SQC_DCACHE_MISSES);
    values_.add(Counter::SQC_TC_REQ);
    values_.add(Counter::SQC_TC_DATA_WRITE_REQ);
    uint8_t sectors = kHalfSectors[entry.line(n) & 1];
    shared_.write(entry.line(n) / 2, sectors, entry.host, false);
  }
}

void XcdCaches::fetch_line(PairCaches& pair, uint64_t line, bool prefetch, uint32_t waves) {
  auto found = pair.code.take(line);
  CodeLine& code = *found.state;
  if (!found.hit) {
    code = {0, prefetch};
    if (!prefetch) values_.add(Counter::SQC_ICACHE_MISSES);
    values_.add(Counter::SQC_TC_REQ);
    values_.add(Counter::SQC_TC_INST_REQ);
    shared_.read(line / 2, half_of(line), false, false);
    if (!prefetch && waves) --waves;  // the wave that missed is no duplicate
  }
  if (prefetch || code.is_there) return;
  uint32_t late = std::min(waves, uint32_t(kDuplicateFetchWaves) - code.followers);
  code.followers += late;
  values_.add(Counter::SQC_ICACHE_MISSES_DUPLICATE, late);
}

// Lines behind a fetched one are fetched ahead and never miss: vecCopy, whose code fills two lines,
// misses once and asks the L2 for four lines.
void XcdCaches::fetch_code(int unit, const uint64_t* lines, size_t count, uint32_t waves) {
  PairCaches& pair = pairs_[size_t(pair_of_unit(unit))];
  for (size_t n = 0; n < count; ++n) {
    fetch_line(pair, lines[n], false, waves);
    for (uint32_t ahead = 1; ahead <= uint32_t(kPrefetchedCodeLines); ++ahead)
      fetch_line(pair, lines[n] + ahead, true, 0);
  }
}

// --- all of them ---------------------------------------------------------------------------------

void XcdCaches::request(int unit, uint32_t wave, const RequestEntry& entry) {
  VectorCache& cache = units_[size_t(unit)];
  PairCaches& pair = pairs_[size_t(pair_of_unit(unit))];
  switch (entry.kind) {
    case Request::Read: return read_vector(cache, entry);
    case Request::Write: return write_vector(entry);
    case Request::Atomic:
    case Request::AtomicReturn: return atomic_vector(cache, entry);
    case Request::Scalar: return read_scalar(pair, wave, entry);
    case Request::ScalarWrite: return write_scalar(pair, entry);
    case Request::Invalidate: return cache.clear();
  }
}

// The L2 is larger than the host's nearest caches; the others are not.
void XcdCaches::prefetch(const RequestEntry& entry) const {
  constexpr uint32_t kMost = 4;
  if (entry.host || entry.kind >= Request::Scalar) return;
  const uint32_t lines = std::min(entry.count, kMost);
  for (uint32_t n = 0; n < lines; ++n) shared_.prefetch(entry.line(n));
}

const CounterValues& XcdCaches::finish() {
  shared_.finish();
  return values_;
}

}  // namespace model
}  // namespace vgpu
