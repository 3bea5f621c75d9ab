#include "model/ideal/ideal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "model/ideal/free_places.h"

namespace vgpu {
namespace model {
namespace {

constexpr const char kVariable[] = "VROCM_IDEAL";
constexpr const char kMark[] = "(virtual";
constexpr size_t kMostOfName = 63;  // that an agent can say

constexpr const char* kNames[] = {
#define MECHANISM(ideal, name, lifted) name,
#include "model/ideal/mechanisms.inc"
#undef MECHANISM
};
constexpr int kCount = int(Ideal::count_);
static_assert(kCount <= 64, "a bit each");

std::string listed(const Ideals& ideals) {
  std::string names;
  for (int n = 0; n < kCount; ++n)
    if (ideals.has(Ideal(n))) names += (names.empty() ? "" : ", ") + std::string(kNames[n]);
  return names;
}

// Adds the names between commas; returns the first one that is unknown, or nothing.
std::string add_names(const std::string& text, Ideals& ideals) {
  for (size_t first = 0; first < text.size();) {
    const size_t end = std::min(text.find(',', first), text.size());
    const std::string name = text.substr(first, end - first);
    const auto* found = std::find(kNames, kNames + kCount, name);
    if (found == kNames + kCount) return name.empty() ? "," : name;
    ideals.add(Ideal(found - kNames));
    first = end + 1;
  }
  return "";
}

[[noreturn]] void refuse(const std::string& name) {
  Ideals all;
  for (int n = 0; n < kCount; ++n) all.add(Ideal(n));
  std::fprintf(stderr,
               "virtual MI300X: %s: '%s' is none of what can be made free: %s. Give one or more of "
               "them, with commas between\n",
               kVariable, name.c_str(), listed(all).c_str());
  std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
}

Ideals read() {
  const char* text = std::getenv(kVariable);
  Ideals ideals;
  const std::string unknown = add_names(text ? text : "", ideals);
  if (!unknown.empty()) refuse(unknown);
  return ideals;
}

Ideals& current() {
  static Ideals ideals = read();
  return ideals;
}

}  // namespace

const Ideals& ideals() { return current(); }

bool set_ideals(const char* names) {
  Ideals wanted;
  if (!add_names(names, wanted).empty()) return false;
  current() = wanted;
  return true;
}

std::string with_ideals(std::string product) {
  const size_t mark = product.find(kMark);
  const size_t places = free_places().size();
  if ((!ideals().any() && !places) || mark == std::string::npos) return product;
  const std::string count = std::to_string(size_t(ideals().count()) + places);
  std::string names = listed(ideals());
  for (const FreePlace& place : free_places()) names += (names.empty() ? "" : ", ") + place.text;
  std::string said;
  for (const std::string& text :
       {", free: " + names, ", " + count + " mechanisms free", ", " + count + " free"}) {
    said = text;
    if (product.size() + said.size() <= kMostOfName) break;
  }
  return product.insert(mark + sizeof kMark - 1, said);
}

}  // namespace model
}  // namespace vgpu
