#include "model/ideal/free_places.h"

#include <algorithm>
#include <cstdio>
#include <cctype>
#include <cstdlib>

namespace vgpu {
namespace model {
namespace {

constexpr const char* kVariable =
#define MECHANISM(ideal, name, lifted)
#define AT_A_PLACE(variable, lifted) variable
#include "model/ideal/mechanisms.inc"
#undef AT_A_PLACE
#undef MECHANISM
    ;

bool read_number(const std::string& text, int base, uint64_t& number) {
  if (text.empty() || !std::isxdigit(static_cast<unsigned char>(text[0]))) return false;
  char* end = nullptr;
  number = std::strtoull(text.c_str(), &end, base);
  return *end == 0;
}

bool read_place(const std::string& text, FreePlace& place) {
  place.text = text;
  const size_t colon = text.rfind(':');
  uint64_t line = 0;
  if (colon != std::string::npos) {
    place.file = text.substr(0, colon);
    if (place.file.empty() || !read_number(text.substr(colon + 1), 10, line)) return false;
    place.line = uint32_t(line);
    return line > 0 && line == place.line;
  }
  const size_t dash = text.find('-');
  return dash != std::string::npos && read_number(text.substr(0, dash), 16, place.first) &&
         read_number(text.substr(dash + 1), 16, place.end) && place.first < place.end;
}

// Adds the places between commas; returns the first text that is none, or nothing.
std::string add_places(const std::string& text, std::vector<FreePlace>& places) {
  for (size_t first = 0; first < text.size();) {
    const size_t end = std::min(text.find(',', first), text.size());
    FreePlace place;
    if (!read_place(text.substr(first, end - first), place))
      return place.text.empty() ? "," : place.text;
    places.push_back(place);
    first = end + 1;
  }
  return "";
}

std::vector<FreePlace> read() {
  const char* text = std::getenv(kVariable);
  std::vector<FreePlace> places;
  const std::string wrong = add_places(text ? text : "", places);
  if (wrong.empty()) return places;
  std::fprintf(stderr,
               "virtual MI300X: %s: '%s' is no place in code. Give FILE:LINE, or FIRST-END in "
               "hexadecimal, or several with commas between\n",
               kVariable, wrong.c_str());
  std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
}

std::vector<FreePlace>& current() {
  static auto* places = new std::vector<FreePlace>(read());
  return *places;
}

}  // namespace

const std::vector<FreePlace>& free_places() { return current(); }

bool set_free_places(const char* text) {
  std::vector<FreePlace> wanted;
  if (!add_places(text, wanted).empty()) return false;
  current() = wanted;
  return true;
}

}  // namespace model
}  // namespace vgpu
