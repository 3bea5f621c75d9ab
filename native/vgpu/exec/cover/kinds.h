// Which instructions have two sides, and what their sides are. Told of active lanes.
#pragma once

#include "isa/inst.h"

namespace vgpu::cover {

enum class Kind : uint8_t {
  None,           // reached or not, and nothing more
  Branch,         // taken, not taken: s_cbranch_*
  ScalarCompare,  // SCC becomes 1, 0
  VectorCompare,  // true, false
  ScalarSelect,   // SCC is 1, 0
  VectorSelect,   // the second source is taken, the first
  ScalarExtreme,  // minimum, maximum, median. True: the result is the first source, and no other
  VectorExtreme,  // is the same; false: it is not the first one
  MaskPair,       // of two masks: in a lane the first alone is set, the second alone; both, neither
  ScalarAnd,      // a set bit of a source that is no constant is cleared, none is
  VectorAnd,      // likewise; v_and_or_b32: by its first two sources
  ScalarField,    // the result differs from the first source, does not: extracted bit fields
  VectorField,
  Unsigned24,  // a factor has bits beyond the 24 that are multiplied, none has
  Signed24,    // likewise, beyond its sign
  ToFloat,     // the integer has no such float and is rounded, it has
  ToInteger,   // the float is saturated or NaN, is not
};

Kind kind_of(Op op);

}  // namespace vgpu::cover
