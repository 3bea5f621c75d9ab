#include "device/thread_trace/thread_trace_choice.h"

#include <map>
#include <mutex>

#include "device/thread_trace/thread_trace_code.h"

namespace vgpu {

std::unique_ptr<model::ThreadTrace> thread_trace_of(uint64_t kernel_object,
                                                    const std::string& symbol, uint64_t code_base) {
  const model::ThreadTraceOptions* options = model::thread_trace_options();
  if (!options) return nullptr;
  const std::string demangled = demangled_name(symbol);
  if (!options->names(demangled.empty() ? symbol : demangled)) return nullptr;
  static std::mutex* mutex = new std::mutex;
  static auto* dispatches = new std::map<uint64_t, uint64_t>;  // by kernel
  std::lock_guard lock(*mutex);
  if (!options->has_iteration(++(*dispatches)[kernel_object])) return nullptr;
  return std::make_unique<model::ThreadTrace>(*options, code_base);
}

}  // namespace vgpu
