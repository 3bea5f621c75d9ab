#include "model/launch/device_size.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace vgpu {
namespace model {
namespace {

using calibration::kUnitsPerXcd;

constexpr const char kMark[] = "(virtual";

[[noreturn]] void refuse(const char* text) {
  std::fprintf(stderr,
               "virtual MI300X: VROCM_MODEL=%s is not UNITS:GHZ with 1 to %d CUs per XCD and a "
               "clock above 0, e.g. 10:1.42\n",
               text, kUnitsPerXcd);
  std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
}

DeviceSize read() {
  const char* text = std::getenv("VROCM_MODEL");
  if (!text || !*text) return {};
  char* end = nullptr;
  const long units = std::strtol(text, &end, 10);
  if (*end != ':' || units < 1 || units > kUnitsPerXcd) refuse(text);
  const char* clock = end + 1;
  const double ghz = std::strtod(clock, &end);
  if (end == clock || *end || !(ghz > 0) || !std::isfinite(ghz)) refuse(text);
  return {int(units), ghz};
}

DeviceSize& current() {
  static DeviceSize size = read();
  return size;
}

}  // namespace

const DeviceSize& device_size() { return current(); }

void set_device_size(const DeviceSize& size) { current() = size; }

std::string with_device_size(std::string product) {
  const DeviceSize& size = device_size();
  const size_t mark = product.find(kMark);
  if (size.is_usual() || mark == std::string::npos) return product;
  char text[64];
  std::snprintf(text, sizeof text, ", %d CUs per XCD, %g GHz", size.units_per_xcd, size.clock_ghz);
  return product.insert(mark + sizeof kMark - 1, text);
}

}  // namespace model
}  // namespace vgpu
