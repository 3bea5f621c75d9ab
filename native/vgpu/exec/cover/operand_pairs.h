// Some of the operands that a comparison was executed with: the first two different pairs, and the last
// two. First and last are those of one order of all executions, which host threads do not change.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace vgpu::cover {

using OperandPair = std::pair<uint64_t, uint64_t>;

// When an instruction was executed: waves in the order of their workgroup's id, each in the order of its
// program.
struct Moment {
  uint64_t wave = ~uint64_t(0);  // of the dispatch
  uint64_t step = ~uint64_t(0);  // of the wave

  bool operator<(const Moment& other) const {
    return std::tie(wave, step) < std::tie(other.wave, other.step);
  }
  Moment reversed() const { return {~wave, ~step}; }
};

// The two different pairs with the earliest moments.
class EarliestPairs {
 public:
  void add(const Moment& at, const OperandPair& pair) {
    if (count_ == 0) return put_first(at, pair);
    if (pair == kept_[0].second) {
      kept_[0].first = std::min(kept_[0].first, at);
    } else if (at < kept_[0].first) {
      kept_[1] = kept_[0];
      kept_[0] = {at, pair};
      count_ = 2;
    } else if (count_ == 1 || at < kept_[1].first) {
      kept_[1] = {at, pair};
      count_ = 2;
    }
  }
  void add(const EarliestPairs& other) {
    for (int n = 0; n < other.count_; ++n) add(other.kept_[size_t(n)].first, other[n]);
  }
  int count() const { return count_; }
  const OperandPair& operator[](int n) const { return kept_[size_t(n)].second; }

 private:
  void put_first(const Moment& at, const OperandPair& pair) {
    kept_[0] = {at, pair};
    count_ = 1;
  }

  std::array<std::pair<Moment, OperandPair>, 2> kept_;
  int count_ = 0;
};

class OperandPairs {
 public:
  void add(const Moment& at, const OperandPair& pair) {
    first_.add(at, pair);
    last_.add(at.reversed(), pair);
  }
  void add(const OperandPairs& other) {
    first_.add(other.first_);
    last_.add(other.last_);
  }
  // Each once, in the order of their moments.
  std::vector<OperandPair> all() const {
    std::vector<OperandPair> found;
    const auto note = [&](const OperandPair& pair) {
      if (std::find(found.begin(), found.end(), pair) == found.end()) found.push_back(pair);
    };
    for (int n = 0; n < first_.count(); ++n) note(first_[n]);
    for (int n = last_.count(); n-- > 0;) note(last_[n]);
    return found;
  }

 private:
  EarliestPairs first_, last_;  // the moments of the last ones are reversed
};

}  // namespace vgpu::cover
