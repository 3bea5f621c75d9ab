// The compiler as a child process: where it is, running it, files for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vgpu::rtc {

// A new folder that goes with this object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The prefix that this library belongs to, else that of ROCM_PATH; empty if neither has a compiler.
std::filesystem::path find_prefix();

// What became of a child: whether it ended well, and what it said.
struct Outcome {
  bool is_good = false;
  std::string said;
};
Outcome run(const std::vector<std::string>& words, const Folder& work);

std::string read_file(const std::filesystem::path& file);
bool write_file(const std::filesystem::path& file, const void* data, size_t size);

}  // namespace vgpu::rtc
