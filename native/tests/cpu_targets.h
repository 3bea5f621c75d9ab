// The handlers by the name of the host instruction set that they were compiled for.
#pragma once

#include <cstring>

#include "../vgpu/host/cpu_target.h"
#include "../vgpu/isa/inst.h"

namespace vgpu {

#define DECLARE_HANDLERS(target)          \
  namespace target {                      \
  ExecFn select_vector(const Inst& inst); \
  ExecFn select_matrix(const Inst& inst); \
  ExecFn select_memory(const Inst& inst); \
  }
VGPU_CPU_TARGETS(DECLARE_HANDLERS)
#undef DECLARE_HANDLERS

struct Handlers {
  const char* target;
  bool supported;  // by this CPU
  ExecFn (*vector)(const Inst&);
  ExecFn (*matrix)(const Inst&);
  ExecFn (*memory)(const Inst&);
};

#define HANDLERS(target)                                                                     \
  {#target, has_cpu_target(CpuTarget::target), target::select_vector, target::select_matrix, \
   target::select_memory},
inline const Handlers kHandlers[] = {VGPU_CPU_TARGETS(HANDLERS)};
#undef HANDLERS

// Null where this host or this CPU has no such set.
inline const Handlers* handlers_of(const char* target) {
  for (const Handlers& handlers : kHandlers)
    if (std::strcmp(handlers.target, target) == 0) return handlers.supported ? &handlers : nullptr;
  return nullptr;
}

}  // namespace vgpu
