// Launches the kernel add_lane of a code object: assembly_arguments CODE pointers|buffer|graph|hsa
#include <hip/hip_runtime.h>
#include <hsa/hsa.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define OK(call) \
  do { \
    const hipError_t status_ = (call); \
    if (status_ != hipSuccess) { \
      std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status_)); \
      std::exit(1); \
    } \
  } while (0)

static hsa_status_t print_kernarg_size(hsa_executable_t, hsa_agent_t,
                                       hsa_executable_symbol_t symbol, void*) {
  uint32_t bytes = 77;
  hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &bytes);
  std::printf("%u\n", bytes);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t first_gpu(hsa_agent_t agent, void* found) {
  hsa_device_type_t type;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU) *static_cast<hsa_agent_t*>(found) = agent;
  return HSA_STATUS_SUCCESS;
}

static int ask_hsa(const std::vector<char>& code) {
  hsa_agent_t agent{};
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_init();
  hsa_iterate_agents(first_gpu, &agent);
  hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader);
  hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr,
                            &executable);
  hsa_executable_load_agent_code_object(executable, agent, reader, nullptr, nullptr);
  hsa_executable_freeze(executable, nullptr);
  hsa_executable_iterate_agent_symbols(executable, agent, print_kernarg_size, nullptr);
  return 0;
}

int main(int, char** words) {
  std::ifstream file(words[1], std::ios::binary);
  const std::vector<char> code((std::istreambuf_iterator<char>(file)), {});
  const std::string way = words[2];
  if (way == "hsa") return ask_hsa(code);
  hipModule_t module;
  hipFunction_t function;
  OK(hipModuleLoadData(&module, code.data()));
  OK(hipModuleGetFunction(&function, module, "add_lane"));
  int* out = nullptr;
  OK(hipMalloc(&out, 64 * sizeof(int)));
  struct { int* out; long unused; int number; int padding[3]; } packed{out, 0, 1000, {}};
  size_t bytes = sizeof packed;
  void* pointers[] = {&packed.out, &packed.number};
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   HIP_LAUNCH_PARAM_END};
  if (way == "graph") {
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t ready;
    hipKernelNodeParams launch{};
    launch.blockDim = dim3(64);
    launch.gridDim = dim3(1);
    launch.func = function;
    launch.kernelParams = pointers;
    OK(hipGraphCreate(&graph, 0));
    OK(hipGraphAddKernelNode(&node, graph, nullptr, 0, &launch));
    OK(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    OK(hipGraphLaunch(ready, nullptr));
  } else {
    const bool buffer = way == "buffer";
    OK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, buffer ? nullptr : pointers,
                             buffer ? extra : nullptr));
  }
  int host[64];
  OK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  for (int value : host) std::printf("%d ", value);
}
