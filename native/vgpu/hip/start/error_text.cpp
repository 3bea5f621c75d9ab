// Names and sentences of the error codes, and the calls that hand them out.
#include "hip/core/api.h"

namespace vgpu::hip {
namespace {

struct ErrorText {
  hipError_t status;
  const char* name;
  const char* text;
};

#define ERROR_TEXT(code, text) {code, #code, text}
constexpr ErrorText kErrors[] = {
    ERROR_TEXT(hipSuccess, "no error"),
    ERROR_TEXT(hipErrorInvalidValue, "invalid argument"),
    ERROR_TEXT(hipErrorOutOfMemory, "out of memory"),
    ERROR_TEXT(hipErrorNotInitialized, "initialization error"),
    ERROR_TEXT(hipErrorDeinitialized, "driver shutting down"),
    ERROR_TEXT(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    ERROR_TEXT(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    ERROR_TEXT(hipErrorProfilerAlreadyStarted, "profiler already started"),
    ERROR_TEXT(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    ERROR_TEXT(hipErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR_TEXT(hipErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR_TEXT(hipErrorInvalidSymbol, "invalid device symbol"),
    ERROR_TEXT(hipErrorInvalidDevicePointer, "invalid device pointer"),
    ERROR_TEXT(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR_TEXT(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    ERROR_TEXT(hipErrorMissingConfiguration, "missing launch configuration"),
    ERROR_TEXT(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    ERROR_TEXT(hipErrorInvalidDeviceFunction, "invalid device function"),
    ERROR_TEXT(hipErrorNoDevice, "no ROCm-capable device is detected"),
    ERROR_TEXT(hipErrorInvalidDevice, "invalid device ordinal"),
    ERROR_TEXT(hipErrorInvalidImage, "device kernel image is invalid"),
    ERROR_TEXT(hipErrorInvalidContext, "invalid device context"),
    ERROR_TEXT(hipErrorContextAlreadyCurrent, "context is already current context"),
    ERROR_TEXT(hipErrorMapFailed, "mapping of buffer object failed"),
    ERROR_TEXT(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    ERROR_TEXT(hipErrorArrayIsMapped, "array is mapped"),
    ERROR_TEXT(hipErrorAlreadyMapped, "resource already mapped"),
    ERROR_TEXT(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    ERROR_TEXT(hipErrorAlreadyAcquired, "resource already acquired"),
    ERROR_TEXT(hipErrorNotMapped, "resource not mapped"),
    ERROR_TEXT(hipErrorNotMappedAsArray, "resource not mapped as array"),
    ERROR_TEXT(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    ERROR_TEXT(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    ERROR_TEXT(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    ERROR_TEXT(hipErrorContextAlreadyInUse, "exclusive-thread device already in use"),
    ERROR_TEXT(hipErrorPeerAccessUnsupported, "peer access is not supported between devices"),
    ERROR_TEXT(hipErrorInvalidKernelFile, "invalid kernel file"),
    ERROR_TEXT(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    ERROR_TEXT(hipErrorInvalidSource, "device kernel image is invalid"),
    ERROR_TEXT(hipErrorFileNotFound, "file not found"),
    ERROR_TEXT(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    ERROR_TEXT(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    ERROR_TEXT(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    ERROR_TEXT(hipErrorInvalidHandle, "invalid resource handle"),
    ERROR_TEXT(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR_TEXT(hipErrorNotFound, "named symbol not found"),
    ERROR_TEXT(hipErrorNotReady, "device not ready"),
    ERROR_TEXT(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR_TEXT(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR_TEXT(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    ERROR_TEXT(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR_TEXT(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR_TEXT(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    ERROR_TEXT(hipErrorContextIsDestroyed, "context is destroyed"),
    ERROR_TEXT(hipErrorAssert, "device-side assert triggered"),
    ERROR_TEXT(hipErrorHostMemoryAlreadyRegistered,
               "part or all of the requested memory range is already mapped"),
    ERROR_TEXT(hipErrorHostMemoryNotRegistered,
               "pointer does not correspond to a registered memory region"),
    ERROR_TEXT(hipErrorLaunchFailure, "unspecified launch failure"),
    ERROR_TEXT(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ERROR_TEXT(hipErrorNotSupported, "operation not supported"),
    ERROR_TEXT(hipErrorStreamCaptureUnsupported,
               "operation not permitted when stream is capturing"),
    ERROR_TEXT(hipErrorStreamCaptureInvalidated,
               "operation failed due to a previous error during capture"),
    ERROR_TEXT(hipErrorStreamCaptureMerge,
               "operation would result in a merge of separate capture sequences"),
    ERROR_TEXT(hipErrorStreamCaptureUnmatched,
               "capture was not ended in the same stream as it began"),
    ERROR_TEXT(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR_TEXT(hipErrorStreamCaptureIsolation,
               "dependency created on uncaptured work in another stream"),
    ERROR_TEXT(hipErrorStreamCaptureImplicit,
               "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR_TEXT(hipErrorCapturedEvent,
               "operation not permitted on an event last recorded in a capturing stream"),
    ERROR_TEXT(hipErrorStreamCaptureWrongThread,
               "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR_TEXT(hipErrorGraphExecUpdateFailure,
               "the graph update was not performed because it included changes which violated "
               "constraints specific to instantiated graph update"),
    ERROR_TEXT(hipErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    ERROR_TEXT(hipErrorInvalidTexture, "invalid texture"),
    ERROR_TEXT(hipErrorUnknown, "unknown error"),
    ERROR_TEXT(hipErrorRuntimeMemory, "runtime memory call returned error"),
    ERROR_TEXT(hipErrorRuntimeOther, "runtime call other than memory returned error"),
};
#undef ERROR_TEXT

const ErrorText* find(hipError_t status) {
  for (const ErrorText& entry : kErrors)
    if (entry.status == status) return &entry;
  return nullptr;
}

}  // namespace

const char* error_name(hipError_t status) {
  const ErrorText* entry = find(status);
  return entry ? entry->name : "hipErrorUnknown";
}

const char* error_text(hipError_t status) {
  const ErrorText* entry = find(status);
  return entry ? entry->text : "unknown error";
}

}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipGetLastError() { return take_last_error(); }
hipError_t hipExtGetLastError() { return take_last_error(); }
hipError_t hipPeekAtLastError() { return peek_last_error(); }
const char* hipGetErrorName(hipError_t hip_error) { return error_name(hip_error); }
const char* hipGetErrorString(hipError_t hipError) { return error_text(hipError); }

hipError_t hipDrvGetErrorName(hipError_t hipError, const char** errorString) {
  HIP_API(hipDrvGetErrorName, hipError, errorString);
  if (!errorString || !find(hipError)) HIP_RETURN(hipErrorInvalidValue);
  *errorString = error_name(hipError);
  HIP_RETURN(hipSuccess);
}

hipError_t hipDrvGetErrorString(hipError_t hipError, const char** errorString) {
  HIP_API(hipDrvGetErrorString, hipError, errorString);
  if (!errorString || !find(hipError)) HIP_RETURN(hipErrorInvalidValue);
  *errorString = error_text(hipError);
  HIP_RETURN(hipSuccess);
}

}  // extern "C"
