#include "exec/group/workgroup.h"

#include <algorithm>
#include <utility>

#include "exec/group/other_order.h"

namespace vgpu {
namespace {

constexpr size_t kRowBytes = kLanes * 4;
// Any register number that an instruction can encode has a row, declared or not; multi-dword
// operands may reach past the last one.
constexpr size_t kRows = 256 + 32;

uint32_t group_extent(const AqlDispatchPacket& packet, int dimension, uint32_t id) {
  uint32_t size = packet.workgroup_size[dimension];
  return std::min(size, packet.grid_size[dimension] - id * size);  // the last one may be partial
}

}  // namespace

void Workgroup::start(Dispatch& owner, uint64_t group_number) {
  dispatch = &owner;
  number = group_number;
  const uint64_t place = in_other_order(group_number, owner.group_total);
  id[0] = uint32_t(place % owner.groups[0]);
  id[1] = uint32_t(place / owner.groups[0] % owner.groups[1]);
  id[2] = uint32_t(place / owner.groups[0] / owner.groups[1]);
  uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    extent[d] = group_extent(*owner.packet, d, id[d]);
    items *= extent[d];
  }
  wave_count = uint32_t((items + kLanes - 1) / kLanes);
  live_waves = wave_count;
  at_barrier = barriers = 0;
  turn = LdsTurn{};

  size_t wave_scratch = size_t(owner.scratch_bytes) * kLanes;
  waves = reinterpret_cast<Wave*>(wave_memory_.reserve(wave_count * sizeof(Wave)));
  vgpr_memory_.reserve(wave_count * 2 * kRows * kRowBytes);
  uint8_t* scratch = wave_scratch ? scratch_memory_.reserve(wave_count * wave_scratch) : nullptr;
  uint8_t* lds = owner.lds_bytes ? lds_memory_.reserve(owner.lds_bytes) : nullptr;
  if (lds) std::memset(lds, 0, owner.lds_bytes);
  if (scratch) std::memset(scratch, 0, wave_count * wave_scratch);
  uint8_t* touched = owner.touched ? owner.touched->column(number % TouchedPages::kXcds) : nullptr;
  for (uint32_t index = 0; index < wave_count; ++index) {
    Wave& wave = waves[index];
    wave = Wave{};
    wave.touched = touched;
    if (touched) {
      wave.pieces = owner.touched->pieces();
      wave.atomics = owner.touched->atomics();
    }
    wave.index = uint16_t(index);
    wave.group = this;
    wave.lds = lds;
    wave.lds_bytes = owner.lds_bytes;
    wave.scratch = scratch + index * wave_scratch;
    wave.scratch_bytes = owner.scratch_bytes;
    wave.pc = owner.entry;
    wave.mode = owner.kernel.mode();
    set_registers(wave, items);
  }
  observer.reset();
}

GroupStart Workgroup::as_started() const {
  return {number, wave_count, uint64_t(extent[0]) * extent[1] * extent[2], dispatch->scratch_bytes};
}

void Workgroup::observe_with(std::unique_ptr<GroupObserver> who) {
  observer = std::move(who);
  for (uint32_t index = 0; index < wave_count; ++index)
    waves[index].observer = observer ? observer->wave(index) : nullptr;
}

void Workgroup::set_registers(Wave& wave, uint64_t items) {
  const KernelDescriptor& kernel = dispatch->kernel;
  uint32_t total = kernel.registers(), accum = kernel.accum_offset();
  wave.vgpr_count = uint16_t(std::min(total, accum));
  wave.agpr_count = uint16_t(total - wave.vgpr_count);
  uint8_t* rows = vgpr_memory_.reserve(0) + size_t(wave.index) * 2 * kRows * kRowBytes;
  wave.vgpr = reinterpret_cast<uint32_t*>(rows);
  wave.agpr = reinterpret_cast<uint32_t*>(rows + kRows * kRowBytes);
  std::memset(wave.vgpr, 0, wave.vgpr_count * kRowBytes);
  std::memset(wave.agpr, 0, wave.agpr_count * kRowBytes);

  uint64_t first = uint64_t(wave.index) * kLanes;
  uint64_t lanes = std::min<uint64_t>(kLanes, items - first);
  wave.set_exec(lanes == kLanes ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1);
  set_work_item_ids(wave, first, lanes);
  set_user_sgprs(wave);
}

