#pragma once
// Several jobs on one machine: each gets its nodes among those that the jobs before it left, and its ranks their
// places.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cosim/placing.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run_jobs.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::cosim {

/// A job as its user describes it.
struct JobDescription {
  std::string name;
  workloads::TraceSource trace;
  std::string nodes = {};  ///< a list such as `0-15,20`; empty: those that it holds, or that the allocator chooses
  Allocation held = {};    ///< nodes that are its own before any other job gets some; empty: none are
  alloc::AllocatorChoice allocator = "consecutive";
  mapping::MapperChoice map = "consecutive";
  std::int32_t ranks_per_node = 1;
  std::uint64_t seed = 1;    ///< seed of its allocator and its mapper
  double start = 0;          ///< seconds
  std::uint32_t rounds = 1;  ///< see netsim::PlacedJob
};

/// The jobs of a run, and how they are placed and replayed.
struct PlacingRequest {
  const Machine& machine;
  std::vector<JobDescription> jobs;
  std::vector<NodeId> busy = {};  ///< nodes that no job may have
  netsim::ReplayOptions replay = {};
  mapping::MatrixKind matrix = mapping::MatrixKind::expanded;
};

/// The placed jobs, in the order in which they were described.
struct PlacedJobs {
  std::vector<std::shared_ptr<const workloads::Trace>> traces;
  std::vector<Allocation> nodes;  ///< nodes of each job, some of them perhaps without a rank
  std::vector<netsim::PlacedJob> jobs;
};

/// Places jobs on a machine: first reads all lists of nodes; then all jobs get their nodes, before the first is mapped.
/// Throws InputError, which names the job, when its trace cannot be read, or its nodes do not exist, are too few or
/// belong to another job.
PlacedJobs place_jobs(const PlacingRequest& request);

/// The mapping that a mapper makes of a job, by its number, on the nodes that the job has. Throws InputError when the
/// mapper cannot.
netsim::Mapping mapping_by(const mapping::MapperChoice& mapper, const PlacingRequest& request, const PlacedJobs& placed,
                           std::size_t number);

}  // namespace toroid::cosim
