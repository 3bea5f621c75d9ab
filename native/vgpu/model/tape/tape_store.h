// The tapes of one dispatch: those that the plan asked for, and of the others the longest
// of which enough was seen.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "model/tape/tape.h"

namespace vgpu {
namespace model {

class TapeStore {
 public:
  // From any host thread.
  void add(GroupTape tape);

  // In the order of workgroup numbers. What is kept does not depend on the order of add().
  std::vector<GroupTape> take_planned();
  std::vector<GroupTape> take_long();

 private:
  static constexpr size_t kMostLong = 512;

  std::mutex mutex_;
  std::vector<GroupTape> planned_;
  std::vector<GroupTape> long_;  // a heap, the shortest one in front
};

}  // namespace model
}  // namespace vgpu
