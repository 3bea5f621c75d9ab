#include "model/sampling/forecast.h"

#include <algorithm>
#include <numeric>

#include "model/launch/device_size.h"
#include "model/xcd/sharing.h"

namespace vgpu {
namespace model {
namespace {

using namespace calibration;

constexpr double kAlike = 1.01;
constexpr size_t kMostRounds = 16;  // of more, only the sum matters

}  // namespace

Forecast::Forecast(const LaunchShape& shape, const WorkSummary& work, XcdMask xcds, double beyond,
                   double up_to)
    : shape_(shape) {
  if (!work.knows_each()) return;
  double least = up_to, most = beyond;
  for (uint64_t group = 0; group < shape.groups; ++group) {
    const double longest = double(work.longest_of(group));
    if (longest <= beyond || longest > up_to || !has(xcds, xcd_of_group(group))) continue;
    least = std::min(least, longest);
    most = std::max(most, longest);
  }
  differs_ = most > kAlike * least;
  if (!differs_) return;
  for (uint64_t group = 0; group < shape.groups; ++group) {
    const double longest = double(work.longest_of(group));
    const int xcd = xcd_of_group(group);
    if (longest > beyond && longest <= up_to && has(xcds, xcd)) lives_[xcd].push_back(longest);
  }
}

double Forecast::life(int xcd) const {
  return std::accumulate(lives_[xcd].begin(), lives_[xcd].end(), 0.0);
}

double Forecast::end(const std::vector<double>& lives, double most_speed) const {
  const size_t round = groups_per_round(shape_);
  if (lives.size() > kMostRounds * round)
    return std::accumulate(lives.begin(), lives.end(), 0.0) / double(round);
  SharedUnits shared;
  shared.most_speed = most_speed;
  const size_t units = size_t(device_size().units_per_xcd);
  shared.lives.resize(units);
  const size_t resident = std::min(round, lives.size());
  const double full = double(resident) / double(std::min(units, resident));  // company of each
  for (size_t n = 0; n < resident; ++n) {
    const double company = double((resident - n % units - 1) / units + 1);
    shared.lives[n % units].push_back({lives[n], company});
  }
  for (size_t n = resident; n < lives.size(); ++n) shared.waiting.push_back({lives[n], full});
  return end_of(shared);
}

}  // namespace model
}  // namespace vgpu
