// The thread trace of one dispatch: what the waves on one CU did, step by step, and when all waves
// of the traced shader engines began and ended.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/thread_trace/thread_trace_options.h"
#include "model/xcd/step_listener.h"

namespace vgpu {
namespace model {

// How the tools that read thread traces class instructions.
enum class TraceCategory : uint8_t {
  None = 0,
  Smem = 1,
  Salu = 2,
  Vmem = 3,
  Flat = 4,
  Lds = 5,
  Valu = 6,
  Jump = 7,
  Next = 8,
  Immediate = 9,
  Message = 11,
};

class ThreadTrace final : public StepListener {
 public:
  // `code_base`: where the code object of the kernel is loaded; the simulation counts from there.
  ThreadTrace(const ThreadTraceOptions& options, uint64_t code_base)
      : options_(options), code_base_(code_base) {}

  bool wants(const WavePlace& place) override;
  void wave_began(const WavePlace& place, uint64_t cycle) override;
  void step(const WavePlace& place, const StepTimes& times) override;
  void memory_returned(const WavePlace&, uint64_t, uint64_t) override {}
  void wave_ended(const WavePlace& place, uint64_t cycle) override;

  // The CUs of the XCD whose waves are wanted, as a mask.
  uint64_t units() const;

  struct Step {
    uint64_t pc, time;         // time: of the first attempt to issue
    uint32_t stall, duration;  // duration includes the stall
    TraceCategory category;
  };
  struct WaveRecord {
    WavePlace place;
    uint64_t begin, end;
    std::vector<Step> steps;
  };
  struct Occupancy {
    uint64_t time;
    WavePlace place;
    bool begin;
  };

  const ThreadTraceOptions& options() const { return options_; }
  const std::vector<WaveRecord>& waves() const { return waves_; }  // those that had steps told
  const std::vector<Occupancy>& occupancy() const { return occupancy_; }
  uint64_t lost() const { return lost_; }            // steps behind the limit
  uint64_t cut_waves() const { return cut_waves_; }  // waves of which the last steps are missing

 private:
  struct Open {
    size_t wave;               // in waves_
    uint64_t behind_last = 0;  // address behind the last step, unless that always jumps
    bool ended = false;        // the last step was the end of the program
  };
  bool is_traced_engine(const WavePlace& place) const;

  ThreadTraceOptions options_;
  uint64_t code_base_;
  std::vector<WaveRecord> waves_;
  std::vector<Occupancy> occupancy_;
  std::unordered_map<uint32_t, Open> open_;  // by place
  uint64_t steps_ = 0, lost_ = 0, cut_waves_ = 0;
};

}  // namespace model
}  // namespace vgpu
