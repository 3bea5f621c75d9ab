// What ROCm does where one could expect something else: pending work, kinds of memory, pools,
// hints, graphs. A gate keeps a stream busy for as long as the host wants.
#include "cases.h"

#include <hip/hip_ext.h>

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <thread>

__global__ void add(int* value, int amount) { *value += amount; }

struct Gate {
  uint32_t* word;
  Gate() {
    OK(hipHostMalloc(&word, 64, 0));
    *word = 0;
  }
  void close(hipStream_t stream) {
    OK(hipStreamWaitValue32(stream, word, 1, hipStreamWaitValueEq, ~0u));
  }
  void open() { __atomic_store_n(word, 1, __ATOMIC_RELEASE); }
};

hipStream_t made_stream(unsigned flags = hipStreamDefault) {
  hipStream_t stream;
  OK(hipStreamCreateWithFlags(&stream, flags));
  return stream;
}

hipEvent_t made_event() {
  hipEvent_t event;
  OK(hipEventCreate(&event));
  return event;
}

CASE(events_of_a_launched_graph_are_pending) {
  Gate gate;
  hipStream_t stream = made_stream(hipStreamNonBlocking);
  hipEvent_t before = made_event(), after = made_event();
  int* value = on_device<int>({1});
  int amount = 4;
  void* arguments[] = {&value, &amount};
  hipKernelNodeParams call{};
  call.func = reinterpret_cast<void*>(add);
  call.gridDim = call.blockDim = dim3(1);
  call.kernelParams = arguments;
  hipGraph_t graph;
  hipGraphNode_t first, kernel, last, wait;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddEventRecordNode(&first, graph, nullptr, 0, before));
  OK(hipGraphAddKernelNode(&kernel, graph, &first, 1, &call));
  OK(hipGraphAddEventRecordNode(&last, graph, &kernel, 1, after));
  // A wait for an event that the same graph records before it must not wait for ever.
  OK(hipGraphAddEventWaitNode(&wait, graph, &last, 1, after));
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(hipEventQuery(after));
  gate.close(stream);
  OK(hipGraphLaunch(exec, stream));
  EXPECT(hipErrorNotReady, hipEventQuery(before));
  EXPECT(hipErrorNotReady, hipEventQuery(after));
  gate.open();
  OK(hipEventSynchronize(after));
  CHECK(on_host(value, 1)[0] == 5);
  float milliseconds = -1;
  OK(hipEventElapsedTime(&milliseconds, before, after));
  CHECK(milliseconds > 0);
  // A second launch makes them pending again, and an event that waits in front of its own record
  // sees the launch before.
  *gate.word = 0;
  gate.close(stream);
  OK(hipGraphLaunch(exec, stream));
  EXPECT(hipErrorNotReady, hipEventQuery(after));
  gate.open();
  OK(hipStreamSynchronize(stream));
  OK(hipEventQuery(after));
}

CASE(a_wait_before_the_record_of_the_same_event_sees_the_launch_before) {
  hipStream_t stream = made_stream(hipStreamNonBlocking);
  hipEvent_t event = made_event();
  hipGraph_t graph;
  hipGraphNode_t wait, record;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  OK(hipGraphAddEventRecordNode(&record, graph, &wait, 1, event));
  hipGraphExec_t exec;
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 2; ++i) OK(hipGraphLaunch(exec, stream));
  OK(hipStreamSynchronize(stream));
  OK(hipEventQuery(event));
}

CASE(a_query_of_the_default_stream_counts_blocking_streams) {
  Gate gate;
  hipStream_t blocking = made_stream(), other = made_stream(hipStreamNonBlocking);
  gate.close(other);
  OK(hipStreamQuery(nullptr));
  gate.close(blocking);
  EXPECT(hipErrorNotReady, hipStreamQuery(nullptr));
  gate.open();
  OK(hipDeviceSynchronize());
  OK(hipStreamQuery(nullptr));
}

