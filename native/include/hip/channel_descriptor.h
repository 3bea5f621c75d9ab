// The channel format of a texture or array element.
#pragma once

#include <hip/driver_types.h>
#include <hip/hip_vector_types.h>

#ifdef __cplusplus
extern "C" HIP_PUBLIC_API hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                                    hipChannelFormatKind f);

namespace hip_impl {
// `channels` elements of type T.
template <typename T>
static inline hipChannelFormatDesc channels_of(unsigned int channels) {
  const int bits = sizeof(T) * 8;
  // char is signed here on every host, as in ROCm: the device's is.
  const bool is_signed = std::is_signed<T>::value || std::is_same<T, char>::value;
  const hipChannelFormatKind kind = std::is_floating_point<T>::value ? hipChannelFormatKindFloat
                                    : is_signed                      ? hipChannelFormatKindSigned
                                                                     : hipChannelFormatKindUnsigned;
  return hipCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                              channels > 3 ? bits : 0, kind);
}
template <typename T, typename = void>
struct channels {
  static hipChannelFormatDesc get() {
    return hipCreateChannelDesc(0, 0, 0, 0, hipChannelFormatKindNone);
  }
};
// A channel has 32 bits at most: long, long long and double have no format.
template <typename T>
struct fits_channel {
  static constexpr bool value = std::is_arithmetic<T>::value && sizeof(T) <= 4;
};
template <typename T>
struct channels<T, typename std::enable_if<fits_channel<T>::value>::type> {
  static hipChannelFormatDesc get() { return channels_of<T>(1); }
};
template <typename T, unsigned int n>
struct channels<HIP_vector_type<T, n>, typename std::enable_if<fits_channel<T>::value>::type> {
  static hipChannelFormatDesc get() { return channels_of<T>(n); }
};
}  // namespace hip_impl

template <typename T>
static inline hipChannelFormatDesc hipCreateChannelDesc() {
  return hip_impl::channels<T>::get();
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf() {
  return hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf1() {
  return hipCreateChannelDescHalf();
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf2() {
  return hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindFloat);
}
static inline hipChannelFormatDesc hipCreateChannelDescHalf4() {
  return hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindFloat);
}
#else
HIP_PUBLIC_API struct hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                                enum hipChannelFormatKind f);
#endif
