#include "device/observation.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "device/length_watch.h"
#include "exec/group/settings.h"
#include "memory/address_space.h"
#include "memory/touched_pages.h"
#include "model/sampling/pilot.h"
#include "model/sampling/shorten.h"
#include "observe/two_observers.h"

namespace vgpu {
namespace {

constexpr size_t kMostSpare = 16;

// Counts a workgroup, and tapes it or looks whether it should be.
class ObservedGroup final : public GroupObserver {
 public:
  // For the next workgroup: what it has of the host's memory stays.
  void clear() {
    counts_ = nullptr;
    together_.clear();
    meetings_.clear();
    watches_.clear();
    taper_.reset();
    both_.clear();
  }
  void watch_meetings(const Workgroup& group, Meetings& meetings) {
    meetings_.reserve(group.wave_count);
    for (uint32_t index = 0; index < group.wave_count; ++index)
      meetings_.emplace_back(group.waves[index], meetings);
  }
  void count(model::GroupCounts& counts) { counts_ = &counts; }
  void tape(model::GroupTaper taper, uint32_t waves) {
    taper_.emplace(std::move(taper));
    for (size_t index = 0; index < meetings_.size(); ++index)
      meetings_[index].tapes_to(taper_->wave(uint32_t(index)));
    if (!counts_) return;
    both_.reserve(waves);
    for (uint32_t index = 0; index < waves; ++index) {
      counts_->waves[index].ask_too(nullptr);
      both_.emplace_back(counts_->waves[index], taper_->wave(index));
    }
  }
  // `call` when a wave takes more than so many cycles.
  void watch(const Workgroup& group, uint64_t cycles, std::function<void()> call) {
    call_ = std::move(call);
    watches_.reserve(group.wave_count);
    for (uint32_t index = 0; index < group.wave_count; ++index)
      watches_.emplace_back(group.waves[index], cycles, call_);
    for (uint32_t index = 0; counts_ && index < group.wave_count; ++index)
      counts_->waves[index].ask_too(&watches_[index]);
  }

  // Who looked before may still be asked.
  WaveObserver* wave(uint32_t index) override {
    WaveObserver* const one = without_meetings(index);
    if (meetings_.empty()) return one;
    together_.push_back(std::make_unique<TwoObservers>(meetings_[index], *one));
    return together_.back().get();
  }
  WaveObserver* without_meetings(uint32_t index) {
    if (!both_.empty()) return &both_[index];
    if (taper_) return &taper_->wave(index);
    return counts_ ? static_cast<WaveObserver*>(&counts_->waves[index]) : &watches_[index];
  }
  std::optional<model::GroupTaper>& taper() { return taper_; }

  // What a long workgroup touches is marked apart: its tape has parts only, and has to know what
  // those between them have touched.
  bool marks_apart() const { return own_marks_ != nullptr; }
  void mark_apart(Workgroup& group) {
    if (!spare_marks().take(own_marks_)) own_marks_ = std::make_unique<TouchedPages>();
    group.mark_apart(*own_marks_);
    taper_->know_marks(own_marks_->pieces());
  }
  // Returns how many bytes the workgroup touched, as far as that is known.
  uint64_t put_marks_together(Workgroup& group) {
    if (!own_marks_) return 0;
    const uint64_t bytes = group.dispatch->touched->take_over(
        *own_marks_, group.number % TouchedPages::kXcds, AddressSpace::instance().physical_end());
    spare_marks().give_back(std::move(own_marks_));
    return bytes;
  }

 private:
  static model::SparePool<std::unique_ptr<TouchedPages>>& spare_marks() {
    static auto* pool = new model::SparePool<std::unique_ptr<TouchedPages>>(kMostSpare);
    return *pool;
  }

