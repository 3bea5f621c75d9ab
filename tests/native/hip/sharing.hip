// What processes share, and calls of older programs: compiled as on a host whose char is unsigned.
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <functional>

#include "cases.h"

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }

// A child that has forked before the first HIP call, and a pipe to and from it.
struct Processes {
  int to_child[2], to_parent[2];
  pid_t child;

  Processes() {
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    child = fork();
  }
  bool is_child() const { return child == 0; }
  template <class T>
  void send(const T& value) {
    CHECK(write(is_child() ? to_parent[1] : to_child[1], &value, sizeof value) == sizeof value);
  }
  template <class T>
  T receive() {
    T value;
    CHECK(read(is_child() ? to_child[0] : to_parent[0], &value, sizeof value) == sizeof value);
    return value;
  }
  void end() {
    if (is_child()) std::exit(0);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
};

CASE(events_of_other_processes) {
  Processes two;
  constexpr unsigned kShared = hipEventInterprocess | hipEventDisableTiming;
  hipEvent_t event;
  uint32_t* gate;
  OK(hipHostMalloc(&gate, 64, 0));
  *gate = 0;
  if (two.is_child()) {
    OK(hipIpcOpenEventHandle(&event, two.receive<hipIpcEventHandle_t>()));
    EXPECT(hipErrorNotReady, hipEventQuery(event));
    two.send('r');
    OK(hipEventSynchronize(event));
    OK(hipEventQuery(event));
    // The other way round: its stream waits for this one's.
    OK(hipStreamWaitValue32(nullptr, gate, 1, hipStreamWaitValueEq, ~0u));
    OK(hipEventRecord(event, nullptr));
    two.send('r');
    CHECK(two.receive<char>() == 'w');
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
    OK(hipDeviceSynchronize());
    OK(hipEventDestroy(event));
    return two.end();
  }
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipEventCreateWithFlags(&event, kShared));
  OK(hipEventQuery(event));  // never recorded
  hipIpcEventHandle_t handle;
  OK(hipIpcGetEventHandle(&handle, event));
  hipEvent_t same;
  EXPECT(hipErrorInvalidContext, hipIpcOpenEventHandle(&same, handle));
  OK(hipStreamWaitValue32(stream, gate, 1, hipStreamWaitValueEq, ~0u));
  OK(hipEventRecord(event, stream));
  two.send(handle);
  CHECK(two.receive<char>() == 'r');
  __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
  CHECK(two.receive<char>() == 'r');
  OK(hipStreamWaitEvent(stream, event, 0));
  EXPECT(hipErrorNotReady, hipStreamQuery(stream));
  two.send('w');
  OK(hipStreamSynchronize(stream));
  two.end();
}

CASE(pools_of_other_processes) {
  Processes two;
  hipMemPool_t pool;
  int* values;
  if (two.is_child()) {
    const auto descriptor = two.receive<int>();
    const std::string path =
        "/proc/" + std::to_string(getppid()) + "/fd/" + std::to_string(descriptor);
    const int file = open(path.c_str(), O_RDWR);
    CHECK(file >= 0);
    OK(hipMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(intptr_t{file}),
                                           hipMemHandleTypePosixFileDescriptor, 0));
    auto shared = two.receive<hipMemPoolPtrExportData>();
    OK(hipMemPoolImportPointer(reinterpret_cast<void**>(&values), pool, &shared));
    add<<<1, 64>>>(values, 5);
    OK(hipFreeAsync(values, nullptr));
    OK(hipDeviceSynchronize());
    EXPECT(hipErrorInvalidValue,
           hipMallocFromPoolAsync(reinterpret_cast<void**>(&values), 256, pool, nullptr));
    two.send('d');
    return two.end();
  }
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
  properties.location = {hipMemLocationTypeDevice, 0};
  OK(hipMemPoolCreate(&pool, &properties));
  OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&values), 256, pool, nullptr));
  OK(hipMemsetAsync(values, 0, 256, nullptr));
  OK(hipDeviceSynchronize());
  int descriptor = -1;
  hipMemPoolPtrExportData shared;
  OK(hipMemPoolExportToShareableHandle(&descriptor, pool, hipMemHandleTypePosixFileDescriptor, 0));
  OK(hipMemPoolExportPointer(&shared, values));
  two.send(descriptor);
  two.send(shared);
  CHECK(two.receive<char>() == 'd');
  for (int value : on_host(values, 64)) CHECK(value == 5);
  OK(hipFreeAsync(values, nullptr));
  two.end();
}

