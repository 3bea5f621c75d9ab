#include "hip/record/recording_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace vgpu::hip {

namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The process, and a number if another program has already recorded as this process.
std::string free_name(const std::string& folder) {
  const std::string pid = std::to_string(getpid());
  std::string name = pid;
  for (int n = 2; exists(folder + "/" + name + ".jsonl") ||
                  exists(folder + "/" + name + ".jsonl.part"); ++n)
    name = pid + "." + std::to_string(n);
  return name;
}

}  // namespace

bool RecordingFile::open(const std::string& folder) {
  mkdir(folder.c_str(), 0777);
  folder_ = folder;
  name_ = free_name(folder);
  path_ = folder + "/" + name_ + ".jsonl";
  file_ = ::open((path_ + ".part").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND,
                 0666);
  if (file_ < 0)
    std::fprintf(stderr, "virtual ROCm: cannot record into VROCM_TRACE=%s: %s\n", folder.c_str(),
                 std::strerror(errno));
  return file_ >= 0;
}

std::string RecordingFile::save_beside(const std::string& name, const void* data, size_t bytes) {
  const std::string own = name_ + "-" + name;
  std::ofstream file(folder_ + "/" + own, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.close();
  return file ? own : std::string();
}

void RecordingFile::write(const std::string& json) {
  std::lock_guard<std::mutex> hold(mutex_);
  write_locked(json);
}

void RecordingFile::write_locked(const std::string& json) {
  if (file_ < 0) return;
  const std::string line = json + "\n";
  for (size_t done = 0; done < line.size();) {
    ssize_t count = ::write(file_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      std::fprintf(stderr, "virtual ROCm: recording stopped: %s: %s\n", path_.c_str(),
                   std::strerror(errno));
      ::close(file_);
      file_ = -1;
      return;
    }
    done += static_cast<size_t>(count);
  }
}

void RecordingFile::finish(const std::string& last) {
  std::lock_guard<std::mutex> hold(mutex_);
  if (file_ < 0) return;
  write_locked(last);
  if (file_ < 0) return;
  ::close(file_);
  file_ = -1;
  std::rename((path_ + ".part").c_str(), path_.c_str());
}

void RecordingFile::forget() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace vgpu::hip
