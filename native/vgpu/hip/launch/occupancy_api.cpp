#include "hip/core/api.h"
#include "hip/core/handle_set.h"
#include "hip/launch/occupancy.h"

namespace vgpu::hip {
namespace {

hipError_t blocks(int* count, const Function& function, int block, size_t dynamic_lds) {
  if (!count || block <= 0) return hipErrorInvalidValue;
  *count = static_cast<int>(active_blocks(function, static_cast<uint32_t>(block), dynamic_lds));
  return hipSuccess;
}

hipError_t potential(int* grid, int* block, const Function& function, size_t dynamic_lds,
                     int limit) {
  if (!grid || !block || limit < 0) return hipErrorInvalidValue;
  const BestBlock best = best_block(function, dynamic_lds, static_cast<uint32_t>(limit));
  *grid = best.grid;
  *block = best.block;
  return hipSuccess;
}

// Both kinds of handle lead to a Function: the host stub and the driver's.
hipError_t resolve(const void* stub, Function** function) { return find_function(stub, function); }

hipError_t resolve(hipFunction_t handle, Function** function) {
  *function = HandleSet<Function>::get().find(handle);
  return *function ? hipSuccess : hipErrorInvalidValue;
}

bool are_flags(unsigned flags) {
  return flags == hipOccupancyDefault || flags == hipOccupancyDisableCachingOverride;
}

template <class Handle>
hipError_t blocks_of(int* count, Handle handle, int block, size_t dynamic_lds) {
  Function* function = nullptr;
  if (hipError_t status = resolve(handle, &function)) return status;
  return blocks(count, *function, block, dynamic_lds);
}

template <class Handle>
hipError_t potential_of(int* grid, int* block, Handle handle, size_t dynamic_lds, int limit) {
  Function* function = nullptr;
  if (hipError_t status = resolve(handle, &function)) return status;
  return potential(grid, block, *function, dynamic_lds, limit);
}

}  // namespace
}  // namespace vgpu::hip

using namespace vgpu::hip;

extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* f,
                                                        int blockSize, size_t dynSharedMemPerBlk) {
  HIP_API(hipOccupancyMaxActiveBlocksPerMultiprocessor, numBlocks, f, blockSize,
          dynSharedMemPerBlk);
  HIP_RETURN(blocks_of(numBlocks, f, blockSize, dynSharedMemPerBlk));
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* f,
                                                                 int blockSize,
                                                                 size_t dynSharedMemPerBlk,
                                                                 unsigned flags) {
  HIP_API(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, numBlocks, f, blockSize,
          dynSharedMemPerBlk, flags);
  if (!are_flags(flags)) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(blocks_of(numBlocks, f, blockSize, dynSharedMemPerBlk));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, hipFunction_t f,
                                                              int blockSize,
                                                              size_t dynSharedMemPerBlk) {
  HIP_API(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, numBlocks, f, blockSize,
          dynSharedMemPerBlk);
  HIP_RETURN(blocks_of(numBlocks, f, blockSize, dynSharedMemPerBlk));
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk, unsigned flags) {
  HIP_API(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, numBlocks, f, blockSize,
          dynSharedMemPerBlk, flags);
  if (!are_flags(flags)) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(blocks_of(numBlocks, f, blockSize, dynSharedMemPerBlk));
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, const void* f,
                                             size_t dynSharedMemPerBlk, int blockSizeLimit) {
  HIP_API(hipOccupancyMaxPotentialBlockSize, gridSize, blockSize, f, dynSharedMemPerBlk,
          blockSizeLimit);
  HIP_RETURN(potential_of(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit) {
  HIP_API(hipModuleOccupancyMaxPotentialBlockSize, gridSize, blockSize, f, dynSharedMemPerBlk,
          blockSizeLimit);
  HIP_RETURN(potential_of(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit));
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize,
                                                            hipFunction_t f,
                                                            size_t dynSharedMemPerBlk,
                                                            int blockSizeLimit, unsigned flags) {
  HIP_API(hipModuleOccupancyMaxPotentialBlockSizeWithFlags, gridSize, blockSize, f,
          dynSharedMemPerBlk, blockSizeLimit, flags);
  if (!are_flags(flags)) HIP_RETURN(hipErrorInvalidValue);
  HIP_RETURN(potential_of(gridSize, blockSize, f, dynSharedMemPerBlk, blockSizeLimit));
}

}  // extern "C"
