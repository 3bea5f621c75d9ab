// Writing the answer of a get_info function: the attribute decides the type behind the pointer.
#pragma once

#include <cstring>
#include <string>

#include "hsa/hsa.h"

namespace vrocm {

template <typename T>
hsa_status_t answer(void* value, const T& content) {
  std::memcpy(value, &content, sizeof content);
  return HSA_STATUS_SUCCESS;
}

// Fixed-size text fields are zero padded and cut to fit, always terminated.
inline hsa_status_t answer_text(void* value, const std::string& text, size_t field_bytes) {
  std::memset(value, 0, field_bytes);
  std::memcpy(value, text.data(), text.size() < field_bytes ? text.size() : field_bytes - 1);
  return HSA_STATUS_SUCCESS;
}

}  // namespace vrocm
