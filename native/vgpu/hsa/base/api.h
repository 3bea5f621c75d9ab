// The implementation of every function that stands in an HSA API table, one declaration each,
// made from the list of the tables: a missing definition is a link error. Exported functions jump
// through the current tables (entry_points.S), so whatever a tool puts there serves all callers.
#pragma once

#include "hsa/hsa_api_trace.h"
#include "hsa/hsa_ven_amd_loader.h"

namespace vrocm {
namespace api {

#define VROCM_DECLARE(name) decltype(::name) name;
HSA_CORE_API(VROCM_DECLARE)
HSA_AMD_EXT_API(VROCM_DECLARE)
HSA_FINALIZER_API(VROCM_DECLARE)
HSA_IMAGE_API(VROCM_DECLARE)
HSA_PC_SAMPLING_API(VROCM_DECLARE)
#undef VROCM_DECLARE

}  // namespace api

// The tables that the exported functions use. Tools receive a pointer to it and may write.
HsaApiTable* current_tables();
// Puts the runtime's own functions back, after the tools are gone.
void reset_tables();

}  // namespace vrocm
