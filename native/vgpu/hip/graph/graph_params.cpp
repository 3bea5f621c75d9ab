#include "hip/graph/graph_params.h"

#include "hip/copy/box.h"
#include "hip/core/memory.h"
#include "hip/launch/launch.h"
#include "hip/stream/host_task.h"

namespace vgpu::hip {
namespace {

// HIP takes the host stub of a kernel or a driver API handle in the same field.
hipError_t find_any_function(const void* handle, Function** function) {
  *function = HandleSet<Function>::get().find(const_cast<void*>(handle));
  return *function ? hipSuccess : find_function(handle, function);
}

hipError_t symbol_address(const void* symbol, size_t bytes, size_t offset, void** address) {
  Variable variable;
  if (hipError_t status = find_variable(symbol, &variable)) return status;
  if (offset > variable.bytes || bytes > variable.bytes - offset) return hipErrorInvalidValue;
  *address = static_cast<uint8_t*>(variable.address) + offset;
  return hipSuccess;
}

template <class T>
const T* task_as(const Node& node) {
  return dynamic_cast<const T*>(node.task.get());
}

}  // namespace

hipError_t make_task(const hipKernelNodeParams& p, TaskPtr& task) {
  Function* function = nullptr;
  if (!p.func || (p.kernelParams && p.extra)) return hipErrorInvalidValue;
  if (hipError_t status = find_any_function(p.func, &function)) return status;
  LaunchShape shape;
  if (hipError_t status = make_shape(*function, p.gridDim, p.blockDim, p.sharedMemBytes, shape))
    return status;
  std::vector<uint8_t> arguments;
  if (!p.kernelParams && !p.extra && takes_arguments(function->metadata))
    return hipErrorInvalidValue;
  if (p.kernelParams) arguments = pack_arguments(function->metadata, p.kernelParams);
  else if (p.extra)
    if (hipError_t status = unpack_extra(p.extra, arguments)) return status;
  task = std::make_shared<KernelTask>(*function, shape, std::move(arguments), p.func);
  return hipSuccess;
}

hipError_t make_task(const hipMemcpy3DParms& p, TaskPtr& task) {
  BoxCopy copy;
  if (hipError_t status = resolve(p, copy)) return status;
  if (!has_room(copy.target, copy.source, copy.box)) return hipErrorInvalidValue;
  task = std::make_shared<CopyTask>(copy.target, copy.source, copy.box, p.kind);
  return hipSuccess;
}

hipError_t make_task(const HIP_MEMCPY3D& p, TaskPtr& task) {
  BoxCopy copy;
  if (hipError_t status = resolve(p, copy)) return status;
  if (!has_room(copy.target, copy.source, copy.box)) return hipErrorInvalidValue;
  task = std::make_shared<CopyTask>(copy.target, copy.source, copy.box);
  return hipSuccess;
}

hipError_t make_task(const hipMemsetParams& p, TaskPtr& task) {
  if (!p.dst || (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4))
    return hipErrorInvalidValue;
  const Box box{p.width * p.elementSize, p.height, 1, p.pitch, 0, 0, 0};
  if (p.height == 0 || (p.height > 1 && p.pitch < box.bytes)) return hipErrorInvalidValue;
  if (!is_inside_allocation(p.dst, (p.height - 1) * p.pitch + box.bytes))
    return hipErrorInvalidValue;
  task = std::make_shared<FillTask>(p.dst, p.value, p.elementSize, box);
  return hipSuccess;
}

hipError_t make_task(const hipHostNodeParams& p, TaskPtr& task) {
  if (!p.fn) return hipErrorInvalidValue;
  task = std::make_shared<HostTask>(p);
  return hipSuccess;
}

hipError_t make_line_task(void* target, const void* source, size_t bytes, hipMemcpyKind kind,
                          TaskPtr& task) {
  if (bytes == 0 || target == source) return hipErrorInvalidValue;
  if (kind == hipMemcpyDeviceToDevice && (is_pageable_host(target) || is_pageable_host(source)))
    return hipErrorInvalidValue;
  if (!target || !source || !range_is_valid(target, bytes) || !range_is_valid(source, bytes))
    return hipErrorInvalidValue;
  task = std::make_shared<CopyTask>(target, source, line(bytes), kind);
  return hipSuccess;
}

hipError_t make_from_symbol_task(void* target, const void* symbol, size_t bytes, size_t offset,
                                 hipMemcpyKind kind, TaskPtr& task) {
  void* address = nullptr;
  if (target == symbol) return hipErrorInvalidValue;
  if (hipError_t status = symbol_address(symbol, bytes, offset, &address)) return status;
  return make_line_task(target, address, bytes, kind, task);
}

hipError_t make_to_symbol_task(const void* symbol, const void* source, size_t bytes, size_t offset,
                               hipMemcpyKind kind, TaskPtr& task) {
  void* address = nullptr;
  if (source == symbol) return hipErrorInvalidValue;
  if (hipError_t status = symbol_address(symbol, bytes, offset, &address)) return status;
  return make_line_task(address, source, bytes, kind, task);
}

hipError_t read_parameters(Node& node, hipKernelNodeParams& p) {
  const auto* task = task_as<KernelTask>(node);
  if (!task) return hipErrorInvalidValue;
  const LaunchShape& shape = task->shape;
  auto* bytes = const_cast<uint8_t*>(task->arguments.data());
  node.argument_pointers.clear();
  for (const KernelArgument& argument : task->function->metadata.arguments)
    if (argument.kind.rfind("hidden_", 0) != 0)
      node.argument_pointers.push_back(bytes + argument.offset);
  p.func = const_cast<void*>(task->handle);
  p.blockDim = dim3(shape.block[0], shape.block[1], shape.block[2]);
  p.gridDim = dim3(shape.grid[0] / shape.block[0], shape.grid[1] / shape.block[1],
                   shape.grid[2] / shape.block[2]);
  p.sharedMemBytes = shape.dynamic_lds;
  p.kernelParams = node.argument_pointers.data();
  p.extra = nullptr;
  return hipSuccess;
}

hipError_t read_parameters(Node& node, hipMemcpy3DParms& p) {
  const auto* task = task_as<CopyTask>(node);
  if (!task) return hipErrorInvalidValue;
  const Box& box = task->box;
  p = {};
  p.srcPtr = {const_cast<void*>(task->source), box.source_pitch, box.bytes, box.rows};
  p.dstPtr = {task->target, box.target_pitch, box.bytes, box.rows};
  p.extent = {box.bytes, box.rows, box.slices};
  p.kind = task->kind;
  return hipSuccess;
}

hipError_t read_parameters(Node& node, hipMemsetParams& p) {
  const auto* task = task_as<FillTask>(node);
  if (!task) return hipErrorInvalidValue;
  p = {task->target,           task->element_bytes, task->box.rows,
       task->box.target_pitch, task->value,         task->box.bytes / task->element_bytes};
  return hipSuccess;
}

hipError_t read_parameters(Node& node, hipHostNodeParams& p) {
  const auto* task = task_as<HostTask>(node);
  if (!task) return hipErrorInvalidValue;
  p = task->call;
  return hipSuccess;
}

}  // namespace vgpu::hip
