#include "exec/code/code.h"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <shared_mutex>

#include "exec/code/code_registry.h"
#include "exec/code/order_scan.h"
#include "exec/wave/cost.h"
#include "exec/wave/handlers.h"
#include "exec/wave/wave.h"
#include "isa/decode.h"
#include "memory/address_space.h"

namespace vgpu {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::map<uint64_t, std::shared_ptr<CodeRange>> ranges;  // by base
};

Registry& registry() {
  static Registry* r = new Registry;  // outlives static destructors of the program
  return *r;
}

std::atomic<Weigher> weigher{nullptr};

StepWork weigh(const Inst& inst) {
  const Weigher model = weigher.load();
  StepWork work = model ? model(inst) : StepWork{};
  if (inst.op == Op::s_sleep) work.ask_to_idle(WorkPart::OwnClock, cost::issue_cycles(inst));
  else work.ask(WorkPart::OwnClock, cost::issue_cycles(inst));
  return work;
}

void illegal_instruction(Wave& wave, const Inst& inst) {
  raise_fault(wave, inst, Fault::IllegalInstruction, -1, wave.pc - inst.bytes);
}

// Code behind it need not be code.
bool is_end(Op op) { return op == Op::s_endpgm || op == Op::s_branch || op == Op::s_setpc_b64; }

// Memory may be full of what looks like instructions: zeros do.
constexpr size_t kMostDecodedTogether = 256;

std::shared_ptr<CodeRange> find_registered(uint64_t pc) {
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  auto it = r.ranges.upper_bound(pc);
  if (it == r.ranges.begin()) return nullptr;
  --it;
  return it->second->contains(pc) ? it->second : nullptr;
}

size_t whole_dwords(size_t bytes) { return bytes & ~size_t(3); }
size_t slot_bytes(size_t code_bytes) { return code_bytes / 4 * sizeof(CodeSlot) + 1; }

// Zero pages until decoded.
CodeSlot* empty_slots(size_t code_bytes) {
  void* memory = mmap(nullptr, slot_bytes(code_bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "virtual MI300X: no host memory to decode %zu bytes of code\n",
                 code_bytes);
    std::abort();
  }
  return static_cast<CodeSlot*>(memory);
}

}  // namespace

CodeRange::CodeRange(uint64_t base, size_t bytes, const void* elf, size_t elf_bytes)
    : DecodedCode(base, whole_dwords(bytes), empty_slots(whole_dwords(bytes))),
      executable_begin_(base),
      executable_end_(base + whole_dwords(bytes)) {
  const uint8_t* image = static_cast<const uint8_t*>(elf);
  if (image) elf_.assign(image, image + elf_bytes);
  find_executable_part();
}

void CodeRange::find_executable_part() {
  Elf64_Ehdr header;
  if (elf_.size() < sizeof header) return;
  std::memcpy(&header, elf_.data(), sizeof header);
  for (unsigned n = 0; n < header.e_phnum; ++n) {
    Elf64_Phdr segment;
    uint64_t at = header.e_phoff + uint64_t(n) * sizeof segment;
    if (at + sizeof segment > elf_.size()) return;
    std::memcpy(&segment, elf_.data() + at, sizeof segment);
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    executable_begin_ = base() + segment.p_vaddr;
    executable_end_ = std::min(executable_begin_ + segment.p_memsz, base() + bytes());
  }
}

CodeRange::~CodeRange() { munmap(slots(), slot_bytes(bytes())); }

// Everything but inst.exec, which is returned.
ExecFn CodeRange::fill(uint64_t pc, CodeSlot& slot) const {
  Inst inst;
  const uint32_t* words = reinterpret_cast<const uint32_t*>(pc);
  const bool known = decode(words, (base() + bytes() - pc) / 4, inst);
  if (known) bind(inst);
  const ExecFn exec = known && inst.exec ? inst.exec : illegal_instruction;
  inst.exec = nullptr;
  slot.inst = inst;
  slot.work = weigh(inst);
  slot.unit = op_class(inst.op).unit;
  slot.access = shape_of(op_class(inst.op));
  return exec;
}

void CodeRange::decode_from(uint64_t pc) {
  std::lock_guard lock(mutex_);
  std::vector<std::pair<CodeSlot*, ExecFn>> fresh;
  CodeSlot* slot = &slots()[(pc - base()) / 4];
  while (!slot->inst.exec) {
    const ExecFn exec = fill(pc, *slot);
    fresh.emplace_back(slot, exec);
    const bool ends = exec == illegal_instruction || is_end(slot->inst.op) ||
                      fresh.size() == kMostDecodedTogether;
    pc += slot->inst.bytes;
    if (ends || !contains(pc)) break;
    slot->inst.ahead = slot->inst.bytes / 4;
    slot = &slots()[(pc - base()) / 4];
  }
  // Others may read a slot from here on, and the one behind it: the last comes first.
  for (auto it = fresh.rbegin(); it != fresh.rend(); ++it)
    __atomic_store_n(&it->first->inst.exec, it->second, __ATOMIC_RELEASE);
}

void set_weigher(Weigher who) { weigher.store(who); }

KernelTraits CodeRange::traits(uint64_t entry) {
  {
    std::lock_guard lock(mutex_);
    for (const auto& known : known_)
      if (known.first == entry) return known.second;
  }
  const KernelTraits traits = order_traits(*this, entry);
  std::lock_guard lock(mutex_);
  known_.emplace_back(entry, traits);
  return traits;
}

std::shared_ptr<CodeRange> find_code(uint64_t pc) {
  std::shared_ptr<CodeRange> found = find_registered(pc);
  Allocation memory;
  if (found || !AddressSpace::instance().holding(pc, memory)) return found;
  register_code(memory.base, memory.bytes, nullptr, 0);
  return find_registered(pc);
}

void forget_code_in_memory(uint64_t base) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  const auto it = r.ranges.find(base);
  if (it != r.ranges.end() && it->second->in_plain_memory()) r.ranges.erase(it);
}

void register_code(uint64_t base, size_t bytes, const void* elf, size_t elf_bytes) {
  auto range = std::make_shared<CodeRange>(base, bytes, elf, elf_bytes);
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  r.ranges[base] = std::move(range);
}

void unregister_code(uint64_t base) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  r.ranges.erase(base);
}

}  // namespace vgpu
