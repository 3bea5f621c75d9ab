// Graphs: captured and built, launched, changed.
#include "cases.h"

#include <algorithm>

__global__ void add(int* value, int amount) { *value += amount; }
__global__ void multiply(int* value, int factor) { *value *= factor; }
__global__ void spin(int* out, int rounds) {
  int x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1664525 + 1013904223;
  out[threadIdx.x] = x;
}

struct KernelCall {
  void* pointers[2];
  hipKernelNodeParams parameters{};
  KernelCall(void (*kernel)(int*, int), int*& value, int& number) : pointers{&value, &number} {
    parameters.func = reinterpret_cast<void*>(kernel);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = pointers;
  }
};

hipGraphExec_t instantiated(hipGraph_t graph) {
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  return exec;
}

CASE(a_captured_stream_replays) {
  int* value = on_device<int>({1});
  hipStream_t stream;
  hipGraph_t graph;
  OK(hipStreamCreate(&stream));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(value, 2);
  multiply<<<1, 1, 0, stream>>>(value, 3);
  hipStreamCaptureStatus status;
  OK(hipStreamIsCapturing(stream, &status));
  CHECK(status == hipStreamCaptureStatusActive);
  OK(hipStreamEndCapture(stream, &graph));
  CHECK(on_host(value, 1)[0] == 1);
  hipGraphExec_t exec = instantiated(graph);
  OK(hipGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) OK(hipGraphLaunch(exec, stream));
  OK(hipStreamSynchronize(stream));
  CHECK(on_host(value, 1)[0] == (((1 + 2) * 3 + 2) * 3 + 2) * 3);
  OK(hipGraphExecDestroy(exec));
}

CASE(a_capture_spreads_over_streams_by_events) {
  int* value = on_device<int>({0, 0});
  hipStream_t first, second;
  hipEvent_t fork, join;
  hipGraph_t graph;
  OK(hipStreamCreate(&first));
  OK(hipStreamCreate(&second));
  OK(hipEventCreate(&fork));
  OK(hipEventCreate(&join));
  OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
  add<<<1, 1, 0, first>>>(value, 1);
  OK(hipEventRecord(fork, first));
  OK(hipStreamWaitEvent(second, fork, 0));
  add<<<1, 1, 0, second>>>(value + 1, 5);
  multiply<<<1, 1, 0, first>>>(value, 4);
  OK(hipEventRecord(join, second));
  OK(hipStreamWaitEvent(first, join, 0));
  add<<<1, 1, 0, first>>>(value, 100);
  OK(hipStreamEndCapture(first, &graph));
  size_t nodes = 0, edges = 0, roots = 0;
  OK(hipGraphGetNodes(graph, nullptr, &nodes));
  OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  OK(hipGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 4 && edges == 4 && roots == 1);
  OK(hipGraphLaunch(instantiated(graph), first));
  OK(hipStreamSynchronize(first));
  std::vector<int> back = on_host(value, 2);
  CHECK(back[0] == 104 && back[1] == 5);
}

