// Adding nodes to a graph and changing their work: what the calls for the kinds of nodes share.
#pragma once

#include "hip/copy/copy.h"
#include "hip/core/graph.h"
#include "hip/graph/graph_exec.h"
#include "hip/graph/graph_params.h"

namespace vgpu::hip {

hipError_t add_node(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                    size_t count, Node node);

// A node whose work `make` turns into a task.
template <class Make>
hipError_t add_task(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                    size_t count, Make make) {
  Node node;
  if (hipError_t status = make(node.task)) return status;
  node.type = node.task->node_type();
  return add_node(added, graph, dependencies, count, std::move(node));
}

template <class Parameters>
auto from(const Parameters* parameters) {
  return [parameters](TaskPtr& task) {
    return parameters ? make_task(*parameters, task) : hipErrorInvalidValue;
  };
}

template <class Make>
hipError_t set_task(hipGraphNode_t handle, Make make) {
  Node* node = find_node(handle);
  TaskPtr task;
  if (!node) return hipErrorInvalidValue;
  if (hipError_t status = make(task)) return status;
  if (task->node_type() != node->type) return hipErrorInvalidValue;
  node->task = task;
  return hipSuccess;
}

template <class Make>
hipError_t set_exec_task(hipGraphExec_t exec, hipGraphNode_t handle, Make make) {
  GraphExec* known = find_exec(exec);
  Node* node = find_node(handle);
  TaskPtr task;
  if (!known || !node) return hipErrorInvalidValue;
  if (hipError_t status = make(task)) return status;
  if (task->node_type() != node->type) return hipErrorInvalidValue;
  const Step* before = known->find(node);
  if (!before || !same_direction(before->task.get(), task.get()) ||
      !same_named_direction(before->task.get(), task.get()))
    return hipErrorInvalidValue;
  return known->change(node, [&](Step& step) { step.task = task; }) ? hipSuccess
                                                                    : hipErrorInvalidValue;
}

// Nodes without a task of their own.
hipError_t add_event_node(hipGraphNode_t* added, hipGraph_t graph,
                          const hipGraphNode_t* dependencies, size_t count, hipEvent_t event,
                          hipGraphNodeType type);
hipError_t add_child_node(hipGraphNode_t* added, hipGraph_t graph,
                          const hipGraphNode_t* dependencies, size_t count, hipGraph_t child);
hipError_t add_memory_node(hipGraphNode_t* added, hipGraph_t graph,
                           const hipGraphNode_t* dependencies, size_t count,
                           hipMemAllocNodeParams* parameters);
hipError_t add_free_node(hipGraphNode_t* added, hipGraph_t graph,
                         const hipGraphNode_t* dependencies, size_t count, void* address);

}  // namespace vgpu::hip
