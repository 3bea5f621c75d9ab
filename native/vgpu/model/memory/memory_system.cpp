#include "model/memory/memory_system.h"

#include <algorithm>

#include "model/launch/device_size.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr uint64_t kHalfBytes = kVectorLineBytes / 2;

double bytes_per_cycle(double bytes_per_ns) { return bytes_per_ns / device_size().clock_ghz; }

// Hashing channels spreads strides of powers of two, as the hardware does.
size_t channel_of(uint64_t line) {
  return (line ^ (line >> 4) ^ (line >> 9) ^ (line >> 15)) % kL2Channels;
}

}  // namespace

MemorySystem::Caches::Caches()
    : units(kUnitsPerXcd, UnitLines(kVectorCacheBytes / kVectorLineBytes)),
      pairs(kPairsPerXcd),
      shared(kL2Bytes / kVectorLineBytes) {}

void MemorySystem::Caches::begin(const HistoryView& history) {
  for (UnitLines& lines : units) lines.clear();
  for (int n = 0; n < kPairsPerXcd; ++n) {
    PairCaches& pair = pairs[size_t(n)];
    pair.scalar.clear();
    pair.instructions.clear(history.code_left_in(n));
    pair.code_evicted = false;
  }
  shared.clear();
}

MemorySystem::Caches& MemorySystem::this_thread_caches() {
  static thread_local std::unique_ptr<Caches> caches = std::make_unique<Caches>();
  return *caches;
}

MemorySystem::MemorySystem(double share, HistoryView& history)
    : history_(history),
      free_(ideals()),
      caches_(this_thread_caches()),
      links_(share),
      device_fabric_rate_(bytes_per_cycle(kMallBytesPerNs)),
      device_read_rate_(bytes_per_cycle(kMemoryReadBytesPerNs)),
      fabric_rate_(std::min<double>(kFabricBytesPerCycle, device_fabric_rate_ * share)),
      memory_read_rate_(behind_fabric(device_read_rate_ * share)),
      memory_write_rate_(behind_fabric(bytes_per_cycle(kMemoryWriteBytesPerNs) * share)),
      data_(free_.has(Ideal::MemoryLatency) ? Latencies::none() : Latencies()),
      most_xcds_(1 / share) {
  caches_.begin(history);
  recent_pages_.fill(~uint64_t(0));
  unit_pages_.fill(~uint64_t(0));
}

// When a request that leaves its CU, or a scalar cache, at `at` enters the L2 channel of its line.
double MemorySystem::enter_channel(int unit, uint64_t line, double at, double cycles,
                                   const Latencies& way) {
  size_t channel = channel_of(line);
  double arrives = at + way.to_l2;
  double start = pass(Ideal::L2, channels_[channel], arrives, cycles);
  activity_.entered_channel(channel, unit, arrives, start);
  return start;
}

// --- Vector cache --------------------------------------------------------------------------------

// Of tags and data.
double MemorySystem::address_cycles(const TapeAccess& access, double bytes) const {
  if (free_.has(Ideal::L1)) return 0;
  double turns =
      std::max(bytes / kVectorBytesPerCycle, double(access.lanes) / kLanesPerAddressCycle);
  return std::max(double(access.count), turns + access.conflicts) / kVectorCacheEfficiency;
}

double MemorySystem::vector(int unit, const TapeAccess& access, const uint64_t* requests,
                            double at) {
  const bool at_once = free_.has(Ideal::L1);
  if (access.count == 0) return at_once ? at : at + kIssueCycles;
  double bytes = double(access.lanes) * access.bytes;
  double cycles = address_cycles(access, bytes);
  cycles += look_up_pages(unit, access, requests) * kTranslationMissCycles;
  if (access.atomic && access.system && !free_.has(Ideal::Atomics))
    cycles = std::max(cycles, access.turns * kSystemAtomicCycles);
  double start = cycles > 0 ? address_[size_t(unit)].take(at, cycles) : at;
  double step = cycles / access.count, last = 0;
  for (uint32_t n = 0; n < access.count; ++n) {
    double arrives = start + step * n;
    double ready = access.atomic  ? atomic_line(unit, requests[n], access, arrives)
                   : access.write ? store_line(unit, requests[n], access.link, arrives)
                                  : load_line(unit, requests[n], access.link, arrives);
    last = std::max(last, ready);
  }
  double returning = access.write || at_once ? 0 : bytes / kVectorBytesPerCycle;
  if (!access.write && !at_once) last += returning - 1;
  activity_.accessed(unit, {at, start, start + cycles, last, !access.write, returning});
  if (access.link && access.atomic)
    activity_.atomic_on_host(access.count, data_.l2_hit + links_.latency(access.link));
  return last;
}

