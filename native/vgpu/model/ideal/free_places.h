// Instructions that cost nothing because of where they are: VROCM_IDEAL_AT=PLACE[,PLACE...], each a
// FILE:LINE or two addresses of the code object. Which instructions those are says who knows the
// code (../../device/free_code.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vgpu {
namespace model {

struct FreePlace {
  std::string text;  // as it was asked for
  std::string file;  // empty: addresses
  uint32_t line = 0;
  uint64_t first = 0, end = 0;
};

const std::vector<FreePlace>& free_places();  // read once; what is no place ends the program
// For tests, between dispatches. False when something is no place: nothing changes then.
bool set_free_places(const char* text);

// Of one code object: ranges of addresses as its ELF counts them.
class FreeCode {
 public:
  void add(uint64_t first, uint64_t end) { ranges_.emplace_back(first, end); }
  bool any() const { return !ranges_.empty(); }
  bool has(uint64_t address) const {
    for (const auto& [first, end] : ranges_)
      if (first <= address && address < end) return true;
    return false;
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  // a few
};

}  // namespace model
}  // namespace vgpu
