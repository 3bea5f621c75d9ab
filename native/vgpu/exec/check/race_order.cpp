#include "exec/check/race_order.h"

#include <algorithm>

namespace vgpu {
namespace {

void raise_to(std::vector<uint64_t>& stamps, const std::vector<uint64_t>& others) {
  for (size_t w = 0; w < stamps.size(); ++w) stamps[w] = std::max(stamps[w], others[w]);
}

bool waits_for_vector_memory(const Inst& inst) {
  uint32_t imm = inst.words[0];
  return inst.op == Op::s_waitcnt && ((imm & 15) | (imm >> 14 & 3) << 4) == 0;
}

}  // namespace

GroupOrder::GroupOrder(const Workgroup& group, uint64_t now)
    : number_(group.number), barrier_stamp_(now), waves_(group.wave_count) {
  for (WaveOrder& wave : waves_) {
    wave.known.resize(group.wave_count);
    wave.relayed.resize(group.wave_count);
  }
}

// A barrier hands everything to everybody: also what one wave wrote back and another publishes.
void GroupOrder::pass_barriers(uint32_t barriers, uint64_t now) {
  if (barriers == barriers_) return;
  barriers_ = barriers;
  barrier_stamp_ = now;
  ClockRef others, heard, written_back;
  for (const WaveOrder& wave : waves_) {
    join(others, wave.others);
    join(heard, wave.heard);
    join(written_back, wave.written_back);
  }
  for (WaveOrder& wave : waves_) {
    wave.others = others;
    wave.heard = heard;
    wave.written_back = written_back;
  }
}

bool GroupOrder::happened(const WaveOrder& reader, uint32_t wave, uint64_t stamp) const {
  return stamp <= barrier_stamp_ || stamp <= reader.known[wave];
}

void GroupOrder::hand_over(uint32_t from, uint64_t stamp, uint32_t by, bool returns) {
  const WaveOrder& giver = waves_[from];
  WaveOrder& taker = waves_[by];
  std::vector<uint64_t>& stamps = returns ? taker.known : taker.relayed;
  raise_to(stamps, giver.known);
  raise_to(stamps, giver.relayed);
  stamps[from] = std::max(stamps[from], stamp);
  join(taker.written_back, giver.written_back);
  if (!returns) return;
  join(taker.others, giver.others);
  join(taker.heard, giver.heard);
}

ClockRef GroupOrder::snapshot(uint32_t wave, uint64_t now) const {
  const WaveOrder& self = waves_[wave];
  std::vector<Known> own;
  for (uint32_t w = 0; w < waves_.size(); ++w) {
    uint64_t stamp = w == wave ? now : self.known[w];
    if (stamp > barrier_stamp_) own.push_back({uint32_t(number_), w, stamp});
  }
  own.push_back({uint32_t(number_), Known::kEveryWave, barrier_stamp_});
  ClockRef clock = std::make_shared<const Clock>(std::move(own));
  join(clock, self.others);
  return clock;
}

void RaceOrder::clear() { *this = RaceOrder(); }

GroupOrder& RaceOrder::group_of(const Wave& wave) {
  const Workgroup& group = *wave.group;
  if (last_ != &group) {
    last_ = &group;
    last_order_ = &groups_[&group];
  }
  if (!last_order_->is(group)) *last_order_ = GroupOrder(group, now_);
  last_order_->pass_barriers(group.barriers, now_);
  return *last_order_;
}

void RaceOrder::instruction(const Wave& wave, const Inst& inst) {
  bool global_sync = inst.op == Op::ds_gws_barrier;
  bool fence = (inst.op == Op::buffer_wbl2 || inst.op == Op::buffer_inv) && inst.sc1;
  if (!global_sync && !fence && !waits_for_vector_memory(inst)) return;
  GroupOrder& group = group_of(wave);
  WaveOrder& self = group.wave(wave.index);
  if (inst.op == Op::buffer_wbl2) {
    join(self.written_back, group.snapshot(wave.index, now_));
    self.plain_since_fence = false;
  }
  if (inst.op == Op::buffer_inv) join(self.others, self.heard);
  // The library fences before this barrier and waits right behind it; all have arrived by then.
  if (global_sync) join(global_sync_, self.written_back);
  if (inst.op == Op::s_waitcnt && self.at_global_sync) join(self.others, global_sync_);
  self.at_global_sync = global_sync;
}

// Right behind a fence the atomic publishes itself, too: it may be the release.
void RaceOrder::publish(WaveOrder& wave, const Known& itself, uint64_t address) {
  if (!wave.written_back) return;
  if (!wave.plain_since_fence &&
      !wave.written_back->covers(itself.group, itself.wave, itself.stamp))
    join(wave.written_back, std::make_shared<const Clock>(std::vector<Known>{itself}));
  join(published_[address / 4], wave.written_back);
}

void RaceOrder::listen(WaveOrder& wave, uint64_t address) const {
  if (published_.empty()) return;
  auto at = published_.find(address / 4);
  if (at != published_.end()) join(wave.heard, at->second);
}

}  // namespace vgpu