CASE(broken_captures_fail) {
  hipStream_t first, second;
  hipEvent_t fork;
  hipGraph_t graph;
  int* value = on_device<int>({0});
  OK(hipStreamCreate(&first));
  OK(hipStreamCreate(&second));
  OK(hipEventCreate(&fork));
  EXPECT(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  EXPECT(hipErrorIllegalState, hipStreamEndCapture(first, &graph));
  OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
  OK(hipEventRecord(fork, first));
  OK(hipStreamWaitEvent(second, fork, 0));
  add<<<1, 1, 0, second>>>(value, 1);
  EXPECT(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(first, &graph));
  OK(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
  EXPECT(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(first));
  EXPECT(hipErrorStreamCaptureUnsupported, hipDeviceSynchronize());
  EXPECT(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(first, &graph));
  CHECK(graph == nullptr);
  OK(hipStreamSynchronize(first));
}

CASE(a_graph_by_hand) {
  int* value = on_device<int>({0});
  int two = 2, five = 5, host = 7, back = 0;
  hipGraph_t graph;
  hipGraphNode_t in, sum, product, out;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemcpyNode1D(&in, graph, nullptr, 0, value, &host, 4, hipMemcpyHostToDevice));
  KernelCall adding(add, value, two), multiplying(multiply, value, five);
  OK(hipGraphAddKernelNode(&sum, graph, &in, 1, &adding.parameters));
  OK(hipGraphAddKernelNode(&product, graph, &sum, 1, &multiplying.parameters));
  OK(hipGraphAddMemcpyNode1D(&out, graph, &product, 1, &back, value, 4, hipMemcpyDeviceToHost));
  hipGraphNodeType type;
  OK(hipGraphNodeGetType(sum, &type));
  CHECK(type == hipGraphNodeTypeKernel);
  hipGraphExec_t exec = instantiated(graph);
  OK(hipGraphLaunch(exec, nullptr));
  OK(hipDeviceSynchronize());
  CHECK(back == 45);
  // Other arguments for the executable graph only.
  two = 13;
  OK(hipGraphExecKernelNodeSetParams(exec, sum, &adding.parameters));
  OK(hipGraphLaunch(exec, nullptr));
  OK(hipDeviceSynchronize());
  CHECK(back == 100);
  OK(hipGraphNodeSetEnabled(exec, product, 0));
  OK(hipGraphLaunch(exec, nullptr));
  OK(hipDeviceSynchronize());
  CHECK(back == 20);
  hipKernelNodeParams read;
  OK(hipGraphKernelNodeGetParams(product, &read));
  CHECK(read.func == multiplying.parameters.func && *static_cast<int*>(read.kernelParams[1]) == 5);
}

CASE(all_kinds_of_nodes) {
  int* value = on_device<int>({3});
  static int called = 0;
  hipGraph_t graph, child;
  hipGraphNode_t fill, host, empty, inner, record, wait, alloc, release, use;
  hipEvent_t event;
  int seven = 7;
  OK(hipEventCreate(&event));
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphCreate(&child, 0));
  hipMemsetParams zero{value, 4, 1, 4, 0, 1};
  OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  hipHostNodeParams call{[](void*) { ++called; }, nullptr};
  OK(hipGraphAddHostNode(&host, graph, &fill, 1, &call));
  OK(hipGraphAddEmptyNode(&empty, graph, &host, 1));
  KernelCall adding(add, value, seven);
  OK(hipGraphAddKernelNode(&use, child, nullptr, 0, &adding.parameters));
  OK(hipGraphAddChildGraphNode(&inner, graph, &empty, 1, child));
  OK(hipGraphAddEventRecordNode(&record, graph, &inner, 1, event));
  OK(hipGraphAddEventWaitNode(&wait, graph, &record, 1, event));
  hipMemAllocNodeParams memory{};
  memory.poolProps.allocType = hipMemAllocationTypePinned;
  memory.poolProps.location = {hipMemLocationTypeDevice, 0};
  memory.bytesize = 64;
  OK(hipGraphAddMemAllocNode(&alloc, graph, &wait, 1, &memory));
  CHECK(memory.dptr != nullptr);
  hipMemsetParams other{memory.dptr, 1, 1, 64, 9, 64};
  OK(hipGraphAddMemsetNode(&use, graph, &alloc, 1, &other));
  OK(hipGraphAddMemFreeNode(&release, graph, &use, 1, memory.dptr));
  hipGraphExec_t exec = instantiated(graph);
  for (int i = 0; i < 2; ++i) OK(hipGraphLaunch(exec, nullptr));
  OK(hipDeviceSynchronize());
  CHECK(called == 2 && on_host(value, 1)[0] == 7);
  OK(hipEventQuery(event));
  OK(hipGraphDebugDotPrint(graph, "/dev/null", 0));
}

