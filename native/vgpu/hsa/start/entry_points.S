// The exported functions: each jumps through its slot of the current API table. Written in
// assembly because a jump passes any signature on unchanged, so the list of names is enough.
#include "hsa/hsa_api_list.h"

  .text
  .set table_header, 16                // sizeof(ApiTableVersion)

#if defined(__x86_64__)
#define JUMP(entry) endbr64; jmp *entry(%rip);
#elif defined(__aarch64__)  // x16 is for jumps between calls: no argument lies there
#define JUMP(entry) bti c; adrp x16, entry; ldr x16, [x16, :lo12:entry]; br x16;
#else
#error "a jump through a table for this processor is to be written here"
#endif

#define EXPORT(name, table) \
  .globl name; .type name, @function; .p2align 4; \
name: \
  JUMP(table + slot) \
  .size name, . - name; \
  .set slot, slot + 8;

#define CORE(name) EXPORT(name, vrocm_core_table)
#define AMD_EXT(name) EXPORT(name, vrocm_amd_ext_table)
#define FINALIZER(name) EXPORT(name, vrocm_finalizer_table)
#define IMAGE(name) EXPORT(name, vrocm_image_table)
#define PC_SAMPLING(name) EXPORT(name, vrocm_pc_sampling_table)

  .set slot, table_header
  HSA_CORE_API(CORE)
  .set slot, table_header
  HSA_AMD_EXT_API(AMD_EXT)
  .set slot, table_header
  HSA_FINALIZER_API(FINALIZER)
  .set slot, table_header
  HSA_IMAGE_API(IMAGE)
  .set slot, table_header
  HSA_PC_SAMPLING_API(PC_SAMPLING)

// Deprecated spellings of the memory orders have no slot of their own.
#define ALIAS(old, current) .globl old; .type old, @function; .set old, current;
#define ALIAS_LOAD(name) ALIAS(name##_acquire, name##_scacquire)
#define ALIAS_STORE(name) ALIAS(name##_release, name##_screlease)
#define ALIAS_ALL(name) \
  ALIAS_LOAD(name) ALIAS_STORE(name) ALIAS(name##_acq_rel, name##_scacq_screl)

  ALIAS_LOAD(hsa_signal_load)
  ALIAS_STORE(hsa_signal_store)
  ALIAS_LOAD(hsa_signal_wait)
  ALIAS_ALL(hsa_signal_exchange)
  ALIAS_ALL(hsa_signal_cas)
  ALIAS_ALL(hsa_signal_add)
  ALIAS_ALL(hsa_signal_subtract)
  ALIAS_ALL(hsa_signal_and)
  ALIAS_ALL(hsa_signal_or)
  ALIAS_ALL(hsa_signal_xor)
  ALIAS_LOAD(hsa_queue_load_read_index)
  ALIAS_LOAD(hsa_queue_load_write_index)
  ALIAS_STORE(hsa_queue_store_read_index)
  ALIAS_STORE(hsa_queue_store_write_index)
  ALIAS_ALL(hsa_queue_add_write_index)
  ALIAS_ALL(hsa_queue_cas_write_index)

  .section .note.GNU-stack, "", @progbits