CASE(memory_that_hip_does_not_know) {
  int local[4] = {1, 2, 3, 4};
  hipPointerAttribute_t attributes;
  OK(hipPointerGetAttributes(&attributes, local));
  CHECK(attributes.type == hipMemoryTypeUnregistered && !attributes.isManaged);
  CHECK(!attributes.devicePointer && !attributes.hostPointer);
  CHECK(attributes.device == hipInvalidDeviceId);
  OK(hipPointerGetAttributes(&attributes, nullptr));
  CHECK(attributes.type == hipMemoryTypeUnregistered);
  // A fill of it is an error and not a crash.
  EXPECT(hipErrorInvalidValue, hipMemset(local, 0, sizeof local));
  EXPECT(hipErrorInvalidValue, hipMemset(reinterpret_cast<void*>(16), 0, 64));
  EXPECT(hipErrorInvalidValue, hipMemsetD32Async(reinterpret_cast<void*>(16), 0, 16, nullptr));
  EXPECT(hipErrorInvalidValue, hipMemset2D(local, 16, 0, 16, 1));
  OK(hipDeviceSynchronize());
  CHECK(local[0] == 1 && local[3] == 4);
}

CASE(free_takes_pinned_memory) {
  void *pinned, *device;
  OK(hipHostMalloc(&pinned, 64, 0));
  OK(hipFree(pinned));
  EXPECT(hipErrorInvalidValue, hipFree(pinned));
  OK(hipMalloc(&device, 64));
  EXPECT(hipErrorInvalidValue, hipHostFree(device));
  OK(hipFree(device));
}

CASE(a_stream_gets_the_memory_back_that_it_freed) {
  Gate gate;
  hipStream_t stream = made_stream(hipStreamNonBlocking), other = made_stream(hipStreamNonBlocking);
  int *first, *again, *elsewhere, *third;
  OK(hipMallocAsync(&first, 4096, stream));
  gate.close(stream);                          // the stream has not got to the free yet
  add<<<1, 1, 0, stream>>>(first, 1);
  OK(hipFreeAsync(first, stream));
  EXPECT(hipErrorInvalidValue, hipFreeAsync(first, stream));
  EXPECT(hipErrorInvalidValue, hipFree(first));
  OK(hipMallocAsync(&elsewhere, 4096, other));
  CHECK(elsewhere != first);
  OK(hipMallocAsync(&again, 4096, stream));
  CHECK(again == first);
  OK(hipMallocAsync(&third, 4096, stream));
  CHECK(third != again && third != elsewhere);
  OK(hipMemsetAsync(again, 0, 4096, stream));
  add<<<1, 1, 0, stream>>>(again, 7);
  gate.open();
  OK(hipStreamSynchronize(stream));
  CHECK(on_host(again, 1)[0] == 7);
}

CASE(a_pool_gives_back_what_is_above_its_threshold) {
  hipMemPool_t pool;
  uint64_t reserved, used, keep = 1 << 20;
  hipStream_t stream = made_stream();
  void* memory;
  auto book = [&] {
    OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &reserved));
    OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  };
  size_t total, at_start, at_end;
  OK(hipDeviceGetDefaultMemPool(&pool, 0));
  OK(hipMemGetInfo(&at_start, &total));
  OK(hipMallocAsync(&memory, 4096, stream));
  OK(hipFreeAsync(memory, stream));
  book();
  CHECK(reserved == 4096 && used == 0);
  OK(hipStreamSynchronize(stream));
  book();
  CHECK(reserved == 0 && used == 0);
  OK(hipMemGetInfo(&at_end, &total));
  CHECK(at_start == at_end);
  OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
  OK(hipMallocAsync(&memory, 4096, stream));
  OK(hipFreeAsync(memory, stream));
  OK(hipDeviceSynchronize());
  book();
  CHECK(reserved == 4096 && used == 0);
  OK(hipMemPoolTrimTo(pool, 4096));
  book();
  CHECK(reserved == 4096);
  OK(hipMemPoolTrimTo(pool, 0));
  book();
  CHECK(reserved == 0);
}

CASE(channel_formats_have_32_bits_at_most) {
  const hipChannelFormatDesc none[] = {
      hipCreateChannelDesc<long long>(), hipCreateChannelDesc<ulonglong2>(),
      hipCreateChannelDesc<double>(), hipCreateChannelDesc<double4>()};
  for (const hipChannelFormatDesc& format : none)
    CHECK(format.f == hipChannelFormatKindNone && !format.x && !format.y && !format.z &&
          !format.w);
  const hipChannelFormatDesc pair = hipCreateChannelDesc<short2>();
  CHECK(pair.f == hipChannelFormatKindSigned && pair.x == 16 && pair.y == 16 && !pair.z);
}

