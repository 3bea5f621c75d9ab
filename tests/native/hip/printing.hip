// Loads the code object that CODE_OBJECT names (printing_kernels.hip) and runs its kernels.
#include "cases.h"

static hipFunction_t kernel(const char* name) {
  hipModule_t module;
  hipFunction_t function;
  OK(hipModuleLoad(&module, std::getenv("CODE_OBJECT")));
  OK(hipModuleGetFunction(&function, module, name));
  return function;
}

static void launch(hipFunction_t function, int blocks, int threads, std::vector<void*> arguments,
                   hipStream_t stream = nullptr) {
  OK(hipModuleLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments.data(),
                           nullptr));
}

static void print(const char* what, const std::vector<int>& values) {
  OK(hipDeviceSynchronize());
  std::printf("%s", what);
  for (int value : values) std::printf(" %d", value);
  std::printf("\n");
}

CASE(formats) {
  int* lengths = on_device(std::vector<int>(12, -7));
  launch(kernel("formats"), 1, 1, {&lengths});
  print("lengths", on_host(lengths, 12));
}

CASE(waves) {
  int* lengths = on_device(std::vector<int>(390, -7));
  launch(kernel("waves"), 3, 130, {&lengths});
  print("lengths", on_host(lengths, 390));
}

CASE(divergent) {
  std::string text;
  for (int i = 0; text.size() < 9000; ++i) text += std::to_string(i) + ' ';
  int length = static_cast<int>(text.size());
  char* characters = on_device(std::vector<char>(text.c_str(), text.c_str() + length + 1));
  int* lengths = on_device(std::vector<int>(70, -7));
  launch(kernel("divergent"), 1, 70, {&lengths, &characters, &length});
  print("lengths", on_host(lengths, 70));
}

CASE(streams) {
  hipStream_t streams[3];
  int* lengths = on_device(std::vector<int>(390, -7));
  hipFunction_t waves = kernel("waves");
  for (hipStream_t& stream : streams) {
    OK(hipStreamCreate(&stream));
    launch(waves, 3, 130, {&lengths}, stream);
  }
  for (hipStream_t stream : streams) OK(hipStreamDestroy(stream));
  OK(hipStreamCreate(&streams[0]));   // memory of those that ended is free again
  launch(waves, 1, 1, {&lengths}, streams[0]);
  OK(hipDeviceSynchronize());
}

CASE(failing) {
  int* values = on_device<int>({1, 2, 3, 4});
  launch(kernel("failing"), 1, 4, {&values});
  OK(hipDeviceSynchronize());
  std::printf("not reached\n");
}

CASE(memory) {
  uint64_t* out = on_device(std::vector<uint64_t>(128, 0));
  launch(kernel("memory"), 1, 64, {&out});
  std::vector<uint64_t> back = on_host(out, 128);
  for (int i = 0; i < 64; ++i) {
    CHECK(back[i] != 0 && back[64 + i] == uint64_t(i + 1));
    for (int j = 0; j < i; ++j) CHECK(back[j] != back[i]);
  }
}

CASE(heap) {
  int** blocks = on_device(std::vector<int*>(100, nullptr));
  int* found = on_device(std::vector<int>(100, -2));
  launch(kernel("allocate"), 1, 100, {&blocks});
  launch(kernel("release"), 1, 100, {&blocks, &found});
  std::vector<int> back = on_host(found, 100);
  for (int i = 0; i < 100; ++i) CHECK(back[i] == i);
}

static void host_function(uint64_t* results, const uint64_t* arguments) {
  results[0] = arguments[0] * 10 + arguments[6];
  results[1] = arguments[1];
}

CASE(call) {
  auto function = reinterpret_cast<uint64_t>(&host_function);
  uint64_t* out = on_device(std::vector<uint64_t>(8, 0));
  launch(kernel("call"), 1, 4, {&function, &out});
  std::vector<uint64_t> back = on_host(out, 8);
  for (int i = 0; i < 4; ++i) CHECK(back[2 * i] == uint64_t(10 * i + 7) && back[2 * i + 1] == 2);
}

CASE(unknown) {
  launch(kernel("unknown"), 1, 1, {});
  OK(hipDeviceSynchronize());
}
