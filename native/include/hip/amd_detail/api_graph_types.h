// Graphs, and launches with attributes.
#pragma once

#include <hip/amd_detail/api_types.h>

struct ihipGraph;
typedef struct ihipGraph* hipGraph_t;
struct hipGraphNode;
typedef struct hipGraphNode* hipGraphNode_t;
struct hipGraphExec;
typedef struct hipGraphExec* hipGraphExec_t;
struct hipUserObject;
typedef struct hipUserObject* hipUserObject_t;

typedef enum hipGraphNodeType {
  hipGraphNodeTypeKernel = 0, hipGraphNodeTypeMemcpy, hipGraphNodeTypeMemset, hipGraphNodeTypeHost,
  hipGraphNodeTypeGraph, hipGraphNodeTypeEmpty, hipGraphNodeTypeWaitEvent,
  hipGraphNodeTypeEventRecord, hipGraphNodeTypeExtSemaphoreSignal, hipGraphNodeTypeExtSemaphoreWait,
  hipGraphNodeTypeMemAlloc, hipGraphNodeTypeMemFree, hipGraphNodeTypeMemcpyFromSymbol,
  hipGraphNodeTypeMemcpyToSymbol, hipGraphNodeTypeBatchMemOp, hipGraphNodeTypeCount
} hipGraphNodeType;

typedef void (*hipHostFn_t)(void*);

typedef struct hipHostNodeParams {
  hipHostFn_t fn;
  void* userData;
} hipHostNodeParams;

typedef struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned int sharedMemBytes;
} hipKernelNodeParams;

typedef struct hipMemsetParams {
  void* dst;
  unsigned int elementSize;
  size_t height, pitch;
  unsigned int value;
  size_t width;
} hipMemsetParams;

typedef struct hipMemAllocNodeParams {
  hipMemPoolProps poolProps;
  const hipMemAccessDesc* accessDescs;
  size_t accessDescCount, bytesize;
  void* dptr;
} hipMemAllocNodeParams;

typedef enum hipAccessProperty {
  hipAccessPropertyNormal = 0, hipAccessPropertyStreaming, hipAccessPropertyPersisting
} hipAccessProperty;

typedef struct hipAccessPolicyWindow {
  void* base_ptr;
  hipAccessProperty hitProp;
  float hitRatio;
  hipAccessProperty missProp;
  size_t num_bytes;
} hipAccessPolicyWindow;

typedef struct hipLaunchMemSyncDomainMap {
  unsigned char default_, remote;
} hipLaunchMemSyncDomainMap;

typedef enum hipLaunchMemSyncDomain {
  hipLaunchMemSyncDomainDefault = 0, hipLaunchMemSyncDomainRemote
} hipLaunchMemSyncDomain;

typedef enum hipSynchronizationPolicy {
  hipSyncPolicyAuto = 1, hipSyncPolicySpin, hipSyncPolicyYield, hipSyncPolicyBlockingSync
} hipSynchronizationPolicy;

typedef enum hipLaunchAttributeID {
  hipLaunchAttributeAccessPolicyWindow = 1, hipLaunchAttributeCooperative,
  hipLaunchAttributeSynchronizationPolicy, hipLaunchAttributePriority = 8,
  hipLaunchAttributeMemSyncDomainMap, hipLaunchAttributeMemSyncDomain, hipLaunchAttributeMax
} hipLaunchAttributeID;

typedef union hipLaunchAttributeValue {
  char pad[64];
  hipAccessPolicyWindow accessPolicyWindow;
  int cooperative, priority;
  hipSynchronizationPolicy syncPolicy;
  hipLaunchMemSyncDomainMap memSyncDomainMap;
  hipLaunchMemSyncDomain memSyncDomain;
} hipLaunchAttributeValue;

typedef enum hipGraphExecUpdateResult {
  hipGraphExecUpdateSuccess = 0, hipGraphExecUpdateError, hipGraphExecUpdateErrorTopologyChanged,
  hipGraphExecUpdateErrorNodeTypeChanged, hipGraphExecUpdateErrorFunctionChanged,
  hipGraphExecUpdateErrorParametersChanged, hipGraphExecUpdateErrorNotSupported,
  hipGraphExecUpdateErrorUnsupportedFunctionChange
} hipGraphExecUpdateResult;

typedef enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0, hipStreamCaptureStatusActive, hipStreamCaptureStatusInvalidated
} hipStreamCaptureStatus;

typedef enum hipStreamUpdateCaptureDependenciesFlags {
  hipStreamAddCaptureDependencies = 0, hipStreamSetCaptureDependencies
} hipStreamUpdateCaptureDependenciesFlags;

