// Error codes, device attributes and limits, with the numbers of HIP 7.
#pragma once

// HIP 7 warns about an ignored error code where the language can say so.
#if defined(__cplusplus) && __cplusplus >= 201703L
#define __HIP_NODISCARD [[nodiscard]]
#else
#define __HIP_NODISCARD
#endif

enum {
  HIP_SUCCESS = 0, HIP_ERROR_INVALID_VALUE, HIP_ERROR_NOT_INITIALIZED,
  HIP_ERROR_LAUNCH_OUT_OF_RESOURCES
};

typedef enum __HIP_NODISCARD hipError_t {
  hipSuccess = 0, hipErrorInvalidValue, hipErrorOutOfMemory, hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized, hipErrorInitializationError = 3, hipErrorDeinitialized,
  hipErrorProfilerDisabled, hipErrorProfilerNotInitialized, hipErrorProfilerAlreadyStarted,
  hipErrorProfilerAlreadyStopped, hipErrorInvalidConfiguration, hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol, hipErrorInvalidDevicePointer = 17, hipErrorInvalidMemcpyDirection = 21,
  hipErrorInsufficientDriver = 35, hipErrorMissingConfiguration = 52, hipErrorPriorLaunchFailure,
  hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100, hipErrorInvalidDevice,
  hipErrorInvalidImage = 200, hipErrorInvalidContext, hipErrorContextAlreadyCurrent,
  hipErrorMapFailed = 205, hipErrorMapBufferObjectFailed = 205, hipErrorUnmapFailed,
  hipErrorArrayIsMapped, hipErrorAlreadyMapped, hipErrorNoBinaryForGpu, hipErrorAlreadyAcquired,
  hipErrorNotMapped, hipErrorNotMappedAsArray, hipErrorNotMappedAsPointer,
  hipErrorECCNotCorrectable, hipErrorUnsupportedLimit, hipErrorContextAlreadyInUse,
  hipErrorPeerAccessUnsupported, hipErrorInvalidKernelFile, hipErrorInvalidGraphicsContext,
  hipErrorInvalidSource = 300, hipErrorFileNotFound, hipErrorSharedObjectSymbolNotFound,
  hipErrorSharedObjectInitFailed, hipErrorOperatingSystem, hipErrorInvalidHandle = 400,
  hipErrorInvalidResourceHandle = 400, hipErrorIllegalState, hipErrorNotFound = 500,
  hipErrorNotReady = 600, hipErrorIllegalAddress = 700, hipErrorLaunchOutOfResources,
  hipErrorLaunchTimeOut, hipErrorPeerAccessAlreadyEnabled = 704, hipErrorPeerAccessNotEnabled,
  hipErrorSetOnActiveProcess = 708, hipErrorContextIsDestroyed, hipErrorAssert,
  hipErrorHostMemoryAlreadyRegistered = 712, hipErrorHostMemoryNotRegistered,
  hipErrorLaunchFailure = 719, hipErrorCooperativeLaunchTooLarge, hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900, hipErrorStreamCaptureInvalidated,
  hipErrorStreamCaptureMerge, hipErrorStreamCaptureUnmatched, hipErrorStreamCaptureUnjoined,
  hipErrorStreamCaptureIsolation, hipErrorStreamCaptureImplicit, hipErrorCapturedEvent,
  hipErrorStreamCaptureWrongThread, hipErrorGraphExecUpdateFailure = 910,
  hipErrorInvalidChannelDescriptor, hipErrorInvalidTexture, hipErrorUnknown = 999,
  hipErrorRuntimeMemory = 1052, hipErrorRuntimeOther, hipErrorTbd
} hipError_t;

