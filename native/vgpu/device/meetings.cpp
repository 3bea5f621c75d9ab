#include "device/meetings.h"

#include <algorithm>
#include <cstring>

#include "exec/group/workgroup.h"
#include "exec/wave/own_chain.h"
#include "memory/touched_pages.h"

namespace vgpu {
namespace {

using namespace arch::calibration;

constexpr uint64_t kWord = 4;
// Times that a wave sees the same. From the first number on others have their turn each time; from the
// second on it may be a loop that waits for nobody, and they have it once in so many times.
constexpr uint32_t kPatience = 2, kLoops = 4096, kSeldom = 64;

bool is_global(const LaneAccess& access) {
  const uint64_t address = access.first();
  return !in_lds(address) && !in_private(address);
}

// Calls `use(address of a word)` for the words that active lanes touch, each once where lanes touch the
// same in a row.
template <class Use>
void for_each_word(const LaneAccess& access, Use use) {
  uint64_t before = 0;
  for (uint64_t left = access.exec; left; left &= left - 1) {
    const uint64_t at = access.of(__builtin_ctzll(left));
    if (at == before) continue;
    before = at;
    for (uint64_t word = at / kWord; word <= (at + access.shape.bytes - 1) / kWord; ++word)
      use(word);
  }
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

}  // namespace

const Meetings::Writer* Meetings::last(uint64_t word) const {
  const auto found = writers_.find(word);
  return found == writers_.end() ? nullptr : &found->second;
}

void Meetings::changes(uint64_t word, Writer writer) {
  Writer& last = writers_[word];
  writer.time = std::max(writer.time, last.time);  // how long atomics of a line take others count
  last = writer;
}

MeetingWatch::MeetingWatch(Wave& wave, Meetings& meetings)
    : WaveObserver(kMeetings),
      wave_(wave),
      meetings_(meetings),
      number_(wave.group->number * wave.group->dispatch->waves_per_group() + wave.index + 1),
      xcd_(uint8_t(wave.group->number % TouchedPages::kXcds)) {}

void MeetingWatch::releases() { released_at_ = ordered_time(wave_) + uint64_t(kReleaseCycles); }

void MeetingWatch::meets(const CodeSlot& slot, const LaneAccess& access) {
  if (!is_global(access)) return;
  const Touch touch = access.shape.touch;
  const bool returns = touch == Touch::Read || (touch == Touch::Atomic && slot.inst.sc0);
  const bool came = returns && look(slot, access);
  // Tickets are drawn in the order of the host, which says little: only who has waited knows of others.
  if ((touch == Touch::Read || came) && wait_for_writers(access)) give_way();
  if (touch != Touch::Read) note_store(access);
  met_bytes_ += uint64_t(__builtin_popcountll(access.exec)) * access.shape.bytes;
}

// Others have their turn behind this instruction: those who look see what is stored one after the other,
// before somebody who has seen it stores more.
void MeetingWatch::give_way() {
  if (wave_.state == WaveState::Ready) wave_.state = WaveState::Sleeping;
}

MeetingWatch::Poll& MeetingWatch::poll_at(const CodeSlot& slot) {
  for (Poll& poll : polls_)
    if (poll.slot == &slot) return poll;
  Poll& poll = polls_[next_poll_++ % kPolls];
  poll = Poll{};
  poll.slot = &slot;
  return poll;
}

bool MeetingWatch::look(const CodeSlot& slot, const LaneAccess& access) {
  uint64_t words = access.exec, values = 0;
  for_each_word(access, [&](uint64_t word) {
    uint32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(word * kWord), sizeof value);
    words = mix(words, word);
    values = mix(values, value);
  });
  Poll& poll = poll_at(slot);
  const uint64_t moved = wave_.memory_bytes - met_bytes_;
  const bool again = poll.words == words && poll.moved == moved;
  if (again && poll.values == values) {
    if (poll.repeats++ == 0) {
      poll.since = own_time(wave_);
      if (taper_) poll.position = taper_->position();
      for_each_word(access, [&](uint64_t word) { meetings_.waits(word); });
    }
    if (poll.repeats >= kPatience && (poll.repeats < kLoops || poll.repeats % kSeldom == 0))
      give_way();
    return false;
  }
  const bool came = again && poll.repeats > 0;
  if (came) {
    forget_waiting(wave_, own_time(wave_) - poll.since);
    if (taper_) taper_->forget_behind(poll.position);
    for (Poll& other : polls_) other.repeats = 0;
  }
  poll.words = words;
  poll.values = values;
  poll.moved = moved;
  poll.repeats = 0;
  poll.position = {};
  return came;
}

// When a wave that waits for it has it, as far as that is not its own time: half of a turn later, on
// average, and then the load takes as long as any.
uint64_t MeetingWatch::seen_at(const Meetings::Writer& writer) const {
  if (writer.wave == number_) return writer.time;
  if (writer.xcd == xcd_)
    return writer.time + kHandOverL2Cycles + (kL2HitLatency - kVectorHitLatency);
  return writer.time + kHandOverMallCycles + (kMallLatency - kVectorHitLatency);
}

bool MeetingWatch::wait_for_writers(const LaneAccess& access) {
  uint64_t latest = 0;
  bool others = false;
  for_each_word(access, [&](uint64_t word) {
    const Meetings::Writer* writer = meetings_.last(word);
    if (!writer) return;
    latest = std::max(latest, seen_at(*writer));
    others |= writer->wave != number_ && meetings_.is_awaited(word);
  });
  keep_until(wave_, latest);
  return others;
}

void MeetingWatch::note_store(const LaneAccess& access) {
  const Meetings::Writer writer{number_, std::max(ordered_time(wave_), released_at_), xcd_};
  const bool atomic = access.shape.touch == Touch::Atomic;
  for_each_word(access, [&](uint64_t word) {
    if (atomic) meetings_.changes(word, writer);
    else meetings_.stores(word, writer);
    if (meetings_.is_awaited(word)) give_way();
  });
  if (atomic) return;
  for (Poll& poll : polls_) poll.repeats = 0;
}

}  // namespace vgpu
