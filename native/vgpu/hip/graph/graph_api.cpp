// Graphs as a whole: make, connect, ask, clone, instantiate, launch, update, print.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "hip/core/api.h"
#include "hip/core/clock.h"
#include "hip/core/event.h"
#include "hip/core/graph.h"
#include "hip/core/graph_capture.h"
#include "hip/core/stream.h"
#include "hip/graph/graph_exec.h"

namespace vgpu::hip {
namespace {

// Fills the caller's array, or only the count when there is no array. More room than nodes is
// filled with null, as HIP does.
hipError_t list_nodes(const std::vector<Node*>& found, hipGraphNode_t* nodes, size_t* count) {
  if (!count) return hipErrorInvalidValue;
  if (nodes)
    for (size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? handle_of(found[i]) : nullptr;
  if (!nodes || *count > found.size()) *count = found.size();
  return hipSuccess;
}

hipError_t list_edges(const Graph& graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* count) {
  if (!count || !from != !to) return hipErrorInvalidValue;
  size_t index = 0;
  for (auto& node : graph.nodes())
    for (Node* after : node->needed_by) {
      if (from && index < *count) {
        from[index] = handle_of(node.get());
        to[index] = handle_of(after);
      }
      ++index;
    }
  if (!from || *count > index) *count = index;
  return hipSuccess;
}

template <class Change>
hipError_t change_edges(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to,
                        size_t count, Change change) {
  Graph* graph = find_graph(handle);
  if (!graph || (count && (!from || !to))) return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    Node* first = find_node(from[i]);
    Node* second = find_node(to[i]);
    if (!first || !second || first == second || first->graph != graph || second->graph != graph)
      return hipErrorInvalidValue;
    if (!change(*graph, first, second)) return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// ROCm takes none or one of the flags.
bool is_one_flag(unsigned long long flags) {
  constexpr unsigned long long kKnown =
      hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUpload |
      hipGraphInstantiateFlagDeviceLaunch | hipGraphInstantiateFlagUseNodePriority;
  return !(flags & ~kKnown) && !(flags & (flags - 1));
}

// Only work can be switched off.
bool can_be_disabled(const Node* node) {
  return node && (node->type == hipGraphNodeTypeKernel || node->type == hipGraphNodeTypeMemcpy ||
                  node->type == hipGraphNodeTypeMemset);
}

hipError_t instantiate(hipGraphExec_t* exec, hipGraph_t handle, unsigned long long flags) {
  Graph* graph = find_graph(handle);
  if (!exec || !graph || !is_one_flag(flags)) return hipErrorInvalidValue;
  // The memory of a graph exists once; so can the graph that is executed.
  if (graph->instantiated && graph->has_memory_nodes()) return hipErrorNotSupported;
  std::unique_ptr<GraphExec> made = GraphExec::make(*graph, flags);
  if (!made) return hipErrorInvalidValue;
  graph->instantiated = true;
  HandleSet<GraphExec>::get().add(made.get());
  *exec = reinterpret_cast<hipGraphExec_t>(made.release());
  return hipSuccess;
}

hipError_t launch(hipGraphExec_t handle, hipStream_t stream) {
  GraphExec* exec = find_exec(handle);
  Stream* target = find_stream(stream);
  if (!exec) return hipErrorInvalidValue;
  if (!target) return hipErrorInvalidHandle;
  const GraphExec::Launch launch = exec->launch(!target->capture);
  if (hipError_t status = submit(stream, launch.task)) return status;
  for (const auto& [event, point] : launch.recorded) event->record(point);
  for (const CompletionPtr& copied : launch.host_waits_for) vrocm_host_advance_to(copied->wait());
  return hipSuccess;
}

const char* type_name(hipGraphNodeType type) {
  static const char* const kNames[] = {"Kernel",
                                       "Memcpy",
                                       "Memset",
                                       "Host",
                                       "ChildGraph",
                                       "Empty",
                                       "WaitEvent",
                                       "EventRecord",
                                       "ExtSemaphoreSignal",
                                       "ExtSemaphoreWait",
                                       "MemAlloc",
                                       "MemFree",
                                       "MemcpyFromSymbol",
                                       "MemcpyToSymbol",
                                       "BatchMemOp"};
  return kNames[std::min<int>(type, hipGraphNodeTypeBatchMemOp)];
}

void print_dot(std::FILE* file, const Graph& graph, const std::string& prefix) {
  std::map<const Node*, std::string> names;
  for (auto& node : graph.nodes()) {
    std::string name = prefix + std::to_string(names.size());
    std::fprintf(file, "  \"%s\" [shape=box label=\"%s %s\"];\n", name.c_str(), name.c_str(),
                 type_name(node->type));
    if (node->child) print_dot(file, *node->child, name + ".");
    names[node.get()] = std::move(name);
  }
  for (auto& node : graph.nodes())
    for (Node* after : node->needed_by)
      std::fprintf(file, "  \"%s\" -> \"%s\";\n", names[node.get()].c_str(), names[after].c_str());
}

hipError_t write_dot(const Graph& graph, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return hipErrorOperatingSystem;
  std::fprintf(file, "digraph graph_0 {\n");
  print_dot(file, graph, "node_");
  std::fprintf(file, "}\n");
  return std::fclose(file) == 0 ? hipSuccess : hipErrorOperatingSystem;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipGraphCreate(hipGraph_t* pGraph, unsigned flags) {
  HIP_API(hipGraphCreate, pGraph, flags);
  if (!pGraph || flags) HIP_RETURN(hipErrorInvalidValue);
  *pGraph = handle_of(new Graph());
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  HIP_API(hipGraphDestroy, graph);
  Graph* known = find_graph(graph);
  delete known;
  HIP_RETURN(known ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, size_t numDependencies) {
  HIP_API(hipGraphAddDependencies, graph, from, to, numDependencies);
  HIP_RETURN(change_edges(graph, from, to, numDependencies, [](Graph& g, Node* a, Node* b) {
    if (std::find(b->needs.begin(), b->needs.end(), a) != b->needs.end()) return false;
    g.connect(a, b);
    return true;
  }));
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                      const hipGraphNode_t* to, size_t numDependencies) {
  HIP_API(hipGraphRemoveDependencies, graph, from, to, numDependencies);
  HIP_RETURN(change_edges(graph, from, to, numDependencies,
                          [](Graph& g, Node* a, Node* b) { return g.disconnect(a, b); }));
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            size_t* numEdges) {
  HIP_API(hipGraphGetEdges, graph, from, to, numEdges);
  Graph* known = find_graph(graph);
  HIP_RETURN(known ? list_edges(*known, from, to, numEdges) : hipErrorInvalidValue);
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* numNodes) {
  HIP_API(hipGraphGetNodes, graph, nodes, numNodes);
  Graph* known = find_graph(graph);
  if (!known) HIP_RETURN(hipErrorInvalidValue);
  std::vector<Node*> all;
  for (auto& node : known->nodes()) all.push_back(node.get());
  HIP_RETURN(list_nodes(all, nodes, numNodes));
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* pRootNodes,
                                size_t* pNumRootNodes) {
  HIP_API(hipGraphGetRootNodes, graph, pRootNodes, pNumRootNodes);
  Graph* known = find_graph(graph);
  HIP_RETURN(known ? list_nodes(known->roots(), pRootNodes, pNumRootNodes) : hipErrorInvalidValue);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* pDependencies,
                                       size_t* pNumDependencies) {
  HIP_API(hipGraphNodeGetDependencies, node, pDependencies, pNumDependencies);
  Node* known = find_node(node);
  HIP_RETURN(known ? list_nodes(known->needs, pDependencies, pNumDependencies)
                   : hipErrorInvalidValue);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* pDependentNodes,
                                         size_t* pNumDependentNodes) {
  HIP_API(hipGraphNodeGetDependentNodes, node, pDependentNodes, pNumDependentNodes);
  Node* known = find_node(node);
  HIP_RETURN(known ? list_nodes(known->needed_by, pDependentNodes, pNumDependentNodes)
                   : hipErrorInvalidValue);
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* pType) {
  HIP_API(hipGraphNodeGetType, node, pType);
  Node* known = find_node(node);
  if (!known || !pType) HIP_RETURN(hipErrorInvalidValue);
  *pType = known->type;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  HIP_API(hipGraphDestroyNode, node);
  Node* known = find_node(node);
  if (!known) HIP_RETURN(hipErrorInvalidValue);
  known->graph->remove(known);
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphClone(hipGraph_t* pGraphClone, hipGraph_t originalGraph) {
  HIP_API(hipGraphClone, pGraphClone, originalGraph);
  Graph* known = find_graph(originalGraph);
  if (!known || !pGraphClone) HIP_RETURN(hipErrorInvalidValue);
  *pGraphClone = handle_of(known->clone().release());
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* pNode, hipGraphNode_t originalNode,
                                   hipGraph_t clonedGraph) {
  HIP_API(hipGraphNodeFindInClone, pNode, originalNode, clonedGraph);
  Node* original = find_node(originalNode);
  Graph* clone = find_graph(clonedGraph);
  if (!pNode || !original || !clone) HIP_RETURN(hipErrorInvalidValue);
  for (auto& node : clone->nodes())
    if (node->cloned_from == original) {
      *pNode = handle_of(node.get());
      HIP_RETURN(hipSuccess);
    }
  HIP_RETURN(hipErrorInvalidValue);
}

hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                               hipGraphNode_t* pErrorNode, char* pLogBuffer, size_t bufferSize) {
  HIP_API(hipGraphInstantiate, pGraphExec, graph, pErrorNode, pLogBuffer, bufferSize);
  if (pErrorNode) *pErrorNode = nullptr;
  if (pLogBuffer && bufferSize) *pLogBuffer = 0;
  HIP_RETURN(instantiate(pGraphExec, graph, 0));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                        unsigned long long flags) {
  HIP_API(hipGraphInstantiateWithFlags, pGraphExec, graph, flags);
  HIP_RETURN(instantiate(pGraphExec, graph, flags));
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                         hipGraphInstantiateParams* instantiateParams) {
  HIP_API(hipGraphInstantiateWithParams, pGraphExec, graph, instantiateParams);
  if (!instantiateParams) HIP_RETURN(hipErrorInvalidValue);
  hipError_t status = instantiate(pGraphExec, graph, instantiateParams->flags);
  instantiateParams->errNode_out = nullptr;
  instantiateParams->result_out =
      status == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateError;
  HIP_RETURN(status);
}

hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
  HIP_API(hipGraphLaunch, graphExec, stream);
  HIP_RETURN(launch(graphExec, stream));
}

hipError_t hipGraphLaunch_spt(hipGraphExec_t graphExec, hipStream_t stream) {
  HIP_API(hipGraphLaunch_spt, graphExec, stream);
  HIP_RETURN(launch(graphExec, stream ? stream : hipStreamPerThread));
}

hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream) {
  HIP_API(hipGraphUpload, graphExec, stream);
  HIP_RETURN(find_exec(graphExec) && find_stream(stream) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long* flags) {
  HIP_API(hipGraphExecGetFlags, graphExec, flags);
  GraphExec* known = find_exec(graphExec);
  if (!known || !flags) HIP_RETURN(hipErrorInvalidValue);
  *flags = known->flags();
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec) {
  HIP_API(hipGraphExecDestroy, graphExec);
  GraphExec* known = find_exec(graphExec);
  if (!known) HIP_RETURN(hipErrorInvalidValue);
  HandleSet<GraphExec>::get().remove(known);
  delete known;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph,
                              hipGraphNode_t* hErrorNode_out,
                              hipGraphExecUpdateResult* updateResult_out) {
  HIP_API(hipGraphExecUpdate, hGraphExec, hGraph, hErrorNode_out, updateResult_out);
  GraphExec* exec = find_exec(hGraphExec);
  Graph* graph = find_graph(hGraph);
  if (!exec || !graph || !updateResult_out) HIP_RETURN(hipErrorInvalidValue);
  const Node* error_node = nullptr;
  *updateResult_out = exec->update(*graph, &error_node);
  if (hErrorNode_out) *hErrorNode_out = handle_of(error_node);
  HIP_RETURN(*updateResult_out == hipGraphExecUpdateSuccess ? hipSuccess
                                                            : hipErrorGraphExecUpdateFailure);
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                  unsigned isEnabled) {
  HIP_API(hipGraphNodeSetEnabled, hGraphExec, hNode, isEnabled);
  GraphExec* exec = find_exec(hGraphExec);
  Node* node = find_node(hNode);
  if (!exec || !can_be_disabled(node)) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(exec->change(node, [&](Step& step) { step.enabled = isEnabled != 0; })
                 ? hipSuccess
                 : hipErrorInvalidValue);
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                  unsigned* isEnabled) {
  HIP_API(hipGraphNodeGetEnabled, hGraphExec, hNode, isEnabled);
  GraphExec* exec = find_exec(hGraphExec);
  const Step* step = exec ? exec->find(find_node(hNode)) : nullptr;
  if (!step || !isEnabled || !can_be_disabled(find_node(hNode))) HIP_RETURN(hipErrorInvalidValue);
  *isEnabled = step->enabled;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned flags) {
  HIP_API(hipGraphDebugDotPrint, graph, path, flags);
  Graph* known = find_graph(graph);
  HIP_RETURN(known && path ? write_dot(*known, path) : hipErrorInvalidValue);
}

}  // extern "C"
