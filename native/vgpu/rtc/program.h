// One source with its headers, and what became of it.
#pragma once

#include <hip/hiprtc.h>

#include <map>
#include <string>
#include <vector>

namespace vgpu::rtc {

class Program {
 public:
  Program(std::string source, std::string name);

  // False for a name that leads out of the folder of headers.
  bool add_header(const std::string& name, std::string text);
  hiprtcResult add_expression(const std::string& expression);
  hiprtcResult compile(const std::vector<std::string>& options);
  hiprtcResult lowered_name(const std::string& expression, const char** name) const;

  const std::string& log() const { return log_; }
  const std::string& code() const { return code_; }
  const std::string& bitcode() const { return bitcode_; }

 private:
  std::vector<std::string> command(const std::vector<std::string>& options, const std::string& file,
                                   const std::string& headers, const std::string& out) const;

  std::string source_, name_;
  std::map<std::string, std::string> headers_;
  std::vector<std::string> expressions_;
  std::map<std::string, std::string> names_;
  std::string log_, code_, bitcode_;
  bool is_compiled_ = false;
};

}  // namespace vgpu::rtc
