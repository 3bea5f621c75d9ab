// Arrays: allocate, ask, copy in and out.
#include <cstring>

#include "hip/copy/array.h"
#include "hip/copy/box.h"
#include "hip/core/api.h"

namespace vgpu::hip {
namespace {

hipStream_t own(hipStream_t stream) { return stream ? stream : hipStreamPerThread; }

Side plain(const void* pointer, size_t pitch) {
  return {static_cast<uint8_t*>(const_cast<void*>(pointer)), pitch, 0};
}

hipError_t run(hipStream_t stream, const BoxCopy& box, hipMemcpyKind kind, bool synchronous) {
  return copy(stream, box.target, box.source, box.box, kind, synchronous);
}

// Whether a rectangle is inside an array that is one.
bool fits(hipArray_const_t handle, size_t x, size_t y, size_t bytes, size_t rows) {
  const Array& array = *find_array(handle);
  return x + bytes <= array.width * array.element_bytes && y + rows <= array.rows();
}

hipError_t into(hipStream_t stream, hipArray_t array, size_t x, size_t y, const void* source,
                size_t pitch, size_t bytes, size_t rows, hipMemcpyKind kind, bool synchronous) {
  Side target;
  if (hipError_t status = array_side(array, x, y, 0, target)) return status;
  if (!fits(array, x, y, bytes, rows)) return hipErrorInvalidValue;
  if (rows > 1 && pitch < bytes) return hipErrorInvalidPitchValue;
  return run(stream, join(target, plain(source, pitch), bytes, rows, 1), kind, synchronous);
}

hipError_t out_of(hipStream_t stream, void* target, size_t pitch, hipArray_const_t array, size_t x,
                  size_t y, size_t bytes, size_t rows, hipMemcpyKind kind, bool synchronous) {
  Side source;
  if (hipError_t status = array_side(array, x, y, 0, source)) return status;
  if (!fits(array, x, y, bytes, rows)) return hipErrorInvalidValue;
  if (rows > 1 && pitch < bytes) return hipErrorInvalidPitchValue;
  return run(stream, join(plain(target, pitch), source, bytes, rows, 1), kind, synchronous);
}

// Linear copies run over the rows of an array: whole rows at a time, or a part of one.
hipError_t linear(hipArray_const_t handle, size_t offset, size_t bytes, size_t* rows,
                  size_t* row_bytes) {
  const Array* array = find_array(handle);
  if (!array) return hipErrorInvalidHandle;
  const size_t width = array->width * array->element_bytes;
  const size_t x = offset % width;
  if (x + bytes <= width) {
    *rows = 1;
    *row_bytes = bytes;
    return hipSuccess;
  }
  if (x || bytes % width) return hipErrorInvalidValue;
  *rows = bytes / width;
  *row_bytes = width;
  return hipSuccess;
}

size_t row_of(hipArray_const_t handle, size_t offset, size_t* x) {
  const Array* array = find_array(handle);
  const size_t width = array ? array->width * array->element_bytes : 1;
  *x = offset % width;
  return offset / width;
}

hipError_t linear_into(hipStream_t stream, hipArray_t array, size_t offset, const void* source,
                       size_t bytes, hipMemcpyKind kind, bool synchronous) {
  size_t rows, row_bytes, x;
  if (hipError_t status = linear(array, offset, bytes, &rows, &row_bytes)) return status;
  const size_t y = row_of(array, offset, &x);
  return into(stream, array, x, y, source, row_bytes, row_bytes, rows, kind, synchronous);
}

hipError_t linear_out_of(hipStream_t stream, void* target, hipArray_const_t array, size_t offset,
                         size_t bytes, hipMemcpyKind kind, bool synchronous) {
  size_t rows, row_bytes, x;
  if (hipError_t status = linear(array, offset, bytes, &rows, &row_bytes)) return status;
  const size_t y = row_of(array, offset, &x);
  return out_of(stream, target, row_bytes, array, x, y, row_bytes, rows, kind, synchronous);
}

// wOffset counts bytes and hOffset rows, as in the calls with those names.
size_t offset_of(hipArray_const_t handle, size_t x, size_t y) {
  const Array* array = find_array(handle);
  return array ? y * array->width * array->element_bytes + x : 0;
}

hipError_t array_to_array(hipArray_t dst, size_t x, size_t y, hipArray_const_t src, size_t sx,
                          size_t sy, size_t bytes, size_t rows, hipMemcpyKind kind) {
  Side target, source;
  if (hipError_t status = array_side(dst, x, y, 0, target)) return status;
  if (hipError_t status = array_side(src, sx, sy, 0, source)) return status;
  return run(nullptr, join(target, source, bytes, rows, 1), kind, true);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
  return {x, y, z, w, f};
}

hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width,
                          size_t height, unsigned flags) {
  HIP_API(hipMallocArray, array, desc, width, height, flags);
  HIP_RETURN(make_array(array, desc, width, height, 0, flags));
}

hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* desc, hipExtent extent,
                            unsigned flags) {
  HIP_API(hipMalloc3DArray, array, desc, extent, flags);
  HIP_RETURN(make_array(array, desc, extent.width, extent.height, extent.depth, flags));
}

