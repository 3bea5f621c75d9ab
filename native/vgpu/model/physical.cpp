#include "physical.h"

namespace vgpu {
namespace model {

Translator::Place Translator::translate(uint64_t address) {
  uint64_t now = AddressSpace::instance().epoch();
  if (now != epoch_) {
    for (Allocation& known : known_) known = Allocation{};
    epoch_ = now;
  }
  for (const Allocation& known : known_)
    if (address - known.base < known.bytes)
      return {known.physical + (address - known.base), known.kind == MemoryKind::Host};
  Allocation& replaced = known_[next_++ % kRemembered];
  // Bytes behind an allocation on its last page may be touched: they count as their own place.
  if (!AddressSpace::instance().holding(address, replaced)) {
    replaced = Allocation{};
    return {address % AddressSpace::kPage, false};
  }
  return {replaced.physical + (address - replaced.base), replaced.kind == MemoryKind::Host};
}

bool Translator::translate_range(uint64_t low, uint64_t high, Place& place) {
  place = translate(low);
  for (const Allocation& known : known_)
    if (low - known.base < known.bytes) return high - known.base < known.bytes;
  return false;
}

Translator& this_thread_translator() {
  static thread_local Translator translator;
  return translator;
}

}  // namespace model
}  // namespace vgpu
