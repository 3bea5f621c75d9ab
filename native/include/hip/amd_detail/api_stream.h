// Streams and events.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority);
hipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
    unsigned int flags HIP_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags);
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* streamId);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t cuMaskSize,
    const uint32_t* cuMask);
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t* cuMask);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* userData,
    unsigned int flags);
hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attr,
    const hipLaunchAttributeValue* value);
hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attr,
    hipLaunchAttributeValue* value_out);
hipError_t hipStreamWaitValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags,
    uint32_t mask HIP_DEFAULT(4294967295));
hipError_t hipStreamWaitValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags,
    uint64_t mask HIP_DEFAULT(UINT64_MAX));
hipError_t hipStreamWriteValue32(hipStream_t stream, void* ptr, uint32_t value, unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void* ptr, uint64_t value, unsigned int flags);
hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count,
    hipStreamBatchMemOpParams* paramArray, unsigned int flags);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream HIP_DEFAULT(0),
    unsigned int flags HIP_DEFAULT(0));
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream HIP_DEFAULT(NULL));
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* dev_ptr, size_t length HIP_DEFAULT(0),
    unsigned int flags HIP_DEFAULT(4));
int hipGetStreamDeviceId(hipStream_t stream);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus);

#ifdef __cplusplus
}
#endif
