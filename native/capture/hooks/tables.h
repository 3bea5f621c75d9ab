// The runtime's functions as they were before this tool replaced some of them. The tool itself calls
// only these, so that it never sees its own calls.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ven_amd_loader.h>

#include <string>

namespace capture {

const CoreApiTable& core();
const AmdExtTable& amd();
// AMD's loader extension, of version 1.03; null members when the runtime has none.
const hsa_ven_amd_loader_1_03_pfn_t& loader();

// Before any of them is replaced. False, with a message on stderr, when the table is too old.
bool keep_originals(const HsaApiTable& table);

// "hsa_memory_copy: HSA_STATUS_ERROR_INVALID_ARGUMENT: ..." for messages.
std::string describe(const char* call, hsa_status_t status);

}  // namespace capture
