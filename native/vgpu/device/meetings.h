// Waves that wait for each other through memory: who stored last where others look, and when. What a wave
// reads with device scope it cannot have read before somebody stored it, so the clock follows the order
// in which the host executed. How often a wave looked before it saw something new is the host's affair:
// its own time and its tape go on as if it had looked once in vain, and then at the right time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "exec/wave/wave.h"
#include "model/tape/tape.h"
#include "observe/observer.h"

namespace vgpu {

// Of a dispatch whose workgroups run on one host thread.
class Meetings {
 public:
  struct Writer {
    uint64_t wave = 0;  // number in the dispatch, from 1 on
    uint64_t time = 0;  // of the dispatch
    uint8_t xcd = 0;
  };
  const Writer* last(uint64_t word) const;
  void stores(uint64_t word, const Writer& writer) { writers_[word] = writer; }
  // What an atomic leaves is made of what all before it left.
  void changes(uint64_t word, Writer writer);
  // Somebody has looked there again and again. Where nobody does, as at the stacks of calls to the host,
  // waves just pass, and go on in the order in which the host executes them.
  void waits(uint64_t word) { awaited_.insert(word); }
  bool is_awaited(uint64_t word) const { return awaited_.count(word) != 0; }

 private:
  std::unordered_map<uint64_t, Writer> writers_;  // by address / kWord
  std::unordered_set<uint64_t> awaited_;
};

class MeetingWatch final : public WaveObserver {
 public:
  MeetingWatch(Wave& wave, Meetings& meetings);

  void tapes_to(model::WaveTaper& taper) { taper_ = &taper; }

  void enter(DecodedCode&) override {}
  void meets(const CodeSlot& slot, const LaneAccess& access) override;
  void releases() override;

 private:
  // A load, or an atomic, of the same words again and again, and nothing else of global memory between.
  struct Poll {
    const CodeSlot* slot = nullptr;
    uint64_t words = 0, values = 0;  // hashed
    uint64_t moved = 0;              // bytes by other instructions
    uint32_t repeats = 0;
    uint64_t since = 0;  // of its own time, when it saw the same for the first time
    model::WaveTape::Position position;
  };
  static constexpr int kPolls = 4;

  Poll& poll_at(const CodeSlot& slot);
  // True when what it waited for has come.
  bool look(const CodeSlot& slot, const LaneAccess& access);
  // True when others have stored what it reads, and somebody waits there.
  bool wait_for_writers(const LaneAccess& access);
  uint64_t seen_at(const Meetings::Writer& writer) const;
  void note_store(const LaneAccess& access);
  void give_way();

  Wave& wave_;
  Meetings& meetings_;
  model::WaveTaper* taper_ = nullptr;
  uint64_t number_;
  uint8_t xcd_;
  uint64_t met_bytes_ = 0;    // that it moved where it may meet others
  uint64_t released_at_ = 0;  // when what it stored before a fence can be seen
  Poll polls_[kPolls];
  int next_poll_ = 0;
};

}  // namespace vgpu
