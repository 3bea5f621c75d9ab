#include "result.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace replay {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Names of agents and instruction sets, and messages of this program: plain ASCII.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c >= 0x20 && c < 0x7f) out += c;
  }
  return out + "\"";
}

template <typename List, typename Write>
std::string array(const List& list, const Write& write) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + write(item);
  return "[" + text + "]";
}

std::string place(const Place& place) {
  return "{\"base\": " + std::to_string(place.base) + ", \"size\": " + std::to_string(place.size) +
         ", \"got\": " + std::to_string(place.got) + ", \"problem\": " + quoted(place.problem) +
         "}";
}

std::string difference(const Difference& d) {
  return "{\"base\": " + std::to_string(d.base) + ", \"bytes\": " + std::to_string(d.bytes) +
         ", \"first_offset\": " + std::to_string(d.first) +
         ", \"expected\": " + std::to_string(d.expected) +
         ", \"found\": " + std::to_string(d.found) + ", \"runs\": " +
         array(d.runs,
               [](const auto& run) {
                 return "[" + std::to_string(run.first) + ", " + std::to_string(run.second) + "]";
               }) +
         "}";
}

std::string comparison(const Comparison& c) {
  return "{\"regions\": " + std::to_string(c.regions) + ", \"bytes\": " + std::to_string(c.bytes) +
         ", \"changed_bytes\": " + std::to_string(c.changed_bytes) +
         ", \"differences\": " + array(c.differences, difference) + "}";
}

std::string variant(const VariantResult& v) {
  return "{\"samples_ns\": " + array(v.samples, number) + ", \"first\": " + comparison(v.first) +
         ", \"last\": " + (v.last ? comparison(*v.last) : "null") + "}";
}

std::string agent(const Runtime& runtime) {
  return "{\"name\": " + quoted(runtime.gpu_name) +
         ", \"product\": " + quoted(runtime.gpu_product) + ", \"isa\": " + quoted(runtime.isa) +
         ", \"hsa_version\": " + quoted(runtime.version) + "}";
}

}  // namespace

std::string comparison_text(const Comparison& c) { return comparison(c); }

void write_result(const std::string& path, const Result& result, const Runtime* runtime) {
  std::ofstream file(path);
  file << "{\"attempts\": " << result.attempts << ", \"pid\": " << getpid()
       << ",\n\"agent\": " << (runtime ? agent(*runtime) : "null")
       << ",\n\"places\": " << array(result.places, place)
       << ",\n\"variants\": " << array(result.variants, variant) << "}\n";
  if (!file.flush()) throw Failure("cannot write the result to " + path);
}

}  // namespace replay
