// Mechanisms that cost nothing, so that a run shows what they cost: VROCM_IDEAL=NAME[,NAME...].
// Function stays exact; so do the choice of what is simulated, and counts. mechanisms.inc, generated
// from arch/data/ideal, has the names; the device's name says which are free, in every record.
#pragma once

#include <cstdint>
#include <string>

namespace vgpu {
namespace model {

enum class Ideal : uint8_t {
#define MECHANISM(ideal, name, lifted) ideal,
#include "model/ideal/mechanisms.inc"
#undef MECHANISM
  count_
};

class Ideals {
 public:
  bool has(Ideal ideal) const { return free_ >> int(ideal) & 1; }
  bool any() const { return free_ != 0; }
  int count() const { return __builtin_popcountll(free_); }
  void add(Ideal ideal) { free_ |= uint64_t(1) << int(ideal); }
  bool operator==(const Ideals& other) const { return free_ == other.free_; }

 private:
  uint64_t free_ = 0;
};

const Ideals& ideals();  // read once; an unknown name ends the program with a message
// For tests, between dispatches. False when a name is unknown: nothing changes then.
bool set_ideals(const char* names);

// The usual name with what is free in it: "... (virtual, free: hbm, l2)", or how many of them.
std::string with_ideals(std::string product);

}  // namespace model
}  // namespace vgpu
