#pragma once
// The scatter of computations of the same work: from rank to rank, and from one time to the next.

#include <cstdint>
#include <span>
#include <vector>

#include "core/parameter.hpp"
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

/// Draws how long the computations of a rank in a step of its program take, each run of computations in a row as one,
/// since nobody can tell them apart. The variance of a run of m flops is noise m + (jitter m)^2. Interruptions that
/// come at random are the first part, which is as large for a computation as for two halves of it. What makes all of a
/// computation slower, such as memory that others use, is the second; a run that goes on from the end of one step to
/// the beginning of the next shares it, unless one of the steps has nothing else. Otherwise all runs are independent.
/// A step gets the same numbers whenever it is asked for.
void let_scatter(std::span<Operation> operations, const Scatter& scatter, Rank rank, std::uint64_t step);

}  // namespace toroid::workloads
