#include "tool/listing.h"

#include <unistd.h>

#include <cstdio>
#include <map>

#include "contents/code_objects.h"
#include "contents/snapshot.h"
#include "hooks/json_text.h"
#include "hooks/settings.h"

namespace capture {
namespace {

struct Entry {
  std::string demangled;
  uint64_t count = 0;
  uint64_t regions = 0, bytes = 0;
  bool wanted = false;
};

struct Book {
  std::mutex mutex;
  std::map<std::string, Entry> kernels;  // by mangled name
};

Book& book() {
  static Book* instance = new Book;
  return *instance;
}

void measure(Entry& entry, hsa_agent_t agent) {
  std::vector<Region> regions = reachable_memory(agent);
  for (const Region& code : loaded_code(agent)) regions.push_back(code);
  entry.regions = regions.size();
  for (const Region& region : regions) entry.bytes += region.size;
}

}  // namespace

void list_packets(const Packet* packets, uint64_t count, hsa_agent_t agent) {
  for (uint64_t i = 0; i < count; ++i) {
    if (type_of(packets[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
    const auto kernel = kernel_at(packets[i].kernel_object);
    if (!kernel) continue;
    std::lock_guard<std::mutex> lock(book().mutex);
    Entry& entry = book().kernels[kernel->mangled];
    if (entry.count++ == 0) {
      entry.demangled = kernel->demangled;
      entry.wanted = kernel->wanted;
      measure(entry, agent);
    }
  }
}

void write_list() {
  std::lock_guard<std::mutex> lock(book().mutex);
  if (!settings().list_only || book().kernels.empty()) return;
  std::string text = "{\"kernels\": [";
  const char* separator = "\n";
  for (const auto& [mangled, entry] : book().kernels) {
    text += separator;
    text += "{\"mangled_name\": " + quoted(mangled) +
            ", \"demangled_name\": " + quoted(entry.demangled) +
            ", \"dispatches\": " + std::to_string(entry.count) +
            ", \"regions\": " + std::to_string(entry.regions) +
            ", \"bytes\": " + std::to_string(entry.bytes) +
            ", \"matches\": " + (entry.wanted ? "true" : "false") + "}";
    separator = ",\n";
  }
  text += "\n]}\n";
  const std::string path = settings().folder + "/list-" + std::to_string(getpid()) + ".json";
  unlink(path.c_str());  // the runtime may end more than once in a process
  try {
    write_file(path, text.data(), text.size());
  } catch (const Failure& failure) {
    std::fprintf(stderr, "rocm-perf isolate: %s\n", failure.what());
  }
}

}  // namespace capture
