// Nodes of graphs that work (kernels, copies, fills, host functions) and the calls for every kind:
// add, ask, change; change in an executable graph.
#include "hip/core/api.h"
#include "hip/graph/graph_nodes.h"

namespace vgpu::hip {
namespace {

template <class Parameters>
hipError_t get_parameters(hipGraphNode_t handle, Parameters* parameters) {
  Node* node = find_node(handle);
  return node && parameters ? read_parameters(*node, *parameters) : hipErrorInvalidValue;
}

// The general calls carry every kind of parameters in one block.
hipError_t make_general_task(const hipGraphNodeParams& p, TaskPtr& task) {
  switch (p.type) {
    case hipGraphNodeTypeKernel: return make_task(p.kernel, task);
    case hipGraphNodeTypeMemcpy: return make_task(p.memcpy.copyParams, task);
    case hipGraphNodeTypeMemset: return make_task(p.memset, task);
    case hipGraphNodeTypeHost: return make_task(p.host, task);
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
    case hipGraphNodeTypeBatchMemOp: return hipErrorNotSupported;
    default: return hipErrorInvalidValue;
  }
}

hipError_t add_general(hipGraphNode_t* added, hipGraph_t graph, const hipGraphNode_t* needs,
                       size_t count, hipGraphNodeParams* p) {
  if (!p) return hipErrorInvalidValue;
  switch (p->type) {
    case hipGraphNodeTypeGraph: return add_child_node(added, graph, needs, count, p->graph.graph);
    case hipGraphNodeTypeEmpty: return add_node(added, graph, needs, count, Node());
    case hipGraphNodeTypeWaitEvent:
    case hipGraphNodeTypeEventRecord:
      return add_event_node(added, graph, needs, count, p->eventWait.event, p->type);
    case hipGraphNodeTypeMemAlloc: return add_memory_node(added, graph, needs, count, &p->alloc);
    case hipGraphNodeTypeMemFree: return add_free_node(added, graph, needs, count, p->free.dptr);
    default:
      return add_task(added, graph, needs, count,
                      [p](TaskPtr& task) { return make_general_task(*p, task); });
  }
}

auto general(const hipGraphNodeParams* p) {
  return [p](TaskPtr& task) { return p ? make_general_task(*p, task) : hipErrorInvalidValue; };
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
#define COPY_NODE(Suffix, make, first_type, first, second_type, second, ...)                       \
  hipError_t hipGraphAddMemcpyNode##Suffix(                                                        \
      hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,           \
      size_t numDependencies, first_type first, second_type second,                                \
      COPY_PARAMETERS_##Suffix hipMemcpyKind kind) {                                               \
    HIP_API(hipGraphAddMemcpyNode##Suffix, pGraphNode, graph, pDependencies, numDependencies,      \
            first, second, __VA_ARGS__, kind);                                                     \
    HIP_RETURN(add_task(pGraphNode, graph, pDependencies, numDependencies, [&](TaskPtr& task) {    \
      return make(first, second, __VA_ARGS__, kind, task);                                         \
    }));                                                                                           \
  }                                                                                                \
  hipError_t hipGraphMemcpyNodeSetParams##Suffix(hipGraphNode_t node, first_type first,            \
                                                 second_type second,                               \
                                                 COPY_PARAMETERS_##Suffix hipMemcpyKind kind) {    \
    HIP_API(hipGraphMemcpyNodeSetParams##Suffix, node, first, second, __VA_ARGS__, kind);          \
    HIP_RETURN(set_task(                                                                           \
        node, [&](TaskPtr& task) { return make(first, second, __VA_ARGS__, kind, task); }));       \
  }                                                                                                \
  hipError_t hipGraphExecMemcpyNodeSetParams##Suffix(                                              \
      hipGraphExec_t hGraphExec, hipGraphNode_t node, first_type first, second_type second,        \
      COPY_PARAMETERS_##Suffix hipMemcpyKind kind) {                                               \
    HIP_API(hipGraphExecMemcpyNodeSetParams##Suffix, hGraphExec, node, first, second, __VA_ARGS__, \
            kind);                                                                                 \
    HIP_RETURN(set_exec_task(hGraphExec, node, [&](TaskPtr& task) {                                \
      return make(first, second, __VA_ARGS__, kind, task);                                         \
    }));                                                                                           \
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

}  // extern "C"
