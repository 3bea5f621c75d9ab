#include "scenes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "kernel.h"
#include "result.h"

namespace replay {
namespace {

// Findings of the device and faults go where the scene is: nobody could tell them apart otherwise.
void say_into(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Failure("cannot make " + folder + ": " + std::strerror(errno));
  }
  std::fflush(stderr);
  const int file = open((folder + "/said").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || dup2(file, STDERR_FILENO) < 0) throw Failure("cannot write to " + folder);
  close(file);
}

// The virtual device appends what was executed to one file; each scene gets its own part of it.
class CoverageParts {
 public:
  CoverageParts() : path_(std::getenv("VROCM_COVERAGE")), at_(size()) {}
  void move_to(const std::string& folder) {
    const std::streamoff end = size();
    if (end <= at_) return;
    std::ifstream whole(path_);
    whole.seekg(at_);
    std::string part(static_cast<size_t>(end - at_), '\0');
    whole.read(&part[0], end - at_);
    std::ofstream file(folder + "/coverage");
    file << part;
    if (!whole || !file.flush()) throw Failure("cannot keep the coverage in " + folder);
    at_ = end;
  }

 private:
  std::streamoff size() const {
    struct stat info{};
    return path_ && stat(path_, &info) == 0 ? info.st_size : 0;
  }
  const char* path_;
  std::streamoff at_;
};

class SceneLog {
 public:
  explicit SceneLog(const std::string& path) : file_(path, std::ios::app) {}
  void ended(size_t scene, double seconds, const Comparison& comparison) {
    file_ << "{\"scene\": " << scene << ", \"seconds\": " << seconds
          << ", \"comparison\": " << comparison_text(comparison) << "}" << std::endl;
    if (!file_) throw Failure("cannot write the log of scenes");
  }

 private:
  std::ofstream file_;
};

}  // namespace

void play_scenes(const Plan& plan, const Runtime& runtime) {
  using Clock = std::chrono::steady_clock;
  Memory memory(plan.regions, runtime);
  memory.restore();
  Launcher launcher(plan, runtime);
  const Kernel kernel = launcher.prepare(plan.variants.at(0));
  const Image content(plan.edits, 0);
  SceneLog log(plan.dump + "/scenes");
  CoverageParts coverage;
  for (size_t i = plan.first_scene; i < plan.scenes.size(); ++i) {
    const std::string folder = plan.dump + "/" + std::to_string(i);
    say_into(folder);
    const auto start = Clock::now();
    memory.restore();
    for (const auto& edits : plan.scenes[i].launches) {
      for (const Edit& edit : edits) {
        if (edit.offset + edit.size > content.size())
          throw Failure("the file of edits is too short");
        memory.edit(edit.address, content.data() + edit.offset, edit.size);
      }
      launcher.run(kernel, plan.scenes[i].shape);
    }
    coverage.move_to(folder);
    const Comparison found = memory.compare(folder);
    log.ended(i, std::chrono::duration<double>(Clock::now() - start).count(), found);
  }
}

}  // namespace replay