CASE(fills_in_stream_order_do_not_wait) {
  Gate gate;
  std::vector<int> registered(64, 5);
  int* pinned;
  OK(hipHostRegister(registered.data(), 256, hipHostRegisterDefault));
  OK(hipHostMalloc(&pinned, 256, 0));
  gate.close(nullptr);
  OK(hipMemsetD32Async(registered.data(), 9, 64, nullptr));
  OK(hipMemsetAsync(pinned, 0, 256, nullptr));
  EXPECT(hipErrorNotReady, hipStreamQuery(nullptr));
  CHECK(registered[0] == 5);
  gate.open();
  OK(hipStreamSynchronize(nullptr));
  CHECK(registered[0] == 9 && registered[63] == 9 && pinned[63] == 0);
}

CASE(memory_can_be_registered_again) {
  static char place[256], other[256];
  OK(hipHostRegister(place, 64, hipHostRegisterMapped));
  EXPECT(hipErrorInvalidValue, hipHostFree(place));
  OK(hipHostRegister(place, 256, hipExtHostRegisterUncached));   // the program reuses the address
  unsigned flags = 0;
  OK(hipHostGetFlags(&flags, place + 200));
  CHECK(flags == hipExtHostRegisterUncached);
  EXPECT(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(place + 8, 8, 0));
  EXPECT(hipErrorHostMemoryNotRegistered, hipHostUnregister(place + 8));
  Gate gate;
  gate.close(nullptr);
  add<<<1, 1>>>(reinterpret_cast<int*>(place + 252), 3);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  OK(hipHostUnregister(place));                                  // once is enough, and it waits
  CHECK(place[252] == 3);
  opener.join();
  EXPECT(hipErrorHostMemoryNotRegistered, hipHostUnregister(place));
  EXPECT(hipErrorHostMemoryNotRegistered, hipHostUnregister(other));
}

// Calls whose memory decides whether the host waits, behind a gate that nobody has opened yet: one
// that waits must be seen to wait.
template <class Call>
bool returns_while_the_device_is_busy(Call call, int milliseconds) {
  Gate gate;
  gate.close(nullptr);
  std::atomic<bool> returned{false};
  std::thread caller([&] {
    OK(call());
    returned = true;
  });
  for (int turn = 0; turn < milliseconds && !returned; ++turn)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const bool early = returned && hipStreamQuery(nullptr) == hipErrorNotReady;
  gate.open();
  caller.join();
  OK(hipDeviceSynchronize());
  return early;
}

CASE(copies_and_fills_inside_device_memory_do_not_hold_the_host_up) {
  char *one, *other, *pitched;
  size_t pitch;
  OK(hipMalloc(&one, 4096));
  OK(hipMalloc(&other, 4096));
  OK(hipMallocPitch(&pitched, &pitch, 100, 8));
  const auto early = [](auto call) { return returns_while_the_device_is_busy(call, 5000); };
  CHECK(early([=] { return hipMemset(one, 3, 4096); }));
  CHECK(early([=] { return hipMemsetD16(one, 0x303, 2048); }));
  CHECK(early([=] { return hipMemset2D(pitched, pitch, 3, 100, 8); }));
  CHECK(early([=] { return hipMemcpy(other + 8, one, 64, hipMemcpyDeviceToDevice); }));
  CHECK(early([=] { return hipMemcpyDtoD(other, one + 8, 64); }));
  CHECK(early([=] { return hipMemcpyPeer(other, 0, one, 0, 64); }));
  char *fine, *pinned;   // in stream order nothing waits, and fine-grained memory is the device's
  OK(hipExtMallocWithFlags(reinterpret_cast<void**>(&fine), 4096, hipDeviceMallocFinegrained));
  OK(hipHostMalloc(&pinned, 4096, 0));
  CHECK(early([=] { return hipMemcpy(fine, one, 64, hipMemcpyDeviceToDevice); }));
  CHECK(early([=] { return hipMemcpyAsync(pinned, one, 64, hipMemcpyDeviceToHost, nullptr); }));
  CHECK(early([=] { return hipMemsetAsync(fine + 8, 3, 64, nullptr); }));
  CHECK(early([=] { return hipMemcpy2D(other, 64, one, 64, 32, 8, hipMemcpyDeviceToDevice); }));
  CHECK(on_host(other, 4096)[71] == 3);
}

