// Surface objects and references.
#pragma once

#include <hip/driver_types.h>

struct __hip_surface;
typedef struct __hip_surface* hipSurfaceObject_t;

struct surfaceReference {
  hipSurfaceObject_t surfaceObject;
};

enum hipSurfaceBoundaryMode {
  hipBoundaryModeZero = 0, hipBoundaryModeTrap, hipBoundaryModeClamp
};