  std::unique_ptr<TouchedPages> own_marks_;
  model::GroupCounts* counts_ = nullptr;
  std::function<void()> call_;
  std::vector<LengthWatch> watches_;
  std::optional<model::GroupTaper> taper_;
  std::vector<TwoObservers> both_;
  std::vector<MeetingWatch> meetings_;
  std::vector<std::unique_ptr<TwoObservers>> together_;
};

// What the waves have executed so far.
std::vector<model::WaveProgress> progress(const Workgroup& group) {
  std::vector<model::WaveProgress> come(group.wave_count);
  for (uint32_t index = 0; index < group.wave_count; ++index) {
    const Wave& wave = group.waves[index];
    come[index] = {wave.executed, group.barriers + (wave.state == WaveState::AtBarrier)};
  }
  return come;
}

uint64_t longest_so_far(const Workgroup& group) {
  uint64_t most = 0;
  for (uint32_t index = 0; index < group.wave_count; ++index)
    most = std::max(most, group.waves[index].executed);
  return most;
}

model::FirstGroups::Group as_first(const Workgroup& group) {
  const GroupWork work = group.work();
  return {work, model::least_alone(work), longest_so_far(group), group.totals().instructions,
          0,    group.finished()};
}

// Of the workgroup that ended last on this host thread.
std::unique_ptr<ObservedGroup>& spare_observer() {
  static thread_local std::unique_ptr<ObservedGroup> spare;
  return spare;
}

std::unique_ptr<ObservedGroup> new_observer() {
  return spare_observer() ? std::move(spare_observer()) : std::make_unique<ObservedGroup>();
}

void give_back(std::unique_ptr<GroupObserver> observer) {
  spare_observer().reset(static_cast<ObservedGroup*>(observer.release()));
  spare_observer()->clear();
}

ObservedGroup* observer_of(const Workgroup& group) {
  return static_cast<ObservedGroup*>(group.observer.get());
}

}  // namespace

Observation::Observation(const model::LaunchShape& shape, const model::LaunchShape& timed,
                         const model::SamplePlan& sample, const model::CodeHistory& code,
                         bool waits)
    : shape_(timed), sample_(sample), work_(shape.groups) {
  if (model::counting_wanted()) counting_ = std::make_unique<model::DispatchCounting>(shape, code);
  if (waits && sample_.on) meetings_ = std::make_unique<Meetings>();
}

void Observation::begin(Workgroup& group) {
  const bool taped = sample_.wants(group.number) || group.number < choice_at_;
  if (!counting_ && !sample_.on) return;
  const GroupStart start = group.as_started();
  std::unique_ptr<ObservedGroup> observed = new_observer();
  if (meetings_) observed->watch_meetings(group, *meetings_);
  if (counting_) observed->count(counting_->begin(start));
  if (taped) observed->tape({start, sample_.room_of(group.number)}, start.waves);
  else if (sample_.on)
    observed->watch(group, sample_.long_cycles, [this, &group] { tape_from_here(group); });
  group.observe_with(std::move(observed));
}

void Observation::first_turn(const Workgroup& group) {
  sample_.know_first(model::least_alone(group.work()), longest_so_far(group), group.finished());
  choice_at_ = model::groups_before_choice(shape_, sample_);
}

void Observation::choose_xcd(const std::vector<std::unique_ptr<Workgroup>>& begun) {
  for (const auto& group : begun) first_.add(group->number, as_first(*group));
  choice_at_ = 0;
  model::XcdCycles pilot{};
  if (first_.all_ended() && !first_.are_of_one_kind()) {
    std::vector<model::GroupTape> tapes = tapes_.take_planned();
    pilot = model::pilot_cycles(shape_, tapes, settings().threads - 1);
    for (model::GroupTape& tape : tapes) tapes_.add(std::move(tape));
  }
  model::choose_xcd(shape_, first_, pilot, sample_);
}

void Observation::look_at_length(Workgroup& group) {
  if (!sample_.on || sample_.whole || group.finished()) return;
  const uint64_t steps = longest_so_far(group);
  if (steps < model::kLongWave) return;
  if (!observer_of(group) || !observer_of(group)->taper()) {
    if (steps < sample_.long_steps) return;
    tape_from_here(group);
  }
  if (!observer_of(group)->marks_apart() && group.dispatch->touched &&
      steps >= sample_.marks_from(group.number))
    observer_of(group)->mark_apart(group);
}

void Observation::tape_from_here(Workgroup& group) {
  std::unique_ptr<GroupObserver> kept = std::move(group.observer);
  if (!kept) kept = new_observer();
  auto* observer = static_cast<ObservedGroup*>(kept.get());
  observer->tape(
      {group.as_started(), progress(group), model::least_alone(group.work()), {sample_.late_runs}},
      group.wave_count);
  for (uint32_t index = 0; index < group.wave_count; ++index)
    if (group.waves[index].state == WaveState::Ended)
      observer->taper()->wave(index).ended(group.waves[index].executed);
  group.observe_with(std::move(kept));
}

void Observation::end(Workgroup& group, model::DispatchWork& asked) {
  const GroupWork work = group.work();
  const uint64_t least = model::least_alone(work);
  work_.add(group.number, least, group.totals().instructions);
  if (sample_.on) asked.add(group.number, work);
  if (!group.observer) return;
  const uint64_t touched_bytes = observer_of(group)->put_marks_together(group);
  if (auto& taper = observer_of(group)->taper()) {
    model::GroupTape tape = taper->take();
    if (group.number < choice_at_) {
      model::FirstGroups::Group first = as_first(group);
      first.requests = model::requests_of(tape);
      first_.add(group.number, first);
    }
    tape.longest = least;
    tape.touched_bytes = touched_bytes;
    tapes_.add(std::move(tape));
  }
  give_back(std::move(group.observer));
  if (counting_) counting_->end(group.number);
}

model::Observed Observation::take(TouchedMemory touched, uint64_t instructions) {
  std::vector<model::GroupTape> planned = model::as_planned(tapes_.take_planned(), sample_);
  model::shorten(planned, shape_, sample_);
  std::vector<model::GroupTape> others = model::unplanned(tapes_.take_long(), planned);
  return {std::move(planned),
          std::move(others),
          work_,
          asked_,
          std::move(touched),
          instructions,
          sample_.long_cycles,
          sample_.steps_per_wave(),
          sample_.chosen,
          sample_.each,
          sample_.alike};
}

}  // namespace vgpu
