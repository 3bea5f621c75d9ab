#include "rtc/child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

extern char** environ;

namespace vgpu::rtc {

namespace fs = std::filesystem;

Folder::Folder() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = std::string(base && *base ? base : "/tmp") + "/hiprtc-XXXXXX";
  if (mkdtemp(pattern.data())) path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path find_prefix() {
  std::vector<fs::path> candidates;
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&find_prefix), &own) && own.dli_fname)
    candidates.push_back(fs::absolute(own.dli_fname).parent_path().parent_path());
  if (const char* named = std::getenv("ROCM_PATH")) candidates.push_back(named);
  for (const fs::path& prefix : candidates)
    if (access((prefix / "bin" / "hipcc").c_str(), X_OK) == 0) return prefix;
  return {};
}

namespace {

// The compiler is not part of the program: what is loaded into that, or said by that, is not for it.
std::vector<char*> environment_of_child() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 && std::strncmp(*entry, "HIPCC_", 6) != 0)
      kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

bool wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return errno == ECHILD;  // the program ignores its children
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Outcome run(const std::vector<std::string>& words, const Folder& work) {
  const fs::path log = work.path() / "log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_of_child();
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return {false, words[0] + ": " + std::strerror(failed) + "\n"};
  const bool is_good = wait_for(child);
  return {is_good, read_file(log)};
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool write_file(const fs::path& file, const void* data, size_t size) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file, std::ios::binary);
  stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  return bool(stream.flush());
}

}  // namespace vgpu::rtc
