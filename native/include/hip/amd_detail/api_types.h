// Handles and parameter blocks of the runtime calls, graphs excepted.
#pragma once

#include <hip/amd_detail/api_flags.h>
#include <hip/amd_detail/api_status.h>
#include <hip/driver_types.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dim3 {
  uint32_t x, y, z;
#ifdef __cplusplus
  constexpr __host__ __device__ dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1)
      : x(x_), y(y_), z(z_) {}
#endif
} dim3;

typedef struct hipPointerAttribute_t {
  enum hipMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned int allocationFlags;
} hipPointerAttribute_t;

struct ihipCtx_t;
typedef struct ihipCtx_t* hipCtx_t;
typedef int hipDevice_t;
struct ihipStream_t;
typedef struct ihipStream_t* hipStream_t;

typedef struct hipIpcMemHandle_st {
  char reserved[64];
} hipIpcMemHandle_t;

typedef struct hipIpcEventHandle_st {
  char reserved[64];
} hipIpcEventHandle_t;

struct ihipModule_t;
typedef struct ihipModule_t* hipModule_t;
struct ihipModuleSymbol_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
struct ihipLinkState_t;
typedef struct ihipLinkState_t* hipLinkState_t;
struct ihipLibrary_t;
typedef struct ihipLibrary_t* hipLibrary_t;
struct ihipKernel_t;
typedef struct ihipKernel_t* hipKernel_t;
struct ihipMemPoolHandle_t;
typedef struct ihipMemPoolHandle_t* hipMemPool_t;

typedef struct hipFuncAttributes {
  int binaryVersion, cacheModeCA;
  size_t constSizeBytes, localSizeBytes;
  int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
  size_t sharedSizeBytes;
} hipFuncAttributes;

struct ihipEvent_t;
typedef struct ihipEvent_t* hipEvent_t;

typedef enum hipStreamBatchMemOpType {
  hipStreamMemOpWaitValue32 = 1, hipStreamMemOpWriteValue32, hipStreamMemOpWaitValue64 = 4,
  hipStreamMemOpWriteValue64, hipStreamMemOpBarrier, hipStreamMemOpFlushRemoteWrites = 3
} hipStreamBatchMemOpType;

typedef union hipStreamBatchMemOpParams_union {
  hipStreamBatchMemOpType operation;
  struct hipStreamMemOpWaitValueParams_t {
    hipStreamBatchMemOpType operation;
    hipDeviceptr_t address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned int flags;
    hipDeviceptr_t alias;
  } waitValue;
  struct hipStreamMemOpWriteValueParams_t {
    hipStreamBatchMemOpType operation;
    hipDeviceptr_t address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned int flags;
    hipDeviceptr_t alias;
  } writeValue;
  struct hipStreamMemOpFlushRemoteWritesParams_t {
    hipStreamBatchMemOpType operation;
    unsigned int flags;
  } flushRemoteWrites;
  struct hipStreamMemOpMemoryBarrierParams_t {
    hipStreamBatchMemOpType operation;
    unsigned int flags;
  } memoryBarrier;
  uint64_t pad[6];
} hipStreamBatchMemOpParams;

typedef struct hipBatchMemOpNodeParams {
  hipCtx_t ctx;
  unsigned int count;
  hipStreamBatchMemOpParams* paramArray;
  unsigned int flags;
} hipBatchMemOpNodeParams;

typedef enum hipMemoryAdvise {
  hipMemAdviseSetReadMostly = 1, hipMemAdviseUnsetReadMostly, hipMemAdviseSetPreferredLocation,
  hipMemAdviseUnsetPreferredLocation, hipMemAdviseSetAccessedBy, hipMemAdviseUnsetAccessedBy,
  hipMemAdviseSetCoarseGrain = 100, hipMemAdviseUnsetCoarseGrain
} hipMemoryAdvise;

typedef enum hipMemRangeCoherencyMode {
  hipMemRangeCoherencyModeFineGrain = 0, hipMemRangeCoherencyModeCoarseGrain,
  hipMemRangeCoherencyModeIndeterminate
} hipMemRangeCoherencyMode;

