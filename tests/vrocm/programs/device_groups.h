// Groups of threads in blocks of one to three dimensions whose last wave and last tiles are partial.
// Every answer of every group is compared with what its list of members says.
#pragma once

#include <hip/hip_cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace group_test {

enum Kind { dynamic_tile, tile_of_tile, static_tile, coalesced, tile_of_coalesced, half_of_coalesced,
            half_of_static, kinds };
enum Slot { size, rank, meta_rank, meta_size, ballot, any, all, match_any, match_all, shfl, shfl_up,
            shfl_down, slots };
constexpr const char* kind_names[] = {"dynamic tile", "tile of a tile", "static tile", "coalesced",
                                      "tile of coalesced", "half of coalesced", "half of a tile"};
constexpr const char* slot_names[] = {"size", "rank", "meta_rank", "meta_size", "ballot", "any",
                                      "all", "match_any", "match_all", "shfl", "shfl_up",
                                      "shfl_down"};

__host__ __device__ inline bool chosen(int thread) { return thread % 5 == 1; }
__host__ __device__ inline bool joins(int thread) { return thread % 3 != 1; }
__host__ __device__ inline int label(int thread) { return thread / 2 % 3; }

template <class Group>
__device__ void answer(const Group& group, int thread, long long* to) {
  int same;
  to[size] = group.size();
  to[rank] = group.thread_rank();
  to[meta_rank] = group.meta_group_rank();
  to[meta_size] = group.meta_group_size();
  to[ballot] = group.ballot(chosen(thread));
  to[any] = group.any(chosen(thread));
  to[all] = group.all(thread < 63);
  to[match_any] = group.match_any(label(thread));
  const unsigned long long mask = group.match_all(thread / 32, same);
  to[match_all] = static_cast<long long>(mask) * 2 + same;
  to[shfl] = group.shfl(thread * 7, 0);
  to[shfl_up] = group.shfl_up(thread, 2);
  to[shfl_down] = group.shfl_down(thread, 1);
}

template <unsigned int tile_size>
__global__ void answers(long long* out) {
  namespace cg = cooperative_groups;
  const auto block = cg::this_thread_block();
  const int thread = block.thread_rank();
  long long* to = out + thread * kinds * slots;
  const cg::thread_group tile = cg::tiled_partition(block, tile_size);
  answer(cg::coalesced_group(tile), thread, to + dynamic_tile * slots);
  to[dynamic_tile * slots + size] = tile.size();
  to[dynamic_tile * slots + rank] = tile.thread_rank();
  const cg::thread_group part = cg::tiled_partition(tile, tile_size / 2);
  answer(cg::coalesced_group(part), thread, to + tile_of_tile * slots);
  to[tile_of_tile * slots + rank] = part.thread_rank();
  const auto fixed = cg::tiled_partition<tile_size>(block);
  answer(fixed, thread, to + static_tile * slots);
  answer(cg::binary_partition(fixed, joins(thread)), thread, to + half_of_static * slots);
  if (joins(thread)) {
    const cg::coalesced_group active = cg::coalesced_threads();
    answer(active, thread, to + coalesced * slots);
    answer(cg::tiled_partition(active, tile_size), thread, to + tile_of_coalesced * slots);
    answer(cg::binary_partition(active, chosen(thread)), thread, to + half_of_coalesced * slots);
  }
}

using Members = std::vector<int>;

template <class Predicate>
Members those(int first, int end, Predicate predicate) {
  Members members;
  for (int thread = first; thread < end; ++thread)
    if (predicate(thread)) members.push_back(thread);
  return members;
}

struct Model {
  Members members;
  int size, meta_rank, meta_size;
};

