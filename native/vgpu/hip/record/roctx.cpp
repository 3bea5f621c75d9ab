// libroctx64.so.4 and librocprofiler-sdk-roctx.so.1: hands markers to the HIP runtime when that is
// in the process. Without it, only the nesting of ranges is kept, as their return values tell it.
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace {

// The function of the HIP library, or null. Asked again each time until it is there, because HIP
// may be loaded later.
template <class Function>
class Door {
 public:
  explicit Door(const char* name) : name_(name) {}
  Function* get() {
    void* known = known_.load(std::memory_order_acquire);
    if (!known) {
      known = dlsym(RTLD_DEFAULT, name_);
      known_.store(known, std::memory_order_release);
    }
    return reinterpret_cast<Function*>(known);
  }

 private:
  const char* name_;
  std::atomic<void*> known_{nullptr};
};

Door<void(const char*)> mark{"vrocm_hip_mark"};
Door<int(const char*)> range_push{"vrocm_hip_range_push"};
Door<int()> range_pop{"vrocm_hip_range_pop"};
Door<uint64_t(const char*)> range_start{"vrocm_hip_range_start"};
Door<void(uint64_t)> range_stop{"vrocm_hip_range_stop"};
Door<void(int)> profiler{"vrocm_hip_profiler"};

thread_local int depth = 0;
std::atomic<uint64_t> next_range{1};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

uint32_t roctx_version_major() { return 4; }
uint32_t roctx_version_minor() { return 1; }

void roctxMarkA(const char* message) {
  if (auto* call = mark.get()) call(message);
}

int roctxRangePushA(const char* message) {
  if (auto* call = range_push.get()) return call(message);
  return depth++;
}

int roctxRangePop() {
  if (auto* call = range_pop.get()) return call();
  return depth > 0 ? --depth : -1;
}

uint64_t roctxRangeStartA(const char* message) {
  if (auto* call = range_start.get()) return call(message);
  return next_range++;
}

void roctxRangeStop(uint64_t id) {
  if (auto* call = range_stop.get()) call(id);
}

int roctxProfilerPause(uint64_t) {
  if (auto* call = profiler.get()) call(0);
  return 0;
}

int roctxProfilerResume(uint64_t) {
  if (auto* call = profiler.get()) call(1);
  return 0;
}

// Names change how a viewer shows threads and devices; a recording has no place for them.
int roctxNameOsThread(const char*) { return 0; }
int roctxNameHsaAgent(const char*, const void*) { return 0; }
int roctxNameHipDevice(const char*, int) { return 0; }
int roctxNameHipStream(const char*, const void*) { return 0; }

int roctxGetThreadId(uint64_t* thread) {
  if (!thread) return -1;
  *thread = static_cast<uint64_t>(syscall(SYS_gettid));
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
