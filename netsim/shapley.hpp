#pragma once
// What each of a few jobs costs each other one, exactly: by running them in all combinations.

#include <cstddef>

#include "core/progress.hpp"
#include "netsim/run_jobs.hpp"

namespace toroid::netsim {

/// The most jobs for Shapley values, which take 2^6 - 1 runs then.
inline constexpr std::size_t most_jobs_for_shapley = 6;

/// Throws InputError unless every job has a run time in every combination of jobs. It has none with too many jobs, with
/// a job that repeats until the others have ended, is killed or may fail, and on machines that change.
void check_for_shapley(const JobsRequest& request);

/// The number of runs that shapley_losses() makes.
std::uint64_t combinations_for_shapley(const JobsRequest& request);

/// The seconds that each other job adds to the run time of a job's rounds, by Shapley values: what it adds when it
/// joins, as the mean over all orders in which the others may join one after the other. So the sum of a row is the time
/// beside all others minus that alone. `together` is the run of all jobs, with the times alone. The request must pass
/// check_for_shapley().
LossTable shapley_losses(const JobsRequest& request, const JobsResult& together, core::Progress* bar = nullptr);

}  // namespace toroid::netsim
