#include "memory/physical.h"

namespace vgpu {

const Allocation* Translator::look_up(uint64_t address) {
  uint64_t now = AddressSpace::instance().epoch();
  if (now != epoch_) {
    for (Allocation& known : known_) known = Allocation{};
    epoch_ = now;
  }
  Allocation& replaced = known_[next_++ % kRemembered];
  if (AddressSpace::instance().holding(address, replaced)) return &replaced;
  replaced = Allocation{};
  return nullptr;
}

Translator& this_thread_translator() {
  static thread_local Translator translator;
  return translator;
}

}  // namespace vgpu