// v0 holds x, and y and z as far as the kernel asks for them, ten bits each.
void Workgroup::set_work_item_ids(Wave& wave, uint64_t first, uint64_t lanes) {
  uint32_t dimensions = (dispatch->kernel.rsrc2 >> 11) & 3;
  uint32_t y_mask = dimensions >= 1 ? ~0u : 0, z_mask = dimensions >= 2 ? ~0u : 0;
  uint32_t item = uint32_t(first);
  uint32_t x = item % extent[0], y = item / extent[0] % extent[1];
  uint32_t z = item / extent[0] / extent[1];
  if (x + lanes <= extent[0]) {  // of one row
    const uint32_t others = (y << 10 & y_mask) | (z << 20 & z_mask);
    for (uint32_t l = 0; l < lanes; ++l) wave.vgpr[l] = (x + l) | others;
    return;
  }
  for (uint64_t l = 0; l < lanes; ++l) {
    wave.vgpr[l] = x | (y << 10 & y_mask) | (z << 20 & z_mask);
    if (++x < extent[0]) continue;
    x = 0;
    if (++y < extent[1]) continue;
    y = 0;
    ++z;
  }
}

// The order is fixed by the ABI: user SGPRs as enabled in the descriptor, preloaded kernel
// arguments, then the workgroup ids.
void Workgroup::set_user_sgprs(Wave& wave) {
  const KernelDescriptor& kernel = dispatch->kernel;
  const AqlDispatchPacket& packet = *dispatch->packet;
  int next = 0;
  auto push = [&](uint32_t v) { wave.sgpr[next++ & 127] = v; };
  auto push_pair = [&](uint64_t v) { push(uint32_t(v)), push(uint32_t(v >> 32)); };

  if (kernel.wants_private_segment_buffer()) push_pair(0), push_pair(0);
  if (kernel.wants_dispatch_ptr()) push_pair(reinterpret_cast<uint64_t>(dispatch->packet));
  if (kernel.wants_queue_ptr()) push_pair(dispatch->request.queue_address);
  if (kernel.wants_kernarg_ptr()) push_pair(packet.kernarg_address);
  if (kernel.wants_dispatch_id()) push_pair(dispatch->request.dispatch_id);
  if (kernel.wants_flat_scratch_init()) push_pair(0);
  if (kernel.wants_private_segment_size()) push(packet.private_segment_size);
  if (kernel.preload_dwords()) {
    const uint32_t* arguments = reinterpret_cast<const uint32_t*>(packet.kernarg_address);
    for (uint32_t d = 0; d < kernel.preload_dwords(); ++d)
      push(arguments[kernel.preload_offset() + d]);
  }
  next = int(kernel.user_sgprs());
  for (int d = 0; d < 3; ++d)
    if (kernel.workgroup_id(d)) push(id[d]);
  if (kernel.workgroup_info()) push(wave_count);
  // Architected flat scratch: the hardware provides the base of private memory.
  wave.set_pair(102, reinterpret_cast<uint64_t>(wave.scratch));
}

void Workgroup::mark_apart(TouchedPages& own) {
  for (uint32_t index = 0; index < wave_count; ++index) {
    waves[index].touched = own.column(0);
    waves[index].pieces = own.pieces();
  }
}

void Workgroup::use_ranges(AccessRange* ranges) {
  for (uint32_t index = 0; index < wave_count; ++index) waves[index].ranges = ranges;
}

cost::Totals Workgroup::totals() const {
  cost::Totals totals;
  for (uint32_t index = 0; index < wave_count; ++index) {
    const Wave& wave = waves[index];
    const uint64_t cycles = wave.sums[int(WorkPart::OwnClock)];
    totals.add({wave.executed, cycles, wave.memory_bytes, cycles});
  }
  return totals;
}

GroupWork Workgroup::work() const {
  GroupWork work;
  for (uint32_t index = 0; index < wave_count; ++index) {
    const Wave& wave = waves[index];
    for (int part = 0; part < kWorkParts; ++part) work.cycles[part] += wave.sums[part];
    work.lane_bytes += wave.memory_bytes;
    work.stored_bytes += wave.stored_bytes;
    const uint64_t own = wave.sums[int(WorkPart::Issue)] + wave.waited;
    work.longest = std::max(work.longest, own);
    work.ordered = std::max(work.ordered, own + wave.kept);
  }
  work.waves = wave_count;
  return work;
}

}  // namespace vgpu
