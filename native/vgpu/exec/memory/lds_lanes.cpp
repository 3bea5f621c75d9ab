// DS instructions that move data between lanes, count lanes, or synchronise workgroups.
#include "exec/memory/select.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

VGPU_INLINE int lane_of_address(uint32_t address, const Inst& i) {
  return int((address + uint32_t(i.offset)) / 4 % kLanes);
}

// Push: each active lane sends its value to a lane; the highest sender wins, nobody gives 0.
void ds_permute_b32(Wave& w, const Inst& i) {
  alignas(64) uint32_t values[kLanes] = {};
  const uint32_t *address = w.row(i.src[0]), *data = w.row(i.src[1]);
  uint64_t exec = w.exec();
  for (uint64_t left = exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    values[lane_of_address(address[l], i)] = data[l];
  }
  blend(w.row(i.dst), values, exec);
}

// Pull: each lane reads another lane's value; inactive lanes are read as 0.
void ds_bpermute_b32(Wave& w, const Inst& i) {
  alignas(64) uint32_t values[kLanes], visible[kLanes];
  const uint32_t *address = w.row(i.src[0]), *data = w.row(i.src[1]);
  uint64_t exec = w.exec();
  for (int l = 0; l < kLanes; ++l) visible[l] = active(exec, l) ? data[l] : 0;
  for (int l = 0; l < kLanes; ++l) values[l] = visible[lane_of_address(address[l], i)];
  blend(w.row(i.dst), values, exec);
}

// The lane that lane `l` reads for a ds_swizzle_b32 pattern.
VGPU_INLINE int swizzle_source(uint32_t pattern, int l) {
  int group = l & 32, lane = l & 31, mask = int(pattern & 31);
  if (pattern >= 0xe000) {  // FFT: the lane number with its bits reversed
    int reversed = 0;
    for (int bit = 0; bit < 5; ++bit) reversed |= (lane >> bit & 1) << (4 - bit);
    return group | reversed >> __builtin_popcount(unsigned(mask)) | (lane & mask);
  }
  if (pattern >= 0xc000) {  // rotate the bits of the lane number that the mask leaves
    int amount = int(pattern >> 5 & 31);
    if (pattern >> 10 & 1) amount = -amount;
    return group | (lane & mask) | ((lane + amount) & 31 & ~mask);
  }
  if (pattern & 0x8000) return (l & ~3) | int(pattern >> ((l & 3) * 2) & 3);  // within a quad
  int either = int(pattern >> 5 & 31), flip = int(pattern >> 10 & 31);
  return group | (((lane & mask) | either) ^ flip);
}

void ds_swizzle_b32(Wave& w, const Inst& i) {
  alignas(64) uint32_t values[kLanes];
  const uint32_t* data = w.row(i.src[0]);
  uint64_t exec = w.exec();
  for (int l = 0; l < kLanes; ++l) {
    int from = swizzle_source(uint32_t(i.offset) & 0xffff, l);
    values[l] = active(exec, from) ? data[from] : 0;
  }
  blend(w.row(i.dst), values, exec);
}

// append and consume: a counter in LDS moves by the number of active lanes.
template <int Direction>
void count_lanes(Wave& w, const Inst& i) {
  uint64_t exec = w.exec();
  if (exec == 0) return;
  uint64_t address = kSharedAperture + (w.sgpr[kM0] & 0xffff) + uint32_t(i.offset);
  uint32_t old, lanes = uint32_t(__builtin_popcountll(exec));
  lane_read(w, i, __builtin_ctzll(exec), address, &old, 4);
  uint32_t next = Direction > 0 ? old + lanes : old - lanes;
  lane_write(w, i, __builtin_ctzll(exec), address, &next, 4);
  uint32_t* row = w.row(i.dst);
  for (int l = 0; l < kLanes; ++l) row[l] = active(exec, l) ? old : row[l];
}

// The resource number is M0[21:16] plus the offset; the value comes from the first active lane.
void global_sync(Wave& w, const Inst& i) {
  uint64_t exec = w.exec();
  int lane = exec ? __builtin_ctzll(exec) : 0;
  const Operand& data = i.src[1].kind == OperandKind::None ? i.src[0] : i.src[1];
  uint32_t value = data.kind == OperandKind::None ? 0 : w.row(data)[lane];
  uint32_t resource = (w.sgpr[kM0] >> 16) + uint32_t(i.offset);
  if (!global_wave_sync(w, i.op, resource & 63, value)) wait_and_retry(w, i);
}

void no_effect(Wave&, const Inst&) {}

constexpr OpHandler kHandlers[] = {
    {Op::ds_permute_b32, ds_permute_b32},       {Op::ds_bpermute_b32, ds_bpermute_b32},
    {Op::ds_swizzle_b32, ds_swizzle_b32},       {Op::ds_append, count_lanes<1>},
    {Op::ds_consume, count_lanes<-1>},          {Op::ds_gws_init, global_sync},
    {Op::ds_gws_barrier, global_sync},          {Op::ds_gws_sema_v, global_sync},
    {Op::ds_gws_sema_br, global_sync},          {Op::ds_gws_sema_p, global_sync},
    {Op::ds_gws_sema_release_all, global_sync}, {Op::ds_nop, no_effect},
};

}  // namespace

HandlerTable lds_lane_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
