#include "hip/copy/array.h"

#include "hip/core/memory.h"

namespace vgpu::hip {
namespace {

constexpr size_t kPitchAlignment = 256;

struct DriverFormat {
  hipArray_Format format;
  hipChannelFormatKind kind;
  int bits;
};

constexpr DriverFormat kFormats[] = {
    {HIP_AD_FORMAT_UNSIGNED_INT8, hipChannelFormatKindUnsigned, 8},
    {HIP_AD_FORMAT_UNSIGNED_INT16, hipChannelFormatKindUnsigned, 16},
    {HIP_AD_FORMAT_UNSIGNED_INT32, hipChannelFormatKindUnsigned, 32},
    {HIP_AD_FORMAT_SIGNED_INT8, hipChannelFormatKindSigned, 8},
    {HIP_AD_FORMAT_SIGNED_INT16, hipChannelFormatKindSigned, 16},
    {HIP_AD_FORMAT_SIGNED_INT32, hipChannelFormatKindSigned, 32},
    {HIP_AD_FORMAT_HALF, hipChannelFormatKindFloat, 16},
    {HIP_AD_FORMAT_FLOAT, hipChannelFormatKindFloat, 32},
};

}  // namespace

hipError_t make_array(hipArray_t* handle, const hipChannelFormatDesc* format, size_t width,
                      size_t height, size_t depth, unsigned flags) {
  if (!handle || !format || width == 0 || (depth && !height)) return hipErrorInvalidValue;
  const int bits = format->x + format->y + format->z + format->w;
  if (bits <= 0 || bits % 8) return hipErrorInvalidChannelDescriptor;
  Array array;
  array.format = *format;
  array.element_bytes = static_cast<size_t>(bits) / 8;
  array.width = width;
  array.height = height;
  array.depth = depth;
  array.flags = flags;
  array.pitch = (width * array.element_bytes + kPitchAlignment - 1) & ~(kPitchAlignment - 1);
  void* data = nullptr;
  if (hipError_t status = allocate_device(&data, array.pitch * array.rows() * array.slices()))
    return status;
  MemoryMap::get().mark_as_array(data);
  array.data = static_cast<uint8_t*>(data);
  auto* made = new Array(array);
  HandleSet<Array>::get().add(made);
  *handle = reinterpret_cast<hipArray_t>(made);
  return hipSuccess;
}

hipError_t free_array(hipArray_t handle) {
  if (!handle) return hipErrorInvalidValue;
  auto* array = reinterpret_cast<Array*>(handle);
  if (!HandleSet<Array>::get().remove(array)) return hipErrorContextIsDestroyed;
  hipError_t status = release(array->data);
  delete array;
  return status;
}

hipChannelFormatDesc format_of(hipArray_Format format, unsigned channels) {
  for (const DriverFormat& known : kFormats)
    if (known.format == format)
      return {known.bits, channels > 1 ? known.bits : 0, channels > 2 ? known.bits : 0,
              channels > 3 ? known.bits : 0, known.kind};
  return {0, 0, 0, 0, hipChannelFormatKindNone};
}

hipArray_Format driver_format(const hipChannelFormatDesc& format) {
  for (const DriverFormat& known : kFormats)
    if (known.kind == format.f && known.bits == format.x) return known.format;
  return HIP_AD_FORMAT_UNSIGNED_INT8;
}

unsigned channel_count(const hipChannelFormatDesc& format) {
  return static_cast<unsigned>((format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0));
}

}  // namespace vgpu::hip
