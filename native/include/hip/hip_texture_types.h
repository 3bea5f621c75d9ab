// The older name of texture_types.h.
#pragma once

#include <hip/texture_types.h>
