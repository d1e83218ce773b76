#pragma once
// The jobs of a run side by side: the nodes and the mapping of each.

#include "toroid/alloc/allocator.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using platforms::Machine;
using platforms::NodeId;

/// The nodes that an allocator gives to a job of `nodes` nodes when the `busy` ones are taken. Throws InputError when
/// the allocator has no nodes for the job.
Allocation allocate(const Machine& machine, const alloc::AllocatorChoice& allocator, std::span<const NodeId> busy,
                    std::int32_t nodes, std::uint64_t seed);

/// What an allocator says of itself on a machine.
struct AllocatorTraits {
  bool uses_seed;  ///< whether the seed may decide which nodes it gives
  bool is_local;   ///< whether it answers at once, from the nodes that are free
  bool uses_logged_nodes;
};
AllocatorTraits traits_of(const alloc::AllocatorChoice& allocator, const Machine& machine);

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
  std::uint32_t rounds = 1;  ///< how often the job runs (netsim::PlacedJob::rounds)
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
