// What to replay. `rocm-perf replay` writes the plan after it has checked the capture; here every line
// is one instruction (docs/isolate-replay.md lists them), and anything unknown ends the program.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace replay {

constexpr uint64_t kPage = 4096;

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NoDevice : Failure {  // there is none, or not one that runs this code
  using Failure::Failure;
};

struct Run {  // pages of a region that the dispatch changed
  uint64_t first = 0, count = 0;
  uint64_t offset = 0;  // of the first page in the file of changes
};

struct Region {
  uint64_t base = 0, size = 0;
  bool host = false;  // backed by host memory
  bool code = false;  // holds machine code
  std::string before;
  std::string after;  // file of changed pages; empty: nothing changed
  std::vector<Run> runs;
};

struct Variable {  // of the captured code object, for code that is loaded elsewhere
  uint64_t address = 0, size = 0;
  std::string name;
};

struct Variant {
  std::string hsaco;                            // empty: the captured code, in place
  std::string symbol;                           // "<mangled>.kd"
  uint64_t kernel_object = 0;                   // in place
  uint32_t private_bytes = 0, group_bytes = 0;  // scratch and LDS that this code needs
};

struct Shape {  // of a launch
  uint16_t block[3] = {};
  uint32_t grid[3] = {};
  uint32_t more_group_bytes = 0;  // LDS beyond what the variant asks for
};

struct Edit {  // of memory, before a launch
  uint64_t address = 0, size = 0;
  uint64_t offset = 0;  // of its content in the file of edits
};

// Other memory or another shape for the same dispatch. Each begins with the captured memory; a launch
// follows its edits, and a further one what the launch before it left.
struct Scene {
  Shape shape;
  std::vector<std::vector<Edit>> launches;
};

struct QueueShape {
  uint32_t size = 64, type = 0;  // packets; HSA's number
  uint64_t index = 0;            // of the captured packet
};

struct Plan {
  std::string runtime, result, dump;
  std::string target;  // what the code was built for: "gfx942:xnack-"
  unsigned device = 0, iterations = 1, warmup = 0;
  bool check_only = false, steering = true, recopy = true;
  bool shuffled = false;  // another order of the variants in every round, by `seed`
  uint64_t seed = 0;
  double timeout = 600;
  uint16_t header = 0, setup = 0;
  uint16_t reserved0 = 0;  // of the packet; kernels can read all of it
  uint64_t reserved2 = 0;
  QueueShape queue;
  Shape shape;
  uint64_t kernarg = 0;  // address inside a region; 0: memory of its own
  std::string kernarg_file;
  std::vector<uint64_t> queue_pointers;  // offsets in the arguments
  std::vector<Region> regions;           // by address
  std::vector<Variable> variables;
  std::vector<Variant> variants;
  std::string edits;          // the content of all edits of scenes
  std::vector<Scene> scenes;  // none: the dispatch as it was captured
  unsigned first_scene = 0;   // those before it are left out
};

Plan read_plan(const std::string& path);

}  // namespace replay
