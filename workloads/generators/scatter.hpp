#pragma once
// The scatter of computations of the same work: from rank to rank, and from one time to the next.

#include <cstdint>
#include <vector>

#include "core/parameter.hpp"
#include "core/random.hpp"
#include "workloads/trace.hpp"

namespace toroid::workloads {

/// 0: none.
struct Scatter {
  double imbalance = 0;  ///< of what ranks compute in the whole run: standard deviation over mean
  double noise = 0;      ///< of a computation, from one time to the next, in flops: variance over mean
  double jitter = 0;     ///< of a computation, from one time to the next, beside noise: standard deviation over mean

  bool changes_with_time() const { return noise > 0 || jitter > 0; }
};

const core::Parameter<double>& imbalance();  ///< a key
const core::Parameter<double>& noise();      ///< a key
const core::Parameter<double>& jitter();     ///< a key
/// The values of these keys.
Scatter scatter(const core::Arguments& arguments);

/// A factor for each rank, with a mean of 1 and that standard deviation; none if the deviation is 0.
std::vector<double> rank_factors(std::int32_t ranks, double imbalance);

/// What the computations of a rank in a step of its program take, one after another, each independent of all others.
/// A step gives the same numbers whenever it is asked for. The variance of a computation of m flops is
/// noise m + (jitter m)^2. Interruptions that come at random are the first part, which is as large for a computation as
/// for two halves of it. What makes all of a computation slower, such as memory that others use, is the second.
class Noise {
 public:
  /// `scatter`: changes with time.
  Noise(const Scatter& scatter, Rank rank, std::uint64_t step);
  /// What a computation of that many flops takes, above 0.
  double drawn(double flops);

 private:
  double noise_, jitter_;
  core::Random random_;
};

}  // namespace toroid::workloads
