// Nodes of graphs: add, ask, change; change in an executable graph.
#include "api.h"
#include "event.h"
#include "graph.h"
#include "graph_exec.h"
#include "graph_params.h"
#include "memory.h"
#include "runtime.h"

namespace vgpu::hip {
namespace {

hipError_t add(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
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

// A node whose work `make` turns into a task.
template <class Make>
hipError_t add_task(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                    size_t count, Make make) {
  Node node;
  if (hipError_t status = make(node.task)) return status;
  node.type = node.task->node_type();
  return add(added, graph, dependencies, count, std::move(node));
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
  return known->change(node, [&](Step& step) { step.task = task; }) ? hipSuccess
                                                                    : hipErrorInvalidValue;
}

template <class Parameters>
hipError_t get_parameters(hipGraphNode_t handle, Parameters* parameters) {
  Node* node = find_node(handle);
  return node && parameters ? read_parameters(*node, *parameters) : hipErrorInvalidValue;
}

hipError_t add_event(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                     size_t count, hipEvent_t event, hipGraphNodeType type) {
  Node node;
  node.type = type;
  node.event = find_event(event);
  if (!node.event) return hipErrorInvalidValue;
  return add(added, graph, dependencies, count, std::move(node));
}

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

hipError_t add_child(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                     size_t count, hipGraph_t child) {
  Graph* known = find_graph(child);
  if (!known) return hipErrorInvalidValue;
  Node node;
  node.type = hipGraphNodeTypeGraph;
  node.child = known->clone();
  return add(added, graph, dependencies, count, std::move(node));
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

bool is_kernel(hipGraphNode_t handle) {
  const Node* node = find_node(handle);
  return node && node->type == hipGraphNodeTypeKernel;
}

hipError_t add_memory(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                      size_t count, hipMemAllocNodeParams* parameters) {
  if (!parameters || !find_graph(graph)) return hipErrorInvalidValue;
  Node node;
  node.type = hipGraphNodeTypeMemAlloc;
  Device& device = Runtime::get().current();
  if (hipError_t status = allocate_on(device, &parameters->dptr, parameters->bytesize, 0))
    return status;
  node.memory = std::make_shared<GraphMemory>(*parameters);
  return add(added, graph, dependencies, count, std::move(node));
}

hipError_t add_free(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* dependencies,
                    size_t count, void* address) {
  if (!address) return hipErrorInvalidValue;
  Node node;
  node.type = hipGraphNodeTypeMemFree;
  node.freed = address;
  return add(added, graph, dependencies, count, std::move(node));
}

// The general calls carry every kind of parameters in one block.
hipError_t make_general_task(const hipGraphNodeParams& p, TaskPtr& task) {
  switch (p.type) {
    case hipGraphNodeTypeKernel: return make_task(p.kernel, task);
    case hipGraphNodeTypeMemcpy: return make_task(p.memcpy.copyParams, task);
    case hipGraphNodeTypeMemset: return make_task(p.memset, task);
    case hipGraphNodeTypeHost: return make_task(p.host, task);
    default: return hipErrorNotSupported;
  }
}

hipError_t add_general(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* needs,
                       size_t count, hipGraphNodeParams* p) {
  if (!p) return hipErrorInvalidValue;
  switch (p->type) {
    case hipGraphNodeTypeGraph: return add_child(added, graph, needs, count, p->graph.graph);
    case hipGraphNodeTypeEmpty: return add(added, graph, needs, count, Node());
    case hipGraphNodeTypeWaitEvent:
    case hipGraphNodeTypeEventRecord:
      return add_event(added, graph, needs, count, p->eventWait.event, p->type);
    case hipGraphNodeTypeMemAlloc: return add_memory(added, graph, needs, count, &p->alloc);
    case hipGraphNodeTypeMemFree: return add_free(added, graph, needs, count, p->free.dptr);
    default:
      return add_task(added, graph, needs, count,
                      [p](TaskPtr& task) { return make_general_task(*p, task); });
  }
}

auto general(const hipGraphNodeParams* p) {
  return [p](TaskPtr& task) {
    return p ? make_general_task(*p, task) : hipErrorInvalidValue;
  };
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipGraphAddNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                           const hipGraphNode_t* pDependencies, size_t numDependencies,
                           hipGraphNodeParams* nodeParams) {
  HIP_API(hipGraphAddNode, pGraphNode, graph, pDependencies, numDependencies, nodeParams);
  HIP_RETURN(add_general(pGraphNode, graph, pDependencies, numDependencies, nodeParams));
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* nodeParams) {
  HIP_API(hipGraphNodeSetParams, node, nodeParams);
  HIP_RETURN(set_task(node, general(nodeParams)));
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t graphExec, hipGraphNode_t node,
                                     hipGraphNodeParams* nodeParams) {
  HIP_API(hipGraphExecNodeSetParams, graphExec, node, nodeParams);
  HIP_RETURN(set_exec_task(graphExec, node, general(nodeParams)));
}

// Kernel, memcpy, memset and host nodes have the same four calls.
#define TASK_NODE(Kind, Block, add_parameter, exec_block)                                         \
  hipError_t hipGraphAdd##Kind##Node(hipGraphNode_t* pGraphNode, hipGraph_t graph,                \
                                     const hipGraphNode_t* pDependencies, size_t numDependencies, \
                                     const Block* add_parameter) {                                \
    HIP_API(hipGraphAdd##Kind##Node, pGraphNode, graph, pDependencies, numDependencies,           \
            add_parameter);                                                                       \
    HIP_RETURN(add_task(pGraphNode, graph, pDependencies, numDependencies, from(add_parameter))); \
  }                                                                                               \
  hipError_t hipGraph##Kind##NodeGetParams(hipGraphNode_t node, Block* pNodeParams) {             \
    HIP_API(hipGraph##Kind##NodeGetParams, node, pNodeParams);                                    \
    HIP_RETURN(get_parameters(node, pNodeParams));                                                \
  }                                                                                               \
  hipError_t hipGraph##Kind##NodeSetParams(hipGraphNode_t node, const Block* pNodeParams) {       \
    HIP_API(hipGraph##Kind##NodeSetParams, node, pNodeParams);                                    \
    HIP_RETURN(set_task(node, from(pNodeParams)));                                                \
  }                                                                                               \
  hipError_t hipGraphExec##Kind##NodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,    \
                                               exec_block* pNodeParams) {                         \
    HIP_API(hipGraphExec##Kind##NodeSetParams, hGraphExec, node, pNodeParams);                    \
    HIP_RETURN(set_exec_task(hGraphExec, node, from(pNodeParams)));                               \
  }
TASK_NODE(Kernel, hipKernelNodeParams, pNodeParams, const hipKernelNodeParams)
TASK_NODE(Memcpy, hipMemcpy3DParms, pCopyParams, hipMemcpy3DParms)
TASK_NODE(Memset, hipMemsetParams, pMemsetParams, const hipMemsetParams)
TASK_NODE(Host, hipHostNodeParams, pNodeParams, const hipHostNodeParams)
#undef TASK_NODE

// Copies by three ways of naming the two sides: `make` of the arguments that the call takes.
#define COPY_NODE(Suffix, make, first_type, first, second_type, second, ...)                      \
  hipError_t hipGraphAddMemcpyNode##Suffix(                                                       \
      hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,          \
      size_t numDependencies, first_type first, second_type second,                               \
      COPY_PARAMETERS_##Suffix hipMemcpyKind kind) {                                              \
    HIP_API(hipGraphAddMemcpyNode##Suffix, pGraphNode, graph, pDependencies, numDependencies,     \
            first, second, __VA_ARGS__, kind);                                                    \
    HIP_RETURN(add_task(pGraphNode, graph, pDependencies, numDependencies, [&](TaskPtr& task) {   \
      return make(first, second, __VA_ARGS__, task);                                              \
    }));                                                                                          \
  }                                                                                               \
  hipError_t hipGraphMemcpyNodeSetParams##Suffix(hipGraphNode_t node, first_type first,           \
                                                 second_type second,                              \
                                                 COPY_PARAMETERS_##Suffix hipMemcpyKind kind) {   \
    HIP_API(hipGraphMemcpyNodeSetParams##Suffix, node, first, second, __VA_ARGS__, kind);         \
    HIP_RETURN(set_task(                                                                          \
        node, [&](TaskPtr& task) { return make(first, second, __VA_ARGS__, task); }));            \
  }                                                                                               \
  hipError_t hipGraphExecMemcpyNodeSetParams##Suffix(                                             \
      hipGraphExec_t hGraphExec, hipGraphNode_t node, first_type first, second_type second,       \
      COPY_PARAMETERS_##Suffix hipMemcpyKind kind) {                                              \
    HIP_API(hipGraphExecMemcpyNodeSetParams##Suffix, hGraphExec, node, first, second,             \
            __VA_ARGS__, kind);                                                                   \
    HIP_RETURN(set_exec_task(hGraphExec, node, [&](TaskPtr& task) {                               \
      return make(first, second, __VA_ARGS__, task);                                              \
    }));                                                                                          \
  }
#define COPY_PARAMETERS_1D size_t count,
#define COPY_PARAMETERS_FromSymbol size_t count, size_t offset,
#define COPY_PARAMETERS_ToSymbol size_t count, size_t offset,
COPY_NODE(1D, make_line_task, void*, dst, const void*, src, count)
COPY_NODE(FromSymbol, make_from_symbol_task, void*, dst, const void*, symbol, count, offset)
COPY_NODE(ToSymbol, make_to_symbol_task, const void*, symbol, const void*, src, count, offset)
#undef COPY_NODE

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t* dependencies, size_t numDependencies,
                                    const HIP_MEMCPY3D* copyParams, hipCtx_t ctx) {
  HIP_API(hipDrvGraphAddMemcpyNode, phGraphNode, hGraph, dependencies, numDependencies, copyParams,
          ctx);
  HIP_RETURN(add_task(phGraphNode, hGraph, dependencies, numDependencies, from(copyParams)));
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D* nodeParams) {
  HIP_API(hipDrvGraphMemcpyNodeSetParams, hNode, nodeParams);
  HIP_RETURN(set_task(hNode, from(nodeParams)));
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const HIP_MEMCPY3D* copyParams, hipCtx_t ctx) {
  HIP_API(hipDrvGraphExecMemcpyNodeSetParams, hGraphExec, hNode, copyParams, ctx);
  HIP_RETURN(set_exec_task(hGraphExec, hNode, from(copyParams)));
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t* dependencies, size_t numDependencies,
                                    const hipMemsetParams* memsetParams, hipCtx_t ctx) {
  HIP_API(hipDrvGraphAddMemsetNode, phGraphNode, hGraph, dependencies, numDependencies,
          memsetParams, ctx);
  HIP_RETURN(add_task(phGraphNode, hGraph, dependencies, numDependencies, from(memsetParams)));
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const hipMemsetParams* memsetParams, hipCtx_t ctx) {
  HIP_API(hipDrvGraphExecMemsetNodeSetParams, hGraphExec, hNode, memsetParams, ctx);
  HIP_RETURN(set_exec_task(hGraphExec, hNode, from(memsetParams)));
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                     const hipGraphNode_t* dependencies, size_t numDependencies,
                                     hipDeviceptr_t dptr) {
  HIP_API(hipDrvGraphAddMemFreeNode, phGraphNode, hGraph, dependencies, numDependencies, dptr);
  HIP_RETURN(add_free(phGraphNode, hGraph, dependencies, numDependencies, dptr));
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                const hipGraphNode_t* pDependencies, size_t numDependencies) {
  HIP_API(hipGraphAddEmptyNode, pGraphNode, graph, pDependencies, numDependencies);
  HIP_RETURN(add(pGraphNode, graph, pDependencies, numDependencies, Node()));
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t* pDependencies, size_t numDependencies,
                                     hipGraph_t childGraph) {
  HIP_API(hipGraphAddChildGraphNode, pGraphNode, graph, pDependencies, numDependencies,
          childGraph);
  HIP_RETURN(add_child(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph) {
  HIP_API(hipGraphChildGraphNodeGetGraph, node, pGraph);
  Node* known = find_node(node);
  if (!known || !pGraph || !known->child) HIP_RETURN(hipErrorInvalidValue);
  *pGraph = handle_of(known->child.get());
  HIP_RETURN(hipSuccess);
}

#define EVENT_NODE(Kind, type)                                                                    \
  hipError_t hipGraphAddEvent##Kind##Node(hipGraphNode_t* pGraphNode, hipGraph_t graph,           \
                                          const hipGraphNode_t* pDependencies,                    \
                                          size_t numDependencies, hipEvent_t event) {             \
    HIP_API(hipGraphAddEvent##Kind##Node, pGraphNode, graph, pDependencies, numDependencies,      \
            event);                                                                               \
    HIP_RETURN(add_event(pGraphNode, graph, pDependencies, numDependencies, event, type));        \
  }                                                                                               \
  hipError_t hipGraphEvent##Kind##NodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {      \
    HIP_API(hipGraphEvent##Kind##NodeGetEvent, node, event_out);                                  \
    HIP_RETURN(get_event(node, event_out, type));                                                 \
  }                                                                                               \
  hipError_t hipGraphEvent##Kind##NodeSetEvent(hipGraphNode_t node, hipEvent_t event) {           \
    HIP_API(hipGraphEvent##Kind##NodeSetEvent, node, event);                                      \
    HIP_RETURN(set_event(node, event, type));                                                     \
  }                                                                                               \
  hipError_t hipGraphExecEvent##Kind##NodeSetEvent(hipGraphExec_t hGraphExec,                     \
                                                   hipGraphNode_t hNode, hipEvent_t event) {      \
    HIP_API(hipGraphExecEvent##Kind##NodeSetEvent, hGraphExec, hNode, event);                     \
    HIP_RETURN(set_exec_event(hGraphExec, hNode, event, type));                                   \
  }
EVENT_NODE(Record, hipGraphNodeTypeEventRecord)
EVENT_NODE(Wait, hipGraphNodeTypeWaitEvent)
#undef EVENT_NODE

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t* pDependencies, size_t numDependencies,
                                   hipMemAllocNodeParams* pNodeParams) {
  HIP_API(hipGraphAddMemAllocNode, pGraphNode, graph, pDependencies, numDependencies, pNodeParams);
  HIP_RETURN(add_memory(pGraphNode, graph, pDependencies, numDependencies, pNodeParams));
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
  HIP_RETURN(add_free(pGraphNode, graph, pDependencies, numDependencies, dev_ptr));
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

// Attributes of kernel nodes are hints (priority, cache windows); they never change results.
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                          const hipLaunchAttributeValue* value) {
  HIP_API(hipGraphKernelNodeSetAttribute, hNode, attr, value);
  HIP_RETURN(is_kernel(hNode) && value ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipLaunchAttributeID attr,
                                          hipLaunchAttributeValue* value) {
  HIP_API(hipGraphKernelNodeGetAttribute, hNode, attr, value);
  if (!is_kernel(hNode) || !value) HIP_RETURN(hipErrorInvalidValue);
  *value = {};
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst) {
  HIP_API(hipGraphKernelNodeCopyAttributes, hSrc, hDst);
  HIP_RETURN(is_kernel(hSrc) && is_kernel(hDst) ? hipSuccess : hipErrorInvalidValue);
}

}  // extern "C"