// The group that `thread` of a block of `threads` is in.
inline Model model(int kind, int thread, int threads, int tile_size) {
  const int wave = thread / 64 * 64, wave_end = std::min(wave + 64, threads);
  const int tile = thread / tile_size * tile_size, tile_end = std::min(tile + tile_size, threads);
  const auto everyone = [](int) { return true; };
  const Members whole = those(tile, tile_end, everyone);
  const int tiles = (threads + tile_size - 1) / tile_size, own = tile / tile_size;
  if (kind == dynamic_tile) return {whole, static_cast<int>(whole.size()), own, tiles};
  if (kind == static_tile) return {whole, tile_size, own, tiles};
  if (kind == tile_of_tile) {
    const int step = tile_size / 2, part = thread / step * step;
    const Members members = those(part, std::min(part + step, threads), everyone);
    return {members, static_cast<int>(members.size()), (part - tile) / step,
            static_cast<int>(whole.size() + step - 1) / step};
  }
  if (kind == half_of_static) {
    const Members half = those(tile, tile_end, [&](int t) { return joins(t) == joins(thread); });
    return {half, static_cast<int>(half.size()), 0, 1};
  }
  const Members active = those(wave, wave_end, joins);
  const int count = static_cast<int>(active.size());
  if (kind == coalesced) return {active, count, 0, 1};
  if (kind == half_of_coalesced) {
    const Members half = those(
        wave, wave_end, [&](int t) { return joins(t) && chosen(t) == chosen(thread); });
    return {half, static_cast<int>(half.size()), 0, 1};
  }
  const int at = static_cast<int>(std::find(active.begin(), active.end(), thread) - active.begin());
  const int first = at / tile_size * tile_size, end = std::min(first + tile_size, count);
  return {Members(active.begin() + first, active.begin() + end), end - first, at / tile_size,
          (count + tile_size - 1) / tile_size};
}

// What the group must answer; -1 where a source thread does not exist.
inline long long expected(const Model& group, int slot, int thread) {
  const Members& who = group.members;
  const int count = static_cast<int>(who.size());
  const int at = static_cast<int>(std::find(who.begin(), who.end(), thread) - who.begin());
  long long picked = 0, equal = 0, everyone = 0;
  bool low = true, same = true;
  for (int i = 0; i < count; ++i) {
    picked |= static_cast<long long>(chosen(who[i])) << i;
    equal |= static_cast<long long>(label(who[i]) == label(thread)) << i;
    everyone |= 1ll << i;
    low = low && who[i] < 63;
    same = same && who[i] / 32 == who[0] / 32;
  }
  switch (slot) {
    case size: return group.size;
    case rank: return at;
    case meta_rank: return group.meta_rank;
    case meta_size: return group.meta_size;
    case ballot: return picked;
    case any: return picked != 0;
    case all: return low;
    case match_any: return equal;
    case match_all: return same ? static_cast<long long>(everyone * 2ull + 1) : 0;
    case shfl: return who[0] * 7;
    case shfl_up: return at >= 2 ? who[at - 2] : thread;
    default: return at + 1 < count ? who[at + 1] : at + 1 < group.size ? -1 : thread;
  }
}

template <unsigned int tile_size>
int mismatches(dim3 block) {
  const int threads = block.x * block.y * block.z;
  std::vector<long long> got(threads * kinds * slots);
  long long* device;
  if (hipMalloc(&device, got.size() * sizeof(long long)) != hipSuccess) return 1;
  answers<tile_size><<<1, block>>>(device);
  if (hipMemcpy(got.data(), device, got.size() * sizeof(long long), hipMemcpyDeviceToHost) !=
      hipSuccess)
    return 1;
  (void)hipFree(device);
  int wrong = 0;
  for (int thread = 0; thread < threads; ++thread)
    for (int kind = 0; kind < kinds; ++kind) {
      const bool active_only = kind >= coalesced && kind <= half_of_coalesced;
      if (active_only && !joins(thread)) continue;
      const Model group = model(kind, thread, threads, tile_size);
      for (int slot = 0; slot < slots; ++slot) {
        const long long want = expected(group, slot, thread);
        const long long had = got[(thread * kinds + kind) * slots + slot];
        if (had == want || (slot == shfl_down && want == -1)) continue;
        if (++wrong <= 5)
          std::printf("groups %ux%ux%u tile %u, %s, thread %d, %s: got %lld, expected %lld\n",
                      block.x, block.y, block.z, tile_size, kind_names[kind], thread,
                      slot_names[slot], had, want);
      }
    }
  return wrong;
}

inline int check_all() {
  return mismatches<4>(dim3(6)) + mismatches<8>(dim3(5, 3)) + mismatches<16>(dim3(7, 5, 2)) +
         mismatches<64>(dim3(9, 5, 3)) + mismatches<32>(dim3(64)) + mismatches<2>(dim3(1, 67));
}

}  // namespace group_test
