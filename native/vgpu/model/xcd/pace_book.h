// How long steps take at each place in the code, as far as they were simulated: what others there
// are taken to take.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace vgpu {
namespace model {

struct Pace {
  double cycles = 0, steps = 0;

  void add(const Pace& more) {
    cycles += more.cycles;
    steps += more.steps;
  }
};

class PaceBook {
 public:
  // Waves that may have a pace of their own: of about the same length, on CUs with as many
  // workgroups.
  static uint32_t kind(uint64_t executed, uint32_t groups_on_unit);

  // Stays where it is until the book is gone. First visits of a place find their memory cold; they are
  // all simulated, and stand for others only where nothing else is known.
  Pace& of(uint64_t code, uint32_t kind, bool is_first) {
    return (is_first ? firsts_ : paces_)[code << 32 | kind];
  }

  // When all waves have ended: sums up what different kinds say about a place.
  void close();
  // Of so many steps at a place: as others of the kind, and the less of these there are the more as
  // any others there, or anywhere.
  double cycles(uint64_t code, uint32_t kind, double steps) const;

 private:
  std::unordered_map<uint64_t, Pace> paces_;   // by code and kind
  std::unordered_map<uint64_t, Pace> firsts_;  // likewise
  std::unordered_map<uint64_t, Pace> places_;  // by code
  Pace all_;
};

}  // namespace model
}  // namespace vgpu
