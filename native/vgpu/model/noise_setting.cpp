#include "model/noise_setting.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "model/launch/structure.h"

namespace vgpu {
namespace model {
namespace {

// Choices to try statistics with, from a machine that is all ours to one that others use too. How
// often and how much a dispatch is disturbed is the same in all of them, as recorded.
struct Named {
  const char* name;
  double process, dispatch, drift;
};
constexpr Named kNamed[] = {
    {"quiet", 0.003, 0.005, 0},
    {"typical", 0.01, 0.02, 0},
    {"noisy", 0.02, 0.05, 0},
    {"drifting", 0.01, 0.02, 0.03},
};

[[noreturn]] void refuse(const char* text, const char* why) {
  std::fprintf(stderr, "virtual MI300X: VROCM_NOISE=%s %s\n", text, why);
  std::_Exit(2);  // a queue's thread reads this: at exit, others would wait for it
}

[[noreturn]] void refuse(const char* text) {
  refuse(text,
         "is not SEED or SEED:LEVEL, e.g. 7:1.5, nor SEED:NAME or SEED:NAME:FILE with quiet, "
         "typical, noisy or drifting");
}

// Every process that asks gets the next number, beginning with 0.
uint64_t next_number(const char* text, const char* file) {
  const int descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0 || flock(descriptor, LOCK_EX) != 0) refuse(text, std::strerror(errno));
  char digits[24] = {};
  const ssize_t got = pread(descriptor, digits, sizeof digits - 1, 0);
  const uint64_t number = got > 0 ? std::strtoull(digits, nullptr, 10) : 0;
  const int length =
      std::snprintf(digits, sizeof digits, "%llu\n", static_cast<unsigned long long>(number + 1));
  if (pwrite(descriptor, digits, size_t(length), 0) != length) refuse(text, std::strerror(errno));
  close(descriptor);
  return number;
}

// Of a process that nobody counts: no two are alike, and later ones have larger numbers, about one
// per second, so that drift goes on from process to process.
uint64_t number_by_clock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return uint64_t(now.tv_sec) | uint64_t(now.tv_nsec ^ getpid()) << 32;
}

NoiseSetting named_noise(const char* text, uint64_t seed, const char* name) {
  const size_t length = std::strcspn(name, ":");
  for (const Named& known : kNamed) {
    if (std::strlen(known.name) != length || std::strncmp(known.name, name, length) != 0) continue;
    const char* file = name[length] ? name + length + 1 : nullptr;
    if (file && !*file) refuse(text);
    const uint64_t number = file ? next_number(text, file) : number_by_clock();
    return {true,        seed,  known.process, known.dispatch, calibration::kNoiseDisturbance,
            known.drift, number};
  }
  refuse(text);
}

}  // namespace

NoiseSetting read_noise_setting() {
  const char* text = std::getenv("VROCM_NOISE");
  if (!text || !*text) return {};
  char* end = nullptr;
  const uint64_t seed = std::strtoull(text, &end, 10);
  if (end == text || *text == '-' || (*end && *end != ':')) refuse(text);
  double level = 1;
  if (*end == ':') {
    const char* behind = end + 1;
    level = std::strtod(behind, &end);
    if (end == behind) return named_noise(text, seed, behind);
    if (*end || !(level >= 0) || !std::isfinite(level)) refuse(text);
  }
  return {true, seed, 0, calibration::kNoiseSpread * level, calibration::kNoiseDisturbance * level,
          0,    0};
}

}  // namespace model
}  // namespace vgpu
