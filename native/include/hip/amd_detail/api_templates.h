// The C++ face of the runtime calls: typed pointers, kernels by name, symbols by reference.
#pragma once

// C casts: a pointer to const may be allocated as well.
#if !defined(__HIP_DISABLE_CPP_FUNCTIONS__)
template <class T>
static inline hipError_t hipMalloc(T** devPtr, size_t size) {
  return hipMalloc((void**)devPtr, size);
}
template <class T>
static inline hipError_t hipMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
  return hipMallocPitch((void**)devPtr, pitch, width, height);
}
template <class T>
static inline hipError_t hipHostMalloc(T** ptr, size_t size,
                                       unsigned int flags = hipHostMallocDefault) {
  return hipHostMalloc((void**)ptr, size, flags);
}
template <class T>
static inline hipError_t hipHostAlloc(T** ptr, size_t size,
                                      unsigned int flags = hipHostAllocDefault) {
  return hipHostAlloc((void**)ptr, size, flags);
}
template <class T>
static inline hipError_t hipMallocManaged(T** devPtr, size_t size,
                                          unsigned int flags = hipMemAttachGlobal) {
  return hipMallocManaged((void**)devPtr, size, flags);
}
#endif

template <class T>
static inline hipError_t hipMallocAsync(T** devPtr, size_t size, hipStream_t stream) {
  return hipMallocAsync((void**)devPtr, size, stream);
}
static inline hipError_t hipMallocAsync(void** devPtr, size_t size, hipMemPool_t pool,
                                        hipStream_t stream) {
  return hipMallocFromPoolAsync(devPtr, size, pool, stream);
}
template <class T>
static inline hipError_t hipMallocAsync(T** devPtr, size_t size, hipMemPool_t pool,
                                        hipStream_t stream) {
  return hipMallocFromPoolAsync((void**)devPtr, size, pool, stream);
}
template <class T>
static inline hipError_t hipMallocFromPoolAsync(T** devPtr, size_t size, hipMemPool_t pool,
                                                hipStream_t stream) {
  return hipMallocFromPoolAsync((void**)devPtr, size, pool, stream);
}

// A __device__ variable is named by itself; the runtime knows it by its host shadow's address.
template <class T>
static inline hipError_t hipGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::hipGetSymbolAddress(devPtr, reinterpret_cast<const void*>(&symbol));
}
template <class T>
static inline hipError_t hipGetSymbolSize(size_t* size, const T& symbol) {
  return ::hipGetSymbolSize(size, reinterpret_cast<const void*>(&symbol));
}
template <class T>
static inline hipError_t hipMemcpyToSymbol(const T& symbol, const void* src, size_t sizeBytes,
                                           size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return ::hipMemcpyToSymbol((const void*)&symbol, src, sizeBytes, offset, kind);
}
template <class T>
static inline hipError_t hipMemcpyToSymbolAsync(const T& symbol, const void* src, size_t sizeBytes,
                                                size_t offset, hipMemcpyKind kind,
                                                hipStream_t stream = nullptr) {
  return ::hipMemcpyToSymbolAsync((const void*)&symbol, src, sizeBytes, offset, kind, stream);
}
template <class T>
static inline hipError_t hipMemcpyFromSymbol(void* dst, const T& symbol, size_t sizeBytes,
                                             size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return ::hipMemcpyFromSymbol(dst, (const void*)&symbol, sizeBytes, offset, kind);
}
template <class T>
static inline hipError_t hipMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t sizeBytes,
                                                  size_t offset, hipMemcpyKind kind,
                                                  hipStream_t stream = nullptr) {
  return ::hipMemcpyFromSymbolAsync(dst, (const void*)&symbol, sizeBytes, offset, kind, stream);
}

template <class F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, F kernel,
                                                                      int blockSize,
                                                                      size_t dynSharedMemPerBlk) {
  return ::hipOccupancyMaxActiveBlocksPerMultiprocessor(
      numBlocks, reinterpret_cast<const void*>(kernel), blockSize, dynSharedMemPerBlk);
}
template <class F>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, F kernel, int blockSize, size_t dynSharedMemPerBlk, unsigned int flags) {
  return ::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, reinterpret_cast<const void*>(kernel), blockSize, dynSharedMemPerBlk, flags);
}
template <class F>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, F kernel,
                                                           size_t dynSharedMemPerBlk = 0,
                                                           int blockSizeLimit = 0) {
  return ::hipOccupancyMaxPotentialBlockSize(gridSize, blockSize,
                                             reinterpret_cast<const void*>(kernel),
                                             dynSharedMemPerBlk, blockSizeLimit);
}
template <class F>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(
    int* gridSize, int* blockSize, F kernel, size_t dynSharedMemPerBlk = 0, int blockSizeLimit = 0,
    unsigned int = 0) {
  return hipOccupancyMaxPotentialBlockSize(gridSize, blockSize, kernel, dynSharedMemPerBlk,
                                           blockSizeLimit);
}

