#include "cosim/placed_jobs.hpp"

#include <unordered_map>
#include <unordered_set>

#include "core/blame.hpp"
#include "netsim/time/clock.hpp"

namespace toroid::cosim {
namespace {

/// Places one job after the other.
class Placing {
 public:
  explicit Placing(const PlacingRequest& request) : request_(request), taken_(request.busy) {
    for (const NodeId node : taken_) holders_[node] = nullptr;
  }

  PlacedJobs place() {
    placed_.traces.resize(request_.jobs.size());
    placed_.nodes.resize(request_.jobs.size());
    for_each_job([&](const JobDescription& job, std::size_t) { wanted_.push_back(wanted_by(job)); });
    for (const bool hold_nodes : {true, false})
      for_each_job([&](const JobDescription& job, std::size_t number) {
        if (job.held.empty() != hold_nodes) allocate_to(job, number);
      });
    for_each_job([&](const JobDescription& job, std::size_t number) { map(job, number); });
    return std::move(placed_);
  }

 private:
  template <class Action>
  void for_each_job(const Action& action) const {
    for (std::size_t number = 0; number < request_.jobs.size(); ++number) {
      const auto& job = request_.jobs[number];
      core::in_context(fmt::format("job '{}'", core::excerpt(job.name)), [&] { action(job, number); });
    }
  }

  void allocate_to(const JobDescription& job, std::size_t number) {
    placed_.traces[number] = job.trace.open();
    auto nodes = wanted_[number].empty() ? chosen_for(job, placed_.traces[number]->ranks()) : wanted_[number];
    check_free(nodes);
    for (const NodeId node : nodes) holders_[node] = &job;
    taken_.insert(taken_.end(), nodes.begin(), nodes.end());
    placed_.nodes[number] = std::move(nodes);
  }

  void map(const JobDescription& job, std::size_t number) {
    auto mapping = mapping_by(job.map, request_, placed_, number);
    placed_.jobs.push_back(
        {job.name, *placed_.traces[number], std::move(mapping), request_.replay, job.start, job.rounds});
  }

  /// The nodes that the job is to have; empty: its allocator chooses them.
  Allocation wanted_by(const JobDescription& job) const {
    mapping::check_ranks_per_node(request_.machine, job.ranks_per_node);
    return job.held.empty() && !job.nodes.empty() ? mapping::parse_nodes(job.nodes, request_.machine) : job.held;
  }

  Allocation chosen_for(const JobDescription& job, std::int32_t ranks) const {
    return allocate(request_.machine, job.allocator, taken_, (ranks - 1) / job.ranks_per_node + 1, job.seed);
  }

  void check_free(const Allocation& nodes) const {
    for (const NodeId node : nodes)
      if (const auto holder = holders_.find(node); holder != holders_.end()) {
        if (holder->second == nullptr) core::fail_input("node {} is busy", node);
        core::fail_input("node {} is held by job '{}': jobs share no node", node, holder->second->name);
      }
  }

  const PlacingRequest& request_;
  std::vector<Allocation> wanted_;  ///< the nodes that each job wants
  Allocation taken_;
  std::unordered_map<NodeId, const JobDescription*>
      holders_;  ///< who has the nodes that are taken; null: none of the jobs
  PlacedJobs placed_;
};

void check_busy(const Machine& machine, std::span<const NodeId> busy) {
  std::unordered_set<NodeId> seen;
  for (const NodeId node : busy) {
    if (node < 0 || node.value() >= machine.node_count() || !machine.computes(node))
      core::fail_input("busy nodes: found node {}, expected one of {} that computes", node, machine.name());
    if (!seen.insert(node).second) core::fail_input("busy nodes: node {} is given twice", node);
  }
}

}  // namespace

PlacedJobs place_jobs(const PlacingRequest& request) {
  return Placing(request).place();
}

netsim::Mapping mapping_by(const mapping::MapperChoice& mapper, const PlacingRequest& request, const PlacedJobs& placed,
                           std::size_t number) {
  const auto& job = request.jobs[number];
  const auto& trace = *placed.traces[number];
  const auto slots = mapping::slots_on(placed.nodes[number], job.ranks_per_node);
  const mapping::Traffic traffic(trace, request.replay.collectives, request.matrix);
  const mapping::Program program{trace, request.replay};
  return mapping::make_mapping(mapper, {request.machine, slots, traffic, job.seed, &program});
}

Allocation allocate(const Machine& machine, const alloc::AllocatorChoice& allocator, std::span<const NodeId> busy,
                    std::int32_t nodes, std::uint64_t seed) {
  check_busy(machine, busy);
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  free.take(busy);
  const auto made = allocator.make(alloc::Site{free, nullptr, seed, &clock});
  std::optional<Allocation> found;
  if (nodes <= free.count())
    made->allocate({.job = 1, .nodes = nodes}, [&](std::optional<Allocation> answer) { found = std::move(answer); });
  clock.run();
  if (!found)
    core::fail_input("allocator '{}' has no {} nodes for the job on {}, where {} are free", allocator.text(), nodes,
                     machine.name(), free.count());
  return *found;
}

AllocatorTraits traits_of(const alloc::AllocatorChoice& allocator, const Machine& machine) {
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  const auto made = allocator.make(alloc::Site{free, nullptr, 1, &clock});
  return {made->uses_seed(), made->local() != nullptr, made->uses_logged_nodes()};
}

}  // namespace toroid::cosim