typedef enum hipMemRangeAttribute {
  hipMemRangeAttributeReadMostly = 1, hipMemRangeAttributePreferredLocation,
  hipMemRangeAttributeAccessedBy, hipMemRangeAttributeLastPrefetchLocation,
  hipMemRangeAttributeCoherencyMode = 100
} hipMemRangeAttribute;

typedef enum hipMemPoolAttr {
  hipMemPoolReuseFollowEventDependencies = 1, hipMemPoolReuseAllowOpportunistic,
  hipMemPoolReuseAllowInternalDependencies, hipMemPoolAttrReleaseThreshold,
  hipMemPoolAttrReservedMemCurrent, hipMemPoolAttrReservedMemHigh, hipMemPoolAttrUsedMemCurrent,
  hipMemPoolAttrUsedMemHigh
} hipMemPoolAttr;

typedef enum hipMemAccessFlags {
  hipMemAccessFlagsProtNone = 0, hipMemAccessFlagsProtRead, hipMemAccessFlagsProtReadWrite = 3
} hipMemAccessFlags;

typedef struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
} hipMemAccessDesc;

typedef enum hipMemAllocationType {
  hipMemAllocationTypeInvalid = 0, hipMemAllocationTypePinned,
  hipMemAllocationTypeUncached = 0x40000000, hipMemAllocationTypeMax = 0x7fffffff
} hipMemAllocationType;

typedef enum hipMemAllocationHandleType {
  hipMemHandleTypeNone = 0, hipMemHandleTypePosixFileDescriptor, hipMemHandleTypeWin32,
  hipMemHandleTypeWin32Kmt = 4
} hipMemAllocationHandleType;

typedef struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
} hipMemPoolProps;

typedef struct hipMemPoolPtrExportData {
  unsigned char reserved[64];
} hipMemPoolPtrExportData;

typedef enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8, hipFuncAttributePreferredSharedMemoryCarveout,
  hipFuncAttributeMax
} hipFuncAttribute;

typedef enum hipFuncCache_t {
  hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual
} hipFuncCache_t;

typedef enum hipSharedMemConfig {
  hipSharedMemBankSizeDefault, hipSharedMemBankSizeFourByte, hipSharedMemBankSizeEightByte
} hipSharedMemConfig;

typedef struct hipLaunchParams_t {
  void* func;
  dim3 gridDim, blockDim;
  void** args;
  size_t sharedMem;
  hipStream_t stream;
} hipLaunchParams;

typedef struct hipFunctionLaunchParams_t {
  hipFunction_t function;
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  hipStream_t hStream;
  void** kernelParams;
} hipFunctionLaunchParams;

typedef enum hipExternalMemoryHandleType_enum {
  hipExternalMemoryHandleTypeOpaqueFd = 1, hipExternalMemoryHandleTypeOpaqueWin32,
  hipExternalMemoryHandleTypeOpaqueWin32Kmt, hipExternalMemoryHandleTypeD3D12Heap,
  hipExternalMemoryHandleTypeD3D12Resource, hipExternalMemoryHandleTypeD3D11Resource,
  hipExternalMemoryHandleTypeD3D11ResourceKmt, hipExternalMemoryHandleTypeNvSciBuf
} hipExternalMemoryHandleType;

typedef struct hipExternalMemoryHandleDesc_st {
  hipExternalMemoryHandleType type;
  union {
    int fd;
    struct {
      void* handle;
      const void* name;
    } win32;
    const void* nvSciBufObject;
  } handle;
  unsigned long long size;
  unsigned int flags, reserved[16];
} hipExternalMemoryHandleDesc;

typedef struct hipExternalMemoryBufferDesc_st {
  unsigned long long offset, size;
  unsigned int flags, reserved[16];
} hipExternalMemoryBufferDesc;

typedef struct hipExternalMemoryMipmappedArrayDesc_st {
  unsigned long long offset;
  hipChannelFormatDesc formatDesc;
  hipExtent extent;
  unsigned int flags, numLevels;
} hipExternalMemoryMipmappedArrayDesc;

typedef void* hipExternalMemory_t;

