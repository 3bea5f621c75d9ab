// thread_group and the groups that the launch itself makes: block, grid, grids of several devices.
#pragma once

#include <hip/hip_runtime.h>

namespace cooperative_groups {

namespace internal {
enum class group_kind { multi_grid, grid, block, tile, coalesced };

__HIP_DEVICE__ unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__HIP_DEVICE__ unsigned int rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__HIP_DEVICE__ unsigned int block_rank() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
// Lanes of a wave run in step; only the compiler has to be kept from reordering.
__HIP_DEVICE__ void wave_sync() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
  __builtin_amdgcn_wave_barrier();
}
__HIP_DEVICE__ unsigned int rank_among(unsigned long long lanes) {
  return __builtin_amdgcn_mbcnt_hi(lanes >> 32, __builtin_amdgcn_mbcnt_lo(lanes, 0));
}
}  // namespace internal

// Any group. What kind it is, is known at run time only.
class thread_group {
 protected:
  internal::group_kind kind_;
  unsigned int size_;
  unsigned long long lanes_;  // tiles and coalesced groups: the lanes of the wave that belong to it
  unsigned int meta_rank_, meta_size_;

  __device__ thread_group(internal::group_kind kind, unsigned int size,
                          unsigned long long lanes = 0, unsigned int meta_rank = 0,
                          unsigned int meta_size = 1)
      : kind_(kind), size_(size), lanes_(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}
  friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned int size);

 public:
  __HOST_DEVICE__ thread_group(const thread_group&) = default;
  __device__ unsigned int size() const {
    return kind_ == internal::group_kind::multi_grid ? __ockl_multi_grid_size() : size_;
  }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int cg_type() const { return static_cast<unsigned int>(kind_); }
  __device__ unsigned int thread_rank() const {
    switch (kind_) {
      case internal::group_kind::multi_grid:
        return __ockl_multi_grid_thread_rank();
      case internal::group_kind::grid:
        return internal::block_rank() * internal::block_size() + internal::rank_in_block();
      case internal::group_kind::block:
        return internal::rank_in_block();
      case internal::group_kind::tile:
      case internal::group_kind::coalesced:
        return internal::rank_among(lanes_);
    }
  }
  __device__ bool is_valid() const {
    if (kind_ == internal::group_kind::multi_grid) return __ockl_multi_grid_is_valid();
    if (kind_ == internal::group_kind::grid) return __ockl_grid_is_valid();
    return true;
  }
  __device__ __attribute__((convergent)) void sync() const {
    switch (kind_) {
      case internal::group_kind::multi_grid:
        return __ockl_multi_grid_sync();
      case internal::group_kind::grid:
        return __ockl_grid_sync();
      case internal::group_kind::block:
        return __syncthreads();
      case internal::group_kind::tile:
      case internal::group_kind::coalesced:
        return internal::wave_sync();
    }
  }
};

class multi_grid_group : public thread_group {
  friend __device__ multi_grid_group this_multi_grid();
  __device__ multi_grid_group() : thread_group(internal::group_kind::multi_grid, 0) {}

 public:
  __device__ unsigned int num_grids() { return __ockl_multi_grid_num_grids(); }
  __device__ unsigned int grid_rank() { return __ockl_multi_grid_grid_rank(); }
};

class grid_group : public thread_group {
  friend __device__ grid_group this_grid();
  __device__ grid_group()
      : thread_group(internal::group_kind::grid,
                     gridDim.x * gridDim.y * gridDim.z * internal::block_size()) {}

 public:
  __device__ dim3 group_dim() const { return gridDim; }
  __device__ unsigned int num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
  __device__ unsigned int block_rank() const { return internal::block_rank(); }
  __device__ dim3 block_index() const { return blockIdx; }
  __device__ dim3 dim_blocks() const { return gridDim; }
};

class thread_block : public thread_group {
  friend __device__ thread_block this_thread_block();
  __device__ thread_block() : thread_group(internal::group_kind::block, internal::block_size()) {}

 public:
  static __device__ dim3 group_index() { return blockIdx; }
  static __device__ dim3 thread_index() { return threadIdx; }
  static __device__ unsigned int thread_rank() { return internal::rank_in_block(); }
  static __device__ unsigned int size() { return internal::block_size(); }
  static __device__ unsigned int num_threads() { return size(); }
  static __device__ void sync() { __syncthreads(); }
  __device__ dim3 group_dim() const { return blockDim; }
  __device__ dim3 dim_threads() const { return blockDim; }
};

__device__ inline multi_grid_group this_multi_grid() { return multi_grid_group(); }
__device__ inline grid_group this_grid() { return grid_group(); }
__device__ inline thread_block this_thread_block() { return thread_block(); }

template <class Group>
__HIP_DEVICE__ unsigned int group_size(const Group& group) { return group.size(); }
template <class Group>
__HIP_DEVICE__ unsigned int thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group>
__HIP_DEVICE__ bool is_valid(const Group& group) { return group.is_valid(); }
template <class Group>
__HIP_DEVICE__ void sync(const Group& group) { group.sync(); }

}  // namespace cooperative_groups
