#include "exec/group/other_order.h"

#include <numeric>

#include "exec/group/settings.h"

namespace vgpu {

uint64_t in_other_order(uint64_t number, uint64_t total) {
  const uint64_t order = settings().order;
  if (order == 0) return number;
  if (order % 2) number = total - 1 - number;
  uint64_t step = order / 2 % total;
  while (std::gcd(step, total) != 1) ++step;  // total - 1 is one such step
  return uint64_t(static_cast<unsigned __int128>(number) * step % total);
}

}  // namespace vgpu
