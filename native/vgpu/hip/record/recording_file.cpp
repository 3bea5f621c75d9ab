#include "hip/record/recording_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace vgpu::hip {

namespace {

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// A new file, never one that is there: a link that somebody planted under this name is not followed.
int create(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0666);
}

bool write_all(int file, const char* data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t count = ::write(file, data + done, bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

bool RecordingFile::open(const std::string& folder) {
  mkdir(folder.c_str(), 0777);
  folder_ = folder;
  // Named after the process, with a number if another program has already recorded as it.
  const std::string pid = std::to_string(getpid());
  name_ = pid;
  for (int n = 2;; ++n) {
    path_ = folder + "/" + name_ + ".jsonl";
    errno = EEXIST;
    file_ = exists(path_) ? -1 : create(path_ + ".part");
    if (file_ >= 0 || errno != EEXIST) break;
    name_ = pid + "." + std::to_string(n);
  }
  if (file_ < 0)
    std::fprintf(stderr, "virtual ROCm: cannot record into VROCM_TRACE=%s: %s\n", folder.c_str(),
                 std::strerror(errno));
  return file_ >= 0;
}

std::string RecordingFile::save_beside(const std::string& name, const void* data, size_t bytes) {
  const std::string own = name_ + "-" + name;
  const int file = create(folder_ + "/" + own);
  if (file < 0) return std::string();
  const bool whole = write_all(file, static_cast<const char*>(data), bytes);
  return ::close(file) == 0 && whole ? own : std::string();
}

void RecordingFile::write(const std::string& json) {
  std::lock_guard<std::mutex> hold(mutex_);
  write_locked(json);
}

void RecordingFile::write_locked(const std::string& json) {
  if (file_ < 0) return;
  const std::string line = json + "\n";
  if (write_all(file_, line.data(), line.size())) return;
  std::fprintf(stderr, "virtual ROCm: recording stopped: %s: %s\n", path_.c_str(),
               std::strerror(errno));
  ::close(file_);
  file_ = -1;
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
