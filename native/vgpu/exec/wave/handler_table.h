// A list of (opcode, handler) pairs: how each handler file offers what it implements.
#pragma once

#include <cstddef>

#include "exec/wave/handlers.h"
#include "exec/wave/wave.h"

namespace vgpu {
namespace VGPU_TARGET {

struct OpHandler {
  Op op;
  ExecFn handler;
};

struct HandlerTable {
  const OpHandler* entries;
  size_t count;
};

template <size_t N>
VGPU_INLINE HandlerTable table_of(const OpHandler (&entries)[N]) {
  return {entries, N};
}

VGPU_INLINE ExecFn find_handler(const HandlerTable* tables, size_t count, Op op) {
  for (size_t t = 0; t < count; ++t)
    for (size_t e = 0; e < tables[t].count; ++e)
      if (tables[t].entries[e].op == op) return tables[t].entries[e].handler;
  return nullptr;
}

}  // namespace VGPU_TARGET
}  // namespace vgpu
