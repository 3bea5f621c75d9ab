// Reading textures and surfaces in kernels: declared, so that a kernel that uses them is refused
// with a reason. CDNA 3 has no image hardware, and ROCm refuses them on gfx942 as well.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

#include <type_traits>

#if __HIP_ON_DEVICE__
#define __hip_img_chk__ \
  __attribute__((unavailable("The image/texture API not supported on the device")))
#else
#define __hip_img_chk__
#endif

namespace hip_impl {
// What a texture of T yields: itself, or float of the same shape when read as normalised.
template <typename T, hipTextureReadMode mode>
struct texel {
  using type = typename std::conditional<mode == hipReadModeElementType, T, float>::type;
};
template <typename T, unsigned int n, hipTextureReadMode mode>
struct texel<HIP_vector_type<T, n>, mode> {
  using type = HIP_vector_type<typename texel<T, mode>::type, n>;
};
}  // namespace hip_impl

// By reference, by object, and by object into a variable.
#define __HIP_TEXTURE(name, dimension, ...)                                                    \
  template <typename T, hipTextureReadMode mode>                                               \
  static __device__ __hip_img_chk__ typename hip_impl::texel<T, mode>::type name(              \
      texture<T, dimension, mode> t, __VA_ARGS__);                                             \
  template <typename T>                                                                        \
  static __device__ __hip_img_chk__ T name(hipTextureObject_t texture, __VA_ARGS__);           \
  template <typename T>                                                                        \
  static __device__ __hip_img_chk__ void name(T* to, hipTextureObject_t texture, __VA_ARGS__);
__HIP_TEXTURE(tex1Dfetch, hipTextureType1D, int x)
__HIP_TEXTURE(tex1D, hipTextureType1D, float x)
__HIP_TEXTURE(tex2D, hipTextureType2D, float x, float y)
__HIP_TEXTURE(tex3D, hipTextureType3D, float x, float y, float z)
__HIP_TEXTURE(tex1DLayered, hipTextureType1DLayered, float x, int layer)
__HIP_TEXTURE(tex2DLayered, hipTextureType2DLayered, float x, float y, int layer)
__HIP_TEXTURE(texCubemap, hipTextureTypeCubemap, float x, float y, float z)
__HIP_TEXTURE(texCubemapLayered, hipTextureTypeCubemapLayered, float x, float y, float z, int layer)
__HIP_TEXTURE(tex1DLod, hipTextureType1D, float x, float level)
__HIP_TEXTURE(tex2DLod, hipTextureType2D, float x, float y, float level)
__HIP_TEXTURE(tex3DLod, hipTextureType3D, float x, float y, float z, float level)
__HIP_TEXTURE(tex2Dgather, hipTextureType2D, float x, float y, int component)
#undef __HIP_TEXTURE

#define __HIP_SURFACE(name, ...)                                                               \
  template <typename T>                                                                        \
  static __device__ __hip_img_chk__ void name##read(T* to, hipSurfaceObject_t surface,         \
                                                    __VA_ARGS__,                               \
                                                    int mode = hipBoundaryModeZero);           \
  template <typename T>                                                                        \
  static __device__ __hip_img_chk__ void name##write(T value, hipSurfaceObject_t surface,      \
                                                     __VA_ARGS__);
__HIP_SURFACE(surf1D, int x)
__HIP_SURFACE(surf2D, int x, int y)
__HIP_SURFACE(surf3D, int x, int y, int z)
__HIP_SURFACE(surf1DLayered, int x, int layer)
__HIP_SURFACE(surf2DLayered, int x, int y, int layer)
__HIP_SURFACE(surfCubemap, int x, int y, int face)
__HIP_SURFACE(surfCubemapLayered, int x, int y, int face, int layer)
#undef __HIP_SURFACE
