#include "exec/cover/coverage.h"

#include <algorithm>

#include "exec/cover/coverage_file.h"
#include "exec/cover/flops.h"
#include "exec/cover/sides.h"

namespace vgpu::cover {
namespace {

struct Running {
  std::mutex mutex;
  uint64_t begun = 0;
  std::vector<std::shared_ptr<Coverage>> coverages;
};

Running& running() {
  static Running* all = new Running;  // outlives static destructors of the program
  return *all;
}

struct OwnPart {
  uint64_t dispatch = ~uint64_t(0);
  Part* part = nullptr;
};
thread_local OwnPart own;

bool is_scalar(const Inst& inst) { return inst.format < Format::VOP1; }

// Whether executing it once more can tell anything. Comparisons always have operands.
bool may_tell_more(Kind kind, uint8_t known) {
  if (kind == Kind::None) return false;
  if (kind == Kind::ScalarCompare || kind == Kind::VectorCompare) return true;
  const uint8_t ways = kTaken | kNotTaken;
  const uint8_t sides = kind == Kind::Branch     ? ways
                        : kind == Kind::MaskPair ? ways | kBothSides
                                                 : kBothSides;
  return (known & sides) != sides;
}

}  // namespace

Part& Coverage::of_this_thread() {
  if (own.dispatch == dispatch_) return *own.part;
  std::lock_guard lock(mutex_);
  parts_.push_back(std::make_unique<Part>(touched_));
  own = {dispatch_, parts_.back().get()};
  return *own.part;
}

std::string Coverage::line(bool ended) {
  std::map<uint64_t, Seen> all;
  std::lock_guard lock(mutex_);
  uint64_t flops = 0, executed = 0, longest = 0;
  for (const auto& part : parts_) {
    // Other threads may still run when the process is about to end.
    const bool is_own = own.dispatch == dispatch_ && own.part == part.get();
    part->sheet.collect(all, ended || is_own);
    flops += Part::get(part->flops);
    executed += Part::get(part->executed);
    longest = std::max(longest, Part::get(part->longest_wave));
  }
  return as_line({kernel_, dispatch_, origin_, ended, touched_.needed(), touched_.written(),
                  touched_.written_hash(), flops, executed, longest},
                 all);
}

std::shared_ptr<Coverage> begin(Subject subject) {
  if (!wanted()) return nullptr;
  std::lock_guard lock(running().mutex);
  auto coverage = std::make_shared<Coverage>(std::move(subject), running().begun++);
  running().coverages.push_back(coverage);
  return coverage;
}

void end(const std::shared_ptr<Coverage>& coverage) {
  if (!coverage) return;
  std::lock_guard lock(running().mutex);
  auto& all = running().coverages;
  all.erase(std::remove(all.begin(), all.end(), coverage), all.end());
  write_line(coverage->line(true));
}

void end_with_process() {
  if (!wanted()) return;
  std::lock_guard lock(running().mutex);
  for (const auto& coverage : running().coverages) write_line(coverage->line(false));
  running().coverages.clear();
}

void mark(Sheet& sheet, Wave& wave, const Inst& inst, uint64_t wave_number) {
  const uint64_t pc = wave.pc - inst.bytes;
  sheet.add(pc, wave.exec() ? kReached | kActive : kReached);
  const Kind kind = kind_of(inst.op);
  if (!may_tell_more(kind, sheet.facts(pc))) return;
  const Sides sides =
      is_scalar(inst) ? scalar_sides(wave, inst, kind) : vector_sides(wave, inst, kind);
  sheet.add(pc, sides.facts);
  if (sides.pair) sheet.add(pc, {wave_number, wave.executed}, *sides.pair);
}

void count_flops(Part& part, const Wave& wave, const Inst& inst) {
  const uint64_t more = flops(inst.op, wave.exec());
  if (more) part.add_flops(more);
}

}  // namespace vgpu::cover
