// Texture objects, descriptions and references.
#pragma once

#include <hip/amd_detail/host_defines.h>
#include <hip/channel_descriptor.h>
#include <hip/driver_types.h>

#define hipTextureType1D 0x01
#define hipTextureType2D 0x02
#define hipTextureType3D 0x03
#define hipTextureTypeCubemap 0x0C
#define hipTextureType1DLayered 0xF1
#define hipTextureType2DLayered 0xF2
#define hipTextureTypeCubemapLayered 0xFC

// The descriptor words of an image and its sampler behind a texture object.
#define HIP_IMAGE_OBJECT_SIZE_DWORD 12
#define HIP_SAMPLER_OBJECT_SIZE_DWORD 8
#define HIP_SAMPLER_OBJECT_OFFSET_DWORD HIP_IMAGE_OBJECT_SIZE_DWORD
#define HIP_TEXTURE_OBJECT_SIZE_DWORD (HIP_IMAGE_OBJECT_SIZE_DWORD + HIP_SAMPLER_OBJECT_SIZE_DWORD)

#if defined(__clang__) && defined(__HIP__)
#define __HIP_TEXTURE_ATTRIB __attribute__((device_builtin_texture_type))
#else
#define __HIP_TEXTURE_ATTRIB
#endif

struct __hip_texture;
typedef struct __hip_texture* hipTextureObject_t;

enum hipTextureAddressMode {
  hipAddressModeWrap = 0, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder
};

enum hipTextureFilterMode {
  hipFilterModePoint = 0, hipFilterModeLinear
};

enum hipTextureReadMode {
  hipReadModeElementType = 0, hipReadModeNormalizedFloat
};

typedef struct textureReference {
  int normalized;
  enum hipTextureReadMode readMode;
  enum hipTextureFilterMode filterMode;
  enum hipTextureAddressMode addressMode[3];
  struct hipChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  enum hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  hipTextureObject_t textureObject;
  int numChannels;
  enum hipArray_Format format;
} textureReference;

typedef struct hipTextureDesc {
  enum hipTextureAddressMode addressMode[3];
  enum hipTextureFilterMode filterMode;
  enum hipTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  enum hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
} hipTextureDesc;

#ifdef __cplusplus
template <class T, int texType = hipTextureType1D, hipTextureReadMode mode = hipReadModeElementType>
struct __HIP_TEXTURE_ATTRIB texture : public textureReference {
  texture(int norm = 0, hipTextureFilterMode filter = hipFilterModePoint,
          hipTextureAddressMode address = hipAddressModeClamp)
      : texture(norm, filter, address, hipCreateChannelDesc<T>()) {}
  texture(int norm, hipTextureFilterMode filter, hipTextureAddressMode address,
          hipChannelFormatDesc desc)
      : textureReference{} {
    normalized = norm;
    readMode = mode;
    filterMode = filter;
    for (auto& dimension : addressMode) dimension = address;
    channelDesc = desc;
  }
};
#endif
