// What a kernel may ask of the host while it runs: printf, assert, malloc. Each is a hidden
// argument that leads to memory both sides know.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace vgpu::hip {

struct Function;
class Stream;

// hipDeviceSetLimit: sizes of what is made on first use. False when `which` is no limit.
bool get_device_limit(hipLimit_t which, size_t* value);
bool set_device_limit(hipLimit_t which, size_t value);

// The value of a hidden argument that is not about the shape of the launch; 0 when there is none.
uint64_t service_argument(const std::string& kind, const Function& function, Stream& stream);

// After the kernel: prints what it left in its printf buffer, in order.
void finish_services(Stream& stream);

// Frees the buffers of a stream that ends.
void release_services(const Stream& stream);

// Prints what kernels that never finished have printed so far.
void print_unfinished();

}  // namespace vgpu::hip