CASE(copies_and_fills_of_other_memory_hold_the_host_up) {
  char *device, *other, *fine, *signal, *pinned, *second, *managed;
  static char registered[4096], pageable[4096];
  hipArray_t array;
  const hipChannelFormatDesc bytes = hipCreateChannelDesc<char>();
  OK(hipMalloc(&device, 4096));
  OK(hipMalloc(&other, 4096));
  OK(hipExtMallocWithFlags(reinterpret_cast<void**>(&fine), 4096, hipDeviceMallocFinegrained));
  OK(hipHostMalloc(&pinned, 4096, 0));
  OK(hipHostMalloc(&second, 4096, 0));
  OK(hipExtMallocWithFlags(reinterpret_cast<void**>(&signal), 8, hipMallocSignalMemory));
  OK(hipMallocManaged(&managed, 4096, hipMemAttachGlobal));
  OK(hipHostRegister(registered, 4096, hipHostRegisterDefault));
  OK(hipMallocArray(&array, &bytes, 64, 4, 0));
  const auto late = [](auto call) { return !returns_while_the_device_is_busy(call, 20); };
  for (char* memory : {device + 8, fine, signal, pinned, managed, registered}) {
    CHECK(late([=] { return hipMemset(memory, 3, 8); }));
    CHECK(late([=] { return hipMemset2D(memory, 4, 3, 4, 2); }));
  }
  for (char* memory : {signal, pinned, managed, registered}) {
    CHECK(late([=] { return hipMemcpy(memory, device, 8, hipMemcpyDefault); }));
    CHECK(late([=] { return hipMemcpy(device, memory, 8, hipMemcpyDefault); }));
    CHECK(late([=] { return hipMemcpyAsync(memory, second, 8, hipMemcpyDefault, nullptr); }));
  }
  CHECK(late([=] { return hipMemcpyAsync(pageable, device, 8, hipMemcpyDeviceToHost, nullptr); }));
  CHECK(late([=] { return hipMemcpyAsync(device, pageable, 8, hipMemcpyHostToDevice, nullptr); }));
  CHECK(late([=] {
    return hipMemcpy2DToArray(array, 0, 0, device, 64, 64, 4, hipMemcpyDeviceToDevice);
  }));
  CHECK(late([=] {
    return hipMemcpy2DFromArray(device, 64, array, 0, 0, 64, 4, hipMemcpyDeviceToDevice);
  }));
  // SYNC_MEMOPS: copies wait where both sides ask for it.
  const unsigned waits = 1;
  const auto copied = [=] { return hipMemcpy(other, device, 64, hipMemcpyDeviceToDevice); };
  OK(hipPointerSetAttribute(&waits, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
  CHECK(returns_while_the_device_is_busy(copied, 5000));
  OK(hipPointerSetAttribute(&waits, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, other));
  CHECK(late(copied));
  CHECK(late([=] { return hipMemset(device, 3, 64); }));
}

CASE(a_launched_graph_has_copied_into_pageable_memory) {
  Gate gate, later;
  static int pageable[256];
  int *device, *pinned;
  OK(hipMalloc(&device, 1024));
  OK(hipHostMalloc(&pinned, 1024, 0));
  hipStream_t stream = made_stream();
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t filled, copied, behind;
  hipMemsetParams seven{};
  seven.dst = device;
  seven.value = 7;
  seven.elementSize = 4;
  seven.width = 256;
  seven.height = 1;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemsetNode(&filled, graph, nullptr, 0, &seven));
  OK(hipGraphAddMemcpyNode1D(&copied, graph, &filled, 1, pageable, device, 1024,
                             hipMemcpyDeviceToHost));
  OK(hipGraphAddMemcpyNode1D(&behind, graph, &copied, 1, pinned, device, 1024,
                             hipMemcpyDeviceToHost));
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  gate.close(stream);
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  OK(hipGraphLaunch(exec, stream));
  CHECK(pageable[0] == 7 && pageable[255] == 7);
  opener.join();
  OK(hipStreamSynchronize(stream));
  // Without that copy the host goes on.
  OK(hipGraphNodeSetEnabled(exec, copied, 0));
  later.close(stream);
  OK(hipGraphLaunch(exec, stream));
  EXPECT(hipErrorNotReady, hipStreamQuery(stream));
  later.open();
  OK(hipStreamSynchronize(stream));
  CHECK(pinned[255] == 7);
}

// test_hip_recorder.py looks at its times.
CASE(fills_and_copies_with_times) {
  char *large, *pinned;
  OK(hipMalloc(&large, 64 << 20));
  OK(hipHostMalloc(&pinned, 1 << 20, 0));
  OK(hipMemset(large, 1, 32 << 20));
  OK(hipMemcpy(large + (32 << 20), large, 32 << 20, hipMemcpyDeviceToDevice));
  OK(hipMemset(pinned, 1, 1 << 20));
  CHECK(pinned[0] == 1 && on_host(large + (63 << 20), 1)[0] == 1);
}

CASE(pointers_remember_that_copies_wait) {
  char* memory;
  OK(hipMalloc(&memory, 1024));
  unsigned told = 7;
  for (unsigned wanted : {1u, 0u}) {
    OK(hipPointerSetAttribute(&wanted, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory + 8));
    OK(hipPointerGetAttribute(&told, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    CHECK(told == wanted);
  }
}

CASE(an_executable_copy_keeps_the_direction_it_was_named_with) {
  int *device = on_device<int>({0}), *pinned;
  OK(hipHostMalloc(&pinned, 4, 0));
  hipGraph_t graph;
  hipGraphNode_t line, box;
  hipGraphExec_t exec;
  hipMemcpy3DParms copy{}, read{};
  copy.srcPtr = make_hipPitchedPtr(pinned, 4, 4, 1);
  copy.dstPtr = make_hipPitchedPtr(device, 4, 4, 1);
  copy.extent = make_hipExtent(4, 1, 1);
  copy.kind = hipMemcpyHostToDevice;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemcpyNode1D(&line, graph, nullptr, 0, device, pinned, 4, hipMemcpyHostToDevice));
  OK(hipGraphAddMemcpyNode(&box, graph, nullptr, 0, &copy));
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (hipMemcpyKind other : {hipMemcpyHostToHost, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice,
                              hipMemcpyDefault}) {
    copy.kind = other;
    EXPECT(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams(exec, box, &copy));
    EXPECT(hipErrorInvalidValue,
           hipGraphExecMemcpyNodeSetParams1D(exec, line, device, pinned, 4, other));
  }
  // What a node says about itself can be given back.
  OK(hipGraphMemcpyNodeGetParams(box, &read));
  CHECK(read.kind == hipMemcpyHostToDevice);
  OK(hipGraphExecMemcpyNodeSetParams(exec, box, &read));
  OK(hipGraphExecMemcpyNodeSetParams1D(exec, line, device, pinned, 4, hipMemcpyHostToDevice));
  *pinned = 77;
  OK(hipGraphLaunch(exec, nullptr));
  OK(hipDeviceSynchronize());
  CHECK(on_host(device, 1)[0] == 77);
}

// Addresses among numbers: the only two attributes of 8 bytes.
CASE(flush_registers_are_attributes) {
  hipDeviceProp_t properties;
  OK(hipGetDeviceProperties(&properties, 0));
  auto* nowhere = reinterpret_cast<uint32_t*>(64);
  uint32_t* address[2] = {nowhere, nowhere};
  OK(hipDeviceGetAttribute(reinterpret_cast<int*>(&address[0]), hipDeviceAttributeHdpMemFlushCntl,
                           0));
  OK(hipDeviceGetAttribute(reinterpret_cast<int*>(&address[1]), hipDeviceAttributeHdpRegFlushCntl,
                           0));
  CHECK(address[0] == properties.hdpMemFlushCntl && address[1] == properties.hdpRegFlushCntl);
}

CASE(kernel_nodes_remember_attributes) {
  int *value = on_device<int>({0}), amount = 1;
  void* arguments[] = {&value, &amount};
  hipKernelNodeParams call{};
  call.func = reinterpret_cast<void*>(add);
  call.gridDim = call.blockDim = dim3(1);
  call.kernelParams = arguments;
  hipGraph_t graph, clone;
  hipGraphNode_t node, other, cloned;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &call));
  OK(hipGraphAddKernelNode(&other, graph, nullptr, 0, &call));
  hipLaunchAttributeValue in{}, out{};
  in.priority = 1;
  OK(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributePriority, &in));
  OK(hipGraphKernelNodeGetAttribute(node, hipLaunchAttributePriority, &out));
  CHECK(out.priority == 1);
  OK(hipGraphKernelNodeGetAttribute(node, hipLaunchAttributeCooperative, &out));
  CHECK(out.cooperative == 0);
  in = {};
  in.cooperative = 1;
  OK(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeCooperative, &in));
  OK(hipGraphKernelNodeCopyAttributes(node, other));
  OK(hipGraphClone(&clone, graph));
  OK(hipGraphNodeFindInClone(&cloned, other, clone));
  for (hipGraphNode_t asked : {node, other, cloned}) {
    OK(hipGraphKernelNodeGetAttribute(asked, hipLaunchAttributeCooperative, &out));
    CHECK(out.cooperative == 1);
    OK(hipGraphKernelNodeGetAttribute(asked, hipLaunchAttributePriority, &out));
    CHECK(out.priority == 1);
  }
}

