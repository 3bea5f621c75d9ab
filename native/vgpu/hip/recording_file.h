// The file of a recording: one line per record, complete on disk as soon as it is written.
#pragma once

#include <mutex>
#include <string>

namespace vgpu::hip {

class RecordingFile {
 public:
  // Opens <folder>/<pid>.jsonl.part, making the folder if needed. False when that fails.
  bool open(const std::string& folder);
  void write(const std::string& json);
  // Writes the last line and gives the file its final name. Later writes are dropped.
  void finish(const std::string& last);
  // In a child process the file belongs to the parent.
  void forget();

 private:
  void write_locked(const std::string& json);

  std::mutex mutex_;
  int file_ = -1;
  std::string path_;            // without ".part"
};

}  // namespace vgpu::hip