void maps_the_same_memory(hipMemGenericAllocationHandle_t own, size_t bytes,
                          const std::function<void*(int*)>& given) {
  int descriptor = -1;
  OK(hipMemExportToShareableHandle(&descriptor, own, hipMemHandleTypePosixFileDescriptor, 0));
  hipMemGenericAllocationHandle_t imported;
  OK(hipMemImportFromShareableHandle(&imported, given(&descriptor),
                                     hipMemHandleTypePosixFileDescriptor));
  close(descriptor);
  hipMemAllocationProp properties;
  OK(hipMemGetAllocationPropertiesFromHandle(&properties, imported));
  const hipMemAccessDesc access{properties.location, hipMemAccessFlagsProtReadWrite};
  int* seen[2];
  const hipMemGenericAllocationHandle_t handles[] = {own, imported};
  for (int i = 0; i < 2; ++i) {
    OK(hipMemAddressReserve(reinterpret_cast<void**>(&seen[i]), bytes, 0, nullptr, 0));
    OK(hipMemMap(seen[i], bytes, 0, handles[i], 0));
    OK(hipMemSetAccess(seen[i], bytes, &access, 1));
  }
  OK(hipMemset(seen[0], 0, 256));
  add<<<1, 64>>>(seen[0], 7);
  CHECK(on_host(seen[1], 64)[63] == 7);
  for (int* address : seen) OK(hipMemUnmap(address, bytes));
  OK(hipMemRelease(imported));
}

CASE(memory_that_is_shared_by_a_file) {
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  properties.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
  size_t granule;
  hipMemGenericAllocationHandle_t own;
  OK(hipMemGetAllocationGranularity(&granule, &properties, hipMemAllocationGranularityRecommended));
  OK(hipMemCreate(&own, granule, &properties, 0));
  // As of HIP 7.1, and as before.
  maps_the_same_memory(own, granule, [](int* file) { return reinterpret_cast<void*>(intptr_t{*file}); });
  maps_the_same_memory(own, granule, [](int* file) { return file; });
}

CASE(a_launch_in_three_calls) {
  int* values = on_device(std::vector<int>(64, 1));
  const int amount = 41;
  OK(hipConfigureCall(dim3(1), dim3(64), 0, nullptr));
  OK(hipSetupArgument(&values, sizeof values, 0));
  OK(hipSetupArgument(&amount, sizeof amount, sizeof values));
  OK(hipLaunchByPtr(reinterpret_cast<const void*>(add)));
  for (int value : on_host(values, 64)) CHECK(value == 42);
  EXPECT(hipErrorMissingConfiguration, hipLaunchByPtr(reinterpret_cast<const void*>(add)));
}

CASE(attributes_that_an_address_does_not_have) {
  int* device = on_device(std::vector<int>{1});
  void *on_the_host = device, *start = nullptr;
  int ordinal = 9;
  hipPointer_attribute asked[] = {HIP_POINTER_ATTRIBUTE_HOST_POINTER,
                                  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[] = {&on_the_host, &start, &ordinal};
  OK(hipDrvPointerGetAttributes(3, asked, answers, device));
  CHECK(!on_the_host && start == device && ordinal == 0);
  OK(hipDrvPointerGetAttributes(3, asked, answers, &ordinal));  // no memory of HIP's
  CHECK(!on_the_host && !start && ordinal == -2);
}

CASE(char_is_signed_in_channels) {
  static_assert(!std::is_signed<char>::value, "the test is compiled with -funsigned-char");
  CHECK(hipCreateChannelDesc<char>().f == hipChannelFormatKindSigned);
  CHECK(hipCreateChannelDesc<char4>().f == hipChannelFormatKindSigned);
  CHECK(hipCreateChannelDesc<unsigned char>().f == hipChannelFormatKindUnsigned);
}
