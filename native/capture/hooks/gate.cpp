#include "hooks/gate.h"

namespace capture {

std::shared_mutex& gate() {
  static auto* instance = new std::shared_mutex;  // the program may allocate until its very end
  return *instance;
}

}  // namespace capture
