#include "order_scan.h"

#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "../isa/decode.h"
#include "code.h"

namespace vgpu {
namespace {

bool contains(const char* text, const char* part) { return std::strstr(text, part) != nullptr; }

bool is_memory(const Inst& i) {
  return i.format == Format::FLAT || i.format == Format::GLOBAL || i.format == Format::MUBUF ||
         i.format == Format::MTBUF;
}

// Integer atomics of one kind commute with themselves (add with sub too), not with other kinds.
// Returns an identity for the kind, or null when even one kind alone depends on order.
const char* commuting_kind(const char* name) {
  static const char* const kKinds[][2] = {
      {"_atomic_add", "add"},   {"_atomic_sub", "add"},   {"_atomic_smin", "smin"},
      {"_atomic_umin", "umin"}, {"_atomic_smax", "smax"}, {"_atomic_umax", "umax"},
      {"_atomic_and", "and"},   {"_atomic_or", "or"},     {"_atomic_xor", "xor"}};
  if (contains(name, "_f32") || contains(name, "_f64") || contains(name, "_pk_")) return nullptr;
  for (const auto& kind : kKinds)
    if (contains(name, kind[0])) return kind[1];
  return nullptr;
}

class Scanner {
 public:
  explicit Scanner(CodeRange& code) : code_(code) {}

  bool run(uint64_t entry) {
    pending_.push_back(entry);
    while (!pending_.empty() && !found_) {
      uint64_t pc = pending_.back();
      pending_.pop_back();
      follow(pc);
    }
    return found_;
  }

 private:
  void follow(uint64_t pc) {
    while (!found_ && code_.contains(pc) && seen_.insert(pc).second) {
      const Inst& i = code_.at(pc).inst;
      uint64_t next = pc + i.bytes;
      judge(i);
      if (i.op == Op::invalid || i.op == Op::s_endpgm) return;
      if (is_branch(i)) pending_.push_back(next + uint64_t(int64_t(int16_t(i.words[0])) * 4));
      if (i.op == Op::s_branch) return;
      if (is_indirect(i)) {
        // Any function may be called. Those that this kernel does not call cost only speed.
        if (!swept_) sweep();
        if (i.op == Op::s_setpc_b64) return;
      }
      pc = next;
    }
  }

  // Every instruction of the code object, in address order.
  void sweep() {
    swept_ = true;
    for (uint64_t pc = code_.executable_begin(); pc < code_.executable_end() && !found_;) {
      const Inst& i = code_.at(pc).inst;
      judge(i);
      pc += i.bytes;
    }
  }

  static bool is_branch(const Inst& i) {
    const char* name = i.op == Op::invalid ? "" : mnemonic(i.op);
    return i.op == Op::s_branch || i.op == Op::s_call_b64 || i.op == Op::s_cbranch_i_fork ||
           (i.format == Format::SOPP && std::strncmp(name, "s_cbranch", 9) == 0);
  }

  static bool is_indirect(const Inst& i) {
    return i.op == Op::s_setpc_b64 || i.op == Op::s_swappc_b64 || i.op == Op::s_cbranch_g_fork;
  }

  void judge(const Inst& i) {
    if (i.op == Op::invalid) return;
    const char* name = mnemonic(i.op);
    bool atomic = contains(name, "_atomic_");
    if (atomic && is_memory(i)) {
      const char* kind = i.sc0 ? nullptr : commuting_kind(name);
      if (!kind || (!kind_.empty() && kind_ != kind)) found_ = true;
      if (kind) kind_ = kind;
    } else if (is_memory(i) && i.sc1 && contains(name, "_load_")) {
      found_ = true;
    }
    if ((i.format == Format::SMEM && atomic) || i.op == Op::s_sendmsg ||
        (i.op == Op::buffer_inv && i.sc1) || contains(name, "ds_gws_"))
      found_ = true;
  }

  CodeRange& code_;
  std::vector<uint64_t> pending_;
  std::unordered_set<uint64_t> seen_;
  std::string kind_;
  bool swept_ = false, found_ = false;
};

}  // namespace

bool is_order_dependent(CodeRange& code, uint64_t entry) { return Scanner(code).run(entry); }

}  // namespace vgpu
