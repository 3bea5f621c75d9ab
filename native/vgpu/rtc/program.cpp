#include "rtc/program.h"

#include <algorithm>
#include <filesystem>

#include "rtc/child.h"
#include "rtc/lowered_names.h"

namespace vgpu::rtc {

namespace fs = std::filesystem;

namespace {

constexpr char kRelocatable[] = "-fgpu-rdc";
constexpr char kNoBuiltinHeader[] = "--hiprtc-no-builtin-header";

bool starts_with(const std::string& text, const char* begin) { return text.rfind(begin, 0) == 0; }

bool has(const std::vector<std::string>& options, const char* option) {
  return std::find(options.begin(), options.end(), option) != options.end();
}

// The user's files stand in a folder of ours, of which the log says nothing.
std::string without(std::string text, const std::string& part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
  return text;
}

}  // namespace

Program::Program(std::string source, std::string name)
    : source_(std::move(source)), name_(fs::path(name).filename().string()) {
  if (name_.empty() || name_ == "." || name_ == "..") name_ = "source.hip";
}

bool Program::add_header(const std::string& name, std::string text) {
  const fs::path path = fs::path(name).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == "..") return false;
  headers_[path.string()] = std::move(text);
  return true;
}

hiprtcResult Program::add_expression(const std::string& expression) {
  if (is_compiled_) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  if (expression.empty()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  if (!has(expressions_, expression.c_str())) expressions_.push_back(expression);
  return HIPRTC_SUCCESS;
}

std::vector<std::string> Program::command(const std::vector<std::string>& options,
                                          const std::string& file, const std::string& headers,
                                          const std::string& out) const {
  std::vector<std::string> words = {(find_prefix() / "bin" / "hipcc").string(),
                                    "--cuda-device-only", "--no-gpu-bundle-output", "-c"};
  if (!has(options, kNoBuiltinHeader))
    words.insert(words.end(), {"-D__HIPCC_RTC__", "-include", "hip/hip_runtime.h"});
  for (const std::string& option : options) {
    if (starts_with(option, "--gpu-architecture="))
      words.push_back("--offload-arch=" + option.substr(option.find('=') + 1));
    else if (option != kNoBuiltinHeader) words.push_back(option);
  }
  if (has(options, kRelocatable)) words.push_back("-emit-llvm");
  words.insert(words.end(), {"-I" + headers, "-x", "hip", file, "-o", out});
  return words;
}

hiprtcResult Program::compile(const std::vector<std::string>& options) {
  is_compiled_ = true;
  code_.clear();
  bitcode_.clear();
  if (find_prefix().empty()) {
    log_ = "hiprtc: there is no bin/hipcc beside this library\n  next: set ROCM_PATH\n";
    return HIPRTC_ERROR_COMPILATION;
  }
  const Folder work;
  const fs::path sources = work.path() / "source", headers = work.path() / "headers";
  const fs::path out = work.path() / "out";
  const std::string text = source_ + name_probes(expressions_);
  bool is_written = write_file(sources / name_, text.data(), text.size());
  for (const auto& [name, content] : headers_)
    is_written &= write_file(headers / name, content.data(), content.size());
  if (!is_written) {
    log_ = "hiprtc: " + work.path().string() + " cannot be written\n  next: set TMPDIR\n";
    return HIPRTC_ERROR_INTERNAL_ERROR;
  }
  const Outcome done =
      run(command(options, (sources / name_).string(), headers.string(), out.string()), work);
  log_ = without(without(done.said, sources.string() + "/"), headers.string() + "/");
  const std::string made = read_file(out);
  if (!done.is_good || made.empty()) return HIPRTC_ERROR_COMPILATION;
  (has(options, kRelocatable) ? bitcode_ : code_) = made;
  const std::vector<std::string> names = lowered_names(code_, expressions_.size());
  for (size_t i = 0; i < names.size(); ++i) names_[expressions_[i]] = names[i];
  return HIPRTC_SUCCESS;
}

hiprtcResult Program::lowered_name(const std::string& expression, const char** name) const {
  if (!is_compiled_) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = names_.find(expression);
  if (found == names_.end() || found->second.empty()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return HIPRTC_SUCCESS;
}

}  // namespace vgpu::rtc
