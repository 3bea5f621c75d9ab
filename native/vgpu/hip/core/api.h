// What every exported HIP function does around its work: remember the error, spend host time,
// and tell the recorder. One ApiScope per call.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace vgpu::hip {

struct ApiArgument {
  std::string name, type, value;
};

// --- how an argument is written into a recording -----------------------------------------------

std::string demangle(const char* mangled);
std::string describe_pointer(const void* pointer);
inline std::string describe(const char* text) { return text ? text : "(null)"; }
inline std::string describe(char* text) { return describe_pointer(text); }
inline std::string describe(const dim3& d) {
  return "{" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "}";
}
template <class T>
std::string describe(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return describe_pointer(reinterpret_cast<const void*>(value));
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return "{...}";
  }
}

// --- the scope ---------------------------------------------------------------------------------

class ApiScope {
 public:
  explicit ApiScope(const char* name);
  ~ApiScope();
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

  bool traced() const { return traced_; }

  // `names` is the comma-separated text of the arguments, as the preprocessor saw it.
  template <class... Args>
  void arguments(const char* names, const Args&... args) {
    std::vector<std::string> split = split_names(names);
    size_t i = 0;
    (arguments_.push_back({split[i++], demangle(typeid(Args).name()), describe(args)}), ...);
  }

  hipError_t done(hipError_t status);  // remembers an error for hipGetLastError

 private:
  static std::vector<std::string> split_names(const char* names);

  const char* name_;
  bool outermost_, traced_;
  hipError_t status_ = hipSuccess;
  uint64_t id_ = 0, parent_ = 0, start_ns_ = 0;
  std::vector<ApiArgument> arguments_;
};

// Ids of calls, HIP and HSA together; from 1.
uint64_t next_call_id();

// The last error of this thread, which a successful call does not clear.
hipError_t take_last_error();
hipError_t peek_last_error();

const char* error_name(hipError_t status);
const char* error_text(hipError_t status);

// Says once per name on stderr that something is not part of the virtual runtime.
hipError_t not_supported(const char* name);

}  // namespace vgpu::hip

#define HIP_API(name, ...)                \
  ::vgpu::hip::ApiScope api_scope(#name); \
  if (api_scope.traced()) api_scope.arguments("" #__VA_ARGS__, ##__VA_ARGS__)
#define HIP_RETURN(status) return api_scope.done(status)
