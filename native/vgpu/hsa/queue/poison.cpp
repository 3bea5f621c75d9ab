#include "hsa/queue/poison.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "memory/address_space.h"

namespace vrocm {
namespace {

// On even dispatches everything gets the first, no number in any floating-point type. On odd ones
// about half of the pieces get the second, a finite number in all of them: a kernel that looks at
// some of its old results to learn whether all are right then finds them so, and is wrong.
constexpr int kPatterns[] = {0xff, 0x4b};
constexpr uint64_t kPiece = 16;

struct Span {
  uint64_t argument;    // byte offset of the pointer in the arguments
  uint64_t begin, end;  // bytes behind what it points to
};

struct Target {
  std::vector<Span> spans;
  uint64_t dispatches = 0;
};

struct Plan {
  std::mutex mutex;
  std::map<std::string, Target> targets;  // by symbol
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "virtual MI300X: VROCM_POISON: %s\n", why.c_str());
  std::_Exit(2);  // a queue's thread reads this: at exit, others would wait for it
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t end; (end = text.find(at, start)) != std::string::npos; start = end + 1) {
    parts.push_back(text.substr(start, end - start));
  }
  parts.push_back(text.substr(start));
  return parts;
}

// Decimal digits up to `stop`, which is passed over; '\0' is the end of the text.
uint64_t number(const char*& at, char stop, const std::string& whole) {
  char* end = nullptr;
  errno = 0;
  const bool is_digit = *at >= '0' && *at <= '9';
  const uint64_t value = std::strtoull(at, &end, 10);
  if (!is_digit || errno != 0 || *end != stop) refuse("'" + whole + "' is not OFFSET+BEGIN-END");
  at = stop ? end + 1 : end;
  return value;
}

Span read_span(const std::string& text) {
  const char* at = text.c_str();
  Span span{};
  span.argument = number(at, '+', text);
  span.begin = number(at, '-', text);
  span.end = number(at, '\0', text);
  if (span.begin >= span.end) refuse("'" + text + "' ends before it begins");
  return span;
}

Plan* read_plan() {
  auto* plan = new Plan;
  const char* text = std::getenv("VROCM_POISON");
  if (!text || !*text) return plan;
  for (const std::string& part : split(text, ';')) {
    const size_t colon = part.find(':');
    if (colon == 0 || colon == std::string::npos) refuse("'" + part + "' is not SYMBOL:SPANS");
    Target& target = plan->targets[part.substr(0, colon)];
    for (const std::string& one : split(part.substr(colon + 1), ',')) {
      target.spans.push_back(read_span(one));
    }
  }
  return plan;
}

bool is_chosen(uint64_t piece, uint64_t dispatch) {
  const uint64_t mixed = (piece + dispatch * 0x9e37'79b9'7f4a'7c15) * 0xbf58'476d'1ce4'e5b9;
  return (mixed ^ mixed >> 29) * 0x94d0'49bb'1331'11eb >> 63;
}

void fill(uint64_t pointer, const Span& span, uint64_t dispatch) {
  vgpu::Allocation held;
  if (!vgpu::AddressSpace::instance().holding(pointer, held)) return;
  const uint64_t room = held.base + held.bytes - pointer;
  const uint64_t begin = std::min(span.begin, room), end = std::min(span.end, room);
  const bool whole = dispatch % 2 == 0 || end - begin <= kPiece;
  for (uint64_t at = begin; at < end;) {
    const uint64_t next = whole ? end : std::min(end, (at / kPiece + 1) * kPiece);
    if (whole || is_chosen(at / kPiece, dispatch)) {
      std::memset(reinterpret_cast<void*>(pointer + at), kPatterns[dispatch % 2], next - at);
    }
    at = next;
  }
}

}  // namespace

void poison_before(const hsa_kernel_dispatch_packet_t& packet, const KernelIdentity& kernel) {
  static Plan* plan = read_plan();
  if (plan->targets.empty()) return;
  std::lock_guard<std::mutex> lock(plan->mutex);
  const auto target = plan->targets.find(kernel.name);
  if (target == plan->targets.end()) return;
  const uint64_t dispatch = target->second.dispatches++;
  for (const Span& span : target->second.spans) {
    uint64_t pointer = 0;
    if (kernel.argument_bytes < sizeof pointer ||
        span.argument > kernel.argument_bytes - sizeof pointer) {
      refuse(kernel.name + " has " + std::to_string(kernel.argument_bytes) +
             " bytes of arguments, and no pointer at " + std::to_string(span.argument));
    }
    std::memcpy(&pointer, static_cast<const uint8_t*>(packet.kernarg_address) + span.argument,
                sizeof pointer);
    fill(pointer, span, dispatch);
  }
}

}  // namespace vrocm