// The translation cache of the CU keeps large pages from dispatch to dispatch. Returns how many it
// had to ask for.
double MemorySystem::look_up_pages(int unit, const TapeAccess& access, const uint64_t* requests) {
  double missed = 0;
  for (uint32_t n = 0; n < access.count; ++n) {
    uint64_t page = line_of(requests[n]) * kVectorLineBytes / kTranslatedBytes;
    if (page == unit_pages_[size_t(unit)]) continue;
    unit_pages_[size_t(unit)] = page;
    missed += !history_.translated(unit, page);
  }
  activity_.missed_translations(missed);
  return free_.has(Ideal::Tlb) ? 0 : missed;
}

double MemorySystem::load_line(int unit, uint64_t request, Link link, double at) {
  uint64_t line = line_of(request);
  auto found = caches_.units[size_t(unit)].take(line);
  const bool is_there =
      (request & kTouchedBefore) && resident_bytes_[size_t(unit)] <= kVectorCacheBytes;
  if (!found.hit) found.state->ready = is_there ? at : read_shared(unit, request, link, at);
  return found.hit || is_there ? std::max(at + data_.vector_hit, found.state->ready)
                               : found.state->ready;
}

void MemorySystem::touch(int unit, const TapeAccess& access, const uint64_t* requests, double at) {
  auto there = [at](auto found) {
    if (!found.hit) found.state->ready = at;
  };
  for (uint32_t n = 0; n < access.count; ++n) {
    const uint64_t line = line_of(requests[n]);
    bool hit = false;
    if (access.link != kHostLink) shared_line(requests[n], access.link, at, hit);
    if (access.scalar) {
      auto& cache = caches_.pairs[size_t(pair_of_unit(unit))].scalar;
      for (uint64_t half = 0; half < 2; ++half)
        if (halves_of(requests[n]) >> half & 1) there(cache.take(line * 2 + half));
    } else if (!access.write && !access.atomic) {
      there(caches_.units[size_t(unit)].take(line));
    }
  }
}

// Write-through: the vector cache passes stores on and allocates nothing.
double MemorySystem::store_line(int unit, uint64_t request, Link link, double at) {
  uint64_t line = line_of(request);
  int halves = __builtin_popcount(halves_of(request));
  double cycles = double(halves) * kHalfBytes / kL2WriteBytesPerCycle / kL2Efficiency;
  double start = enter_channel(unit, line, at, cycles, data_);
  if (link == kHostLink) return write_link(link, line, halves * kHalfBytes, start);
  bool hit = false;
  SharedLine& shared = shared_line(request, link, start, hit);
  shared.dirty = uint8_t(shared.dirty | halves_of(request));
  return start + data_.l2_hit - data_.to_l2;
}

// Atomics on a line follow each other, those of all XCDs: the L2 of one does not know what others
// do. Where several have the line, or the host may, that is at the memory's side.
double MemorySystem::atomic_line(int unit, uint64_t request, const TapeAccess& access, double at) {
  uint64_t line = line_of(request);
  double turns = free_.has(Ideal::Atomics) ? 1 : turns_of(request);
  double start = enter_channel(unit, line, at, turns * kAtomicCyclesPerLane, data_);
  if (access.link) {  // done where the memory is
    const double there = read_link(access.link, kHalfBytes, start);
    const double ordered = order_atomics(line, start, turns, most_xcds_);
    return std::max(ordered + data_.l2_hit + links_.latency(access.link) - data_.to_l2, there);
  }
  bool hit = false;
  SharedLine& shared = shared_line(request, kOwnMemory, start, hit);
  if (!hit) shared.ready = read_memory(line, start);
  shared.dirty = uint8_t(shared.dirty | halves_of(request));
  double xcds = std::min<double>(most_xcds_, history_.xcds(line));
  const double ordered = order_atomics(line, start, turns, xcds);
  double latency = access.system || xcds > 1 ? data_.infinity_cache : data_.l2_hit;
  return std::max(ordered + latency - data_.to_l2, shared.ready);
}

// When those before it on the line are done, and itself.
double MemorySystem::order_atomics(uint64_t line, double at, double turns, double xcds) {
  if (free_.has(Ideal::Atomics)) return at;
  Pipe& order = atomics_[line];
  order.take(at, turns * kAtomicSameLineCycles * xcds);
  atomics_on_one_line_ = std::max(atomics_on_one_line_, order.busy);
  atomics_end_ = std::max(atomics_end_, order.free);
  return order.free;
}

// --- L2 ------------------------------------------------------------------------------------------

