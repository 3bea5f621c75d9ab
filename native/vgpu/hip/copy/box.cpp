#include "hip/copy/box.h"

#include <climits>

#include "hip/copy/array.h"
#include "hip/core/memory.h"

namespace vgpu::hip {
namespace {

// hipDeviceAttributeMaxPitch; a pitch must be less.
constexpr size_t kPitchLimit = INT_MAX;

Side pointer_side(const hipPitchedPtr& pointer, const hipPos& position) {
  const size_t slice = pointer.pitch * pointer.ysize;
  auto* base = static_cast<uint8_t*>(pointer.ptr);
  return {base + position.x + position.y * pointer.pitch + position.z * slice, pointer.pitch,
          slice};
}

// What the driver API says about one side.
struct DriverSide {
  hipMemoryType type;
  const void* host;
  hipDeviceptr_t device;
  hipArray_t array;
  size_t x, y, z, pitch, height;
};

hipError_t driver_side(const DriverSide& d, size_t bytes, size_t rows, Side& side) {
  if (d.type == hipMemoryTypeArray)
    return d.array ? array_side(d.array, d.x, d.y, d.z, side) : hipErrorInvalidValue;
  const void* base = d.type == hipMemoryTypeHost ? d.host : d.device;
  const size_t pitch = d.pitch ? d.pitch : bytes;
  const size_t slice = pitch * (d.height ? d.height : rows);
  if (!base || pitch < d.x + bytes || pitch >= kPitchLimit) return hipErrorInvalidValue;
  auto* start = static_cast<uint8_t*>(const_cast<void*>(base));
  side = {start + d.x + d.y * pitch + d.z * slice, pitch, slice};
  return is_same_allocation(base, side.start) ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace

hipError_t array_side(hipArray_const_t handle, size_t x_bytes, size_t y, size_t z, Side& side) {
  const Array* array = find_array(handle);
  if (!array) return hipErrorInvalidHandle;
  if (x_bytes > array->width * array->element_bytes || y > array->rows() || z > array->slices())
    return hipErrorInvalidValue;
  const size_t slice = array->pitch * array->rows();
  side = {array->data + x_bytes + y * array->pitch + z * slice, array->pitch, slice};
  return hipSuccess;
}

BoxCopy join(const Side& target, const Side& source, size_t bytes, size_t rows, size_t slices) {
  BoxCopy copy;
  copy.target = target.start;
  copy.source = source.start;
  copy.box = {bytes, rows, slices, target.pitch, target.slice, source.pitch, source.slice};
  return copy;
}

hipError_t resolve(const hipMemcpy3DParms& p, BoxCopy& copy) {
  if (!p.srcArray == !p.srcPtr.ptr || !p.dstArray == !p.dstPtr.ptr) return hipErrorInvalidValue;
  // The extent and the positions count elements when an array takes part, bytes otherwise.
  const Array* array = find_array(p.srcArray ? p.srcArray : p.dstArray);
  if ((p.srcArray || p.dstArray) && !array) return hipErrorInvalidHandle;
  const size_t element = array ? array->element_bytes : 1;
  const size_t bytes = p.extent.width * element;
  if (p.srcPtr.pitch >= kPitchLimit || p.dstPtr.pitch >= kPitchLimit) return hipErrorInvalidValue;
  Side source, target;
  if (p.srcArray) {
    if (hipError_t status =
            array_side(p.srcArray, p.srcPos.x * element, p.srcPos.y, p.srcPos.z, source))
      return status;
  } else {
    source = pointer_side(p.srcPtr, p.srcPos);
  }
  if (p.dstArray) {
    if (hipError_t status =
            array_side(p.dstArray, p.dstPos.x * element, p.dstPos.y, p.dstPos.z, target))
      return status;
  } else {
    target = pointer_side(p.dstPtr, p.dstPos);
  }
  if ((p.srcPtr.ptr && !is_same_allocation(p.srcPtr.ptr, source.start)) ||
      (p.dstPtr.ptr && !is_same_allocation(p.dstPtr.ptr, target.start)))
    return hipErrorInvalidValue;
  if (p.extent.height > 1 && (source.pitch < bytes || target.pitch < bytes))
    return hipErrorInvalidPitchValue;
  copy = join(target, source, bytes, p.extent.height, p.extent.depth);
  return hipSuccess;
}

hipError_t resolve(const HIP_MEMCPY3D& p, BoxCopy& copy) {
  Side source, target;
  if (hipError_t status = driver_side({p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray,
                                       p.srcXInBytes, p.srcY, p.srcZ, p.srcPitch, p.srcHeight},
                                      p.WidthInBytes, p.Height, source))
    return status;
  if (hipError_t status = driver_side({p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray,
                                       p.dstXInBytes, p.dstY, p.dstZ, p.dstPitch, p.dstHeight},
                                      p.WidthInBytes, p.Height, target))
    return status;
  copy = join(target, source, p.WidthInBytes, p.Height, p.Depth);
  return hipSuccess;
}

HIP_MEMCPY3D widen(const hip_Memcpy2D& flat) {
  HIP_MEMCPY3D wide{};
  wide.srcXInBytes = flat.srcXInBytes;
  wide.srcY = flat.srcY;
  wide.srcMemoryType = flat.srcMemoryType;
  wide.srcHost = flat.srcHost;
  wide.srcDevice = flat.srcDevice;
  wide.srcArray = flat.srcArray;
  wide.srcPitch = flat.srcPitch;
  wide.dstXInBytes = flat.dstXInBytes;
  wide.dstY = flat.dstY;
  wide.dstMemoryType = flat.dstMemoryType;
  wide.dstHost = flat.dstHost;
  wide.dstDevice = flat.dstDevice;
  wide.dstArray = flat.dstArray;
  wide.dstPitch = flat.dstPitch;
  wide.WidthInBytes = flat.WidthInBytes;
  wide.Height = flat.Height;
  wide.Depth = 1;
  return wide;
}

}  // namespace vgpu::hip
