#include "device/thread_trace/thread_trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <tuple>

#include "device/thread_trace/thread_trace_code.h"
#include "model/launch/device_size.h"

namespace vgpu {

using model::ThreadTrace;
using model::WavePlace;

namespace {

struct StepOnDisk {
  uint64_t time;
  uint32_t stall, duration, row, category;
};
static_assert(sizeof(StepOnDisk) == 24, "as thread_trace_file.h says");

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    char escape[8];
    if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
      out += escape;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

// "[a,b,c]"
template <class... Numbers>
std::string numbers(Numbers... values) {
  std::string list;
  ((list += (list.empty() ? "[" : ",") + std::to_string(values)), ...);
  return list + "]";
}

template <class Items, class Write>
std::string json_list(const Items& items, Write write) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += ',';
    list += write(item);
  }
  return list + "]";
}

std::vector<uint64_t> program_counters(const ThreadTrace& trace) {
  std::vector<uint64_t> all;
  for (const ThreadTrace::WaveRecord& wave : trace.waves()) {
    for (const ThreadTrace::Step& step : wave.steps) all.push_back(step.pc);
    std::sort(all.begin(), all.end());  // waves repeat each other: keep the list short
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  return all;
}

std::string function_json(const CodeFunction& function) {
  return "{\"base\":" + std::to_string(function.base) + ",\"symbol\":" + quoted(function.symbol) +
         ",\"demangled\":" + quoted(function.demangled) + ",\"rows\":" +
         json_list(function.rows,
                   [](const CodeRow& row) {
                     return "[" + std::to_string(row.address) + "," + quoted(row.text) + "," +
                            quoted(row.source) + "]";
                   }) +
         "}";
}

std::string waves_json(const ThreadTrace& trace, uint64_t& steps) {
  return json_list(trace.waves(), [&steps](const ThreadTrace::WaveRecord& wave) {
    const WavePlace& at = wave.place;
    const uint64_t first = steps;
    steps += wave.steps.size();
    return numbers(at.engine, at.unit, at.simd, at.slot, wave.begin, wave.end, first,
                   uint64_t(wave.steps.size()));
  });
}

std::string occupancy_json(const ThreadTrace& trace) {
  std::vector<ThreadTrace::Occupancy> events = trace.occupancy();
  std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    auto key = [](const ThreadTrace::Occupancy& e) {
      return std::tuple(e.time, e.begin, e.place.engine, e.place.unit, e.place.simd, e.place.slot);
    };
    return key(a) < key(b);
  });
  return json_list(events, [](const ThreadTrace::Occupancy& event) {
    return numbers(event.place.engine, event.time, event.place.unit, event.place.simd,
                   event.place.slot, int(event.begin));
  });
}

std::string header(const ThreadTrace& trace, const CodeListing& code) {
  uint64_t steps = 0;
  std::string text =
      "{\"format\":1,\"clock_ghz\":" + std::to_string(model::device_size().clock_ghz);
  text += ",\"lost\":" + std::to_string(trace.lost());
  text += ",\"cut_waves\":" + std::to_string(trace.cut_waves());
  text += ",\"functions\":" + json_list(code.functions(), function_json);
  text += ",\"waves\":" + waves_json(trace, steps);
  text += ",\"occupancy\":" + occupancy_json(trace);
  return text + ",\"steps\":" + std::to_string(steps) + "}\n";
}

void write_steps(std::ofstream& file, const ThreadTrace& trace, const CodeListing& code) {
  std::vector<StepOnDisk> steps;
  for (const ThreadTrace::WaveRecord& wave : trace.waves()) {
    steps.clear();
    for (const ThreadTrace::Step& step : wave.steps)
      steps.push_back(
          {step.time, step.stall, step.duration, code.row(step.pc), uint32_t(step.category)});
    file.write(reinterpret_cast<const char*>(steps.data()),
               std::streamsize(steps.size() * sizeof steps[0]));
  }
}

}  // namespace

std::string write_thread_trace(const ThreadTrace& trace, const std::string& folder) {
  static std::atomic<unsigned> written{0};
  std::string name = std::to_string(getpid()) + "-thread-trace-" + std::to_string(++written);
  const std::string path = folder + "/" + name, beside = path + ".part";
  const CodeListing code(program_counters(trace));
  // New, never one that is there: a link that somebody planted under this name is not followed.
  const int made = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made >= 0) ::close(made);
  std::ofstream file;
  if (made >= 0) file.open(beside, std::ios::binary);
  file.setstate(made >= 0 ? std::ios::goodbit : std::ios::failbit);
  file << header(trace, code);
  write_steps(file, trace, code);
  file.close();
  if (file && std::rename(beside.c_str(), path.c_str()) == 0) return name;
  std::fprintf(stderr, "virtual MI300X: a thread trace could not be written to %s: %s\n",
               folder.c_str(), std::strerror(errno));
  if (made >= 0) std::remove(beside.c_str());
  return {};
}

std::string write_thread_trace(const ThreadTrace& trace) {
  const char* folder = std::getenv("VROCM_TRACE");
  return folder && *folder ? write_thread_trace(trace, folder) : std::string();
}

}  // namespace vgpu
