// Which steps of a wave are kept on its tape. A short wave is kept whole. A long one is looked at
// every 32 steps, and behind every barrier, so that waves that meet there are looked at together:
// where in its code it is then tells what kind of steps follow. Runs of such windows are kept; those
// that begin at the same place are spread evenly over all visits there, however many these turn out
// to be: whenever too many runs are kept, the place with most of them gives up every other one.
// Before a run that comes out of nowhere, the wave is followed once around its loop to see which
// memory it touches, and once more until what it waits for is under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vgpu {
namespace model {

constexpr uint32_t kWindowSteps = 32;
constexpr uint32_t kWindowsPerRun = 4;  // and some more of a run behind a gap, see settling

// How much of a wave is kept: all of it up to so many steps, of longer ones about so many runs at a time.
struct TapeRoom {
  uint32_t runs = 0;
  uint64_t whole = 0;
};

class WindowSchedule {
 public:
  // From step `first` on. Steps before `first` are a gap.
  void start(uint64_t first, const TapeRoom& room);

  // What becomes of the steps up to until().
  enum class Look : uint8_t {
    Skip,
    Touch,    // only the memory that they touch is kept
    Settle,   // kept, but not typical yet: nothing was under way when they began
    Measure,  // kept, and typical of their place
  };
  Look look() const { return look_; }
  bool keeps() const { return look_ >= Look::Settle; }
  uint64_t until() const { return until_; }
  // The window ends at this step already.
  void end_window(uint64_t step) { until_ = step; }
  // The wave has ended: so did the window.
  void end(uint64_t step);

  // The wave has come to step until(), and to `pc` in its code: decides about the window that
  // begins there. Before that, every other run of the `thinned()` places has to go, in that order.
  void turn(uint64_t pc);
  struct Thinned {
    uint32_t place, gap;  // between its runs so far
  };
  const std::vector<Thinned>& thinned() const { return thinned_; }

  // The wave has ended, and less of it is kept than it had room for: true when runs of `thinned()` places
  // have to go, and it has to be asked again.
  bool shorten(const TapeRoom& room);

  // Of the window that began last.
  uint32_t place() const { return place_; }
  bool begins_run() const { return begins_run_; }
  uint32_t visit() const { return uint32_t(places_[place_].visits); }
  // An instruction has accessed memory: one that the run has seen before ends its loop.
  void note_access(const void* instruction) {
    places_[place_].accesses = true;
    if (look_ != Look::Touch) return;
    if (!first_access_) first_access_ = instruction;
    else came_around_ |= first_access_ == instruction;
  }

  // Steps of a window are on the tape no more, and count no more; it may not have ended.
  void forget(uint32_t place, uint64_t steps) { places_[place].steps -= steps; }

  struct Place {
    uint64_t code;          // a stretch of code
    uint64_t visits = 0;    // windows that begin there, kept or not
    uint64_t steps = 0;     // of these
    uint32_t runs = 0;      // that begin there and are kept
    uint32_t gap = 1;       // visits that each of them stands for
    bool accesses = false;  // some of its windows access memory
  };
  const std::vector<Place>& places() const { return places_; }

  // Of the runs 2 * pair and 2 * pair + 1 of a place, each `gap` visits from the next, the second
  // stays. Drawn, so that no loop of the program keeps step with it. The same for all waves: waves
  // that work together are looked at together.
  static bool keeps_second(uint64_t pair, uint32_t gap);

 private:
  uint32_t find(uint64_t code);
  void thin(uint32_t place);
  void thin_crowded();
  void begin_run(bool behind_gap);
  void measure(uint64_t steps);
  void note_length();
  void go_on();

  std::vector<Place> places_;
  std::vector<Thinned> thinned_;
  uint64_t first_ = 0, began_ = 0, until_ = 0;  // steps: of the tape, of the window, and behind it
  TapeRoom room_;
  uint32_t runs_ = 0, place_ = 0;
  Look look_ = Look::Skip;
  uint64_t left_ = 0;                   // steps with this look, those of the window included
  uint64_t touched_ = 0;                // steps of the run that were only touched
  const void* first_access_ = nullptr;  // of these
  bool came_around_ = false;            // to it again
  bool begins_run_ = false;
};

}  // namespace model
}  // namespace vgpu
