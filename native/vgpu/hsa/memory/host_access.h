// Which of the program's own pages (malloc, stack, files) the device may touch. Ranges may overlap;
// a page stays accessible until the last range over it is gone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrocm {

void grant_host_range(uint64_t base, size_t bytes);
bool revoke_host_range(uint64_t base, size_t bytes);  // false when it was not granted

}  // namespace vrocm
