// The parameter blocks of graph nodes: into tasks, and back for the calls that ask.
#pragma once

#include <hip/hip_runtime_api.h>

#include "hip/core/graph.h"

namespace vgpu::hip {

hipError_t make_task(const hipKernelNodeParams& parameters, TaskPtr& task);
hipError_t make_task(const hipMemcpy3DParms& parameters, TaskPtr& task);
hipError_t make_task(const HIP_MEMCPY3D& parameters, TaskPtr& task);
hipError_t make_task(const hipMemsetParams& parameters, TaskPtr& task);
hipError_t make_task(const hipHostNodeParams& parameters, TaskPtr& task);
hipError_t make_line_task(void* target, const void* source, size_t bytes, hipMemcpyKind kind,
                          TaskPtr& task);
hipError_t make_from_symbol_task(void* target, const void* symbol, size_t bytes, size_t offset,
                                 hipMemcpyKind kind, TaskPtr& task);
hipError_t make_to_symbol_task(const void* symbol, const void* source, size_t bytes, size_t offset,
                               hipMemcpyKind kind, TaskPtr& task);

// Fail with hipErrorInvalidValue when the node is of another kind. The pointers inside stay valid
// until the node is asked again, changed or destroyed.
hipError_t read_parameters(Node& node, hipKernelNodeParams& parameters);
hipError_t read_parameters(Node& node, hipMemcpy3DParms& parameters);
hipError_t read_parameters(Node& node, hipMemsetParams& parameters);
hipError_t read_parameters(Node& node, hipHostNodeParams& parameters);

}  // namespace vgpu::hip
