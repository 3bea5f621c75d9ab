// Which checks VROCM_CHECK asks for.
#pragma once

namespace vgpu {

struct Checks {
  bool memory = false;   // accesses outside the exact bounds of an allocation
  bool uninit = false;   // reads of global memory or LDS that nobody wrote
  bool race = false;     // conflicting accesses of waves that nothing orders
  bool waitcnt = false;  // registers used before their data arrived
  bool divide = false;   // integer divisions by zero
  bool each = false;     // told again for every dispatch, not once for the process
  bool fatal = false;    // VROCM_CHECK_FATAL=1: the first finding ends the process
  bool any() const { return memory || uninit || race || waitcnt || divide; }
};

const Checks& checks();  // read once; an unknown name ends the program with a message

}  // namespace vgpu
