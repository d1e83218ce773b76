#pragma once
// The tables of a run of several jobs: when each ran and how long, who slowed whom, and who loaded the busiest links.

#include <string>
#include <vector>

#include "cosim/placed_jobs.hpp"
#include "netsim/computation_use.hpp"
#include "netsim/run.hpp"

namespace toroid::cli {

/// A line for each job.
std::string jobs_table(const netsim::JobsRequest& request, const netsim::JobsResult& result,
                       const std::vector<cosim::Allocation>& nodes);

/// What computation the run times of jobs have, or leave out, by job; nothing for jobs without any.
std::string computations_text(const netsim::JobsRequest& request,
                              const std::vector<netsim::ComputationUse>& computations);

/// How much of each job repeats what came before, so that it was not simulated; nothing if nothing does.
std::string repeats_text(const netsim::JobsRequest& request, const netsim::JobsResult& result);

/// A line for each job that lost time, a column for each job that it lost time to, then what all these explain.
std::string contention_table(const netsim::JobsRequest& request, const netsim::JobsResult& result);

/// The five links that were busiest, with the shares of the jobs; nothing where no link carried anything.
std::string shared_links_table(const netsim::JobsRequest& request, const netsim::JobsResult& result);

}  // namespace toroid::cli
