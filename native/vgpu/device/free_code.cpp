#include "device/free_code.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "exec/report/source_lines.h"

namespace vgpu {
namespace {

void say_once(const std::string& place, const std::string& kernel) {
  static std::mutex* mutex = new std::mutex;
  static auto* said = new std::set<std::pair<std::string, std::string>>;
  std::lock_guard lock(*mutex);
  if (!said->emplace(place, kernel).second) return;
  std::fprintf(stderr,
               "virtual MI300X: the code of %s has nothing at %s (lines need a program that was "
               "compiled with -g)\n",
               kernel.c_str(), place.c_str());
}

}  // namespace

std::unique_ptr<model::FreeCode> free_code_of(const CodeRange& code, const std::string& kernel) {
  if (model::free_places().empty()) return nullptr;
  const SourceLines lines(code.elf());
  auto free = std::make_unique<model::FreeCode>();
  for (const model::FreePlace& place : model::free_places()) {
    bool found = place.file.empty();
    if (found) free->add(place.first, place.end);
    for (const auto& [first, end] : lines.ranges(place.file, place.line)) {
      free->add(first, end);
      found = true;
    }
    if (!found) say_once(place.text, kernel);
  }
  return free->any() ? std::move(free) : nullptr;
}

}  // namespace vgpu
