// Markers of the retired HIP profiler: accepted and without effect, as in HIP 7.
#pragma once

#define HIP_SCOPED_MARKER(markerName, group)
#define HIP_BEGIN_MARKER(markerName, group)
#define HIP_END_MARKER()
