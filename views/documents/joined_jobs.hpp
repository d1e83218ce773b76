#pragma once
// Several jobs of one run seen as one program: their ranks are numbered on from job to job.

#include <cstdint>
#include <vector>

#include "netsim/run.hpp"
#include "workloads/summary.hpp"

namespace toroid::views {

struct JoinedJobs {
  /// Ranks as each job reported them last, what ranks did and what links carried in the whole run, and steps, obstacles
  /// and classes of messages of the last round of each job that has one (netsim::JobResult::last_round). All times but
  /// those of ranks are in seconds since the start of the run. The messages are those of all rounds.
  netsim::Result result;
  netsim::Mapping mapping;
  workloads::CommunicationMatrix matrix;
  std::vector<std::uint32_t> first_rank;  ///< the first rank of each job, last how many ranks there are

  /// The job of a rank.
  std::uint32_t job_of(workloads::Rank rank) const;
};

/// Joins the jobs of a run that kept causes and activity (netsim::JobsRequest). `matrices` are the messages of each
/// job.
JoinedJobs joined(const netsim::JobsRequest& request, const netsim::JobsResult& result,
                  const std::vector<workloads::CommunicationMatrix>& matrices);

}  // namespace toroid::views
