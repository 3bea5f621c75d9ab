// Bitcode of several programs, linked into one code object.
#pragma once

#include <hip/hiprtc.h>

#include <string>
#include <vector>

namespace vgpu::rtc {

class LinkState {
 public:
  hiprtcResult add(hiprtcJITInputType kind, std::string data);
  hiprtcResult complete();
  std::string& code() { return code_; }

 private:
  std::vector<std::string> inputs_;
  std::string code_;
};

}  // namespace vgpu::rtc
