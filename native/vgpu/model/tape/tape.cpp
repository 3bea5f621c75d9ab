#include "model/tape/tape.h"

#include <algorithm>

#include "memory/physical.h"
#include "memory/touched_pages.h"
#include "model/ideal/ideal.h"
#include "model/requests/atomic_turns.h"
#include "model/requests/places.h"
#include "model/requests/requests.h"
#include "model/tape/twin.h"

namespace vgpu {
namespace model {
namespace {

constexpr uint64_t kLine = calibration::kVectorLineBytes;
constexpr size_t kMostSpareTapes = 4096, kLeastToRemove = 512;

TapeAccess access_of(const LaneAccess& lanes, uint64_t exec, const Coalesced& requests, Link link) {
  TapeAccess access;
  access.count = requests.count;
  access.bytes = uint16_t(lanes.shape.bytes);
  access.lanes = uint16_t(__builtin_popcountll(exec));
  access.write = lanes.shape.touch == Touch::Write;
  access.atomic = lanes.shape.touch == Touch::Atomic;
  access.link = link;
  access.conflicts = uint16_t(requests.conflicts);
  return access;
}

bool has_access(const Step& step) { return step.detail != 0 && step.slot->unit != Unit::Lds; }

}  // namespace

SparePool<GroupTape>& spare_tapes() {
  // Outlives the program's static destructors.
  static auto* spare = new SparePool<GroupTape>(kMostSpareTapes);
  return *spare;
}

void WaveTape::start(const WaveProgress& from, const TapeRoom& room) {
  same.reset();
  own.start();
  missing.clear();
  lines.clear();
  executed = 0;
  forgotten_ = 0;
  first = from.steps;
  barriers = from.barriers;
  schedule.start(first, room);
  removes_at = kLeastToRemove;
}

void WaveTape::turn(uint64_t pc) {
  schedule.turn(pc);
  for (const WindowSchedule::Thinned& thinned : schedule.thinned())
    drop_every_other(thinned.place, thinned.gap);
  // All that stays is moved when some is removed, which is done when much is there.
  if (!schedule.thinned().empty() && own.steps.size() >= removes_at) remove_skipped();
  if (schedule.look() != WindowSchedule::Look::Skip)
    own.windows.push_back({uint32_t(own.steps.size()), schedule.place(), schedule.begins_run(),
                           schedule.look(), schedule.visit(), barriers});
}

void WaveTape::meet(uint64_t step) {
  ++barriers;
  schedule.end_window(step);
}

void WaveTape::end(uint64_t steps_executed) {
  executed = steps_executed - forgotten_;
  schedule.end(steps_executed);
  remove_skipped();
  weigh_windows();
  if (cut()) share_visits();
  else if (first == 0) same = share(own);
}

void WaveTape::weigh_windows() {
  const auto& places = schedule.places();
  static thread_local std::vector<uint64_t> kept, typical;  // asked for by every wave
  kept.assign(places.size(), 0);
  typical.assign(places.size(), 0);
  for (size_t w = 0; w < own.windows.size(); ++w) {
    const TapeWindow& window = own.windows[w];
    if (window.touched()) continue;
    const uint64_t length = window_end(w) - window.first;
    kept[window.place] += length;
    if (window.look == TapeWindow::Look::Measure) typical[window.place] += length;
  }
  // What was executed before the tape began passed like the rest.
  uint64_t looked_at = 0;
  for (const auto& place : places) looked_at += place.steps;
  const double whole = first && looked_at ? double(executed) / double(looked_at) : 1;
  missing.clear();
  for (size_t n = 0; n < places.size(); ++n) {
    const double all = whole * double(places[n].steps);
    if (all > double(typical[n])) missing.push_back({places[n].code, all - double(typical[n])});
  }
  for (TapeWindow& window : own.windows) {
    const auto& place = places[window.place];
    window.code = place.code;
    if (!window.touched() && kept[window.place])
      window.weight = whole * double(place.steps) / double(kept[window.place]);
  }
}

// A run stands for the visits of a place halfway to the runs before and behind it: there may be more
// of them at one time than at another.
void WaveTape::share_visits() {
  const auto& places = schedule.places();
  std::vector<std::vector<TapeWindow*>> typical(places.size());
  for (TapeWindow& window : own.windows)
    if (window.look == TapeWindow::Look::Measure && !window.is_first_visit())
      typical[window.place].push_back(&window);
  for (size_t n = 0; n < places.size(); ++n) {
    const std::vector<TapeWindow*>& there = typical[n];
    const double usual = double(places[n].visits) / double(there.size());
    double from = 0;
    for (size_t first = 0, end = 0; first < there.size(); first = end) {
      for (end = first + 1; end < there.size() && there[end]->visit == there[end - 1]->visit + 1;)
        ++end;
      const double last = there[end - 1]->visit;
      const double to =
          end < there.size() ? (last + there[end]->visit) / 2 : double(places[n].visits);
      for (size_t w = first; w < end; ++w)
        there[w]->share = (to - from) / double(end - first) / usual;
      from = to;
    }
  }
}

// Windows of a run that goes. A run that follows without a gap, and stays, needs to know what they
// touched.
void WaveTape::leave_touches(size_t first, size_t end, bool follower_stays) {
  using Look = TapeWindow::Look;
  bool begins_run = follower_stays;
  for (size_t w = first; w < end; ++w) {
    if (own.windows[w].look == Look::Skip) continue;  // of a run that has gone before
    const bool leaves = follower_stays && !own.windows[w].touched();
    own.windows[w] = {own.windows[w].first, leaves ? own.windows[end].place : 0,
                      leaves && begins_run, leaves ? Look::Touch : Look::Skip,
                      own.windows[w].visit, own.windows[w].barriers};
    begins_run &= !leaves;
  }
  if (!follower_stays) return;
  own.windows[end].begins_run = false;
  own.windows[end].look = Look::Settle;
}

void WaveTape::drop_every_other(uint32_t place, uint32_t gap) {
  auto begins_there = [&](const TapeWindow& window) {
    return window.begins_run && window.place == place;
  };
  ptrdiff_t number = std::count_if(own.windows.begin(), own.windows.end(), begins_there);
  bool follower_stays = false;  // and was directly behind
  for (size_t w = own.windows.size(), end = w; w-- > 0;) {
    if (!own.windows[w].begins_run) continue;
    const bool touched = own.windows[w].touched();
    number -= begins_there(own.windows[w]);
    const bool goes = begins_there(own.windows[w]) &&
                      WindowSchedule::keeps_second(uint64_t(number / 2), gap) != (number % 2 != 0);
    if (goes) leave_touches(w, end, follower_stays);
    follower_stays = !goes && !touched;
    end = w;
  }
}

// What stays moves to the front, with its accesses and their lines.
void WaveTape::remove_skipped() {
  auto is_kept = [](const TapeWindow& window) { return window.look >= TapeWindow::Look::Settle; };
  if (std::all_of(own.windows.begin(), own.windows.end(), is_kept)) return;
  ++moves_;
  size_t window_count = 0, step_end = 0, access_end = 1, line_end = 0;
  Step* const step_at = own.steps.data();
  TapeAccess* const access_at = own.accesses.data();
  uint64_t* const line_at = lines.data();
  for (size_t w = 0; w < own.windows.size(); ++w) {
    const TapeWindow window = own.windows[w];
    if (window.look == TapeWindow::Look::Skip) continue;
    const size_t end = window_end(w);
    own.windows[window_count] = window;
    own.windows[window_count++].first = uint32_t(step_end);
    for (size_t n = window.first; n < end; ++n) {
      Step step = step_at[n];
      if (has_access(step)) {
        TapeAccess access = access_at[step.detail];
        // A few lines, moved forward or not at all.
        for (uint32_t k = 0; k < access.count; ++k)
          line_at[line_end + k] = line_at[access.first + k];
        access.first = uint32_t(line_end);
        line_end += access.count;
        step.detail = uint32_t(access_end);
        access_at[access_end++] = access;
      } else if (window.touched()) {
        continue;
      }
      step_at[step_end++] = step;
    }
  }
  own.windows.resize(window_count);
  own.steps.resize(step_end);
  own.accesses.resize(access_end);
  lines.resize(line_end);
  removes_at = std::max(kLeastToRemove, 2 * step_end);
}

// In a window of which only touches are kept, steps without an access are not.
void WaveTaper::touches(const CodeSlot& slot, uint32_t detail) {
  if (!tape_.schedule.keeps()) tape_.own.steps.push_back({&slot, 0, detail});
  else touching_[touching_count_++] = {&slot, detail};
}

uint64_t* WaveTaper::add_access(const CodeSlot& slot, TapeAccess access) {
  access.first = uint32_t(tape_.lines.size());
  tape_.lines.resize(access.first + access.count);
  touches(slot, uint32_t(tape_.own.accesses.size()));
  tape_.own.accesses.push_back(access);
  tape_.schedule.note_access(&slot);
  return tape_.lines.data() + access.first;
}

// A line is fetched whole, whichever piece of it was asked for.
void WaveTaper::note_marks(uint64_t* requests, uint32_t count) {
  if (!own_pieces_) return;
  for (uint32_t n = 0; n < count; ++n) {
    const uint64_t line = line_of(requests[n]), step = tape_.schedule.until();
    const uint8_t* pieces = TouchedPages::piece(own_pieces_, line * kLine);
    if (!pieces[0] && !pieces[1]) fresh_->add(line, step, tape_);
    else if (!fresh_->waits_for(line, step, tape_)) requests[n] |= kTouchedBefore;
  }
}

void WaveTaper::add_requests(const CodeSlot& slot, const LaneAccess& lanes, uint64_t exec,
                             const PlacedRequests& requests, Link link) {
  TapeAccess access = access_of(lanes, exec, *requests.relative, link);
  if (access.atomic) return add_atomic(slot, lanes, access, requests);
  uint64_t* const lines = add_access(slot, access);
  for (uint32_t n = 0; n < access.count; ++n) lines[n] = requests.request(n);
  note_marks(lines, access.count);
}

void WaveTaper::add_atomic(const CodeSlot& slot, const LaneAccess& lanes, TapeAccess access,
                           const PlacedRequests& requests) {
  const Places places = places_of(lanes, this_thread_translator());
  const AtomicTurns turns(places.physical, places.global);
  access.turns = turns.sum();
  access.system = slot.inst.sc1;
  uint64_t* const lines = add_access(slot, access);
  for (uint32_t n = 0; n < access.count; ++n) lines[n] = requests.request(n);
  note_marks(lines, access.count);
  for (uint32_t n = 0; n < access.count; ++n)
    lines[n] = with_turns(lines[n], turns.of(line_of(lines[n])));
}

void WaveTaper::add_global(const CodeSlot& slot, const LaneAccess& lanes) {
  Translator& translator = this_thread_translator();
  Coalesced requests;
  Link link;
  const PlacedRequests placed = coalesce_in_one(lanes, &slot, translator, requests, link);
  if (placed.relative) return add_requests(slot, lanes, lanes.exec, placed, link);
  const Places places = places_of(lanes, translator);  // lanes of flat accesses may lie in the LDS
  if (!places.global) return;
  coalesce(places.physical, places.global, lanes.shape.bytes, 0, requests);
  add_requests(slot, lanes, places.global, {&requests, 0}, places.link);
}

void WaveTaper::add_lds(const CodeSlot& slot, const LaneAccess& lanes) {
  const LdsCycles taken = lds_cycles(lanes);
  const bool in_line = !ideals().has(Ideal::Atomics);
  const uint32_t cycles = taken.active - (in_line ? 0 : taken.same_address);
  if (lanes.element == 0) touches(slot, cycles);
  else touching_[touching_count_ - 1].detail += cycles;
}

// A row of private memory (one dword of every lane) lies together, as the hardware swizzles it.
void WaveTaper::add_private(const CodeSlot& slot, const LaneAccess& lanes) {
  const uint32_t bytes = std::max<uint32_t>(4, lanes.shape.bytes);
  const uint32_t offset = uint32_t(lanes.at[0] & kApertureLimit);
  const uint64_t first = private_base_ + uint64_t(offset / 4) * kLanes * 4;
  uint64_t requests[kMostRequests];
  TapeAccess access;
  for (uint64_t at = first; at < first + bytes * kLanes; at += kLine)
    requests[access.count++] = at / kLine << 2 | 3;
  access.bytes = uint16_t(bytes);
  access.lanes = uint16_t(__builtin_popcountll(lanes.exec));
  access.write = lanes.shape.touch == Touch::Write;
  std::copy_n(requests, access.count, add_access(slot, access));
}

void WaveTaper::ask_again(uint64_t pc) {
  tape_.turn(pc);
  switch (tape_.schedule.look()) {
    case WindowSchedule::Look::Skip: set_interest(kNothing); break;
    case WindowSchedule::Look::Touch: set_interest(kMemory); break;
    default: set_interest(kStretches | kMemory);
  }
  set_again_at(tape_.schedule.until());
}

void WaveTaper::barrier(uint64_t instructions) {
  tape_.meet(instructions);
  set_again_at(instructions);
}

// An instruction is in a stretch once.
void WaveTaper::ran(uint64_t first, uint64_t end, uint64_t, bool) {
  const Touching *next = touching_, *const last = touching_ + touching_count_;
  std::vector<Step>& steps = tape_.own.steps;
  const CodeSlot* slot = &code_->at(first);
  for (uint64_t pc = first;;) {
    // Permutes and the like touch no memory, but use the crossbar once.
    const bool passes_lds = slot->inst.format == Format::DS && slot->unit == Unit::Lds;
    const uint32_t idle = passes_lds ? kLanes / calibration::kLdsBanks : 0;
    const bool touched = next != last && next->slot == slot;
    steps.push_back({slot, uint32_t(pc - code_->base()), touched ? next->detail : idle});
    next += touched;
    pc += slot->inst.bytes;
    if (pc == end) break;
    slot = &code_->behind(*slot, pc);
  }
  touching_count_ = 0;
}

void WaveTaper::lanes(const CodeSlot& slot, const LaneAccess& access) {
  if (slot.unit == Unit::Lds) {
    if (tape_.schedule.keeps()) add_lds(slot, access);
    return;
  }
  if (slot.inst.format == Format::SCRATCH) return add_private(slot, access);
  add_global(slot, access);
}

void WaveTaper::scalar(const CodeSlot& slot, const ScalarAccess& scalar) {
  const Translator::Place place = this_thread_translator().translate(scalar.address);
  constexpr uint64_t kHalf = kLine / 2;
  uint64_t requests[2];
  TapeAccess access;
  for (uint64_t half = place.physical / kHalf; half <= (place.physical + scalar.bytes - 1) / kHalf;
       ++half) {
    uint64_t bit = uint64_t(1) << (half & 1);
    if (access.count && line_of(requests[access.count - 1]) == half / 2)
      requests[access.count - 1] |= bit;
    else requests[access.count++] = half / 2 << 2 | bit;
  }
  access.bytes = uint16_t(scalar.bytes);
  access.lanes = 1;
  access.write = scalar.touch == Touch::Write;
  access.atomic = scalar.touch == Touch::Atomic;
  access.scalar = true;
  access.turns = 1;
  access.link = place.link;
  note_marks(requests, access.count);
  std::copy_n(requests, access.count, add_access(slot, access));
}

GroupTape GroupTaper::take() {
  represent_late_waves(tape_);
  return std::move(tape_);
}

GroupTaper::GroupTaper(const GroupStart& start, const TapeRoom& room)
    : GroupTaper(start, true, std::vector<WaveProgress>(start.waves), room) {}

GroupTaper::GroupTaper(const GroupStart& start, const std::vector<WaveProgress>& progress,
                       uint64_t cycles, const TapeRoom& room)
    : GroupTaper(start, false, progress, room) {
  tape_.before = cycles;
}

GroupTaper::GroupTaper(const GroupStart& start, bool planned,
                       const std::vector<WaveProgress>& progress, const TapeRoom& room) {
  spare_tapes().take(tape_);
  tape_.group = start.number;
  tape_.planned = planned;
  tape_.before = 0;
  tape_.touched_bytes = 0;
  tape_.waves.resize(start.waves);
  tapers_.reserve(start.waves);
  const uint64_t private_bytes = uint64_t(start.scratch_bytes) * kLanes;
  const uint64_t first_wave = start.number * start.waves;
  for (uint32_t index = 0; index < start.waves; ++index) {
    tape_.waves[index].start(progress[index], room);
    tapers_.emplace_back(tape_.waves[index],
                         kPrivatePhysical + (first_wave + index) * private_bytes);
  }
}

}  // namespace model
}  // namespace vgpu
