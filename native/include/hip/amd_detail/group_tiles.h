// Groups inside a wave: tiles of a power of two lanes, and whichever lanes are active.
#pragma once

#include <hip/amd_detail/group_kinds.h>

namespace cooperative_groups {

namespace internal {
// The lanes of this wave that hold a thread of the block; the last wave may be partial.
__HIP_DEVICE__ unsigned long long block_lanes() {
  const unsigned int rest = block_size() - (rank_in_block() - __lane_id());
  return rest < 64 ? (1ull << rest) - 1 : ~0ull;
}
// The lanes of the tile of `size` lanes that this thread is in. The last tile may be partial.
__HIP_DEVICE__ unsigned long long tile_lanes(unsigned int size) {
  const unsigned long long all = size < 64 ? (1ull << size) - 1 : ~0ull;
  return all << (__lane_id() & ~(size - 1)) & block_lanes();
}
// One bit per rank in place of one per lane.
__HIP_DEVICE__ unsigned long long by_rank(unsigned long long bits, unsigned long long lanes) {
  unsigned long long result = 0;
  for (unsigned int rank = 0; lanes; ++rank, lanes &= lanes - 1)
    if (bits & lanes & -lanes) result |= 1ull << rank;
  return result;
}
}  // namespace internal

// A group whose size is known at run time: a tile or a part of one, or some of the active lanes.
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  const unsigned int rank = parent.thread_rank(), tiles = (parent.size() + size - 1) / size;
  if (parent.kind_ == internal::group_kind::block || parent.kind_ == internal::group_kind::tile) {
    unsigned long long lanes = internal::tile_lanes(size);
    if (parent.kind_ == internal::group_kind::tile) lanes &= parent.lanes_;
    return thread_group(internal::group_kind::tile, __popcll(lanes), lanes, rank / size, tiles);
  }
  // Of the active lanes: every `size` of them, in their order.
  const unsigned int first = rank / size * size;
  unsigned long long lanes = 0, rest = parent.lanes_;
  for (unsigned int i = 0; rest; ++i, rest &= rest - 1)
    if (i >= first && i < first + size) lanes |= rest & -rest;
  return thread_group(internal::group_kind::coalesced, __popcll(lanes), lanes, rank / size, tiles);
}

// The lanes that were active where it was made. Ranks count those lanes only.
class coalesced_group : public thread_group {
  friend __device__ coalesced_group coalesced_threads();
  friend __device__ coalesced_group binary_partition(const coalesced_group& group, bool predicate);
  __device__ explicit coalesced_group(unsigned long long lanes)
      : thread_group(internal::group_kind::coalesced, __popcll(lanes), lanes) {}
  __device__ int lane_of(unsigned int rank) const { return __fns64(lanes_, 0, rank + 1); }

 public:
  __device__ coalesced_group(const thread_group& group) : thread_group(group) {}
  __device__ unsigned int size() const { return size_; }
  __device__ unsigned int num_threads() const { return size_; }
  __device__ unsigned int thread_rank() const { return internal::rank_among(lanes_); }
  __device__ void sync() const { internal::wave_sync(); }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }
  // One bit per thread of the group, lowest rank first.
  __device__ unsigned long long ballot(int predicate) const {
    return internal::by_rank(__ballot(predicate), lanes_);
  }
  __device__ int any(int predicate) const { return (__ballot(predicate) & lanes_) != 0; }
  __device__ int all(int predicate) const { return (__ballot(predicate) & lanes_) == lanes_; }
  template <class T>
  __device__ unsigned long long match_any(T value) const {
    return internal::by_rank(__match_any(value), lanes_);
  }
  template <class T>
  __device__ unsigned long long match_all(T value, int& predicate) const {
    predicate = (__match_any(value) & lanes_) == lanes_;
    return predicate ? internal::by_rank(lanes_, lanes_) : 0;
  }
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __hip_value_from_lane(value, lane_of(rank % static_cast<int>(size_)));
  }
  // Beyond the last lane, a thread keeps its own value.
  template <class T>
  __device__ T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank() + delta;
    return __hip_value_from_lane(
        value, rank < size_ ? lane_of(rank) : static_cast<int>(__lane_id()));
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return __hip_value_from_lane(
        value, rank >= delta ? lane_of(rank - delta) : static_cast<int>(__lane_id()));
  }
};

__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
// What is cut out of a coalesced group remains one, shuffles and votes included.
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent,
                                                  unsigned int size) {
  return tiled_partition(static_cast<const thread_group&>(parent), size);
}
__device__ inline coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
  const unsigned long long yes = __ballot(predicate) & group.lanes_;
  return coalesced_group(predicate ? yes : group.lanes_ & ~yes);
}

// A tile whose size is known when compiling.
template <unsigned int tileSize, class ParentGroup = void>
class thread_block_tile : public thread_group {
  static_assert(tileSize > 0 && (tileSize & (tileSize - 1)) == 0 && tileSize <= 64,
                "a tile has a power of two lanes and fits into a wave");

 public:
  template <class Parent>
  __device__ explicit thread_block_tile(const Parent& parent)
      : thread_group(internal::group_kind::tile, tileSize, internal::tile_lanes(tileSize),
                     parent.thread_rank() / tileSize, (parent.size() + tileSize - 1) / tileSize) {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<tileSize, Other>& tile)
      : thread_group(tile) {}

  static constexpr __device__ unsigned int size() { return tileSize; }
  static constexpr __device__ unsigned int num_threads() { return tileSize; }
  static __device__ unsigned int thread_rank() {
    return internal::rank_in_block() & (tileSize - 1);
  }
  static __device__ void sync() { internal::wave_sync(); }
  __device__ unsigned int meta_group_rank() const { return meta_rank_; }
  __device__ unsigned int meta_group_size() const { return meta_size_; }

  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __hip_value_from_lane(value, __hip_shfl_lane(rank, tileSize));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned int delta) const {
    return __hip_value_from_lane(value, __hip_shfl_down_lane(delta, tileSize));
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int delta) const {
    return __hip_value_from_lane(value, __hip_shfl_up_lane(delta, tileSize));
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned int mask) const {
    return __hip_value_from_lane(value, __hip_shfl_xor_lane(mask, tileSize));
  }
  // One bit per thread of the tile, lowest rank first.
  __device__ unsigned long long ballot(int predicate) const {
    return (__ballot(predicate) & lanes_) >> (__lane_id() & ~(tileSize - 1));
  }
  __device__ int any(int predicate) const { return ballot(predicate) != 0; }
  __device__ int all(int predicate) const {
    return (__ballot(predicate) & lanes_) == (__activemask() & lanes_);
  }
  template <class T>
  __device__ unsigned long long match_any(T value) const {
    return (__match_any(value) & lanes_) >> (__lane_id() & ~(tileSize - 1));
  }
  template <class T>
  __device__ unsigned long long match_all(T value, int& predicate) const {
    const unsigned long long same = __match_any(value) & lanes_;
    predicate = same == (__activemask() & lanes_);
    return predicate ? same >> (__lane_id() & ~(tileSize - 1)) : 0;
  }
};

template <unsigned int tileSize, class ParentGroup>
__HIP_DEVICE__ thread_block_tile<tileSize, ParentGroup> tiled_partition(const ParentGroup& parent) {
  return thread_block_tile<tileSize, ParentGroup>(parent);
}
template <unsigned int tileSize, class ParentGroup>
__HIP_DEVICE__ coalesced_group binary_partition(
    const thread_block_tile<tileSize, ParentGroup>& tile, bool predicate) {
  return binary_partition(coalesced_group(tile), predicate);
}

}  // namespace cooperative_groups
