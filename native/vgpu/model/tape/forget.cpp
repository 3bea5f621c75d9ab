// What a wave that waited for others did meanwhile goes from its tape.
#include <algorithm>

#include "model/tape/tape.h"

namespace vgpu {
namespace model {

// Windows that are empty now go, but for the last one, which goes on. What windows touched and no step
// asks for any more stays where it is.
void WaveTape::forget_behind(const Position& position) {
  if (position.moves != moves_ || position.steps >= own.steps.size()) return;
  std::vector<TapeWindow>& windows = own.windows;
  const size_t from = position.steps, end = own.steps.size();
  for (size_t w = 0; w < windows.size(); ++w) {
    const size_t begin = std::max<size_t>(windows[w].first, from);
    const size_t behind = window_end(w);
    if (behind > begin) schedule.forget(windows[w].place, behind - begin);
  }
  for (TapeWindow& window : windows) window.first = uint32_t(std::min<size_t>(window.first, from));
  const auto is_empty = [&](const TapeWindow& window) {
    const auto* next = &window + 1;
    return next != windows.data() + windows.size() && next->first == window.first;
  };
  windows.erase(std::remove_if(windows.begin(), windows.end(), is_empty), windows.end());
  own.steps.resize(from);
  forgotten_ += end - from;
}

}  // namespace model
}  // namespace vgpu
