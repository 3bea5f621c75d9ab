#include "rtc/link_state.h"

#include <cstdio>

#include "rtc/child.h"

namespace vgpu::rtc {

hiprtcResult LinkState::add(hiprtcJITInputType kind, std::string data) {
  if (kind != HIPRTC_JIT_INPUT_LLVM_BITCODE || data.empty()) return HIPRTC_ERROR_INVALID_INPUT;
  inputs_.push_back(std::move(data));
  return HIPRTC_SUCCESS;
}

hiprtcResult LinkState::complete() {
  const std::filesystem::path prefix = find_prefix();
  if (inputs_.empty() || prefix.empty()) return HIPRTC_ERROR_LINKING;
  const Folder work;
  const std::string out = (work.path() / "out").string();
  std::vector<std::string> words = {(prefix / "llvm" / "bin" / "ld.lld").string(),
                                    "-shared",
                                    "--no-undefined",
                                    "-plugin-opt=mcpu=gfx942",
                                    "-plugin-opt=O3",
                                    "--lto-CGO3",
                                    "-o",
                                    out};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const std::string file = (work.path() / ("input" + std::to_string(i) + ".bc")).string();
    if (!write_file(file, inputs_[i].data(), inputs_[i].size())) return HIPRTC_ERROR_INTERNAL_ERROR;
    words.push_back(file);
  }
  const Outcome done = run(words, work);
  code_ = read_file(out);
  if (done.is_good && !code_.empty()) return HIPRTC_SUCCESS;
  std::fprintf(stderr, "hiprtc: %s", done.said.c_str());
  return HIPRTC_ERROR_LINKING;
}

}  // namespace vgpu::rtc