// The block size with the most resident threads when shared memory depends on the block size.
template <class SharedBytes, class F>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int* gridSize, int* blockSize, F kernel, SharedBytes sharedBytesOf, int blockSizeLimit = 0,
    unsigned int flags = 0) {
  const void* function = reinterpret_cast<const void*>(kernel);
  if (!gridSize || !blockSize || !function) return hipErrorInvalidValue;
  int device = 0, wave = 0, units = 0;
  hipFuncAttributes limits;
  hipError_t status = hipGetDevice(&device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(&wave, hipDeviceAttributeWarpSize, device);
  if (status == hipSuccess)
    status = hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device);
  if (status == hipSuccess) status = hipFuncGetAttributes(&limits, function);
  if (status != hipSuccess) return status;
  if (blockSizeLimit == 0 || blockSizeLimit > limits.maxThreadsPerBlock)
    blockSizeLimit = limits.maxThreadsPerBlock;
  int bestThreads = 0;
  for (int rounded = (blockSizeLimit + wave - 1) / wave * wave; rounded > 0; rounded -= wave) {
    const int candidate = rounded < blockSizeLimit ? rounded : blockSizeLimit;
    int blocks = 0;
    status = hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, function, candidate, sharedBytesOf(candidate), flags);
    if (status != hipSuccess) return status;
    if (candidate * blocks > bestThreads) {
      bestThreads = candidate * blocks;
      *blockSize = candidate;
      *gridSize = blocks * units;
    }
  }
  return hipSuccess;
}
template <class SharedBytes, class F>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int* gridSize,
                                                                       int* blockSize, F kernel,
                                                                       SharedBytes sharedBytesOf,
                                                                       int blockSizeLimit = 0) {
  return hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(gridSize, blockSize, kernel,
                                                                sharedBytesOf, blockSizeLimit);
}

template <class F>
static inline hipError_t hipLaunchCooperativeKernel(F kernel, dim3 gridDim, dim3 blockDim,
                                                    void** kernelParams,
                                                    unsigned int sharedMemBytes,
                                                    hipStream_t stream) {
  return ::hipLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), gridDim, blockDim,
                                      kernelParams, sharedMemBytes, stream);
}
template <class... Formals, class... Actuals>
static inline hipError_t hipLaunchKernelEx(const hipLaunchConfig_t* config,
                                           void (*kernel)(Formals...), Actuals&&... actuals) {
  // The kernel reads its arguments as the formal types, so convert first.
  return [&](Formals... arguments) {
    void* addresses[] = {&arguments..., nullptr};
    return ::hipLaunchKernelExC(config, reinterpret_cast<void*>(kernel), addresses);
  }(std::forward<Actuals>(actuals)...);
}

template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipBindTexture(size_t* offset, const texture<T, dim, mode>& tex,
                                        const void* devPtr, const hipChannelFormatDesc& desc,
                                        size_t size = UINT_MAX) {
  return ::hipBindTexture(offset, &tex, devPtr, &desc, size);
}
template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipBindTexture(size_t* offset, const texture<T, dim, mode>& tex,
                                        const void* devPtr, size_t size = UINT_MAX) {
  return ::hipBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}
template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipBindTexture2D(size_t* offset, const texture<T, dim, mode>& tex,
                                          const void* devPtr, const hipChannelFormatDesc& desc,
                                          size_t width, size_t height, size_t pitch) {
  return ::hipBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}
template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipBindTexture2D(size_t* offset, const texture<T, dim, mode>& tex,
                                          const void* devPtr, size_t width, size_t height,
                                          size_t pitch) {
  return ::hipBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}
template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipBindTextureToArray(const texture<T, dim, mode>& tex,
                                               hipArray_const_t array,
                                               const hipChannelFormatDesc& desc) {
  return ::hipBindTextureToArray(&tex, array, &desc);
}
template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipBindTextureToArray(const texture<T, dim, mode>& tex,
                                               hipArray_const_t array) {
  hipChannelFormatDesc desc;
  const hipError_t status = hipGetChannelDesc(&desc, array);
  return status == hipSuccess ? ::hipBindTextureToArray(&tex, array, &desc) : status;
}
template <class T, int dim, hipTextureReadMode mode>
static inline hipError_t hipUnbindTexture(const texture<T, dim, mode>& tex) {
  return ::hipUnbindTexture(&tex);
}