hipError_t hipArrayCreate(hipArray_t* pHandle, const HIP_ARRAY_DESCRIPTOR* pAllocateArray) {
  HIP_API(hipArrayCreate, pHandle, pAllocateArray);
  if (!pAllocateArray) HIP_RETURN(hipErrorInvalidValue);
  const auto format = format_of(pAllocateArray->Format, pAllocateArray->NumChannels);
  HIP_RETURN(make_array(pHandle, &format, pAllocateArray->Width, pAllocateArray->Height, 0, 0));
}

hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  HIP_API(hipArray3DCreate, array, pAllocateArray);
  if (!pAllocateArray) HIP_RETURN(hipErrorInvalidValue);
  const auto format = format_of(pAllocateArray->Format, pAllocateArray->NumChannels);
  HIP_RETURN(make_array(array, &format, pAllocateArray->Width, pAllocateArray->Height,
                        pAllocateArray->Depth, pAllocateArray->Flags));
}

hipError_t hipFreeArray(hipArray_t array) {
  HIP_API(hipFreeArray, array);
  HIP_RETURN(free_array(array));
}

hipError_t hipArrayDestroy(hipArray_t array) {
  HIP_API(hipArrayDestroy, array);
  HIP_RETURN(free_array(array));
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned* flags,
                           hipArray_t array) {
  HIP_API(hipArrayGetInfo, desc, extent, flags, array);
  const Array* known = find_array(array);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (desc) *desc = known->format;
  if (extent) *extent = {known->width, known->height, known->depth};
  if (flags) *flags = known->flags;
  HIP_RETURN(hipSuccess);
}

hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array) {
  HIP_API(hipGetChannelDesc, desc, array);
  const Array* known = find_array(array);
  if (!known || !desc) HIP_RETURN(hipErrorInvalidValue);
  *desc = known->format;
  HIP_RETURN(hipSuccess);
}

hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* pArrayDescriptor, hipArray_t array) {
  HIP_API(hipArray3DGetDescriptor, pArrayDescriptor, array);
  const Array* known = find_array(array);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (!pArrayDescriptor) HIP_RETURN(hipErrorInvalidValue);
  *pArrayDescriptor = {known->width,
                       known->height,
                       known->depth,
                       driver_format(known->format),
                       channel_count(known->format),
                       known->flags};
  HIP_RETURN(hipSuccess);
}

hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* pArrayDescriptor, hipArray_t array) {
  HIP_API(hipArrayGetDescriptor, pArrayDescriptor, array);
  const Array* known = find_array(array);
  if (!known) HIP_RETURN(hipErrorInvalidHandle);
  if (!pArrayDescriptor) HIP_RETURN(hipErrorInvalidValue);
  *pArrayDescriptor = {known->width, known->height, driver_format(known->format),
                       channel_count(known->format)};
  HIP_RETURN(hipSuccess);
}

hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                              size_t spitch, size_t width, size_t height, hipMemcpyKind kind) {
  HIP_API(hipMemcpy2DToArray, dst, wOffset, hOffset, src, spitch, width, height, kind);
  HIP_RETURN(into(nullptr, dst, wOffset, hOffset, src, spitch, width, height, kind, true));
}

hipError_t hipMemcpy2DToArray_spt(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                  size_t spitch, size_t width, size_t height, hipMemcpyKind kind) {
  HIP_API(hipMemcpy2DToArray_spt, dst, wOffset, hOffset, src, spitch, width, height, kind);
  HIP_RETURN(
      into(hipStreamPerThread, dst, wOffset, hOffset, src, spitch, width, height, kind, true));
}

hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream) {
  HIP_API(hipMemcpy2DToArrayAsync, dst, wOffset, hOffset, src, spitch, width, height, kind, stream);
  HIP_RETURN(into(stream, dst, wOffset, hOffset, src, spitch, width, height, kind, false));
}

hipError_t hipMemcpy2DToArrayAsync_spt(hipArray_t dst, size_t wOffset, size_t hOffset,
                                       const void* src, size_t spitch, size_t width, size_t height,
                                       hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpy2DToArrayAsync_spt, dst, wOffset, hOffset, src, spitch, width, height, kind,
          stream);
  HIP_RETURN(into(own(stream), dst, wOffset, hOffset, src, spitch, width, height, kind, false));
}

hipError_t hipMemcpy2DFromArray(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height, hipMemcpyKind kind) {
  HIP_API(hipMemcpy2DFromArray, dst, dpitch, src, wOffset, hOffset, width, height, kind);
  HIP_RETURN(out_of(nullptr, dst, dpitch, src, wOffset, hOffset, width, height, kind, true));
}

