// Whether the runtime is open, and the argument checks that every entry point starts with.
#pragma once

#include "hsa/hsa_ext_amd.h"

namespace vrocm {

bool runtime_open();

}  // namespace vrocm

#define VROCM_REQUIRE_OPEN() \
  if (!::vrocm::runtime_open()) return HSA_STATUS_ERROR_NOT_INITIALIZED
#define VROCM_REQUIRE(condition, status) \
  if (!(condition)) return static_cast<hsa_status_t>(status)
#define VROCM_REQUIRE_ARGUMENT(condition) \
  VROCM_REQUIRE(condition, HSA_STATUS_ERROR_INVALID_ARGUMENT)
