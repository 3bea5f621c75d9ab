// What was captured. The values are in captured_dispatch.cpp, the memory in capture/.
#pragma once

#include <cstddef>
#include <cstdint>

constexpr uint64_t kPage = 4096;

struct Place {  // whole pages, backed as one piece
  uint64_t base, size;
  bool host;
};

// Both files: sum of all 64-bit words, each times 2 * its index + 1.
struct Region {
  uint64_t base, size;
  bool host;
  uint64_t before_sum;   // of memory/region_<base>.bin
  uint64_t after_bytes;  // of after/region_<base>.bin, the changed pages; 0: nothing changed
  uint64_t after_sum;
  size_t first_run, runs;  // in `changed`
};

struct Run {  // pages of a region that the kernel changed
  uint64_t first, count;
};

struct Variable {  // __device__ or __constant__
  const char* name;
  uint64_t address, size;
};

struct Dispatch {
  const char* kernel;  // as in the code object
  const char* title;   // for people
  const char* target;  // what it was compiled for
  unsigned blocks[3], threads[3], dynamic_lds;
  size_t argument_bytes;  // without hidden arguments: HIP fills in its own
  uint64_t code_bytes, code_sum;            // kernel.hsaco
  uint64_t arguments_bytes, arguments_sum;  // kernarg.bin
  bool has_after;                           // there is something to compare with
};

template <typename T>
struct List {
  const T* items;
  size_t count;
  const T* begin() const { return items; }
  const T* end() const { return items + count; }
  const T& operator[](size_t i) const { return items[i]; }
};

extern const Dispatch dispatch;
extern const List<Place> places;
extern const List<Region> regions;
extern const List<Run> changed;
extern const List<Variable> variables;
extern const List<const char*> notes;  // what to know before trusting a result