hipError_t hipMemcpy2DFromArray_spt(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                    size_t hOffset, size_t width, size_t height,
                                    hipMemcpyKind kind) {
  HIP_API(hipMemcpy2DFromArray_spt, dst, dpitch, src, wOffset, hOffset, width, height, kind);
  HIP_RETURN(
      out_of(hipStreamPerThread, dst, dpitch, src, wOffset, hOffset, width, height, kind, true));
}

hipError_t hipMemcpy2DFromArrayAsync(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t width, size_t height,
                                     hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpy2DFromArrayAsync, dst, dpitch, src, wOffset, hOffset, width, height, kind,
          stream);
  HIP_RETURN(out_of(stream, dst, dpitch, src, wOffset, hOffset, width, height, kind, false));
}

hipError_t hipMemcpy2DFromArrayAsync_spt(void* dst, size_t dpitch, hipArray_const_t src,
                                         size_t wOffsetSrc, size_t hOffsetSrc, size_t width,
                                         size_t height, hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpy2DFromArrayAsync_spt, dst, dpitch, src, wOffsetSrc, hOffsetSrc, width, height,
          kind, stream);
  HIP_RETURN(
      out_of(own(stream), dst, dpitch, src, wOffsetSrc, hOffsetSrc, width, height, kind, false));
}

hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   hipArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t width, size_t height, hipMemcpyKind kind) {
  HIP_API(hipMemcpy2DArrayToArray, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width,
          height, kind);
  HIP_RETURN(array_to_array(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height,
                            kind));
}

hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                            size_t count, hipMemcpyKind kind) {
  HIP_API(hipMemcpyToArray, dst, wOffset, hOffset, src, count, kind);
  HIP_RETURN(linear_into(nullptr, dst, offset_of(dst, wOffset, hOffset), src, count, kind, true));
}

hipError_t hipMemcpyFromArray(void* dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset,
                              size_t count, hipMemcpyKind kind) {
  HIP_API(hipMemcpyFromArray, dst, srcArray, wOffset, hOffset, count, kind);
  HIP_RETURN(linear_out_of(nullptr, dst, srcArray, offset_of(srcArray, wOffset, hOffset), count,
                           kind, true));
}

hipError_t hipMemcpyFromArray_spt(void* dst, hipArray_const_t src, size_t wOffsetSrc,
                                  size_t hOffset, size_t count, hipMemcpyKind kind) {
  HIP_API(hipMemcpyFromArray_spt, dst, src, wOffsetSrc, hOffset, count, kind);
  HIP_RETURN(linear_out_of(hipStreamPerThread, dst, src, offset_of(src, wOffsetSrc, hOffset), count,
                           kind, true));
}

hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void* srcHost, size_t count) {
  HIP_API(hipMemcpyHtoA, dstArray, dstOffset, srcHost, count);
  HIP_RETURN(linear_into(nullptr, dstArray, dstOffset, srcHost, count, hipMemcpyDefault, true));
}

hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void* srcHost,
                              size_t ByteCount, hipStream_t stream) {
  HIP_API(hipMemcpyHtoAAsync, dstArray, dstOffset, srcHost, ByteCount, stream);
  HIP_RETURN(linear_into(stream, dstArray, dstOffset, srcHost, ByteCount, hipMemcpyDefault, false));
}

hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t srcDevice,
                         size_t ByteCount) {
  HIP_API(hipMemcpyDtoA, dstArray, dstOffset, srcDevice, ByteCount);
  HIP_RETURN(
      linear_into(nullptr, dstArray, dstOffset, srcDevice, ByteCount, hipMemcpyDefault, true));
}

hipError_t hipMemcpyAtoH(void* dst, hipArray_t srcArray, size_t srcOffset, size_t count) {
  HIP_API(hipMemcpyAtoH, dst, srcArray, srcOffset, count);
  HIP_RETURN(linear_out_of(nullptr, dst, srcArray, srcOffset, count, hipMemcpyDefault, true));
}

hipError_t hipMemcpyAtoHAsync(void* dstHost, hipArray_t srcArray, size_t srcOffset,
                              size_t ByteCount, hipStream_t stream) {
  HIP_API(hipMemcpyAtoHAsync, dstHost, srcArray, srcOffset, ByteCount, stream);
  HIP_RETURN(
      linear_out_of(stream, dstHost, srcArray, srcOffset, ByteCount, hipMemcpyDefault, false));
}

hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray_t srcArray, size_t srcOffset,
                         size_t ByteCount) {
  HIP_API(hipMemcpyAtoD, dstDevice, srcArray, srcOffset, ByteCount);
  HIP_RETURN(
      linear_out_of(nullptr, dstDevice, srcArray, srcOffset, ByteCount, hipMemcpyDefault, true));
}

}  // extern "C"
