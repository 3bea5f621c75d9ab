// The captured addresses in this process: held before the runtime starts, backed by memory after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime.h"

namespace replay {

// Pages that are backed as one piece.
struct Place {
  uint64_t base = 0, size = 0;
  bool host = false, code = false;
  bool held = false;    // by us, before the runtime started
  uint64_t got = 0;     // where it came to lie; equal to base, or the replay ends
  std::string problem;  // why it could not be had at all
};

std::vector<Place> places_of(const std::vector<Region>& regions);

// Takes the addresses from everybody else (PROT_NONE). False when something of this process lies
// there: a new process gets other addresses.
bool hold(std::vector<Place>& places);

// Reserves and backs every place. Goes on after a failure, so that all of them can be reported.
void occupy(std::vector<Place>& places, const Runtime& runtime);

bool all_exact(const std::vector<Place>& places);
bool any_failed(const std::vector<Place>& places);

}  // namespace replay
