#include "model/counters/counter_values.h"

#include <algorithm>
#include <cmath>

#include "model/instruction/instruction_kind.h"
#include "model/launch/device_size.h"
#include "model/launch/structure.h"
#include "model/xcd/timing_totals.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr double kQuad = 4;  // cycles: the unit of the sequencer's counters about waves
constexpr const char* kNames[] = {
#define VGPU_COUNTER(name) #name,
#include "model/counters/counter_values.inc"
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

void add_with_most(const std::string& name, const OverParts& parts, JsonNumbers& json) {
  json.add(name, parts.sum);
  json.add("max(" + name + ")", parts.most);
}

// An address unit makes one tag access a cycle, and holds what the vector cache keeps waiting.
// Which unit does most and least is taken from the time with accesses under way.
void add_address_units(const MemoryTotals& memory, const CounterValues& exact, double all_cycles,
                       JsonNumbers& json) {
  const double waiting = memory.load_waits.sum + memory.store_waits.sum;
  const double working = double(exact[Counter::TCP_TOTAL_CACHE_ACCESSES]);
  const double busy = std::min(all_cycles, working + waiting);
  const double per_cycle = memory.under_way.sum > 0 ? busy / memory.under_way.sum : 0;
  json.add("TA_TA_BUSY", busy);
  json.add("max(TA_TA_BUSY)", memory.under_way.most * per_cycle);
  json.add("min(TA_TA_BUSY)", memory.under_way.least * per_cycle);
  json.add("TA_ADDR_STALLED_BY_TC_CYCLES", memory.load_waits.sum);
  json.add("TA_DATA_STALLED_BY_TC_CYCLES", memory.store_waits.sum);
}

void add_vector_caches(const TimingTotals& timing, const CounterValues& exact, JsonNumbers& json) {
  const MemoryTotals& memory = timing.memory;
  const double all_cycles = timing.kernel_cycles * kXcds * device_size().units_per_xcd;
  const double under_way = std::min(memory.under_way.sum, all_cycles);
  add_address_units(memory, exact, all_cycles, json);
  add_with_most("TCP_TCP_TA_DATA_STALL_CYCLES", memory.store_waits, json);
  json.add("TCP_GATE_EN1", all_cycles);
  json.add("TCP_GATE_EN2", under_way);
  json.add("TCP_PENDING_STALL_CYCLES", std::max(0.0, under_way - memory.load_cycles));
  json.add("TCP_TCR_TCP_STALL_CYCLES", memory.l2_stalls.sum);
  json.add("TD_TD_BUSY", under_way);
  json.add("TD_TC_STALL", std::max(0.0, under_way - memory.returning));
  const double requests = double(exact[Counter::TCP_UTCL1_REQUEST]);
  const double misses = std::min(requests, memory.translation_misses);
  json.add("TCP_UTCL1_TRANSLATION_MISS", misses);
  json.add("TCP_UTCL1_TRANSLATION_HIT", requests - misses);
}

// Credits of the links to the host and to other devices are not modelled. Who asks only the device's
// own memory cannot wait for them; for others the counters are absent.
void add_link_credits(const CounterValues& exact, JsonNumbers& json) {
  const bool own_memory_only =
      exact[Counter::TCC_EA0_RDREQ] == exact[Counter::TCC_EA0_RDREQ_DRAM] &&
      exact[Counter::TCC_EA0_WRREQ] == exact[Counter::TCC_EA0_WRREQ_DRAM];
  if (!own_memory_only) return;
  for (const char* name : {"TCC_EA0_RDREQ_GMI_CREDIT_STALL", "TCC_EA0_RDREQ_IO_CREDIT_STALL",
                           "TCC_EA0_WRREQ_GMI_CREDIT_STALL", "TCC_EA0_WRREQ_IO_CREDIT_STALL"})
    json.add(name, 0.0);
}

void add_l2_channels(const MemoryTotals& memory, const CounterValues& exact, JsonNumbers& json) {
  const double reads = double(exact[Counter::TCC_EA0_RDREQ]);
  const double writes = double(exact[Counter::TCC_EA0_WRREQ]);
  json.add("TCC_TAG_STALL", memory.tag_stalls.sum);
  json.add("TCC_EA0_RDREQ_LEVEL", reads * memory.read_cycles);
  json.add("TCC_EA0_WRREQ_LEVEL", writes * memory.write_cycles);
  json.add("TCC_EA0_ATOMIC_LEVEL", memory.atomic_level);
  json.add("TCC_EA0_RDREQ_DRAM_CREDIT_STALL", memory.read_stalls.sum);
  json.add("TCC_EA0_WRREQ_DRAM_CREDIT_STALL", memory.write_stalls.sum);
  add_with_most("TCC_EA0_WRREQ_STALL", memory.write_stalls, json);
}

}  // namespace

const char* counter_name(Counter counter) { return kNames[size_t(counter)]; }

std::string counters_json(const CounterValues& exact, const TimingTotals& timing) {
  JsonNumbers json;
  for (size_t n = 0; n < size_t(Counter::count_); ++n) json.add(kNames[n], exact[Counter(n)]);
  if (timing.wave_cycles == 0) return json.text();  // VROCM_TIMING=0: nothing was simulated
  add_clocks(timing.kernel_cycles, json);
  add_waves(timing, exact, json);
  add_levels(timing, json);
  add_vector_caches(timing, exact, json);
  add_l2_channels(timing.memory, exact, json);
  add_link_credits(exact, json);
  return json.text();
}

}  // namespace model
}  // namespace vgpu
