// Copies and fills of rectangles and boxes in plain memory.
#include "hip/copy/box.h"
#include "hip/core/api.h"

namespace vgpu::hip {
namespace {

hipStream_t own(hipStream_t stream) { return stream ? stream : hipStreamPerThread; }

hipError_t copy_2d(hipStream_t stream, void* dst, size_t dpitch, const void* src, size_t spitch,
                   size_t width, size_t height, hipMemcpyKind kind, bool synchronous) {
  if (width == 0 || height == 0) return hipSuccess;
  if (width > dpitch || width > spitch) return hipErrorInvalidPitchValue;
  return copy(stream, dst, src, {width, height, 1, dpitch, 0, spitch, 0}, kind, synchronous);
}

template <class Parameters>
hipError_t copy_box(hipStream_t stream, const Parameters* parameters, hipMemcpyKind kind,
                    bool synchronous) {
  if (!parameters) return hipErrorInvalidValue;
  BoxCopy resolved;
  if (hipError_t status = resolve(*parameters, resolved)) return status;
  return copy(stream, resolved.target, resolved.source, resolved.box, kind, synchronous);
}

hipError_t copy_3d(hipStream_t stream, const hipMemcpy3DParms* p, bool synchronous) {
  return copy_box(stream, p, p ? p->kind : hipMemcpyDefault, synchronous);
}

hipError_t copy_peer(hipStream_t stream, const hipMemcpy3DPeerParms* p, bool synchronous) {
  if (!p) return hipErrorInvalidValue;
  const hipMemcpy3DParms plain{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, hipMemcpyDefault};
  return copy_box(stream, &plain, hipMemcpyDefault, synchronous);
}

hipError_t copy_param(hipStream_t stream, const hip_Memcpy2D* p, bool synchronous) {
  if (!p) return hipErrorInvalidValue;
  const HIP_MEMCPY3D wide = widen(*p);
  return copy_box(stream, &wide, hipMemcpyDefault, synchronous);
}

// `width` in elements of `element_bytes`.
hipError_t fill_2d(hipStream_t stream, void* dst, size_t pitch, uint32_t value,
                   unsigned element_bytes, size_t width, size_t height, bool synchronous) {
  const size_t bytes = width * element_bytes;
  if (bytes && height > 1 && pitch < bytes) return hipErrorInvalidValue;
  return fill(stream, dst, value, element_bytes, {bytes, height, 1, pitch, 0, 0, 0}, synchronous);
}

hipError_t fill_3d(hipStream_t stream, const hipPitchedPtr& p, int value, const hipExtent& extent,
                   bool synchronous) {
  if (extent.width > p.pitch) return hipErrorInvalidValue;
  return fill(stream, p.ptr, static_cast<uint32_t>(value), 1,
              {extent.width, extent.height, extent.depth, p.pitch, p.pitch * p.ysize, 0, 0},
              synchronous);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  HIP_API(hipMemcpy2D, dst, dpitch, src, spitch, width, height, kind);
  HIP_RETURN(copy_2d(nullptr, dst, dpitch, src, spitch, width, height, kind, true));
}

hipError_t hipMemcpy2D_spt(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                           size_t height, hipMemcpyKind kind) {
  HIP_API(hipMemcpy2D_spt, dst, dpitch, src, spitch, width, height, kind);
  HIP_RETURN(copy_2d(hipStreamPerThread, dst, dpitch, src, spitch, width, height, kind, true));
}

hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream) {
  HIP_API(hipMemcpy2DAsync, dst, dpitch, src, spitch, width, height, kind, stream);
  HIP_RETURN(copy_2d(stream, dst, dpitch, src, spitch, width, height, kind, false));
}

hipError_t hipMemcpy2DAsync_spt(void* dst, size_t dpitch, const void* src, size_t spitch,
                                size_t width, size_t height, hipMemcpyKind kind,
                                hipStream_t stream) {
  HIP_API(hipMemcpy2DAsync_spt, dst, dpitch, src, spitch, width, height, kind, stream);
  HIP_RETURN(copy_2d(own(stream), dst, dpitch, src, spitch, width, height, kind, false));
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* p) {
  HIP_API(hipMemcpy3D, p);
  HIP_RETURN(copy_3d(nullptr, p, true));
}

hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* p) {
  HIP_API(hipMemcpy3D_spt, p);
  HIP_RETURN(copy_3d(hipStreamPerThread, p, true));
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t stream) {
  HIP_API(hipMemcpy3DAsync, p, stream);
  HIP_RETURN(copy_3d(stream, p, false));
}

hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms* p, hipStream_t stream) {
  HIP_API(hipMemcpy3DAsync_spt, p, stream);
  HIP_RETURN(copy_3d(own(stream), p, false));
}

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* p) {
  HIP_API(hipMemcpy3DPeer, p);
  HIP_RETURN(copy_peer(nullptr, p, true));
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* p, hipStream_t stream) {
  HIP_API(hipMemcpy3DPeerAsync, p, stream);
  HIP_RETURN(copy_peer(stream, p, false));
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* pCopy) {
  HIP_API(hipDrvMemcpy3D, pCopy);
  HIP_RETURN(copy_box(nullptr, pCopy, hipMemcpyDefault, true));
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* pCopy, hipStream_t stream) {
  HIP_API(hipDrvMemcpy3DAsync, pCopy, stream);
  HIP_RETURN(copy_box(stream, pCopy, hipMemcpyDefault, false));
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* pCopy) {
  HIP_API(hipMemcpyParam2D, pCopy);
  HIP_RETURN(copy_param(nullptr, pCopy, true));
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* pCopy) {
  HIP_API(hipDrvMemcpy2DUnaligned, pCopy);
  HIP_RETURN(copy_param(nullptr, pCopy, true));
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* pCopy, hipStream_t stream) {
  HIP_API(hipMemcpyParam2DAsync, pCopy, stream);
  HIP_RETURN(copy_param(stream, pCopy, false));
}

hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
  HIP_API(hipMemset2D, dst, pitch, value, width, height);
  HIP_RETURN(fill_2d(nullptr, dst, pitch, value, 1, width, height, true));
}

hipError_t hipMemset2D_spt(void* dst, size_t pitch, int value, size_t width, size_t height) {
  HIP_API(hipMemset2D_spt, dst, pitch, value, width, height);
  HIP_RETURN(fill_2d(hipStreamPerThread, dst, pitch, value, 1, width, height, true));
}

hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  HIP_API(hipMemset2DAsync, dst, pitch, value, width, height, stream);
  HIP_RETURN(fill_2d(stream, dst, pitch, value, 1, width, height, false));
}

hipError_t hipMemset2DAsync_spt(void* dst, size_t pitch, int value, size_t width, size_t height,
                                hipStream_t stream) {
  HIP_API(hipMemset2DAsync_spt, dst, pitch, value, width, height, stream);
  HIP_RETURN(fill_2d(own(stream), dst, pitch, value, 1, width, height, false));
}

hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
  HIP_API(hipMemset3D, pitchedDevPtr, value, extent);
  HIP_RETURN(fill_3d(nullptr, pitchedDevPtr, value, extent, true));
}

hipError_t hipMemset3D_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
  HIP_API(hipMemset3D_spt, pitchedDevPtr, value, extent);
  HIP_RETURN(fill_3d(hipStreamPerThread, pitchedDevPtr, value, extent, true));
}

hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
                            hipStream_t stream) {
  HIP_API(hipMemset3DAsync, pitchedDevPtr, value, extent, stream);
  HIP_RETURN(fill_3d(stream, pitchedDevPtr, value, extent, false));
}

hipError_t hipMemset3DAsync_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
                                hipStream_t stream) {
  HIP_API(hipMemset3DAsync_spt, pitchedDevPtr, value, extent, stream);
  HIP_RETURN(fill_3d(own(stream), pitchedDevPtr, value, extent, false));
}

#define DRIVER_FILL(bits, type, bytes)                                                         \
  hipError_t hipMemsetD2D##bits(hipDeviceptr_t dst, size_t dstPitch, type value, size_t width, \
                                size_t height) {                                               \
    HIP_API(hipMemsetD2D##bits, dst, dstPitch, value, width, height);                          \
    HIP_RETURN(fill_2d(nullptr, dst, dstPitch, value, bytes, width, height, true));            \
  }                                                                                            \
  hipError_t hipMemsetD2D##bits##Async(hipDeviceptr_t dst, size_t dstPitch, type value,        \
                                       size_t width, size_t height, hipStream_t stream) {      \
    HIP_API(hipMemsetD2D##bits##Async, dst, dstPitch, value, width, height, stream);           \
    HIP_RETURN(fill_2d(stream, dst, dstPitch, value, bytes, width, height, false));            \
  }
DRIVER_FILL(8, unsigned char, 1)
DRIVER_FILL(16, unsigned short, 2)
DRIVER_FILL(32, unsigned int, 4)
#undef DRIVER_FILL

}  // extern "C"
