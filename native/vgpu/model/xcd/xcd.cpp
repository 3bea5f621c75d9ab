// Placing workgroups on CUs, beginning and ending waves, and the order of events.
#include "model/xcd/xcd.h"

#include <algorithm>

#include "model/launch/device_size.h"
#include "model/tape/alike.h"

namespace vgpu {
namespace model {

using namespace calibration;

namespace {

// CUs take turns: what the host knows of a wave may have left its cache.
void fetch_ahead(const void* memory) {
  __builtin_prefetch(memory);
  __builtin_prefetch(static_cast<const char*>(memory) + 64);
}

size_t wave_count(const std::vector<GroupTape>& tapes) {
  size_t waves = 0;
  for (const GroupTape& tape : tapes) waves += tape.waves.size();
  return waves;
}

// Worth it, and so many workgroups on a CU that it does not matter when a single one of them ends, or
// none that is not alone there.
bool may_go_in_step(const std::vector<GroupTape>& tapes) {
  constexpr size_t kLargeGroups = 2 * kUnitsPerXcd, kLargeSteps = 32 * 1024;
  if (tapes.size() < kLargeGroups && tapes.size() > kUnitsPerXcd) return false;
  size_t steps = 0;
  for (const GroupTape& tape : tapes)
    for (const WaveTape& wave : tape.waves) steps += wave.did().steps.size();
  return steps >= kLargeSteps;
}

// A workgroup that nobody is like keeps all engines waiting: there may be one in a hundred.
bool most_alike(const std::vector<uint8_t>& alike) {
  constexpr size_t kOthers = 100;
  return size_t(std::count(alike.begin() + 1, alike.end(), 0)) * kOthers <= alike.size();
}

}  // namespace

Xcd::Xcd(const LaunchShape& shape, const std::vector<GroupTape>& tapes, MemorySystem& memory,
         Engines engines, StepListener* listener, const std::vector<int>& homes)
    : shape_(shape),
      tapes_(tapes),
      memory_(memory),
      listener_(listener),
      free_(ideals()),
      own_kinds_(free_.any() ? kinds_with(free_) : std::vector<InstructionKind>()),
      kinds_(free_.any() ? own_kinds_.data() : kinds_by_op()),
      room_(groups_per_unit(shape)),
      homes_(homes),
      units_(size_t(device_size().units_per_xcd)) {
  waves_.swap(spare_waves());
  waves_.clear();
  waves_.reserve(wave_count(tapes_));
  groups_.reserve(tapes_.size());
  for (const GroupTape& tape : tapes_)
    for (const WaveTape& wave : tape.waves) takes_turns_ |= wave.cut();
  if (engines == Engines::Each || listener || !homes_.empty() || !may_go_in_step(tapes_)) return;
  alike_ = like_the_one_before(tapes_);
  if (most_alike(alike_) && !follow_each_other(tapes_)) engines_ = kEnginesPerXcd;
}

Xcd::~Xcd() { waves_.swap(spare_waves()); }

std::vector<WaveClock>& Xcd::spare_waves() {
  static thread_local std::vector<WaveClock> spare;
  return spare;
}

void Xcd::run() {
  place_groups(0);
  // The latest first: each of the others goes where nobody has to move for it.
  for (auto unit = units_.rbegin(); unit != units_.rend(); ++unit)
    if (!unit->events.empty()) turns_.push(unit->events.next());
  while (!turns_.empty()) run_unit(unit_of(waves_[turns_.pop().wave]));
}

// Until it has nothing to do, or another CU has to touch the memory before it. Whoever it wakes is
// its own: a workgroup that ends makes room for the next one there, because all others are full as
// long as workgroups wait.
void Xcd::run_unit(ComputeUnit& unit) {
  while (!unit.events.empty()) {
    const Event event = unit.events.pop();
    if (!unit.events.empty()) fetch_ahead(&waves_[unit.events.next().wave]);
    double next = event.time;
    do {
      // Who is woken at this very moment by a wave that was late in the order is later still.
      unit.order = next == unit.now ? std::max(unit.order, event.wave) : event.wave;
      unit.now = next;
      next = advance(event.wave, next);
    } while (next >= 0 && (unit.events.empty() || next < unit.events.next().time));
    if (next == kAsks) {
      unit.events.push(event_of(event.wave, unit.now));
      turns_.push({unit.now, unit.order});
      return;
    }
    if (next != kWaiting) unit.events.push(event_of(event.wave, next));
  }
}

void Xcd::place_groups(double at) {
  for (int unit; next_tape_ < tapes_.size() && (unit = unit_with_room()) >= 0;) place(unit, at);
}

// Where the next workgroup belongs, or else the CU with the fewest; numbers run over the shader engines
// in turn.
int Xcd::unit_with_room() const {
  const int home = homes_.empty() ? kAnyUnit : homes_[next_tape_];
  if (home != kAnyUnit && units_[size_t(home)].groups < room_) return home;
  int best = -1;
  for (int unit = 0; unit < int(units_.size()); unit += engines_) {
    uint32_t groups = units_[size_t(unit)].groups;
    if (groups < room_ && (best < 0 || groups < units_[size_t(best)].groups)) best = unit;
  }
  return best;
}

// How many of the next workgroups go in step there.
uint32_t Xcd::members_on(int unit) const {
  const size_t most = std::min<size_t>(
      {size_t(engines_), units_.size() - size_t(unit), tapes_.size() - next_tape_});
  uint32_t members = 1;
  while (members < most && alike_[next_tape_ + members]) ++members;
  return members;
}

void Xcd::place(int unit, double at) {
  Group group;
  group.first_tape = uint32_t(next_tape_);
  group.members = members_on(unit);
  group.shown = uint32_t(groups_.size()) % group.members;
  group.first_wave = uint32_t(waves_.size());
  group.waves = group.live = uint32_t(tapes_[next_tape_].waves.size());
  group.unit = unit;
  waves_.resize(waves_.size() + group.waves);
  members_.resize(waves_.size() * size_t(engines_));
  next_tape_ += group.members;
  groups_.push_back(group);
  placed_.insert(placed_.end(), group.members, at);
  ++units_[size_t(unit)].groups;
  for (uint32_t n = 0; n < group.members; ++n)
    memory_.reside(unit + int(n), double(tapes_[group.first_tape + n].touched_bytes));
  Pipe& launcher = launcher_[engine_of_unit(unit)];
  const bool at_once = free_.has(Ideal::WaveLaunch);
  const double ready = at_once ? at : at + kGroupLaunchCycles;
  queued_.insert(queued_.end(), group.members, std::max(0.0, launcher.free - ready));
  for (uint32_t n = 0; n < group.waves; ++n)
    begin_wave(groups_.back(), n, at_once ? ready : launcher.take(ready, kWaveLaunchCycles));
}

void Xcd::begin_wave(Group& group, uint32_t number, double at) {
  uint32_t index = group.first_wave + number;
  ComputeUnit& unit = units_[size_t(group.unit)];
  Simd* simd = std::min_element(unit.simds, unit.simds + kSimdsPerUnit,
                                [](const Simd& a, const Simd& b) { return a.waves < b.waves; });
  uint32_t slot = uint32_t(__builtin_ctz(~simd->slots));
  simd->slots |= 1u << slot;
  ++simd->waves;
  if (unit.waves++ == 0) unit.busy_since = at;

  WaveClock& wave = waves_[index];
  const GroupTape& shown = tapes_[group.first_tape + group.shown];
  wave.tape = &shown.waves[number];
  for (uint32_t n = 0; n < group.members; ++n) {
    const WaveTape& tape = tapes_[group.first_tape + n].waves[number];
    members_[index * size_t(engines_) + n] = {tape.did().accesses.data(), tape.lines.data()};
    fetch_ahead(tape.lines.data());
  }
  wave.steps = wave.tape->did().steps.data();
  wave.end = uint32_t(wave.tape->did().steps.size());
  wave.group = uint32_t(&group - groups_.data());
  wave.unit = group.unit;
  wave.memory_unit = group.unit + int(group.shown);
  wave.place = {uint32_t(engine_of_unit(group.unit)),
                uint32_t(unit_in_engine(group.unit)),
                uint32_t(simd - unit.simds),
                slot,
                shown.group,
                number};
  wave.ready = wave.began = wave.since = at;
  if (listener_) {
    wave.told = listener_->wants(wave.place);
    listener_->wave_began(wave.place, uint64_t(at));
  }
  unit.events.push(event_of(index, at));
}

void Xcd::end_wave(uint32_t index, double at) {
  WaveClock& wave = waves_[index];
  Group& group = groups_[wave.group];
  ComputeUnit& unit = units_[size_t(wave.unit)];
  Simd& simd = unit.simds[wave.place.simd];
  simd.slots &= ~(1u << wave.place.slot);
  --simd.waves;
  if (--unit.waves == 0) totals_.busy_unit_cycles += group.members * (at - unit.busy_since);
  wave.ended = at;
  totals_.wave_cycles += group.members * (at - wave.began);
  ended_ = std::max(ended_, at);
  if (listener_) listener_->wave_ended(wave.place, uint64_t(at));
  --group.live;
  release_barriers(group, at);
  if (group.live == 0) {
    --unit.groups;
    for (uint32_t n = 0; n < group.members; ++n)
      memory_.reside(wave.unit + int(n), -double(tapes_[group.first_tape + n].touched_bytes));
    place_groups(at);
  }
}

// Time that the steps take that are not on the tape, less what those took that were not typical.
double Xcd::left_out(const WaveClock& wave) const {
  double cycles = -wave.settling;
  for (const auto& part : wave.tape->missing)
    cycles += paces_.cycles(part.code, wave.kind, part.steps);
  return cycles;
}

double Xcd::ended_whole() {
  paces_.close();
  double last = 0;
  lives_ = 0;
  for (Group& group : groups_) {
    group.life = group.ended = group.ended_whole = 0;
    group.began = waves_[group.first_wave].began;
    for (uint32_t n = 0; n < group.waves; ++n) {
      const WaveClock& wave = waves_[group.first_wave + n];
      const double more = left_out(wave);
      totals_.wave_cycles += group.members * more;
      group.life = std::max(group.life, wave.ended - wave.began + more);
      group.ended = std::max(group.ended, wave.ended);
      group.ended_whole = std::max(group.ended_whole, wave.ended + more);
    }
    last = std::max(last, group.ended_whole);
    lives_ += group.members * group.life;
  }
  return last;
}

double Xcd::last_ended_whole(size_t groups) const {
  double last = 0;
  for (const Group& group : groups_)
    if (group.first_tape + group.members + groups > tapes_.size())
      last = std::max(last, group.ended_whole);
  return last;
}

// Those count as company who are there in the middle of a workgroup's life: short ones, whose tapes
// are whole, have ended long before in the simulation of others of which little is on the tapes.
std::vector<std::vector<SharedLife>> Xcd::lives_by_unit() const {
  std::vector<std::vector<const Group*>> groups(units_.size());
  for (const Group& group : groups_) groups[size_t(group.unit)].push_back(&group);
  std::vector<std::vector<SharedLife>> lives(units_.size());
  for (const Group& group : groups_) {
    const double middle = (group.began + group.ended) / 2;
    const auto& there = groups[size_t(group.unit)];
    const double company =
        double(std::count_if(there.begin(), there.end(), [&](const Group* other) {
          return other->began <= middle && other->ended >= middle;
        }));
    for (uint32_t n = 0; n < group.members; ++n)
      lives[size_t(group.unit) + n].push_back({group.life, company});
  }
  return lives;
}

// A place is taken again a round later: the mean time between the two, over the last round, is shared
// by the workgroups of a round. When one round was simulated, others last as long as its workgroups on
// average. The first rounds come in crowds, and what workgroups wait for each other's launch then they
// do not once they are spread out.
Xcd::Pace Xcd::pace() const {
  const size_t round = groups_per_round(shape_), all = placed_.size();
  const auto steps_each = [&](size_t first, size_t count) {
    double steps = 0;
    for (size_t n = first; n < first + count; ++n) steps += tapes_[n].executed();
    return std::max(1.0, steps / double(count));
  };
  if (all <= round) return {mean_life() / double(round), steps_each(0, all)};
  const size_t first = all >= 3 * round ? all - round : round;
  double turnover = 0;
  for (size_t n = first; n < all; ++n)
    turnover += placed_[n] - placed_[n - round] - queued_[n - round];
  return {turnover / double(all - first) / double(round), steps_each(first - round, all - first)};
}

double Xcd::life(size_t tape) const {
  for (const Group& group : groups_)
    if (tape - group.first_tape < group.members) return group.life;
  return 0;
}

// Nobody is missing at a barrier who waits there or has passed it: waves that have ended keep nobody
// waiting, nor those that have left it out because that part of their way is not on their tape.
bool Xcd::all_came(const Group& group, uint64_t barrier) const {
  for (uint32_t n = 0; n < group.waves; ++n) {
    const WaveClock& wave = waves_[group.first_wave + n];
    if (wave.ended == 0 && wave.arrived < 0 && wave.barriers <= barrier) return false;
  }
  return true;
}

void Xcd::release_barriers(Group& group, double now) {
  const bool in_step = !takes_turns_;  // all of their way is on the tapes
  if (group.at_barrier == 0 || (in_step && group.at_barrier < group.live)) return;
  uint64_t next = ~uint64_t(0);
  for (uint32_t n = 0; n < group.waves; ++n) {
    const WaveClock& wave = waves_[group.first_wave + n];
    if (wave.arrived >= 0) next = std::min(next, wave.barriers);
  }
  if (all_came(group, next)) release_barrier(group, next, now);
}

// How long a wave waits for others that are followed elsewhere is not known, and not counted.
void Xcd::release_barrier(Group& group, uint64_t barrier, double now) {
  double last = 0;
  uint32_t here = 0;
  auto for_waiting = [&](auto use) {
    for (uint32_t n = 0; n < group.waves; ++n) {
      const uint32_t index = group.first_wave + n;
      if (waves_[index].arrived >= 0 && waves_[index].barriers == barrier) use(index);
    }
  };
  for_waiting([&](uint32_t index) {
    last = std::max(last, waves_[index].arrived);
    ++here;
  });
  const bool all_here = here >= group.live;
  if (!all_here) last = std::max(last, now);
  for_waiting([&](uint32_t index) {
    WaveClock& wave = waves_[index];
    if (all_here) totals_.wait_any += wave.weight * (last - wave.arrived);
    wave.ready = last + kBarrierCycles;
    if (!all_here) wave.since += last - wave.arrived;
    tell(wave, wave.steps[wave.next - 1], wave.arrived, last, wave.ready);
    wave.arrived = -1;
    ++wave.barriers;
    unit_of(wave).events.push(event_of(index, wave.ready));
  });
  group.at_barrier -= here;
}

}  // namespace model
}  // namespace vgpu
