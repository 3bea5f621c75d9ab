// Nodes of graphs without work of their own: empty ones, child graphs, events, memory.
#include "hip/core/api.h"
#include "hip/core/event.h"
#include "hip/core/memory.h"
#include "hip/core/runtime.h"
#include "hip/graph/graph_nodes.h"

namespace vgpu::hip {
namespace {

hipError_t get_event(hipGraphNode_t handle, hipEvent_t* event, hipGraphNodeType type) {
  Node* node = find_node(handle);
  if (!node || !event || node->type != type) return hipErrorInvalidValue;
  *event = reinterpret_cast<hipEvent_t>(node->event.get());
  return hipSuccess;
}

hipError_t set_event(hipGraphNode_t handle, hipEvent_t event, hipGraphNodeType type) {
  Node* node = find_node(handle);
  EventPtr known = find_event(event);
  if (!node || !known || node->type != type) return hipErrorInvalidValue;
  node->event = known;
  return hipSuccess;
}

hipError_t set_exec_event(hipGraphExec_t exec, hipGraphNode_t handle, hipEvent_t event,
                          hipGraphNodeType type) {
  GraphExec* known = find_exec(exec);
  Node* node = find_node(handle);
  EventPtr wanted = find_event(event);
  if (!known || !node || !wanted || node->type != type) return hipErrorInvalidValue;
  return known->change(node, [&](Step& step) { step.event = wanted; }) ? hipSuccess
                                                                       : hipErrorInvalidValue;
}

// The steps of the old child take over the tasks of a graph of the same shape.
hipError_t set_exec_child(hipGraphExec_t exec, hipGraphNode_t handle, hipGraph_t child) {
  GraphExec* known = find_exec(exec);
  Node* node = find_node(handle);
  Graph* graph = find_graph(child);
  if (!known || !node || !graph || !node->child) return hipErrorInvalidValue;
  const std::vector<Node*> before = node->child->ordered(), now = graph->ordered();
  if (before.size() != now.size()) return hipErrorGraphExecUpdateFailure;
  for (size_t i = 0; i < now.size(); ++i)
    if (before[i]->type != now[i]->type) return hipErrorGraphExecUpdateFailure;
  for (size_t i = 0; i < now.size(); ++i)
    known->change(before[i], [&](Step& step) { step.task = now[i]->task; });
  return hipSuccess;
}

}  // namespace

hipError_t add_node(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                    size_t count, Node node) {
  Graph* known = find_graph(graph);
  if (!added || !known || (count && !dependencies)) return hipErrorInvalidValue;
  std::vector<Node*> needs;
  for (size_t i = 0; i < count; ++i) {
    Node* need = find_node(dependencies[i]);
    if (!need || need->graph != known) return hipErrorInvalidValue;
    needs.push_back(need);
  }
  *added = handle_of(known->add(std::move(node), needs));
  return hipSuccess;
}

hipError_t add_event_node(hipGraphNode_t* added, hipGraph_t graph,
                          const hipGraphNode_t* dependencies, size_t count, hipEvent_t event,
                          hipGraphNodeType type) {
  Node node;
  node.type = type;
  node.event = find_event(event);
  if (!node.event) return hipErrorInvalidValue;
  return add_node(added, graph, dependencies, count, std::move(node));
}

hipError_t add_child_node(hipGraphNode_t* added, hipGraph_t graph,
                          const hipGraphNode_t* dependencies, size_t count, hipGraph_t child) {
  Graph* known = find_graph(child);
  if (!known) return hipErrorInvalidValue;
  Node node;
  node.type = hipGraphNodeTypeGraph;
  node.child = known->clone();
  return add_node(added, graph, dependencies, count, std::move(node));
}

hipError_t add_memory_node(hipGraphNode_t* added, hipGraph_t graph,
                           const hipGraphNode_t* dependencies, size_t count,
                           hipMemAllocNodeParams* parameters) {
  if (!added || !parameters || !find_graph(graph) || (count && !dependencies))
    return hipErrorInvalidValue;
  const hipMemPoolProps& pool = parameters->poolProps;
  parameters->dptr = nullptr;
  if (parameters->bytesize == 0 || pool.allocType != hipMemAllocationTypePinned ||
      pool.location.type != hipMemLocationTypeDevice || pool.location.id < 0 ||
      pool.location.id >= Runtime::get().device_count())
    return hipErrorInvalidValue;
  Node node;
  node.type = hipGraphNodeTypeMemAlloc;
  Device& device = Runtime::get().device(pool.location.id);
  if (hipError_t status = allocate_on(device, &parameters->dptr, parameters->bytesize, 0))
    return status;
  node.memory = std::make_shared<GraphMemory>(*parameters);
  return add_node(added, graph, dependencies, count, std::move(node));
}

hipError_t add_free_node(hipGraphNode_t* added, hipGraph_t graph,
                         const hipGraphNode_t* dependencies, size_t count, void* address) {
  if (!added || !find_graph(graph) || (count && !dependencies)) return hipErrorInvalidValue;
  if (!address || !take_graph_memory(address)) return hipErrorInvalidValue;
  Node node;
  node.type = hipGraphNodeTypeMemFree;
  node.freed = address;
  return add_node(added, graph, dependencies, count, std::move(node));
}

}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t* dependencies, size_t numDependencies,
                                     hipDeviceptr_t dptr) {
  HIP_API(hipDrvGraphAddMemFreeNode, phGraphNode, hGraph, dependencies, numDependencies, dptr);
  HIP_RETURN(add_free_node(phGraphNode, hGraph, dependencies, numDependencies, dptr));
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                const hipGraphNode_t* pDependencies, size_t numDependencies) {
  HIP_API(hipGraphAddEmptyNode, pGraphNode, graph, pDependencies, numDependencies);
  HIP_RETURN(add_node(pGraphNode, graph, pDependencies, numDependencies, Node()));
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t* pDependencies, size_t numDependencies,
                                     hipGraph_t childGraph) {
  HIP_API(hipGraphAddChildGraphNode, pGraphNode, graph, pDependencies, numDependencies, childGraph);
  HIP_RETURN(add_child_node(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph) {
  HIP_API(hipGraphChildGraphNodeGetGraph, node, pGraph);
  Node* known = find_node(node);
  if (!known || !pGraph || !known->child) HIP_RETURN(hipErrorInvalidValue);
  *pGraph = handle_of(known->child.get());
  HIP_RETURN(hipSuccess);
}

#define EVENT_NODE(Kind, type)                                                                  \
  hipError_t hipGraphAddEvent##Kind##Node(hipGraphNode_t* pGraphNode, hipGraph_t graph,         \
                                          const hipGraphNode_t* pDependencies,                  \
                                          size_t numDependencies, hipEvent_t event) {           \
    HIP_API(hipGraphAddEvent##Kind##Node, pGraphNode, graph, pDependencies, numDependencies,    \
            event);                                                                             \
    HIP_RETURN(add_event_node(pGraphNode, graph, pDependencies, numDependencies, event, type)); \
  }                                                                                             \
  hipError_t hipGraphEvent##Kind##NodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {    \
    HIP_API(hipGraphEvent##Kind##NodeGetEvent, node, event_out);                                \
    HIP_RETURN(get_event(node, event_out, type));                                               \
  }                                                                                             \
  hipError_t hipGraphEvent##Kind##NodeSetEvent(hipGraphNode_t node, hipEvent_t event) {         \
    HIP_API(hipGraphEvent##Kind##NodeSetEvent, node, event);                                    \
    HIP_RETURN(set_event(node, event, type));                                                   \
  }                                                                                             \
  hipError_t hipGraphExecEvent##Kind##NodeSetEvent(hipGraphExec_t hGraphExec,                   \
                                                   hipGraphNode_t hNode, hipEvent_t event) {    \
    HIP_API(hipGraphExecEvent##Kind##NodeSetEvent, hGraphExec, hNode, event);                   \
    HIP_RETURN(set_exec_event(hGraphExec, hNode, event, type));                                 \
  }
EVENT_NODE(Record, hipGraphNodeTypeEventRecord)
EVENT_NODE(Wait, hipGraphNodeTypeWaitEvent)
#undef EVENT_NODE

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t* pDependencies, size_t numDependencies,
                                   hipMemAllocNodeParams* pNodeParams) {
  HIP_API(hipGraphAddMemAllocNode, pGraphNode, graph, pDependencies, numDependencies, pNodeParams);
  HIP_RETURN(add_memory_node(pGraphNode, graph, pDependencies, numDependencies, pNodeParams));
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* pNodeParams) {
  HIP_API(hipGraphMemAllocNodeGetParams, node, pNodeParams);
  Node* known = find_node(node);
  if (!known || !known->memory || !pNodeParams) HIP_RETURN(hipErrorInvalidValue);
  *pNodeParams = known->memory->parameters;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                  const hipGraphNode_t* pDependencies, size_t numDependencies,
                                  void* dev_ptr) {
  HIP_API(hipGraphAddMemFreeNode, pGraphNode, graph, pDependencies, numDependencies, dev_ptr);
  HIP_RETURN(add_free_node(pGraphNode, graph, pDependencies, numDependencies, dev_ptr));
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* dev_ptr) {
  HIP_API(hipGraphMemFreeNodeGetParams, node, dev_ptr);
  Node* known = find_node(node);
  if (!known || !known->freed || !dev_ptr) HIP_RETURN(hipErrorInvalidValue);
  *static_cast<void**>(dev_ptr) = known->freed;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               hipGraph_t childGraph) {
  HIP_API(hipGraphExecChildGraphNodeSetParams, hGraphExec, node, childGraph);
  HIP_RETURN(set_exec_child(hGraphExec, node, childGraph));
}

}  // extern "C"
