// A kernel launch as a task: arguments laid out as the code object says, then one AQL packet.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <vector>

#include "hip/core/task.h"
#include "hip/module/module.h"

namespace vgpu::hip {

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};  // work-items, so that partial workgroups can be expressed
  uint32_t block[3] = {1, 1, 1};
  uint32_t dynamic_lds = 0;
  bool cooperative = false;  // all workgroups are resident together
};

class KernelTask : public Task {
 public:
  KernelTask(Function& function, const LaunchShape& shape, std::vector<uint8_t> arguments,
             const void* handle)
      : function(&function), shape(shape), arguments(std::move(arguments)), handle(handle) {}
  uint64_t run(Stream& stream) const override;
  hipGraphNodeType node_type() const override { return hipGraphNodeTypeKernel; }

  Function* function;
  LaunchShape shape;
  std::vector<uint8_t> arguments;  // the explicit part of the kernarg segment
  const void* handle;              // host stub or hipFunction_t, as the program named it

 private:
  void fill_hidden(uint8_t* kernarg, Stream& stream) const;
  uint64_t grid_information(uint8_t* after_arguments) const;
};

// Workgroups times block; fails where HIP fails: empty or oversized blocks, too much LDS.
hipError_t make_shape(const Function& function, dim3 blocks, dim3 block, size_t dynamic_lds,
                      LaunchShape& shape);

bool takes_arguments(const KernelMetadata& kernel);

// Explicit arguments, from an array of pointers or from a packed buffer.
std::vector<uint8_t> pack_arguments(const KernelMetadata& kernel, void** pointers);
hipError_t unpack_extra(void** extra, std::vector<uint8_t>& packed);

}  // namespace vgpu::hip