CASE(hints_count_for_pages) {
  constexpr size_t kPage = 4096;
  char* memory;
  int value = 77, devices[3];
  OK(hipMallocManaged(&memory, 3 * kPage));
  auto ask = [&](hipMemRangeAttribute attribute, size_t bytes) {
    OK(hipMemRangeGetAttribute(&value, sizeof value, attribute, memory, bytes));
    return value;
  };
  OK(hipMemAdvise(memory, kPage, hipMemAdviseSetReadMostly, 0));
  CHECK(ask(hipMemRangeAttributeReadMostly, kPage) == 1);
  CHECK(ask(hipMemRangeAttributeReadMostly, 2 * kPage) == 0);
  CHECK(ask(hipMemRangeAttributeLastPrefetchLocation, kPage) == hipInvalidDeviceId);
  OK(hipMemPrefetchAsync(memory + kPage / 2, kPage, 0, nullptr));       // two pages
  CHECK(ask(hipMemRangeAttributeLastPrefetchLocation, 2 * kPage) == 0);
  CHECK(ask(hipMemRangeAttributeLastPrefetchLocation, 3 * kPage) == hipInvalidDeviceId);
  OK(hipMemAdvise(memory, 3 * kPage, hipMemAdviseSetAccessedBy, 0));
  OK(hipMemAdvise(memory, kPage, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
  OK(hipMemRangeGetAttribute(devices, sizeof devices, hipMemRangeAttributeAccessedBy, memory,
                             3 * kPage));
  CHECK(devices[0] == 0 && devices[1] == hipInvalidDeviceId);
  OK(hipMemAdvise(memory, kPage, hipMemAdviseSetCoarseGrain, 0));
  CHECK(ask(hipMemRangeAttributeCoherencyMode, kPage) == hipMemRangeCoherencyModeCoarseGrain);
  CHECK(ask(hipMemRangeAttributeCoherencyMode, 2 * kPage) ==
        hipMemRangeCoherencyModeIndeterminate);
  // New memory at the same place has no hints.
  OK(hipFree(memory));
  char* again;
  OK(hipMallocManaged(&again, 3 * kPage));
  memory = again;
  CHECK(ask(hipMemRangeAttributeReadMostly, kPage) == 0);
  OK(hipMalloc(&again, kPage));
  memory = again;
  CHECK(ask(hipMemRangeAttributeCoherencyMode, kPage) == hipMemRangeCoherencyModeCoarseGrain);
}

CASE(flags_of_a_device_are_those_of_its_waits) {
  unsigned flags = 0;
  OK(hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceMapHost));
  OK(hipGetDeviceFlags(&flags));
  CHECK(flags == hipDeviceScheduleYield);
  EXPECT(hipErrorInvalidValue, hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceScheduleSpin));
}

