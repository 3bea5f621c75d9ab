// What an instruction is, by its opcode alone: the columns of op_list.inc.
#pragma once

#include <cstdint>

#include "isa/inst.h"

namespace vgpu {

// Who executes it.
enum class Unit : uint8_t {
  Valu,    // vector arithmetic
  Matrix,  // MFMA, SMFMAC: issued through the vector port, executed by the matrix core
  Salu,    // scalar arithmetic
  Smem,    // scalar memory
  Vmem,    // buffer, global and scratch memory
  Flat,    // flat memory: global, LDS or private, known by address only
  Lds,
  Branch,
  Message,   // s_sendmsg
  Internal,  // s_nop, s_waitcnt, s_barrier, s_sleep, s_setprio: handled by the sequencer itself
};
constexpr int kUnits = 10;

// How fast a SIMD works vector arithmetic off.
enum class Rate : uint8_t { Full, Double, Quarter, Transcendental, TranscendentalDouble };

// What vector arithmetic computes, as the hardware's counters class it, and with which numbers.
enum class Arithmetic : uint8_t { None, Convert, Int, Add, Mul, Fma, Trans };
enum class Number : uint8_t { None, F16, F32, F64, Int32, Int64 };

enum class Touch : uint8_t { None, Read, Write, Atomic };

// What is special about how memory is accessed.
enum class MemoryForm : uint8_t {
  Plain,
  Typed,         // a data format converts what is moved
  HighHalf,      // the upper 16 bits of the register
  ToLds,         // global or private memory is loaded into LDS
  Descriptor,    // scalar: the base is a buffer descriptor
  Scratch,       // scalar: offsets in units of 64 bytes
  CacheControl,  // no data moves
  GlobalSync,    // ds_gws_*
};

// Integer atomics of one kind commute with themselves, not with other kinds.
enum class Commutes : uint8_t { No, Add, Smin, Umin, Smax, Umax, And, Or, Xor };

// Whether the matrix core works on while the instruction executes.
enum class BesideMatrix : uint8_t { Yes, No };

struct OpClass {
  Unit unit = Unit::Internal;
  Rate rate = Rate::Full;
  Arithmetic arithmetic = Arithmetic::None;
  Number number = Number::None;
  Touch touch = Touch::None;
  uint8_t bytes = 0;       // per lane and element; scalar memory: in all
  uint16_t pair_unit = 0;  // DS read2 and its kin: two elements, offsets in this unit; else 0
  MemoryForm form = MemoryForm::Plain;
  Commutes commutes = Commutes::No;
  BesideMatrix beside_matrix = BesideMatrix::Yes;
};

// Of Op::invalid: what the sequencer handles itself.
const OpClass& op_class(Op op);

}  // namespace vgpu
