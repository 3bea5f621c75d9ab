// The result file: one JSON document for `rocm-perf replay`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory.h"
#include "places.h"

namespace replay {

struct VariantResult {
  std::vector<double> samples;  // ns, without the warm-up
  Comparison first;
  std::optional<Comparison> last;
};

struct Result {
  int attempts = 1;
  std::vector<Place> places;
  std::vector<VariantResult> variants;
};

// As it stands in the result file.
std::string comparison_text(const Comparison& comparison);

void write_result(const std::string& path, const Result& result, const Runtime* runtime);

}  // namespace replay
