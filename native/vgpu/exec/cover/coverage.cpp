#include "exec/cover/coverage.h"

#include <algorithm>

#include "exec/cover/coverage_file.h"
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

struct OwnSheet {
  uint64_t dispatch = ~uint64_t(0);
  Sheet* sheet = nullptr;
};
thread_local OwnSheet own;

bool is_scalar(const Inst& inst) { return inst.format < Format::VOP1; }

// Whether executing it once more can tell anything. Comparisons always have operands.
bool may_tell_more(Kind kind, uint8_t known) {
  if (kind == Kind::None) return false;
  if (kind == Kind::ScalarCompare || kind == Kind::VectorCompare) return true;
  const uint8_t sides = kind == Kind::Branch ? kTaken | kNotTaken : kBothSides;
  return (known & sides) != sides;
}

}  // namespace

Sheet& Coverage::of_this_thread() {
  if (own.dispatch == dispatch_) return *own.sheet;
  std::lock_guard lock(mutex_);
  sheets_.push_back(std::make_unique<Sheet>());
  own = {dispatch_, sheets_.back().get()};
  return *own.sheet;
}

std::string Coverage::line(bool ended) {
  std::map<uint64_t, Seen> all;
  std::lock_guard lock(mutex_);
  for (const auto& sheet : sheets_) {
    // Other threads may still run when the process is about to end.
    const bool is_own = own.dispatch == dispatch_ && own.sheet == sheet.get();
    sheet->collect(all, ended || is_own);
  }
  return as_line({kernel_, dispatch_, origin_, ended}, all);
}

std::shared_ptr<Coverage> begin(const std::string& kernel, uint64_t origin) {
  if (!wanted()) return nullptr;
  std::lock_guard lock(running().mutex);
  auto coverage = std::make_shared<Coverage>(kernel, running().begun++, origin);
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

}  // namespace vgpu::cover
