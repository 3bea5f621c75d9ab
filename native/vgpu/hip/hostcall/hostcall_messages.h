// Messages longer than one hostcall: the device library sends printf's format and arguments in
// parts of up to seven words, each lane its own.
#pragma once

#include <cstdint>
#include <vector>

namespace vgpu::hip {

class HostcallMessages {
 public:
  // One part, {descriptor, words...}. The descriptor has bit 0: first part, bit 1: last part, bits 5
  // to 7: number of words, bits 8 up: the message. What goes back in the first word is the
  // descriptor for the next part, or printf's result.
  void add(uint64_t* words);

 private:
  std::vector<std::vector<uint64_t>> messages_;
  std::vector<uint64_t> unused_;
};

}  // namespace vgpu::hip
