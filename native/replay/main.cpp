// rocm-perf-replayer PLAN: exit code 0 done, 1 failure, 2 an address could not be had, 3 there
// is no device that runs the code. What happened is in the plan's result file; whether the memory is
// as it should be is for the caller to judge.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include "kernel.h"
#include "memory.h"
#include "places.h"
#include "result.h"
#include "scenes.h"

namespace replay {
namespace {

constexpr int kFailed = 1, kRelocated = 2, kNoDevice = 3;
// A new process has other random addresses; that so many collide does not happen by chance.
constexpr int kAttempts = 16;
constexpr const char* kAttempt = "ROCM_PERF_REPLAY_ATTEMPT";

int attempt() {
  const char* text = std::getenv(kAttempt);
  return text ? std::atoi(text) : 1;
}

// Starts over in a new process image, if that may still help.
void start_over(char** argv) {
  if (attempt() >= kAttempts) return;
  setenv(kAttempt, std::to_string(attempt() + 1).c_str(), 1);
  execv("/proc/self/exe", argv);
}

// Every mapping of virtual memory costs some runtimes a file.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// One folder per variant; they exist.
std::string dump_folder(const Plan& plan, size_t variant) {
  return plan.dump.empty() ? plan.dump : plan.dump + "/" + std::to_string(variant);
}

// For the last replay of a variant; who does not want it has not made it.
std::string last_dump_folder(const Plan& plan, size_t variant) {
  const std::string folder = dump_folder(plan, variant) + "-last";
  return !plan.dump.empty() && access(folder.c_str(), W_OK) == 0 ? folder : "";
}

void replay_all(const Plan& plan, const Runtime& runtime, Result& result) {
  Memory memory(plan.regions, runtime);
  memory.restore();  // before anything is loaded, so that nothing else can take the addresses
  Launcher launcher(plan, runtime);
  std::vector<Kernel> kernels;
  for (const Variant& variant : plan.variants) kernels.push_back(launcher.prepare(variant));
  result.variants.resize(kernels.size());
  const unsigned rounds = plan.warmup + plan.iterations;
  std::vector<size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 random(plan.seed);
  for (unsigned round = 0; round < rounds; ++round) {
    if (plan.shuffled) std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {  // interleaved: all see the same disturbances
      if (plan.recopy || round == 0) memory.restore();
      const double ns = launcher.run(kernels[i], plan.shape);
      VariantResult& own = result.variants[i];
      if (round >= plan.warmup) own.samples.push_back(ns);
      // The first and the last; without recopying, only the first starts from captured memory.
      if (round == 0) own.first = memory.compare(dump_folder(plan, i));
      if (round > 0 && round + 1 == rounds && plan.recopy) {
        own.last = memory.compare(last_dump_folder(plan, i));
      }
    }
  }
}

int run(char** argv) {
  const Plan plan = read_plan(argv[1]);
  raise_file_limit();
  Result result;
  result.attempts = attempt();
  result.places = places_of(plan.regions);
  if (plan.steering && !hold(result.places)) {
    start_over(argv);
    for (Place& place : result.places) {
      if (!place.held) place.problem = "this process itself lies there";
    }
    write_result(plan.result, result, nullptr);
    return kRelocated;
  }
  const Runtime runtime = start_runtime(plan.runtime, plan.device);
  if (!runtime.runs(plan.target)) {
    throw NoDevice("the code is for " + plan.target + ", this device is " + runtime.isa);
  }
  occupy(result.places, runtime);
  if (!all_exact(result.places)) {
    if (plan.steering) start_over(argv);
    write_result(plan.result, result, &runtime);
    return any_failed(result.places) ? kFailed : kRelocated;
  }
  if (plan.check_only) {
    // Every place was had.
  } else if (plan.scenes.empty()) {
    replay_all(plan, runtime, result);
  } else {
    play_scenes(plan, runtime);
  }
  write_result(plan.result, result, &runtime);
  return 0;
}

}  // namespace
}  // namespace replay

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: rocm-perf-replayer PLAN\n");
    return replay::kFailed;
  }
  int code = replay::kFailed;
  try {
    code = replay::run(argv);
  } catch (const replay::NoDevice& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = replay::kNoDevice;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(nullptr);
  std::_Exit(code);  // the runtime has threads that nobody waits for
}
