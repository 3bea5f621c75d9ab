// FLAT, GLOBAL and SCRATCH instructions.
#include "exec/memory/select.h"

namespace vgpu {
namespace VGPU_TARGET {
namespace {

// Loads straight into LDS: lane l's value lands at M0 + offset + 4 * l.
template <class Space, class T>
void load_to_lds(Wave& w, const Inst& i) {
  Access a;
  a.exec = w.exec();
  if (a.exec == 0) return;
  bool resolved = Space::resolve(w, i, sizeof(T), a);
  for (uint64_t left = a.exec; left; left &= left - 1) {
    int l = __builtin_ctzll(left);
    T value;
    if (resolved) value = read_host<T>(a.at[l]);
    else lane_read(w, i, l, a.at[l], &value, sizeof value);
    write_lds_slot(w, i, l, uint32_t(int32_t(value)));
  }
}

#define LOADS_AND_STORES(prefix, Space)                                            \
  {Op::prefix##_load_ubyte, load_small<Space, uint8_t, Part::Whole>},              \
      {Op::prefix##_load_sbyte, load_small<Space, int8_t, Part::Whole>},           \
      {Op::prefix##_load_ushort, load_small<Space, uint16_t, Part::Whole>},        \
      {Op::prefix##_load_sshort, load_small<Space, int16_t, Part::Whole>},         \
      {Op::prefix##_load_ubyte_d16, load_small<Space, uint8_t, Part::Low>},        \
      {Op::prefix##_load_ubyte_d16_hi, load_small<Space, uint8_t, Part::High>},    \
      {Op::prefix##_load_sbyte_d16, load_small<Space, int8_t, Part::Low>},         \
      {Op::prefix##_load_sbyte_d16_hi, load_small<Space, int8_t, Part::High>},     \
      {Op::prefix##_load_short_d16, load_small<Space, uint16_t, Part::Low>},       \
      {Op::prefix##_load_short_d16_hi, load_small<Space, uint16_t, Part::High>},   \
      {Op::prefix##_load_dword, load_dwords<Space, 1>},                            \
      {Op::prefix##_load_dwordx2, load_dwords<Space, 2>},                          \
      {Op::prefix##_load_dwordx3, load_dwords<Space, 3>},                          \
      {Op::prefix##_load_dwordx4, load_dwords<Space, 4>},                          \
      {Op::prefix##_store_byte, store_small<Space, uint8_t, Part::Low>},           \
      {Op::prefix##_store_byte_d16_hi, store_small<Space, uint8_t, Part::High>},   \
      {Op::prefix##_store_short, store_small<Space, uint16_t, Part::Low>},         \
      {Op::prefix##_store_short_d16_hi, store_small<Space, uint16_t, Part::High>}, \
      {Op::prefix##_store_dword, store_dwords<Space, 1>},                          \
      {Op::prefix##_store_dwordx2, store_dwords<Space, 2>},                        \
      {Op::prefix##_store_dwordx3, store_dwords<Space, 3>}, {                      \
    Op::prefix##_store_dwordx4, store_dwords<Space, 4>                             \
  }

#define LOADS_TO_LDS(prefix, Space)                                  \
  {Op::prefix##_load_lds_ubyte, load_to_lds<Space, uint8_t>},        \
      {Op::prefix##_load_lds_sbyte, load_to_lds<Space, int8_t>},     \
      {Op::prefix##_load_lds_ushort, load_to_lds<Space, uint16_t>},  \
      {Op::prefix##_load_lds_sshort, load_to_lds<Space, int16_t>}, { \
    Op::prefix##_load_lds_dword, load_to_lds<Space, uint32_t>        \
  }

constexpr OpHandler kHandlers[] = {
    LOADS_AND_STORES(global, GlobalSpace),
    LOADS_AND_STORES(flat, FlatSpace),
    LOADS_AND_STORES(scratch, ScratchSpace),
    LOADS_TO_LDS(global, GlobalSpace),
    LOADS_TO_LDS(scratch, ScratchSpace),
    VGPU_ATOMIC_ENTRIES(global, GlobalSpace),
    VGPU_ATOMIC_ENTRIES(flat, FlatSpace),
    {Op::global_atomic_pk_add_bf16, atomic<GlobalSpace, atomic_op::PackedAddBF16, uint32_t>},
    {Op::flat_atomic_pk_add_bf16, atomic<FlatSpace, atomic_op::PackedAddBF16, uint32_t>},
};

}  // namespace

HandlerTable global_memory_handlers() { return table_of(kHandlers); }

}  // namespace VGPU_TARGET
}  // namespace vgpu
