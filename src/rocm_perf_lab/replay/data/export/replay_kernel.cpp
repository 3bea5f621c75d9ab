// Runs one captured kernel again, at the addresses and with the memory that it had in its application,
// and compares the memory that it leaves with what it had left there.
//
//   replay_kernel [RUNS [CAPTURE_FOLDER]]
#include <fcntl.h>
#include <hip/hip_runtime_api.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "captured_dispatch.h"

#ifndef CAPTURE_FOLDER
#define CAPTURE_FOLDER "capture"
#endif

namespace {

constexpr int kEqual = 0, kFailed = 1, kAddressTaken = 2;
constexpr unsigned kRuns = 10;
constexpr uint64_t kChunk = 8u << 20;
// Another process has other random addresses; that so many are in the way is no chance.
constexpr int kAttempts = 16;
constexpr const char* kAttempt = "REPLAY_KERNEL_ATTEMPT";

struct AddressTaken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(hipError_t status, const std::string& what) {
  if (status != hipSuccess) throw std::runtime_error(what + ": " + hipGetErrorString(status));
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

// --- Files of the capture --------------------------------------------------------------------------

uint64_t sum_of_words(const uint8_t* data, uint64_t size) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i * 8 < size; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, data + i * 8, std::min<uint64_t>(8, size - i * 8));
    sum += word * (2 * i + 1);
  }
  return sum;
}

// A file in memory. What is written into it stays in this process.
class File {
 public:
  File(const std::string& path, uint64_t size) : size_(size) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (fd < 0 || fstat(fd, &info) != 0) {
      throw std::runtime_error("cannot read " + path + ": " + std::strerror(errno));
    }
    if (static_cast<uint64_t>(info.st_size) != size) {
      throw std::runtime_error(path + " has " + std::to_string(info.st_size) + " bytes, captured " +
                               std::to_string(size));
    }
    void* mapped = size ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                               fd, 0)
                        : nullptr;
    close(fd);
    if (mapped == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    data_ = static_cast<uint8_t*>(mapped);
  }
  ~File() {
    if (data_) munmap(data_, size_);
  }
  File(const File&) = delete;

  uint8_t* data() const { return data_; }

 private:
  uint8_t* data_ = nullptr;
  uint64_t size_;
};

std::unique_ptr<File> read_checked(const std::string& path, uint64_t size, uint64_t sum) {
  auto file = std::make_unique<File>(path, size);
  if (sum_of_words(file->data(), size) != sum) {
    throw std::runtime_error(path + " was changed: it is not what was captured");
  }
  return file;
}

// --- Addresses -------------------------------------------------------------------------------------

