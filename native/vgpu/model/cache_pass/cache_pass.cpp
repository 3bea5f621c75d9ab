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
  const RequestLog* log;
  size_t position;
  int unit;
  uint32_t wave;

  void prefetch() const { log->prefetch(position); }
};
constexpr size_t kAhead = 8;  // logs lie anywhere in the host's memory

using Xcds = std::vector<std::unique_ptr<XcdCaches>>;

constexpr size_t kMostSpare = 2;  // dispatches

SparePool<Xcds>& spare_xcds() {
  static auto* pool = new SparePool<Xcds>(kMostSpare);  // outlives the program's static destructors
  return *pool;
}

Xcds empty_xcds() {
  Xcds xcds;
  if (spare_xcds().take(xcds))
    for (auto& xcd : xcds) xcd->clear();
  else
    for (int xcd = 0; xcd < kXcds; ++xcd) xcds.push_back(std::make_unique<XcdCaches>());
  return xcds;
}

}  // namespace

CachePass::CachePass(const LaunchShape& shape)
    : groups_at_once_(groups_per_round(shape)), xcds_(empty_xcds()) {}

CachePass::~CachePass() { spare_xcds().give_back(std::move(xcds_)); }

void CachePass::run(const std::vector<GroupCounts*>& groups, unsigned helpers) {
  std::atomic<int> next{0};
  WorkerPool::instance().run(std::min(helpers, unsigned(kXcds - 1)), [&] {
    for (int xcd; (xcd = next++) < kXcds;) run_xcd(xcd, groups);
  });
}

// As many workgroups as the XCD holds at a time take turns, one request of every wave each.
void CachePass::run_xcd(int xcd, const std::vector<GroupCounts*>& groups) {
  XcdCaches& caches = *xcds_[size_t(xcd)];
  std::vector<Stream> streams;
  auto drain = [&] {
    RequestEntry entry;
    while (!streams.empty()) {
      size_t kept = 0;
      for (Stream& stream : streams) {
        if (&stream + kAhead < streams.data() + streams.size()) (&stream)[kAhead].prefetch();
        if (stream.position == stream.log->size()) continue;
        stream.position = stream.log->read(stream.position, entry);
        caches.request(stream.unit, stream.wave, entry);
        streams[kept++] = stream;
      }
      streams.resize(kept);
    }
  };
  uint64_t resident = 0;
  for (GroupCounts* group : groups) {
    if (xcd_of_group(group->number) != xcd) continue;
    int unit = int(group->number / kXcds % uint64_t(device_size().units_per_xcd));
    caches.fetch_code(unit, group->code_lines, uint32_t(group->waves.size()));
    for (WaveCounts& wave : group->waves) {
      if (!group->placed) wave.place = caches.wave_begins(unit);
      streams.push_back({&wave.requests, 0, unit, wave.place});
    }
    group->placed = true;
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
