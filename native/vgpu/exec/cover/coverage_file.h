// The file of VROCM_COVERAGE: one JSON object per line and dispatch.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "exec/cover/sheet.h"

namespace vgpu::cover {

struct CoveredDispatch {
  std::string kernel;
  uint64_t dispatch;
  uint64_t origin;
  bool ended;
  uint64_t read_bytes, written_bytes, written_hash, flops, executed, longest_wave;
};

std::string as_line(const CoveredDispatch& of, const std::map<uint64_t, Seen>& instructions);
void write_line(const std::string& line);  // whole, or the process ends with a message

}  // namespace vgpu::cover
