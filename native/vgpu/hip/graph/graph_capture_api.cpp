// Turning the work of a stream into a graph.
#include "hip/core/api.h"
#include "hip/core/graph_capture.h"
#include "hip/core/stream.h"

namespace vgpu::hip {
namespace {

hipStream_t own(hipStream_t stream) { return stream ? stream : hipStreamPerThread; }

hipError_t begin(hipStream_t handle, hipStreamCaptureMode mode) {
  Stream* stream = find_stream(handle);
  return stream ? begin_capture(*stream, mode, nullptr, {}) : hipErrorInvalidHandle;
}

hipError_t end(hipStream_t handle, hipGraph_t* graph) {
  Stream* stream = find_stream(handle);
  if (!graph) return hipErrorInvalidValue;
  if (!stream) return hipErrorInvalidHandle;
  Graph* made = nullptr;
  hipError_t status = end_capture(*stream, &made);
  *graph = handle_of(made);
  return status;
}

hipStreamCaptureStatus state_of(const Stream& stream) {
  if (!stream.capture) return hipStreamCaptureStatusNone;
  return stream.capture->invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
}

hipError_t info(hipStream_t handle, hipStreamCaptureStatus* status, unsigned long long* id,
                hipGraph_t* graph, const hipGraphNode_t** dependencies, size_t* count) {
  Stream* stream = find_stream(handle);
  if (!status) return hipErrorInvalidValue;
  if (!stream) return hipErrorInvalidHandle;
  if (stream->is_default())
    if (hipError_t forbidden = capture_forbids_asking_default_stream()) return forbidden;
  *status = state_of(*stream);
  if (*status != hipStreamCaptureStatusActive) return hipSuccess;
  Capture& capture = *stream->capture;
  const std::vector<Node*>& tail = capture.tails[stream];
  if (id) *id = capture.id;
  if (graph) *graph = handle_of(capture.graph);
  if (dependencies) *dependencies = reinterpret_cast<const hipGraphNode_t*>(tail.data());
  if (count) *count = tail.size();
  return hipSuccess;
}

hipError_t collect(const hipGraphNode_t* handles, size_t count, const Graph* graph,
                   std::vector<Node*>& nodes) {
  if (count && !handles) return hipErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    Node* node = find_node(handles[i]);
    if (!node || node->graph != graph) return hipErrorInvalidValue;
    nodes.push_back(node);
  }
  return hipSuccess;
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  HIP_API(hipStreamBeginCapture, stream, mode);
  HIP_RETURN(begin(stream, mode));
}

hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode) {
  HIP_API(hipStreamBeginCapture_spt, stream, mode);
  HIP_RETURN(begin(own(stream), mode));
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t* dependencies,
                                        const hipGraphEdgeData* dependencyData,
                                        size_t numDependencies, hipStreamCaptureMode mode) {
  HIP_API(hipStreamBeginCaptureToGraph, stream, graph, dependencies, dependencyData,
          numDependencies, mode);
  Stream* known = find_stream(stream);
  Graph* into = find_graph(graph);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (!into || dependencyData) HIP_RETURN(hipErrorInvalidValue);
  std::vector<Node*> needs;
  if (hipError_t status = collect(dependencies, numDependencies, into, needs)) HIP_RETURN(status);
  HIP_RETURN(begin_capture(*known, mode, into, needs));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph) {
  HIP_API(hipStreamEndCapture, stream, pGraph);
  HIP_RETURN(end(stream, pGraph));
}

hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t* pGraph) {
  HIP_API(hipStreamEndCapture_spt, stream, pGraph);
  HIP_RETURN(end(own(stream), pGraph));
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
  HIP_API(hipStreamIsCapturing, stream, pCaptureStatus);
  HIP_RETURN(info(stream, pCaptureStatus, nullptr, nullptr, nullptr, nullptr));
}

hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
  HIP_API(hipStreamIsCapturing_spt, stream, pCaptureStatus);
  HIP_RETURN(info(own(stream), pCaptureStatus, nullptr, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus,
                                   unsigned long long* pId) {
  HIP_API(hipStreamGetCaptureInfo, stream, pCaptureStatus, pId);
  HIP_RETURN(info(stream, pCaptureStatus, pId, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus,
                                       unsigned long long* pId) {
  HIP_API(hipStreamGetCaptureInfo_spt, stream, pCaptureStatus, pId);
  HIP_RETURN(info(own(stream), pCaptureStatus, pId, nullptr, nullptr, nullptr));
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* captureStatus_out,
                                      unsigned long long* id_out, hipGraph_t* graph_out,
                                      const hipGraphNode_t** dependencies_out,
                                      size_t* numDependencies_out) {
  HIP_API(hipStreamGetCaptureInfo_v2, stream, captureStatus_out, id_out, graph_out,
          dependencies_out, numDependencies_out);
  HIP_RETURN(
      info(stream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out));
}

hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream,
                                          hipStreamCaptureStatus* captureStatus_out,
                                          unsigned long long* id_out, hipGraph_t* graph_out,
                                          const hipGraphNode_t** dependencies_out,
                                          size_t* numDependencies_out) {
  HIP_API(hipStreamGetCaptureInfo_v2_spt, stream, captureStatus_out, id_out, graph_out,
          dependencies_out, numDependencies_out);
  HIP_RETURN(info(own(stream), captureStatus_out, id_out, graph_out, dependencies_out,
                  numDependencies_out));
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies,
                                              size_t numDependencies, unsigned flags) {
  HIP_API(hipStreamUpdateCaptureDependencies, stream, dependencies, numDependencies, flags);
  Stream* known = find_stream(stream);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (!known->capture) HIP_RETURN(hipErrorIllegalState);
  if (flags > hipStreamSetCaptureDependencies) HIP_RETURN(hipErrorInvalidValue);
  std::vector<Node*> nodes;
  if (hipError_t status = collect(dependencies, numDependencies, known->capture->graph, nodes))
    HIP_RETURN(status);
  std::vector<Node*>& tail = known->capture->tails[known];
  if (flags == hipStreamSetCaptureDependencies) tail.clear();
  tail.insert(tail.end(), nodes.begin(), nodes.end());
  HIP_RETURN(hipSuccess);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  HIP_API(hipThreadExchangeStreamCaptureMode, mode);
  if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
    HIP_RETURN(hipErrorInvalidValue);
  *mode = exchange_capture_mode(*mode);
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