double MemorySystem::read_shared(int unit, uint64_t request, Link link, double at) {
  const uint64_t line = line_of(request);
  double cycles = double(kVectorLineBytes) / kL2BytesPerCycle / kL2Efficiency;
  double start = enter_channel(unit, line, at, cycles, data_);
  if (link == kHostLink)  // the L2 does not keep it
    return read_link(link, double(__builtin_popcount(halves_of(request))) * kHalfBytes, start);
  bool hit = false;
  SharedLine& shared = shared_line(request, link, start, hit);
  if (!hit) shared.ready = read_behind(link, line, start);
  return std::max(start + data_.l2_hit - data_.to_l2, shared.ready);
}

// By the workgroup, on steps that are not on its tape. Such a line is in L2 unless others took its
// place.
bool MemorySystem::fetched_in_between(uint64_t line) {
  history_.first_touch(line);
  if (history_.keeps_shared(line)) return true;
  evicted_.insert(line);
  return false;
}

// The line's place; what had it before is written back: that the L2 held it does not mean that it
// came from the memory.
MemorySystem::SharedLine& MemorySystem::shared_line(uint64_t request, Link link, double at,
                                                    bool& hit) {
  const uint64_t line = line_of(request);
  SharedLine& shared = take_shared(line, at, hit);
  if (hit) return shared;
  shared.link = link;
  if (link) return shared;  // nothing is known of what others have read of it
  const bool fetched_before = (request & kTouchedBefore) && fetched_in_between(line);
  hit = (fetched_before || history_.shared_before(line)) && !was_evicted(line);
  return shared;
}

MemorySystem::SharedLine& MemorySystem::take_shared(uint64_t line, double at, bool& hit) {
  auto found = caches_.shared.take(line);
  hit = found.hit;
  if (hit) return *found.state;
  if (found.evicted) {
    const int dirty = __builtin_popcount(found.state->dirty);
    if (dirty) write_back(*found.state, dirty, at);
    written_back_.before += dirty;
    evicted_.insert(found.state->line);
  }
  *found.state = {line, 0, 0, kOwnMemory};
  return *found.state;
}

// --- Infinity Cache and HBM ----------------------------------------------------------------------

// Reads and writes in turn cost the memory's bus time.
double MemorySystem::memory_cycles(double bytes, bool write) const {
  double reads = history_.read_part();
  double mixing = 1 - (1 - kMemoryMixedFactor) * 4 * reads * (1 - reads);
  return bytes / (write ? memory_write_rate_ : memory_read_rate_) / mixing;
}

// Waiting for address translation: the first touch of a page walks the page table; behind the reach
// of the translation caches others may have to look further too.
double MemorySystem::translation(uint64_t line) {
  const double free = free_.has(Ideal::Tlb) ? 0 : 1;
  uint64_t page = line * kVectorLineBytes / uint64_t(kPageBytes);
  uint64_t& recent = recent_pages_[page % recent_pages_.size()];
  const auto beyond = [&](double reach) {
    return 1 - reach / std::max(history_.translated_bytes(), reach);
  };
  double far = 0;
  if (recent != page) {
    recent = page;
    if (history_.first_touch(line)) return free * kColdPageCycles;
    far = beyond(kFarReachBytes) * kFarMissCycles;
  }
  return free * (beyond(kTlbReachBytes) * kTlbMissCycles + far);
}

// How long requests of so many bytes wait in the fabric when as many of a channel do as it takes.
double MemorySystem::fabric_queue_cycles(double bytes) const {
  return kFabricQueueRequests * bytes * kL2Channels / fabric_rate_;
}

double MemorySystem::read_memory(uint64_t line, double at) {
  const auto held = history_.holds(line, was_evicted(line));
  return read_memory(line, at, held, translation(line), data_);
}

double MemorySystem::read_memory(uint64_t line, double at, HistoryView::Held held, double walking,
                                 const Latencies& way) {
  double asked = at + way.to_fabric;
  double start = pass(Ideal::InfinityCache, fabric_, asked, kVectorLineBytes / fabric_rate_);
  using Held = HistoryView::Held;
  if (held == Held::No)
    start = pass(Ideal::Hbm, memory_, start, memory_cycles(kVectorLineBytes, false));
  double latency = held == Held::Yes ? way.infinity_cache : way.memory;
  activity_.read_fabric(channel_of(line), asked, start, fabric_queue_cycles(kVectorLineBytes),
                        latency - way.l2_hit + walking);
  return start + latency - way.to_l2 - way.to_fabric + walking;
}

double MemorySystem::read_link(Link link, double bytes, double at) {
  activity_.read_host(links_.latency(link));
  return links_.read(link, bytes, at);
}

double MemorySystem::write_link(Link link, uint64_t line, double bytes, double at) {
  activity_.wrote_fabric(channel_of(line), at, at, 0, links_.latency(link));
  return links_.write(link, bytes, at);
}

