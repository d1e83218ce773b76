#pragma once
// What the slow definitions of schedulers in these tests have in common.

#include <algorithm>
#include <string>

#include "workloads/jobs/jobs.hpp"

namespace toroid::cosim {

/// How long a job runs as far as its scheduler knows, in seconds.
inline double estimate_of(const workloads::Job& job) {
  return std::max(job.run_time, job.estimate > 0 ? job.estimate : 2 * job.run_time);
}

/// The place of a job in a queue with that `order=`: the least comes first, those alike in the order of their arrival.
inline double rank(const workloads::Job& job, const std::string& order) {
  if (order == "shortest") return estimate_of(job);
  if (order == "longest") return -estimate_of(job);
  if (order == "smallest") return job.size;
  if (order == "largest") return -job.size;
  return 0;
}

}  // namespace toroid::cosim