typedef enum hipExternalSemaphoreHandleType_enum {
  hipExternalSemaphoreHandleTypeOpaqueFd = 1, hipExternalSemaphoreHandleTypeOpaqueWin32,
  hipExternalSemaphoreHandleTypeOpaqueWin32Kmt, hipExternalSemaphoreHandleTypeD3D12Fence,
  hipExternalSemaphoreHandleTypeD3D11Fence, hipExternalSemaphoreHandleTypeNvSciSync,
  hipExternalSemaphoreHandleTypeKeyedMutex, hipExternalSemaphoreHandleTypeKeyedMutexKmt,
  hipExternalSemaphoreHandleTypeTimelineSemaphoreFd,
  hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32
} hipExternalSemaphoreHandleType;

typedef struct hipExternalSemaphoreHandleDesc_st {
  hipExternalSemaphoreHandleType type;
  union {
    int fd;
    struct {
      void* handle;
      const void* name;
    } win32;
    const void* NvSciSyncObj;
  } handle;
  unsigned int flags, reserved[16];
} hipExternalSemaphoreHandleDesc;

typedef void* hipExternalSemaphore_t;

typedef struct hipExternalSemaphoreSignalParams_st {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
    } keyedMutex;
    unsigned int reserved[12];
  } params;
  unsigned int flags, reserved[16];
} hipExternalSemaphoreSignalParams;

typedef struct hipExternalSemaphoreWaitParams_st {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
      unsigned int timeoutMs;
    } keyedMutex;
    unsigned int reserved[10];
  } params;
  unsigned int flags, reserved[16];
} hipExternalSemaphoreWaitParams;

typedef enum hipGraphicsRegisterFlags {
  hipGraphicsRegisterFlagsNone = 0, hipGraphicsRegisterFlagsReadOnly,
  hipGraphicsRegisterFlagsWriteDiscard, hipGraphicsRegisterFlagsSurfaceLoadStore = 4,
  hipGraphicsRegisterFlagsTextureGather = 8
} hipGraphicsRegisterFlags;

typedef struct _hipGraphicsResource hipGraphicsResource;
typedef hipGraphicsResource* hipGraphicsResource_t;

typedef struct hipMemAllocationProp {
  hipMemAllocationType type;
  union {
    hipMemAllocationHandleType requestedHandleType, requestedHandleTypes;
  };
  hipMemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
  } allocFlags;
} hipMemAllocationProp;

struct ihipMemGenericAllocationHandle;
typedef struct ihipMemGenericAllocationHandle* hipMemGenericAllocationHandle_t;

typedef enum hipMemAllocationGranularity_flags {
  hipMemAllocationGranularityMinimum = 0, hipMemAllocationGranularityRecommended
} hipMemAllocationGranularity_flags;

typedef enum hipMemHandleType {
  hipMemHandleTypeGeneric = 0
} hipMemHandleType;

typedef enum hipMemOperationType {
  hipMemOperationTypeMap = 1, hipMemOperationTypeUnmap
} hipMemOperationType;

typedef enum hipArraySparseSubresourceType {
  hipArraySparseSubresourceTypeSparseLevel = 0, hipArraySparseSubresourceTypeMiptail
} hipArraySparseSubresourceType;

typedef struct hipArrayMapInfo {
  hipResourceType resourceType;
  union {
    hipMipmappedArray mipmap;
    hipArray_t array;
  } resource;
  hipArraySparseSubresourceType subresourceType;
  union {
    struct {
      unsigned int level, layer, offsetX, offsetY, offsetZ, extentWidth, extentHeight, extentDepth;
    } sparseLevel;
    struct {
      unsigned int layer;
      unsigned long long offset, size;
    } miptail;
  } subresource;
  hipMemOperationType memOperationType;
  hipMemHandleType memHandleType;
  union {
    hipMemGenericAllocationHandle_t memHandle;
  } memHandle;
  unsigned long long offset;
  unsigned int deviceBitMask, flags, reserved[2];
} hipArrayMapInfo;

typedef enum hipMemRangeHandleType {
  hipMemRangeHandleTypeDmaBufFd = 1, hipMemRangeHandleTypeMax = 0x7fffffff
} hipMemRangeHandleType;

typedef enum hipMemRangeFlags {
  hipMemRangeFlagDmaBufMappingTypePcie = 1, hipMemRangeFlagsMax = 0x7fffffff
} hipMemRangeFlags;

typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void*);
