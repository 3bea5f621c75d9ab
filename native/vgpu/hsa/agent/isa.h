// The instruction sets that the device executes.
#pragma once

#include <string>
#include <vector>

#include "hsa/hsa.h"

namespace vrocm {

struct Isa {
  std::string name;
  hsa_isa_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
};

const std::vector<Isa>& isas();  // most specific first
const Isa* isa_from_handle(hsa_isa_t handle);

}  // namespace vrocm
