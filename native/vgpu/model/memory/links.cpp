#include "model/memory/links.h"

#include <algorithm>

#include "model/launch/device_size.h"

namespace vgpu {
namespace model {

using namespace calibration;

double link_bytes_per_ns(Link link) {
  return (link == kHostLink ? kHostLinkBytesPerUs : kPeerLinkBytesPerUs) / 1e3;
}

Links::Links(double share) : share_(share) {}

double Links::cycles(Link link, double bytes) const {
  return bytes / (link_bytes_per_ns(link) * share_) * device_size().clock_ghz;
}

double Links::latency(Link link) const {
  if (free_.has(Ideal::MemoryLatency)) return 0;
  const double issued = link == kHostLink ? kHostMemoryLatency : kPeerMemoryLatency;
  return device_size().outside(issued - kL2HitLatency);
}

// When the link has begun with the bytes, and how long they then take.
double Links::pass(Pipe& direction, Link link, double bytes, double at) const {
  const double start = free_.has(Ideal::Links) ? at : direction.take(at, cycles(link, bytes));
  return free_.has(Ideal::MemoryLatency) ? start
                                         : start + kL2HitLatency - kToL2Cycles + latency(link);
}

double Links::read(Link link, double bytes, double at) {
  return pass(links_[link].in, link, bytes, at);
}

double Links::write(Link link, double bytes, double at) {
  return pass(links_[link].out, link, bytes, at);
}

double Links::free() const {
  double last = 0;
  for (const Directions& link : links_) last = std::max({last, link.in.free, link.out.free});
  return last;
}

double Links::busy() const {
  double most = 0;
  for (const Directions& link : links_) most = std::max({most, link.in.busy, link.out.busy});
  return most;
}

double Links::work(Link link) const {
  return std::max(links_[link].in.busy, links_[link].out.busy) * share_;
}

double Links::host_work() const { return work(kHostLink); }

double Links::peer_work() const {
  double most = 0;
  for (int link = kHostLink + 1; link < kLinks; ++link) most = std::max(most, work(Link(link)));
  return most;
}

}  // namespace model
}  // namespace vgpu