typedef enum hipDeviceAttribute_t {
  hipDeviceAttributeCudaCompatibleBegin = 0, hipDeviceAttributeEccEnabled = 0,
  hipDeviceAttributeAccessPolicyMaxWindowSize, hipDeviceAttributeAsyncEngineCount,
  hipDeviceAttributeCanMapHostMemory, hipDeviceAttributeCanUseHostPointerForRegisteredMem,
  hipDeviceAttributeClockRate, hipDeviceAttributeComputeMode,
  hipDeviceAttributeComputePreemptionSupported, hipDeviceAttributeConcurrentKernels,
  hipDeviceAttributeConcurrentManagedAccess, hipDeviceAttributeCooperativeLaunch,
  hipDeviceAttributeCooperativeMultiDeviceLaunch, hipDeviceAttributeDeviceOverlap,
  hipDeviceAttributeDirectManagedMemAccessFromHost, hipDeviceAttributeGlobalL1CacheSupported,
  hipDeviceAttributeHostNativeAtomicSupported, hipDeviceAttributeIntegrated,
  hipDeviceAttributeIsMultiGpuBoard, hipDeviceAttributeKernelExecTimeout,
  hipDeviceAttributeL2CacheSize, hipDeviceAttributeLocalL1CacheSupported, hipDeviceAttributeLuid,
  hipDeviceAttributeLuidDeviceNodeMask, hipDeviceAttributeComputeCapabilityMajor,
  hipDeviceAttributeManagedMemory, hipDeviceAttributeMaxBlocksPerMultiProcessor,
  hipDeviceAttributeMaxBlockDimX, hipDeviceAttributeMaxBlockDimY, hipDeviceAttributeMaxBlockDimZ,
  hipDeviceAttributeMaxGridDimX, hipDeviceAttributeMaxGridDimY, hipDeviceAttributeMaxGridDimZ,
  hipDeviceAttributeMaxSurface1D, hipDeviceAttributeMaxSurface1DLayered,
  hipDeviceAttributeMaxSurface2D, hipDeviceAttributeMaxSurface2DLayered,
  hipDeviceAttributeMaxSurface3D, hipDeviceAttributeMaxSurfaceCubemap,
  hipDeviceAttributeMaxSurfaceCubemapLayered, hipDeviceAttributeMaxTexture1DWidth,
  hipDeviceAttributeMaxTexture1DLayered, hipDeviceAttributeMaxTexture1DLinear,
  hipDeviceAttributeMaxTexture1DMipmap, hipDeviceAttributeMaxTexture2DWidth,
  hipDeviceAttributeMaxTexture2DHeight, hipDeviceAttributeMaxTexture2DGather,
  hipDeviceAttributeMaxTexture2DLayered, hipDeviceAttributeMaxTexture2DLinear,
  hipDeviceAttributeMaxTexture2DMipmap, hipDeviceAttributeMaxTexture3DWidth,
  hipDeviceAttributeMaxTexture3DHeight, hipDeviceAttributeMaxTexture3DDepth,
  hipDeviceAttributeMaxTexture3DAlt, hipDeviceAttributeMaxTextureCubemap,
  hipDeviceAttributeMaxTextureCubemapLayered, hipDeviceAttributeMaxThreadsDim,
  hipDeviceAttributeMaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerMultiProcessor,
  hipDeviceAttributeMaxPitch, hipDeviceAttributeMemoryBusWidth, hipDeviceAttributeMemoryClockRate,
  hipDeviceAttributeComputeCapabilityMinor, hipDeviceAttributeMultiGpuBoardGroupID,
  hipDeviceAttributeMultiprocessorCount, hipDeviceAttributeUnused1,
  hipDeviceAttributePageableMemoryAccess, hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
  hipDeviceAttributePciBusId, hipDeviceAttributePciDeviceId, hipDeviceAttributePciDomainId,
  hipDeviceAttributePciDomainID = 69, hipDeviceAttributePersistingL2CacheMaxSize,
  hipDeviceAttributeMaxRegistersPerBlock, hipDeviceAttributeMaxRegistersPerMultiprocessor,
  hipDeviceAttributeReservedSharedMemPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock,
  hipDeviceAttributeSharedMemPerBlockOptin, hipDeviceAttributeSharedMemPerMultiprocessor,
  hipDeviceAttributeSingleToDoublePrecisionPerfRatio, hipDeviceAttributeStreamPrioritiesSupported,
  hipDeviceAttributeSurfaceAlignment, hipDeviceAttributeTccDriver,
  hipDeviceAttributeTextureAlignment, hipDeviceAttributeTexturePitchAlignment,
  hipDeviceAttributeTotalConstantMemory, hipDeviceAttributeTotalGlobalMem,
  hipDeviceAttributeUnifiedAddressing, hipDeviceAttributeUnused2, hipDeviceAttributeWarpSize,
  hipDeviceAttributeMemoryPoolsSupported, hipDeviceAttributeVirtualMemoryManagementSupported,
  hipDeviceAttributeHostRegisterSupported, hipDeviceAttributeMemoryPoolSupportedHandleTypes,
  hipDeviceAttributeCudaCompatibleEnd = 0x270f, hipDeviceAttributeAmdSpecificBegin,
  hipDeviceAttributeClockInstructionRate = 0x2710, hipDeviceAttributeUnused3,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, hipDeviceAttributeUnused4,
  hipDeviceAttributeUnused5, hipDeviceAttributeHdpMemFlushCntl, hipDeviceAttributeHdpRegFlushCntl,
  hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
  hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
  hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
  hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem, hipDeviceAttributeIsLargeBar,
  hipDeviceAttributeAsicRevision, hipDeviceAttributeCanUseStreamWaitValue,
  hipDeviceAttributeImageSupport, hipDeviceAttributePhysicalMultiProcessorCount,
  hipDeviceAttributeFineGrainSupport, hipDeviceAttributeWallClockRate,
  hipDeviceAttributeNumberOfXccs, hipDeviceAttributeMaxAvailableVgprsPerThread,
  hipDeviceAttributePciChipId, hipDeviceAttributeAmdSpecificEnd = 0x4e1f,
  hipDeviceAttributeVendorSpecificBegin
} hipDeviceAttribute_t;

typedef enum hipDriverProcAddressQueryResult {
  HIP_GET_PROC_ADDRESS_SUCCESS = 0, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND,
  HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
} hipDriverProcAddressQueryResult;

enum hipComputeMode {
  hipComputeModeDefault = 0, hipComputeModeExclusive, hipComputeModeProhibited,
  hipComputeModeExclusiveProcess
};

enum hipFlushGPUDirectRDMAWritesOptions {
  hipFlushGPUDirectRDMAWritesOptionHost = 1, hipFlushGPUDirectRDMAWritesOptionMemOps
};

enum hipGPUDirectRDMAWritesOrdering {
  hipGPUDirectRDMAWritesOrderingNone = 0, hipGPUDirectRDMAWritesOrderingOwner = 100,
  hipGPUDirectRDMAWritesOrderingAllDevices = 200
};

typedef enum hipDeviceP2PAttr {
  hipDevP2PAttrPerformanceRank = 0, hipDevP2PAttrAccessSupported,
  hipDevP2PAttrNativeAtomicSupported, hipDevP2PAttrHipArrayAccessSupported
} hipDeviceP2PAttr;

typedef enum hipDriverEntryPointQueryResult {
  hipDriverEntryPointSuccess = 0, hipDriverEntryPointSymbolNotFound,
  hipDriverEntryPointVersionNotSufficent
} hipDriverEntryPointQueryResult;

enum hipLimit_t {
  hipLimitStackSize = 0, hipLimitPrintfFifoSize, hipLimitMallocHeapSize,
  hipExtLimitScratchMin = 0x1000, hipExtLimitScratchMax, hipExtLimitScratchCurrent, hipLimitRange
};
