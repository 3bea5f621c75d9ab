// Lets the recorder of a runtime on top of HSA put itself around the calls.
#include "hsa/base/api.h"
#include "vrocm/trace.h"

extern "C" HsaApiTable* vrocm_api_tables(void) { return vrocm::current_tables(); }
