#include "hip/device/visible_devices.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace vgpu::hip {
namespace {

// uuids.size() when the entry names no device.
size_t resolve(const std::string& entry, const std::vector<std::string>& uuids) {
  if (entry.rfind("GPU-", 0) == 0)
    return static_cast<size_t>(std::find(uuids.begin(), uuids.end(), entry) - uuids.begin());
  char* end = nullptr;
  const unsigned long index = std::strtoul(entry.c_str(), &end, 10);
  return entry.empty() || *end ? uuids.size() : std::min<size_t>(index, uuids.size());
}

}  // namespace

std::vector<size_t> visible_devices(const char* list, const std::vector<std::string>& uuids) {
  std::vector<size_t> chosen;
  if (!list) {
    for (size_t i = 0; i < uuids.size(); ++i) chosen.push_back(i);
    return chosen;
  }
  std::stringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const size_t index = resolve(entry, uuids);
    if (index == uuids.size()) break;
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end()) break;
    chosen.push_back(index);
  }
  return chosen;
}

}  // namespace vgpu::hip