int destroyed = 0;
void count_destroyed(void*) { ++destroyed; }

CASE(user_objects_can_be_released_too_often) {
  hipUserObject_t object;
  hipGraph_t graph;
  OK(hipGraphCreate(&graph, 0));
  OK(hipUserObjectCreate(&object, nullptr, count_destroyed, 2, hipUserObjectNoDestructorSync));
  OK(hipUserObjectRelease(object, 5));                  // more than there are: nothing happens
  CHECK(destroyed == 0);
  OK(hipGraphRetainUserObject(graph, object, 1, 0));
  OK(hipGraphReleaseUserObject(graph, object, 9));
  CHECK(destroyed == 0);
  OK(hipUserObjectRelease(object, 3));                  // the graph's own as well
  CHECK(destroyed == 1);
  OK(hipUserObjectRelease(object, 1));                  // gone already
  OK(hipGraphDestroy(graph));
  CHECK(destroyed == 1);
}

CASE(graphs_count_references_without_a_list_of_them) {
  hipUserObject_t object;
  hipGraph_t graph;
  int before = destroyed;
  OK(hipGraphCreate(&graph, 0));
  OK(hipUserObjectCreate(&object, nullptr, count_destroyed, 1, hipUserObjectNoDestructorSync));
  OK(hipGraphRetainUserObject(graph, object, INT_MAX, hipGraphUserObjectMove));
  OK(hipGraphRetainUserObject(graph, object, INT_MAX, 0));
  OK(hipUserObjectRetain(object, INT_MAX));
  OK(hipGraphReleaseUserObject(graph, object, INT_MAX));
  CHECK(destroyed == before);
  OK(hipUserObjectRelease(object, INT_MAX));
  CHECK(destroyed == before);
  OK(hipGraphDestroy(graph));                           // holds more than the one that is left
  CHECK(destroyed == before + 1);
}