typedef enum hipGraphMemAttributeType {
  hipGraphMemAttrUsedMemCurrent = 0, hipGraphMemAttrUsedMemHigh, hipGraphMemAttrReservedMemCurrent,
  hipGraphMemAttrReservedMemHigh
} hipGraphMemAttributeType;

typedef enum hipUserObjectFlags {
  hipUserObjectNoDestructorSync = 1
} hipUserObjectFlags;

typedef enum hipUserObjectRetainFlags {
  hipGraphUserObjectMove = 1
} hipUserObjectRetainFlags;

typedef enum hipGraphInstantiateFlags {
  hipGraphInstantiateFlagAutoFreeOnLaunch = 1, hipGraphInstantiateFlagUpload,
  hipGraphInstantiateFlagDeviceLaunch = 4, hipGraphInstantiateFlagUseNodePriority = 8
} hipGraphInstantiateFlags;

enum hipGraphDebugDotFlags {
  hipGraphDebugDotFlagsVerbose = 1, hipGraphDebugDotFlagsKernelNodeParams = 4,
  hipGraphDebugDotFlagsMemcpyNodeParams = 8, hipGraphDebugDotFlagsMemsetNodeParams = 16,
  hipGraphDebugDotFlagsHostNodeParams = 32, hipGraphDebugDotFlagsEventNodeParams = 64,
  hipGraphDebugDotFlagsExtSemasSignalNodeParams = 128,
  hipGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
  hipGraphDebugDotFlagsKernelNodeAttributes = 512, hipGraphDebugDotFlagsHandles = 1024
};

typedef enum hipGraphInstantiateResult {
  hipGraphInstantiateSuccess = 0, hipGraphInstantiateError, hipGraphInstantiateInvalidStructure,
  hipGraphInstantiateNodeOperationNotSupported, hipGraphInstantiateMultipleDevicesNotSupported
} hipGraphInstantiateResult;

typedef struct hipGraphInstantiateParams {
  hipGraphNode_t errNode_out;
  unsigned long long flags;
  hipGraphInstantiateResult result_out;
  hipStream_t uploadStream;
} hipGraphInstantiateParams;

typedef struct hipExternalSemaphoreSignalNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreSignalParams* paramsArray;
  unsigned int numExtSems;
} hipExternalSemaphoreSignalNodeParams;

typedef struct hipExternalSemaphoreWaitNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreWaitParams* paramsArray;
  unsigned int numExtSems;
} hipExternalSemaphoreWaitNodeParams;

typedef struct hipMemcpyNodeParams {
  int flags, reserved[3];
  hipMemcpy3DParms copyParams;
} hipMemcpyNodeParams;

typedef struct hipChildGraphNodeParams {
  hipGraph_t graph;
} hipChildGraphNodeParams;

typedef struct hipEventWaitNodeParams {
  hipEvent_t event;
} hipEventWaitNodeParams;

typedef struct hipEventRecordNodeParams {
  hipEvent_t event;
} hipEventRecordNodeParams;

typedef struct hipMemFreeNodeParams {
  void* dptr;
} hipMemFreeNodeParams;

typedef struct hipGraphNodeParams {
  hipGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    hipKernelNodeParams kernel;
    hipMemcpyNodeParams memcpy;
    hipMemsetParams memset;
    hipHostNodeParams host;
    hipChildGraphNodeParams graph;
    hipEventWaitNodeParams eventWait;
    hipEventRecordNodeParams eventRecord;
    hipExternalSemaphoreSignalNodeParams extSemSignal;
    hipExternalSemaphoreWaitNodeParams extSemWait;
    hipMemAllocNodeParams alloc;
    hipMemFreeNodeParams free;
  };
  long long reserved2;
} hipGraphNodeParams;

typedef enum hipGraphDependencyType {
  hipGraphDependencyTypeDefault = 0, hipGraphDependencyTypeProgrammatic
} hipGraphDependencyType;

typedef struct hipGraphEdgeData {
  unsigned char from_port, reserved[5], to_port, type;
} hipGraphEdgeData;

typedef struct hipLaunchAttribute_st {
  hipLaunchAttributeID id;
  char pad[4];
  union {
    hipLaunchAttributeValue val, value;
  };
} hipLaunchAttribute;

typedef struct hipLaunchConfig_st {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  hipLaunchAttribute* attrs;
  unsigned int numAttrs;
} hipLaunchConfig_t;

typedef struct HIP_LAUNCH_CONFIG_st {
  unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  hipStream_t hStream;
  hipLaunchAttribute* attrs;
  unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;
