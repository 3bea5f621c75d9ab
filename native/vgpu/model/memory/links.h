// The links to memory of the host and of other devices, as one XCD uses them: its share of what they
// carry in each direction.
#pragma once

#include <array>

#include "memory/link.h"
#include "model/ideal/ideal.h"
#include "model/memory/pipe.h"

namespace vgpu {
namespace model {

double link_bytes_per_ns(Link link);  // in one direction

class Links {
 public:
  // `share`: of the dispatch's work that runs on this XCD, hence of what the links carry.
  explicit Links(double share);

  // When bytes that the L2 asks for at `at` are there, or are known to be stored.
  double read(Link link, double bytes, double at);
  double write(Link link, double bytes, double at);
  // Cycles behind the L2 that a request waits for when nobody else asks.
  double latency(Link link) const;

  double free() const;  // when the last byte has passed
  double busy() const;  // cycles that the busiest direction worked
  // Of that, cycles that the links of the whole device take; of those to devices, the busiest one.
  double host_work() const;
  double peer_work() const;

 private:
  struct Directions {
    Pipe in, out;
  };
  double cycles(Link link, double bytes) const;
  double pass(Pipe& direction, Link link, double bytes, double at) const;
  double work(Link link) const;

  double share_;
  const Ideals free_ = ideals();
  std::array<Directions, kLinks> links_;
};

}  // namespace model
}  // namespace vgpu
