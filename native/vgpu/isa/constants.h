// The inline floating-point constants of source fields 240..248, per width.
#pragma once

#include <cstdint>

namespace vgpu {
namespace isa {

constexpr unsigned kInlineFloats = 9;

// Inline floats 0.5, -0.5, 1, -1, 2, -2, 4, -4 and 1/(2 pi), per width.
constexpr uint16_t kHalf[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                              0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kFloat[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                               0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t kDouble[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

}  // namespace isa
}  // namespace vgpu
