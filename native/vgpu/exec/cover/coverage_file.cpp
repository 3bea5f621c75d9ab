#include "exec/cover/coverage_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "exec/cover/coverage.h"

namespace vgpu::cover {
namespace {

const char* file_name() {
  static const char* name = std::getenv("VROCM_COVERAGE");
  return name && *name ? name : nullptr;
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "virtual MI300X: VROCM_COVERAGE=%s cannot be %s: %s\n", file_name(), what,
               std::strerror(errno));
  std::_Exit(2);  // a queue's thread may come here: at exit, others would wait for it
}

int file() {
  static const int descriptor = open(file_name(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("opened");
  return descriptor;
}

// Bytes of UTF-8 stay as they are.
std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string pairs_list(const OperandPairs& pairs) {
  std::string list = "[";
  for (const OperandPair& pair : pairs.all()) {
    if (list.size() > 1) list += ',';
    list += '[' + std::to_string(pair.first) + ',' + std::to_string(pair.second) + ']';
  }
  return list + ']';
}

}  // namespace

bool wanted() {
  static const bool asked = file_name() && file() >= 0;
  return asked;
}

std::string as_line(const CoveredDispatch& of, const std::map<uint64_t, Seen>& instructions) {
  std::string list;
  for (const auto& [pc, seen] : instructions) {
    if (!list.empty()) list += ',';
    list += '[' + std::to_string(int64_t(pc - of.origin)) + ',' + std::to_string(seen.facts) + ',' +
            pairs_list(seen.pairs) + ']';
  }
  return "{\"kernel\":" + quoted(of.kernel) + ",\"dispatch\":" + std::to_string(of.dispatch) +
         ",\"ended\":" + (of.ended ? "true" : "false") +
         ",\"read_bytes\":" + std::to_string(of.read_bytes) +
         ",\"written_bytes\":" + std::to_string(of.written_bytes) +
         ",\"written_hash\":" + std::to_string(of.written_hash) +
         ",\"flops\":" + std::to_string(of.flops) + ",\"executed\":" + std::to_string(of.executed) +
         ",\"longest_wave\":" + std::to_string(of.longest_wave) + ",\"instructions\":[" + list +
         "]}\n";
}

void write_line(const std::string& line) {
  const ssize_t written = write(file(), line.data(), line.size());
  if (written == ssize_t(line.size())) return;
  if (written >= 0) errno = ENOSPC;
  fail("written");
}

}  // namespace vgpu::cover
