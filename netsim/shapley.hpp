#pragma once
// What each of a few jobs costs each other one, exactly: by running them in all combinations.

#include <cstddef>

#include "core/progress.hpp"
#include "netsim/run_jobs.hpp"

namespace toroid::netsim {

/// So many jobs take 2^6 - 1 runs.
inline constexpr std::size_t most_jobs_for_shapley = 6;

/// Throws InputError if not every job has a time in every combination: with more jobs than that, with one that repeats
/// until the others have ended, is killed or may fail, and on machines that change.
void check_for_shapley(const JobsRequest& request);

/// How many runs shapley_losses() makes.
std::uint64_t combinations_for_shapley(const JobsRequest& request);

/// What the others add to the run time of a job's rounds, each its Shapley value: of the others, the mean over all
/// orders in which they may join the job, one after the other, of what each adds when it comes. So a row adds up to the
/// time beside all others minus that alone. `together` is the run of all, with the times alone. The request is one that
/// check_for_shapley() takes.
LossTable shapley_losses(const JobsRequest& request, const JobsResult& together, core::Progress* bar = nullptr);

}  // namespace toroid::netsim