CASE(virtual_memory_in_parts) {
  hipMemAllocationProp kind{};
  kind.type = hipMemAllocationTypePinned;
  kind.location = {hipMemLocationTypeDevice, 0};
  size_t granule;
  OK(hipMemGetAllocationGranularity(&granule, &kind, hipMemAllocationGranularityMinimum));
  hipMemGenericAllocationHandle_t memory;
  OK(hipMemCreate(&memory, 2 * granule, &kind, 0));
  void* address;
  OK(hipMemAddressReserve(&address, granule, 1, nullptr, 0));           // finer than a page
  OK(hipMemMap(address, granule, 0, memory, 0));
  hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  OK(hipMemSetAccess(address, granule, &access, 1));
  OK(hipMemset(address, 7, granule));
  CHECK(on_host(static_cast<unsigned char*>(address), granule)[granule - 1] == 7);
  OK(hipMemUnmap(address, granule));
  EXPECT(hipErrorInvalidValue, hipMemMap(address, 3 * granule, 0, memory, 0));
  OK(hipMemAddressFree(address, granule));
}

CASE(versions_of_a_kernel) {
  hipFuncAttributes attributes;
  hipFunction_t function;
  int value = 0;
  OK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(add)));
  CHECK(attributes.binaryVersion == 94 && attributes.ptxVersion == 94);
  OK(hipGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_PTX_VERSION, function));
  CHECK(value == 94);
  EXPECT(hipErrorInvalidValue,
         hipFuncGetAttribute(&value, static_cast<hipFunction_attribute>(77), function));
}

CASE(arguments_in_two_forms_at_once_are_refused) {
  hipFunction_t function;
  OK(hipGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
  int* value = on_device<int>({0});
  struct { int* value; int amount; } packed{value, 3};
  size_t bytes = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  void* one[] = {value};
  EXPECT(hipErrorInvalidValue, hipExtModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, one,
                                                        extra, nullptr, nullptr, 0));
  EXPECT(hipErrorInvalidValue, hipExtModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr,
                                                        nullptr, nullptr, nullptr, nullptr, 0));
  OK(hipExtModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra, nullptr,
                              nullptr, 0));
  CHECK(on_host(value, 1)[0] == 3);
}

CASE(a_question_does_not_break_a_capture) {
  hipStream_t stream = made_stream();
  hipStreamCaptureStatus status;
  hipGraph_t graph;
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  EXPECT(hipErrorStreamCaptureImplicit, hipStreamIsCapturing(nullptr, &status));
  OK(hipStreamIsCapturing(stream, &status));
  CHECK(status == hipStreamCaptureStatusActive);
  OK(hipStreamEndCapture(stream, &graph));
}

CASE(a_mask_names_the_compute_units_there_are) {
  uint32_t mask[12];
  OK(hipExtStreamGetCUMask(nullptr, 12, mask));
  CHECK(mask[8] == ~0u && mask[9] == 0xffff && mask[10] == 0 && mask[11] == 0);   // 304
}
