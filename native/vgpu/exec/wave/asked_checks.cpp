#include "exec/wave/asked_checks.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace vgpu {
namespace {

Checks read_checks() {
  Checks checks;
  const char* text = std::getenv("VROCM_CHECK");
  std::stringstream names(text ? text : "");
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "memory") checks.memory = true;
    else if (name == "uninit") checks.uninit = true;
    else if (name == "race") checks.race = true;
    else if (name == "waitcnt") checks.waitcnt = true;
    else if (name == "divide") checks.divide = true;
    else if (name == "each") checks.each = true;
    else if (!name.empty()) {
      std::fprintf(
          stderr,
          "virtual MI300X: VROCM_CHECK knows memory, uninit, race, waitcnt, divide and each, not "
          "%s\n",
          name.c_str());
      std::_Exit(2);  // a queue's thread may read this: at exit, others would wait for it
    }
  }
  const char* fatal = std::getenv("VROCM_CHECK_FATAL");
  checks.fatal = fatal && *fatal == '1';
  return checks;
}

}  // namespace

const Checks& checks() {
  static const Checks value = read_checks();
  return value;
}

}  // namespace vgpu
