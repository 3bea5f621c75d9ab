// An instruction that changes nothing but scalar registers, executed to see what it does: the wave is
// as before when the trial ends.
#pragma once

#include <cstring>

#include "exec/wave/wave.h"

namespace vgpu::cover {

class Trial {
 public:
  Trial(Wave& wave, const Inst& inst) : wave_(wave), scc_(wave.scc) {
    std::memcpy(registers_, wave.sgpr, sizeof registers_);
    inst.exec(wave, inst);
  }
  ~Trial() {
    std::memcpy(wave_.sgpr, registers_, sizeof registers_);
    wave_.scc = scc_;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

 private:
  Wave& wave_;
  const bool scc_;
  uint32_t registers_[sizeof(Wave::sgpr) / sizeof(uint32_t)];
};

}  // namespace vgpu::cover
