#include "hip/hostcall/hostcall_messages.h"

#include <cstdio>
#include <string>

#include "hip/printf/printf_format.h"

namespace vgpu::hip {
namespace {

constexpr uint64_t kFirst = 1, kLast = 2;
constexpr uint64_t kStderr = 1;  // in the word in front of the format
constexpr int kCountAt = 5, kMessageAt = 8;

// {stream, format, arguments}, as printf's result: the number of characters, -1 for a failure.
int64_t print(const std::vector<uint64_t>& message) {
  if (message.empty() || (message[0] & ~kStderr)) return -1;
  PrintfArguments arguments(reinterpret_cast<const uint8_t*>(message.data() + 1),
                            (message.size() - 1) * sizeof(uint64_t));
  const std::string format = arguments.text();
  const std::string text = render_printf(format, arguments);
  FILE* stream = (message[0] & kStderr) || is_assertion(format) ? stderr : stdout;
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) return -1;
  return static_cast<int64_t>(text.size());
}

}  // namespace

void HostcallMessages::add(uint64_t* words) {
  uint64_t descriptor = words[0];
  if (descriptor & kFirst) {
    if (unused_.empty()) {
      unused_.push_back(messages_.size());
      messages_.emplace_back();
    }
    descriptor = (descriptor & ((1 << kMessageAt) - 1) & ~kFirst) | unused_.back() << kMessageAt;
    unused_.pop_back();
  }
  const uint64_t number = descriptor >> kMessageAt, count = descriptor >> kCountAt & 7;
  if (number >= messages_.size()) {  // no first part: nothing that could be printed
    words[0] = ~uint64_t{0};
    return;
  }
  std::vector<uint64_t>& message = messages_[number];
  message.insert(message.end(), words + 1, words + 1 + count);
  words[0] = descriptor;
  if (!(descriptor & kLast)) return;
  words[0] = static_cast<uint64_t>(print(message));
  message.clear();
  unused_.push_back(number);
}

}  // namespace vgpu::hip