double MemorySystem::read_behind(Link link, uint64_t line, double at) {
  return link ? read_link(link, kVectorLineBytes, at) : read_memory(line, at);
}

void MemorySystem::write_back(const SharedLine& shared, double halves, double at) {
  if (shared.link) write_link(shared.link, shared.line, halves * kHalfBytes, at);
  else write_memory(shared.line, halves, at);
}

void MemorySystem::write_memory(uint64_t line, double halves, double at) {
  double bytes = halves * kHalfBytes;
  double start = pass(Ideal::InfinityCache, fabric_, at, bytes / fabric_rate_);
  if (history_.holds(line, was_evicted(line)) == HistoryView::Held::No)
    start = std::max(start, pass(Ideal::Hbm, memory_, at, memory_cycles(bytes, true)));
  for (int n = 0; n < halves; ++n)
    activity_.wrote_fabric(channel_of(line), at, start, fabric_queue_cycles(kHalfBytes),
                           data_.infinity_cache - data_.l2_hit);
}

// What others have written before, too, goes to the memory once, not with each of them.
double MemorySystem::drain(double at) {
  const double left = 1 - history_.share_before();
  caches_.shared.for_each([&](SharedLine& shared) {
    const double dirty = left * __builtin_popcount(shared.dirty);
    if (dirty > 0) write_back(shared, dirty, at);
    written_back_.at_end += dirty;
    ++written_back_.resident;
    shared.dirty = 0;
  });
  return std::max({at, fabric_.free, memory_.free, links_.free(), atomics_end_});
}

// --- Scalar and instruction caches ---------------------------------------------------------------

// Mostly arguments of the kernel. Their latency was measured while all CUs asked for them: the link's
// share is in it.
double MemorySystem::read_argument(double at) {
  activity_.read_host(links_.latency(kHostLink));
  return at + data_.l2_hit + links_.latency(kHostLink);
}

double MemorySystem::scalar(int unit, const TapeAccess& access, const uint64_t* requests,
                            double at) {
  if (access.count == 0) return at + data_.scalar_hit;
  auto& cache = caches_.pairs[size_t(pair_of_unit(unit))].scalar;
  const bool fits_scalar = resident_bytes_[size_t(unit)] <= kScalarCacheBytes / 2;  // of two CUs
  double last = 0;
  for (uint32_t n = 0; n < access.count; ++n)
    for (uint64_t half = 0; half < 2; ++half) {
      if (!(halves_of(requests[n]) >> half & 1)) continue;
      uint64_t line = line_of(requests[n]) * 2 + half;
      auto found = cache.take(line);
      const bool is_there = (requests[n] & kTouchedBefore) && fits_scalar;
      if (!found.hit)
        found.state->ready = is_there ? at
                             : access.link == kHostLink
                                 ? read_argument(at)
                                 : read_shared(kNoUnit, requests[n], access.link, at);
      last = std::max({last, at + data_.scalar_hit, found.state->ready});
    }
  return last;
}

// What the caches have of code does not depend on where in its code object, or in memory, it lies.
double MemorySystem::read_code(uint64_t line, uint64_t code, double at) {
  double cycles = double(kVectorLineBytes) / kL2BytesPerCycle / kL2Efficiency;
  double start = enter_channel(kNoUnit, line, at, cycles, code_);
  bool hit = false;
  SharedLine& shared = take_shared(line, start, hit);
  if (!hit) {
    const auto held = history_.holds_code(code, line, was_evicted(line));
    shared.ready = read_memory(line, start, held, translation(code), code_);
  }
  return std::max(start + code_.l2_hit - code_.to_l2, shared.ready);
}

double MemorySystem::fetch(int unit, uint64_t code, uint64_t line, double at, bool& first) {
  constexpr uint64_t kTogether = kVectorLineBytes / kInstructionLineBytes;
  PairCaches& pair = caches_.pairs[size_t(pair_of_unit(unit))];
  double ready = fetching_[size_t(unit)].take(at, kInstructionLineBytes / kFetchBytesPerCycle);
  for (uint64_t wanted = line; wanted <= line + uint64_t(kPrefetchedCodeLines); ++wanted) {
    auto found = pair.instructions.take(wanted);
    pair.code_evicted |= found.evicted && found.state->ready > 0;  // others left it, or it was used
    if (!found.hit) found.state->ready = read_code(wanted / kTogether, code / kTogether, at);
    else if (found.state->ready <= 0) found.state->ready = ready;
    if (wanted != line) continue;
    first = found.state->ready > ready && !pair.code_evicted;
    ready = std::max(ready, found.state->ready);
  }
  return ready;
}

}  // namespace model
}  // namespace vgpu
