// Writes what happens in this process to a file, when VROCM_TRACE names one. The rocprofv3 front
// end starts a program with that variable set and turns the file into a recording afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api.h"

namespace vgpu::hip {

enum class RecordKind : uint8_t { Api, Marker };

// True when API calls are recorded: cheap, asked at the start of every call.
bool recording_api();
bool recording();

void record_api(const char* name, uint64_t id, uint64_t parent, uint64_t start_ns,
                uint64_t end_ns, const std::vector<ApiArgument>& arguments);
void record_marker(const char* call, const std::string& message, uint64_t start_ns,
                   uint64_t end_ns);
void record_stream(uint64_t stream_id, const void* handle);
// Which stream the operation with this correlation id was given to.
void record_stream_use(uint64_t correlation, uint64_t stream_id);

}  // namespace vgpu::hip
