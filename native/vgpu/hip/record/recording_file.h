// The file of a recording: one line per record, complete on disk as soon as it is written.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace vgpu::hip {

class RecordingFile {
 public:
  // Opens <folder>/<pid>.jsonl.part, making the folder if needed. False when that fails. A second
  // program of the same process (after exec) gets <pid>.2, and so on.
  bool open(const std::string& folder);
  void write(const std::string& json);
  // A file of its own, <folder>/<pid>-<name> (or <pid>.2-<name>), for what is not text. Returns its name; empty when it
  // could not be written.
  std::string save_beside(const std::string& name, const void* data, size_t bytes);
  // Writes the last line and gives the file its final name. Later writes are dropped.
  void finish(const std::string& last);
  // In a child process the file belongs to the parent.
  void forget();

 private:
  void write_locked(const std::string& json);

  std::mutex mutex_;
  int file_ = -1;
  std::string folder_, name_;
  std::string path_;  // without ".part"
};

}  // namespace vgpu::hip
