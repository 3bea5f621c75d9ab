#include "contents/arguments.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <set>

#include "contents/code_objects.h"
#include "hooks/settings.h"

namespace capture {
namespace {

using Range = std::pair<uint64_t, uint64_t>;  // begin, end

struct Book {
  std::mutex mutex;
  std::vector<Range> changed;
  std::set<Range> noted;
};

Book& book() {
  static Book* instance = new Book;
  return *instance;
}

std::atomic<bool> any_changes{false};

bool overlap(const Range& a, const Range& b) { return a.first < b.second && b.first < a.second; }

void write_line(const Range& arguments) {
  const std::string path = settings().folder + "/arguments-" + std::to_string(getpid()) + ".txt";
  std::FILE* file = std::fopen(path.c_str(), "a");
  if (!file) return;  // the capture then has one difference more, which is the safe side
  std::fprintf(file, "%llu %llu\n", static_cast<unsigned long long>(arguments.first),
               static_cast<unsigned long long>(arguments.second - arguments.first));
  std::fclose(file);
}

}  // namespace

void remember_changes(std::vector<Range> changed) {
  std::lock_guard<std::mutex> lock(book().mutex);
  book().changed = std::move(changed);
  any_changes = !book().changed.empty();
}

void note_arguments(const Packet* packets, uint64_t count) {
  if (!any_changes) return;
  std::lock_guard<std::mutex> lock(book().mutex);
  for (uint64_t i = 0; i < count; ++i) {
    if (type_of(packets[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
    const auto kernel = kernel_at(packets[i].kernel_object);
    if (!kernel || !kernel->kernarg_size) continue;
    const auto address = reinterpret_cast<uint64_t>(packets[i].kernarg_address);
    const Range arguments{address, address + kernel->kernarg_size};
    const bool hit = std::any_of(book().changed.begin(), book().changed.end(),
                                 [&](const Range& range) { return overlap(range, arguments); });
    if (hit && book().noted.insert(arguments).second) write_line(arguments);
  }
}

void forget_changes(uint64_t base, uint64_t size) {
  if (!any_changes) return;
  std::lock_guard<std::mutex> lock(book().mutex);
  auto& changed = book().changed;
  changed.erase(
      std::remove_if(changed.begin(), changed.end(),
                     [&](const Range& range) { return overlap(range, {base, base + size}); }),
      changed.end());
}

}  // namespace capture
