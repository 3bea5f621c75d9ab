// What the functions should be, in quadruple precision: at least 59 bits more than a double has.
#pragma once

#include <string>

#if defined(__aarch64__)
using Quad = long double;  // which is that type there
#else
using Quad = __float128;
#endif
using Reference = Quad (*)(Quad x, Quad y, Quad z, Quad w);

// Stands for "the language leaves the result open here".
inline Quad open_result() { return static_cast<Quad>(1.0e300) * static_cast<Quad>(1.0e300); }

// The function of that name; ends the program when there is none.
Reference reference_of(const std::string& name);
