#include "model/cache_pass/cache_pass.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "host/worker_pool.h"
#include "model/cache_pass/cache_pass_xcd.h"
#include "model/launch/device_size.h"
#include "model/tape/spare_pool.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

// A wave whose requests are being sent.
struct Stream {
  const uint64_t *next, *end;  // in its log
  int unit;
  uint32_t wave;
};
// Logs lie anywhere in the host's memory, and what they ask for anywhere in the tags.
constexpr size_t kAhead = 16, kAheadInTags = 8;

using Xcds = std::vector<std::unique_ptr<XcdCaches>>;

constexpr size_t kMostSpare = 2;  // dispatches

SparePool<Xcds>& spare_xcds() {
  static auto* pool = new SparePool<Xcds>(kMostSpare);  // outlives the program's static destructors
  return *pool;
}

Xcds xcds_with(const CodeHistory& code) {
  Xcds xcds;
  if (!spare_xcds().take(xcds))
    for (int xcd = 0; xcd < kXcds; ++xcd) xcds.push_back(std::make_unique<XcdCaches>());
  for (int xcd = 0; xcd < kXcds; ++xcd) xcds[size_t(xcd)]->begin(code, xcd);
  return xcds;
}

// The next request of every wave; those that have no more leave.
void send_one_each(std::vector<Stream>& streams, XcdCaches& caches) {
  RequestEntry entry;
  size_t kept = 0;
  const size_t count = streams.size();
  for (size_t n = 0; n < count; ++n) {
    if (n + kAhead < count) __builtin_prefetch(streams[n + kAhead].next);
    if (n + kAheadInTags < count &&
        streams[n + kAheadInTags].next != streams[n + kAheadInTags].end) {
      RequestLog::read(streams[n + kAheadInTags].next, entry);
      caches.prefetch(entry);
    }
    Stream stream = streams[n];
    if (stream.next == stream.end) continue;
    stream.next = RequestLog::read(stream.next, entry);
    caches.request(stream.unit, stream.wave, entry);
    streams[kept++] = stream;
  }
  streams.resize(kept);
}

void begin_noted(const NotedGroup& group, int unit, XcdCaches& caches,
                 std::vector<Stream>& streams) {
  caches.fetch_code(unit, group.code_lines(), group.code_line_count(), group.waves());
  group.for_each_wave([&](const uint64_t* begin, const uint64_t* end) {
    streams.push_back({begin, end, unit, caches.wave_begins(unit)});
  });
}

void begin_counted(GroupCounts& group, int unit, XcdCaches& caches, std::vector<Stream>& streams) {
  caches.fetch_code(unit, group.code_lines.data(), group.code_lines.size(),
                    uint32_t(group.waves.size()));
  for (WaveCounts& wave : group.waves) {
    if (!group.placed) wave.place = caches.wave_begins(unit);
    streams.push_back({wave.requests.begin(), wave.requests.end(), unit, wave.place});
  }
  group.placed = true;
}

}  // namespace

CachePass::CachePass(const LaunchShape& shape, const CodeHistory& code)
    : groups_at_once_(groups_per_round(shape)), xcds_(xcds_with(code)) {}

CachePass::~CachePass() { spare_xcds().give_back(std::move(xcds_)); }

void CachePass::run(const std::vector<PassedGroup>& groups, unsigned helpers) {
  std::vector<PassedGroup> of_xcds[kXcds];
  for (const PassedGroup& group : groups) of_xcds[xcd_of_group(group.number)].push_back(group);
  std::atomic<int> next{0};
  WorkerPool::instance().run(std::min(helpers, unsigned(kXcds - 1)), [&] {
    for (int xcd; (xcd = next++) < kXcds;) run_xcd(xcd, of_xcds[xcd]);
  });
}

// As many workgroups as the XCD holds at a time take turns, one request of every wave each.
void CachePass::run_xcd(int xcd, const std::vector<PassedGroup>& groups) {
  XcdCaches& caches = *xcds_[size_t(xcd)];
  static thread_local std::vector<Stream> streams;  // as many as the XCD holds, each time
  auto drain = [&] {
    while (!streams.empty()) send_one_each(streams, caches);
  };
  uint64_t resident = 0;
  for (const PassedGroup& group : groups) {
    const int unit = int(group.number / kXcds % uint64_t(device_size().units_per_xcd));
    if (group.note) begin_noted(NotedGroup(group.note), unit, caches, streams);
    else begin_counted(*group.counts, unit, caches, streams);
    if (++resident % groups_at_once_ == 0) drain();
  }
  drain();
}

CounterValues CachePass::finish() {
  CounterValues values;
  for (auto& xcd : xcds_) values.add(xcd->finish());
  return values;
}

}  // namespace model
}  // namespace vgpu