CASE(circles_are_refused) {
  hipGraph_t graph;
  hipGraphNode_t first, second;
  hipGraphExec_t exec;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddEmptyNode(&first, graph, nullptr, 0));
  OK(hipGraphAddEmptyNode(&second, graph, &first, 1));
  OK(hipGraphAddDependencies(graph, &second, &first, 1));
  EXPECT(hipErrorInvalidValue, hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(hipGraphRemoveDependencies(graph, &second, &first, 1));
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(hipGraphDestroyNode(second));
  EXPECT(hipErrorInvalidValue, hipGraphDestroyNode(second));
}

CASE(clones_and_updates) {
  int* value = on_device<int>({0});
  int one = 1, ten = 10;
  hipGraph_t graph, clone;
  hipGraphNode_t node, twin, error;
  OK(hipGraphCreate(&graph, 0));
  KernelCall adding(add, value, one), more(add, value, ten);
  OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &adding.parameters));
  OK(hipGraphClone(&clone, graph));
  OK(hipGraphNodeFindInClone(&twin, node, clone));
  OK(hipGraphKernelNodeSetParams(twin, &more.parameters));
  hipGraphExec_t exec = instantiated(graph);
  hipGraphExecUpdateResult result;
  OK(hipGraphExecUpdate(exec, clone, &error, &result));
  CHECK(result == hipGraphExecUpdateSuccess);
  OK(hipGraphLaunch(exec, nullptr));
  OK(hipDeviceSynchronize());
  CHECK(on_host(value, 1)[0] == 10);
  hipGraphNode_t extra;
  OK(hipGraphAddEmptyNode(&extra, clone, &twin, 1));
  EXPECT(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, clone, &error, &result));
  CHECK(result == hipGraphExecUpdateErrorTopologyChanged);
}

CASE(branches_overlap_in_time) {
  int* out = on_device(std::vector<int>(128));
  int* other = out + 64;
  int rounds = 30000;
  hipEvent_t start, stop;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  float times[2];
  for (int parallel = 0; parallel < 2; ++parallel) {
    hipGraph_t graph;
    hipGraphNode_t first, second;
    OK(hipGraphCreate(&graph, 0));
    KernelCall one(spin, out, rounds), two(spin, other, rounds);
    one.parameters.blockDim = two.parameters.blockDim = dim3(64);
    OK(hipGraphAddKernelNode(&first, graph, nullptr, 0, &one.parameters));
    OK(hipGraphAddKernelNode(&second, graph, &first, parallel ? 0 : 1, &two.parameters));
    hipGraphExec_t exec = instantiated(graph);
    OK(hipDeviceSynchronize());
    OK(hipEventRecord(start));
    OK(hipGraphLaunch(exec, nullptr));
    OK(hipEventRecord(stop));
    OK(hipEventSynchronize(stop));
    OK(hipEventElapsedTime(&times[parallel], start, stop));
  }
  CHECK(times[1] < 0.7f * times[0]);
}

CASE(user_objects_live_as_long_as_their_graph) {
  static int destroyed = 0;
  hipUserObject_t object;
  hipGraph_t graph;
  OK(hipGraphCreate(&graph, 0));
  OK(hipUserObjectCreate(&object, nullptr, [](void*) { ++destroyed; }, 1,
                         hipUserObjectNoDestructorSync));
  OK(hipGraphRetainUserObject(graph, object, 1, hipGraphUserObjectMove));
  CHECK(destroyed == 0);
  OK(hipGraphDestroy(graph));
  CHECK(destroyed == 1);
}

CASE(allocation_inside_a_capture) {
  hipStream_t stream;
  hipGraph_t graph;
  int* memory;
  int back = 0;
  OK(hipStreamCreate(&stream));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  OK(hipMallocAsync(reinterpret_cast<void**>(&memory), 4, stream));
  OK(hipMemsetAsync(memory, 0, 4, stream));
  add<<<1, 1, 0, stream>>>(memory, 6);
  OK(hipMemcpyAsync(&back, memory, 4, hipMemcpyDeviceToHost, stream));
  OK(hipFreeAsync(memory, stream));
  OK(hipStreamEndCapture(stream, &graph));
  OK(hipGraphLaunch(instantiated(graph), stream));
  OK(hipStreamSynchronize(stream));
  CHECK(back == 6);
}
