// Hardware registers, register-relative moves and the vector register index mode.
#include "exec/scalar/select.h"
#include "exec/wave/services.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// hwreg(id, offset, size) as it is packed into simm16.
struct RegisterField {
  int id;
  unsigned offset;
  uint32_t mask;  // of the value, before shifting

  VGPU_INLINE explicit RegisterField(const Inst& i) {
    uint32_t imm = i.words[0] & 0xffff, size = (imm >> 11) + 1;
    id = int(imm & 63);
    offset = (imm >> 6) & 31;
    mask = size >= 32 ? ~0u : (1u << size) - 1;
  }
};

VGPU_INLINE uint32_t& register_operand(Wave& w, const Inst& i) {
  return w.sgpr[(i.words[0] >> 16) & 127];
}

void s_getreg_b32(Wave& w, const Inst& i) {
  RegisterField field(i);
  register_operand(w, i) = (read_hardware_register(w, field.id) >> field.offset) & field.mask;
}

VGPU_INLINE void set_field(Wave& w, const RegisterField& field, uint32_t value) {
  uint32_t mask = field.mask << field.offset;
  uint32_t old = read_hardware_register(w, field.id);
  write_hardware_register(w, field.id, (old & ~mask) | ((value << field.offset) & mask));
  w.state = running_state(w);
}

void s_setreg_b32(Wave& w, const Inst& i) {
  set_field(w, RegisterField(i), register_operand(w, i));
}
void s_setreg_imm32_b32(Wave& w, const Inst& i) { set_field(w, RegisterField(i), i.words[1]); }

VGPU_INLINE int relative(const Wave& w, uint32_t encoding) {
  return int((encoding + w.sgpr[kM0]) & 127);
}

void s_movrels_b32(Wave& w, const Inst& i) {
  write32(w, i.dst, w.sgpr[relative(w, i.words[0] & 0xff)]);
}
void s_movrels_b64(Wave& w, const Inst& i) {
  write64(w, i.dst, w.pair(relative(w, i.words[0] & 0xff) & 126));
}
void s_movreld_b32(Wave& w, const Inst& i) {
  w.sgpr[relative(w, (i.words[0] >> 16) & 127)] = read32(w, i.src[0]);
}
void s_movreld_b64(Wave& w, const Inst& i) {
  w.set_pair(relative(w, (i.words[0] >> 16) & 127) & 126, read64(w, i.src[0]));
}

// M0[7:0] is the index, M0[15:12] says which vector operands it is added to.
VGPU_INLINE void set_index(Wave& w, uint32_t index) {
  w.sgpr[kM0] = (w.sgpr[kM0] & ~0xffu) | (index & 0xff);
}
VGPU_INLINE void set_index_operands(Wave& w, uint32_t which) {
  w.sgpr[kM0] = (w.sgpr[kM0] & ~0xf000u) | ((which & 15) << 12);
}

void s_set_gpr_idx_on(Wave& w, const Inst& i) {
  uint32_t index = read32(w, i.src[0]);
  w.mode |= kModeGprIndex;
  set_index(w, index);
  set_index_operands(w, i.words[0] >> 8);  // the raw second source field
  w.state = WaveState::Special;
}

void s_set_gpr_idx_off(Wave& w, const Inst&) {
  w.mode &= ~kModeGprIndex;
  w.state = running_state(w);
}

void s_set_gpr_idx_idx(Wave& w, const Inst& i) { set_index(w, read32(w, i.src[0])); }
void s_set_gpr_idx_mode(Wave& w, const Inst& i) { set_index_operands(w, i.words[0]); }

void s_setvskip(Wave& w, const Inst& i) {
  bool skip = (read32(w, i.src[0]) >> (read32(w, i.src[1]) & 31)) & 1;
  w.mode = skip ? w.mode | kModeSkipVector : w.mode & ~kModeSkipVector;
  w.state = running_state(w);
}

constexpr OpHandler kHandlers[] = {
    {Op::s_getreg_b32, s_getreg_b32},
    {Op::s_setreg_b32, s_setreg_b32},
    {Op::s_setreg_imm32_b32, s_setreg_imm32_b32},
    {Op::s_movrels_b32, s_movrels_b32},
    {Op::s_movrels_b64, s_movrels_b64},
    {Op::s_movreld_b32, s_movreld_b32},
    {Op::s_movreld_b64, s_movreld_b64},
    {Op::s_set_gpr_idx_on, s_set_gpr_idx_on},
    {Op::s_set_gpr_idx_off, s_set_gpr_idx_off},
    {Op::s_set_gpr_idx_idx, s_set_gpr_idx_idx},
    {Op::s_set_gpr_idx_mode, s_set_gpr_idx_mode},
    {Op::s_setvskip, s_setvskip},
};

}  // namespace

HandlerTable scalar_register_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
