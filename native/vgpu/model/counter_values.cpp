#include "counter_values.h"

#include <cmath>

#include "instruction_kind.h"
#include "structure.h"
#include "timing.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr double kQuad = 4;   // cycles: the unit of the sequencer's counters about waves
constexpr const char* kNames[] = {
#define VGPU_COUNTER(name) #name,
#include "counter_values.inc"
#undef VGPU_COUNTER
};

class JsonNumbers {
 public:
  void add(const std::string& name, uint64_t value) {
    text_ += text_.empty() ? "{" : ",";
    text_ += "\"" + name + "\":" + std::to_string(value);
  }
  void add(const std::string& name, double value) { add(name, uint64_t(std::llround(value))); }
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

// Clocks of blocks that run as long as the dispatch does, by how many instances are summed.
void add_clocks(double cycles, JsonNumbers& json) {
  const double xcds = kXcds, engines = kXcds * kEnginesPerXcd, channels = kXcds * kL2Channels;
  json.add("GRBM_COUNT", cycles * xcds);
  json.add("max(GRBM_COUNT)", cycles);
  json.add("GRBM_GUI_ACTIVE", cycles * xcds);
  json.add("max(GRBM_GUI_ACTIVE)", cycles);
  json.add("GRBM_SPI_BUSY", cycles * xcds);
  json.add("SPI_CSN_BUSY", cycles * engines);
  json.add("SPI_CSN_WINDOW_VALID", cycles * engines);
  json.add("SQ_CYCLES", cycles * engines);
  json.add("SQ_BUSY_CYCLES", cycles * engines);
  json.add("TCC_CYCLE", cycles * channels);
  json.add("TCC_BUSY", cycles * channels);
}

void add_waves(const TimingTotals& timing, const CounterValues& exact, JsonNumbers& json) {
  json.add("SQ_WAVE_CYCLES", timing.wave_cycles / kQuad);
  json.add("SQ_BUSY_CU_CYCLES", timing.busy_unit_cycles);
  json.add("SQ_WAIT_ANY", timing.wait_any / kQuad);
  json.add("SQ_WAIT_INST_ANY", timing.wait_issue / kQuad);
  json.add("SQ_WAIT_INST_LDS", timing.lds_wait / kQuad);
  const double lds = timing.active[int(Unit::Lds)] / kQuad;
  double any = lds;
  for (Counter counter : {Counter::SQ_ACTIVE_INST_VALU, Counter::SQ_ACTIVE_INST_SCA,
                          Counter::SQ_ACTIVE_INST_VMEM, Counter::SQ_ACTIVE_INST_FLAT,
                          Counter::SQ_ACTIVE_INST_EXP_GDS, Counter::SQ_ACTIVE_INST_MISC})
    any += double(exact[counter]);
  json.add("SQ_ACTIVE_INST_LDS", lds);
  json.add("SQ_ACTIVE_INST_ANY", any);
}

void add_levels(const TimingTotals& timing, JsonNumbers& json) {
  json.add("accumulate(SQ_LEVEL_WAVES)", timing.wave_cycles);
  json.add("accumulate(SQ_INST_LEVEL_VMEM)", timing.level_vmem);
  json.add("accumulate(SQ_INST_LEVEL_SMEM)", timing.level_smem);
  json.add("accumulate(SQ_INST_LEVEL_LDS)", timing.level_lds);
  json.add("accumulate(SQ_IFETCH_LEVEL)", timing.level_fetch);
}

}  // namespace

const char* counter_name(Counter counter) { return kNames[size_t(counter)]; }

std::string counters_json(const CounterValues& exact, const TimingTotals& timing) {
  JsonNumbers json;
  for (size_t n = 0; n < size_t(Counter::count_); ++n)
    json.add(kNames[n], exact[Counter(n)]);
  if (timing.wave_cycles == 0) return json.text();   // VROCM_TIMING=0: nothing was simulated
  add_clocks(timing.kernel_cycles, json);
  add_waves(timing, exact, json);
  add_levels(timing, json);
  json.add("TA_TA_BUSY", timing.address_busy);
  return json.text();
}

}  // namespace model
}  // namespace vgpu
