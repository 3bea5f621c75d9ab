// Linear copies and fills.
#include "hip/copy/copy.h"
#include "hip/core/api.h"
#include "hip/core/runtime.h"

namespace vgpu::hip {
namespace {

bool is_device(int index) { return index >= 0 && index < Runtime::get().device_count(); }

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

// --- copies ------------------------------------------------------------------------------------

hipError_t hipMemcpy(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
  HIP_API(hipMemcpy, dst, src, sizeBytes, kind);
  HIP_RETURN(copy(nullptr, dst, src, line(sizeBytes), kind, true));
}

hipError_t hipMemcpy_spt(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
  HIP_API(hipMemcpy_spt, dst, src, sizeBytes, kind);
  HIP_RETURN(copy(hipStreamPerThread, dst, src, line(sizeBytes), kind, true));
}

hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  HIP_API(hipMemcpyWithStream, dst, src, sizeBytes, kind, stream);
  HIP_RETURN(copy(stream, dst, src, line(sizeBytes), kind, true));
}

hipError_t hipMemcpyAsync(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  HIP_API(hipMemcpyAsync, dst, src, sizeBytes, kind, stream);
  HIP_RETURN(copy(stream, dst, src, line(sizeBytes), kind, false));
}

hipError_t hipMemcpyAsync_spt(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                              hipStream_t stream) {
  HIP_API(hipMemcpyAsync_spt, dst, src, sizeBytes, kind, stream);
  HIP_RETURN(copy(stream ? stream : hipStreamPerThread, dst, src, line(sizeBytes), kind, false));
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void* src, size_t sizeBytes) {
  HIP_API(hipMemcpyHtoD, dst, src, sizeBytes);
  HIP_RETURN(copy(nullptr, dst, src, line(sizeBytes), hipMemcpyHostToDevice, true));
}

hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t sizeBytes) {
  HIP_API(hipMemcpyDtoH, dst, src, sizeBytes);
  HIP_RETURN(copy(nullptr, dst, src, line(sizeBytes), hipMemcpyDeviceToHost, true));
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes) {
  HIP_API(hipMemcpyDtoD, dst, src, sizeBytes);
  HIP_RETURN(copy(nullptr, dst, src, line(sizeBytes), hipMemcpyDeviceToDevice, true));
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void* src, size_t sizeBytes,
                              hipStream_t stream) {
  HIP_API(hipMemcpyHtoDAsync, dst, src, sizeBytes, stream);
  HIP_RETURN(copy(stream, dst, src, line(sizeBytes), hipMemcpyHostToDevice, false));
}

hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
  HIP_API(hipMemcpyDtoHAsync, dst, src, sizeBytes, stream);
  HIP_RETURN(copy(stream, dst, src, line(sizeBytes), hipMemcpyDeviceToHost, false));
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes,
                              hipStream_t stream) {
  HIP_API(hipMemcpyDtoDAsync, dst, src, sizeBytes, stream);
  HIP_RETURN(copy(stream, dst, src, line(sizeBytes), hipMemcpyDeviceToDevice, false));
}

hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, int srcDeviceId,
                         size_t sizeBytes) {
  HIP_API(hipMemcpyPeer, dst, dstDeviceId, src, srcDeviceId, sizeBytes);
  if (!is_device(dstDeviceId) || !is_device(srcDeviceId)) HIP_RETURN(hipErrorInvalidDevice);
  HIP_RETURN(copy_to_peer(dst, dstDeviceId, src, line(sizeBytes)));
}

hipError_t hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, int srcDevice,
                              size_t sizeBytes, hipStream_t stream) {
  HIP_API(hipMemcpyPeerAsync, dst, dstDeviceId, src, srcDevice, sizeBytes, stream);
  if (!is_device(dstDeviceId) || !is_device(srcDevice)) HIP_RETURN(hipErrorInvalidDevice);
  HIP_RETURN(copy(stream, dst, src, line(sizeBytes), hipMemcpyDeviceToDevice, false));
}

hipError_t hipMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count,
                               hipMemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                               size_t* failIdx, hipStream_t stream) {
  HIP_API(hipMemcpyBatchAsync, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx,
          stream);
  if (!dsts || !srcs || !sizes || !count) HIP_RETURN(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    hipError_t status = copy(stream, dsts[i], srcs[i], line(sizes[i]), hipMemcpyDefault, false);
    if (status == hipSuccess) continue;
    if (failIdx) *failIdx = i;
    HIP_RETURN(status);
  }
  HIP_RETURN(hipSuccess);
}

// --- fills -------------------------------------------------------------------------------------

hipError_t hipMemset(void* dst, int value, size_t sizeBytes) {
  HIP_API(hipMemset, dst, value, sizeBytes);
  HIP_RETURN(fill(nullptr, dst, value, 1, line(sizeBytes), true));
}

hipError_t hipMemsetAsync(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
  HIP_API(hipMemsetAsync, dst, value, sizeBytes, stream);
  HIP_RETURN(fill(stream, dst, value, 1, line(sizeBytes), false));
}

hipError_t hipMemset_spt(void* dst, int value, size_t sizeBytes) {
  HIP_API(hipMemset_spt, dst, value, sizeBytes);
  HIP_RETURN(fill(hipStreamPerThread, dst, value, 1, line(sizeBytes), true));
}

hipError_t hipMemsetAsync_spt(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
  HIP_API(hipMemsetAsync_spt, dst, value, sizeBytes, stream);
  HIP_RETURN(fill(stream ? stream : hipStreamPerThread, dst, value, 1, line(sizeBytes), false));
}

hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count) {
  HIP_API(hipMemsetD8, dest, value, count);
  HIP_RETURN(fill(nullptr, dest, value, 1, line(count), true));
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count,
                            hipStream_t stream) {
  HIP_API(hipMemsetD8Async, dest, value, count, stream);
  HIP_RETURN(fill(stream, dest, value, 1, line(count), false));
}

hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count) {
  HIP_API(hipMemsetD16, dest, value, count);
  HIP_RETURN(fill(nullptr, dest, value, 2, line(count * 2), true));
}

hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count,
                             hipStream_t stream) {
  HIP_API(hipMemsetD16Async, dest, value, count, stream);
  HIP_RETURN(fill(stream, dest, value, 2, line(count * 2), false));
}

hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count) {
  HIP_API(hipMemsetD32, dest, value, count);
  HIP_RETURN(fill(nullptr, dest, value, 4, line(count * 4), true));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  HIP_API(hipMemsetD32Async, dst, value, count, stream);
  HIP_RETURN(fill(stream, dst, value, 4, line(count * 4), false));
}

}  // extern "C"
