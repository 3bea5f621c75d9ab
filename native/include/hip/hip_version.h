// The HIP version that these headers declare.
#pragma once

#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 1
#define HIP_VERSION_PATCH 0
#define HIP_VERSION_GITHASH "virtual"
#define HIP_VERSION_BUILD_ID 0
#define HIP_VERSION_BUILD_NAME "rocm-perf-lab"
#define HIP_VERSION \
  (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)