void* map_at(const Place& place, int protection) {
  return mmap(pointer(place.base), place.size, protection,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

// Before the first call of HIP, whose runtime would spread over the same part of the address space.
void hold_addresses() {
  for (const Place& place : places) {
    if (map_at(place, PROT_NONE) != pointer(place.base)) {
      throw AddressTaken("0x" + hex(place.base) + " is in use in this process");
    }
  }
}

void back_by_host(const Place& place) {
  const std::string where = "host memory at 0x" + hex(place.base);
  void* device = nullptr;
  if (mprotect(pointer(place.base), place.size, PROT_READ | PROT_WRITE) != 0) {
    throw std::runtime_error(where + ": " + std::strerror(errno));
  }
  check(hipHostRegister(pointer(place.base), place.size, hipHostRegisterDefault), where);
  check(hipHostGetDevicePointer(&device, pointer(place.base), 0), where);
  if (device != pointer(place.base)) throw AddressTaken(where + " has another address on the GPU");
}

void back_by_device(const Place& place) {
  const std::string where = "device memory at 0x" + hex(place.base);
  hipMemAllocationProp properties{};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  hipMemAccessDesc access{};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  hipMemGenericAllocationHandle_t memory{};
  void* got = nullptr;
  munmap(pointer(place.base), place.size);
  check(hipMemAddressReserve(&got, place.size, 0, pointer(place.base), 0), where);
  if (got != pointer(place.base)) throw AddressTaken(where + " came to lie elsewhere");
  check(hipMemCreate(&memory, place.size, &properties, 0), where);
  check(hipMemMap(got, place.size, 0, memory, 0), where);
  check(hipMemSetAccess(got, place.size, &access, 1), where);
}

// Every piece of device memory may cost the runtime an open file.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// --- Memory ----------------------------------------------------------------------------------------

struct Content {
  const Region* region;
  std::unique_ptr<File> before, after;  // `after`: all of the region, as the application left it
};

void copy(const Region& region, void* to, const void* from, uint64_t size) {
  if (region.host) {
    std::memcpy(to, from, size);
  } else {
    check(hipMemcpy(to, from, size, hipMemcpyDefault), "copy of region 0x" + hex(region.base));
  }
}

Content read_region(const Region& region, const std::string& folder) {
  const std::string name = "/region_" + hex(region.base) + ".bin";
  Content content{&region, nullptr, nullptr};
  content.before = read_checked(folder + "/memory" + name, region.size, region.before_sum);
  content.after = std::make_unique<File>(folder + "/memory" + name, region.size);
  if (!region.after_bytes) return content;
  const auto pages = read_checked(folder + "/after" + name, region.after_bytes, region.after_sum);
  const uint8_t* next = pages->data();
  for (size_t i = region.first_run; i < region.first_run + region.runs; ++i) {
    const uint64_t begin = changed[i].first * kPage;
    const uint64_t size = std::min(changed[i].count * kPage, region.size - begin);
    std::memcpy(content.after->data() + begin, next, size);
    next += size;
  }
  return content;
}

void restore(const std::vector<Content>& contents) {
  for (const Content& content : contents) {
    const Region& region = *content.region;
    copy(region, pointer(region.base), content.before->data(), region.size);
  }
}

// Number of bytes that are not as the application left them; names the first.
uint64_t compare(const std::vector<Content>& contents) {
  std::vector<uint8_t> now(kChunk);
  uint64_t different = 0;
  for (const Content& content : contents) {
    const Region& region = *content.region;
    for (uint64_t offset = 0; offset < region.size; offset += kChunk) {
      const uint64_t size = std::min(kChunk, region.size - offset);
      const uint8_t* expected = content.after->data() + offset;
      copy(region, now.data(), pointer(region.base + offset), size);
      if (std::memcmp(now.data(), expected, size) == 0) continue;
      for (uint64_t i = 0; i < size; ++i) {
        if (now[i] == expected[i]) continue;
        if (different++ == 0) {
          std::printf("first difference: 0x%s holds 0x%02x instead of 0x%02x\n",
                      hex(region.base + offset + i).c_str(), now[i], expected[i]);
        }
      }
    }
  }
  return different;
}

// --- The kernel --------------------------------------------------------------------------------------

class Kernel {
 public:
  explicit Kernel(const std::string& folder)
      : code_(read_checked(folder + "/kernel.hsaco", dispatch.code_bytes, dispatch.code_sum)),
        arguments_(read_checked(folder + "/kernarg.bin", dispatch.arguments_bytes,
                                dispatch.arguments_sum)) {
    check(hipModuleLoadData(&module_, code_->data()),
          std::string("loading code for ") + dispatch.target);
    check(hipModuleGetFunction(&function_, module_, dispatch.kernel), dispatch.kernel);
    check(hipEventCreate(&start_), "hipEventCreate");
    check(hipEventCreate(&stop_), "hipEventCreate");
  }

  // Microseconds between an event before the launch and one behind it: the launch is in them.
  double run() {
    copy_variables(true);
    size_t size = dispatch.argument_bytes;
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments_->data(),
                     HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    const unsigned* blocks = dispatch.blocks;
    const unsigned* threads = dispatch.threads;
    check(hipEventRecord(start_, nullptr), "hipEventRecord");
    check(hipModuleLaunchKernel(function_, blocks[0], blocks[1], blocks[2], threads[0], threads[1],
                                threads[2], dispatch.dynamic_lds, nullptr, nullptr, extra),
          "launching the kernel");
    check(hipEventRecord(stop_, nullptr), "hipEventRecord");
    check(hipEventSynchronize(stop_), "the kernel");
    float milliseconds = 0;
    check(hipEventElapsedTime(&milliseconds, start_, stop_), "hipEventElapsedTime");
    copy_variables(false);
    return milliseconds * 1000.0;
  }

 private:
  // The code was loaded elsewhere and has variables of its own: they get what the captured ones hold,
  // and give back what the kernel made of it.
  void copy_variables(bool into_module) {
    for (const Variable& variable : variables) {
      hipDeviceptr_t own{};
      size_t size = 0;
      if (hipModuleGetGlobal(&own, &size, module_, variable.name) != hipSuccess) continue;
      void* captured = pointer(variable.address);
      void* loaded = reinterpret_cast<void*>(own);
      check(hipMemcpy(into_module ? loaded : captured, into_module ? captured : loaded,
                      std::min<size_t>(size, variable.size), hipMemcpyDefault),
            std::string("copy of ") + variable.name);
    }
    (void)hipGetLastError();  // of variables that HIP does not show
  }

  std::unique_ptr<File> code_, arguments_;
  hipModule_t module_{};
  hipFunction_t function_{};
  hipEvent_t start_{}, stop_{};
};

void print_device() {
  hipDeviceProp_t properties{};
  check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
  std::printf("kernel:  %s\ndevice:  %s, %s\n", dispatch.title, properties.name,
              properties.gcnArchName);
  for (const char* note : notes) std::printf("note:    %s\n", note);
}

void print_times(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("time:    median %.2f us, min %.2f us, max %.2f us, %zu runs\n",
              times[times.size() / 2], times.front(), times.back(), times.size());
  std::printf("note:    times are between events and hold the launch too, some microseconds; "
              "`rocm-perf replay run` gives the kernel alone\n");
}

int replay(unsigned runs, const std::string& folder) {
  raise_file_limit();
  hold_addresses();
  check(hipInit(0), "hipInit");
  for (const Place& place : places) place.host ? back_by_host(place) : back_by_device(place);
  print_device();
  std::vector<Content> contents;
  for (const Region& region : regions) contents.push_back(read_region(region, folder));
  Kernel kernel(folder);
  std::vector<double> times;
  uint64_t different = 0;
  for (unsigned i = 0; i <= runs; ++i) {  // the first is not timed: it warms up
    restore(contents);
    const double time = kernel.run();
    if (i > 0) times.push_back(time);
    if (i == 0 || i == runs) different = std::max(different, compare(contents));
  }
  print_times(times);
  if (!dispatch.has_after) {
    std::printf("result:  unverified, the capture does not hold the memory afterwards\n");
    return kFailed;
  }
  if (different) {
    std::printf("result:  different, %llu bytes are not as the application left them\n",
                static_cast<unsigned long long>(different));
    return kFailed;
  }
  std::printf("result:  equal, %zu regions are as the application left them\n", regions.count);
  return kEqual;
}

// A new process image has other addresses. Returns when that was tried often enough.
void start_over(char** argv) {
  const char* text = std::getenv(kAttempt);
  const int attempt = text ? std::atoi(text) : 1;
  if (attempt >= kAttempts) return;
  std::fflush(nullptr);
  setenv(kAttempt, std::to_string(attempt + 1).c_str(), 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(kRuns);
  if (runs < 1 || argc > 3) {
    std::fprintf(stderr, "usage: %s [RUNS [CAPTURE_FOLDER]]\n", argv[0]);
    return kFailed;
  }
  try {
    return replay(static_cast<unsigned>(runs), argc > 2 ? argv[2] : CAPTURE_FOLDER);
  } catch (const AddressTaken& error) {
    start_over(argv);
    std::fprintf(stderr, "%s\n", error.what());
    return kAddressTaken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kFailed;
  }
}
