// Whether memory is the device's own, and if not, over which link it is reached: the one to the
// host, or one to another device.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vgpu {

using Link = uint8_t;
constexpr Link kOwnMemory = 0, kHostLink = 1;
constexpr int kLinks = 10;  // the devices' follow, by the numbers of their agents

constexpr uint32_t kHostAgent = 0, kFirstDevice = 1;  // agents, as the runtime counts them

// How `agent` reaches the memory of `owner`.
constexpr Link link_between(uint32_t agent, uint32_t owner) {
  if (agent == owner) return kOwnMemory;
  return Link(std::min<uint32_t>(kHostLink + owner, kLinks - 1));
}

// Physical addresses that are reached over a link.
struct LinkedRange {
  uint64_t begin, end;
  Link link;
};

}  // namespace vgpu
