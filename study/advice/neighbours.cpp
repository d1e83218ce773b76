#include "study/advice/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <map>
#include <memory>
#include <string>

#include "core/random.hpp"
#include "core/units.hpp"
#include "cosim/run_times/programs.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::study {
namespace {

// With twice as many steps a round, the answers differ by less than their intervals, and take twice the time: for 9
// instants of random nodes on torus:16x16x16 both give +8.9 %, 8.9 (4.9 to 12.9) and 8.9 (6.2 to 11.6).
constexpr int steps = 2;   // of a round
constexpr int rounds = 3;  // of the job that takes longest

/// A job that can have neighbours: it has several nodes.
struct Job {
  std::string rest;  ///< the TRACE up to the computation
  mapping::Mapping mapping;
  double step = 0;   ///< seconds of communication of a step, alone; 0 for a job that meets no other
  double phase = 0;  ///< part of its round by which it begins later
};

/// Jobs by their numbers.
using Pieces = std::vector<std::size_t>;

/// The mean of the rounds that began at that time or later.
std::optional<double> mean_round(const netsim::JobResult& job, double from) {
  double begin = job.start, sum = 0;
  std::size_t count = 0;
  for (const double round : job.rounds) {
    if (begin >= from) {
      sum += round;
      ++count;
    }
    begin += round;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

class Neighbourhood {
 public:
  Neighbourhood(const platforms::Machine& machine, std::span<const cosim::Holder> jobs, std::uint64_t seed)
      : machine_(machine), random_(seed, "neighbours") {
    for (const auto& job : jobs)
      if (job.nodes.size() > 1) add(job);
    groups_ = groups_that_meet();
    for (const auto& group : groups_)
      for (const auto job : group) jobs_[job].step = alone(jobs_[job], 0) / steps;
  }

  std::size_t size() const { return jobs_.size(); }

  NeighbourCost cost(double share) {
    std::vector<std::optional<double>> longer(size(), 0.0);  // by job; a job that meets no other takes as long as alone
    for (const auto& group : groups_) run(group, share, longer);
    NeighbourCost cost{.share = share};
    double weights = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!longer[i]) continue;
      const auto weight = static_cast<double>(jobs_[i].mapping.size());
      cost.longer += weight * *longer[i];
      cost.longest = std::max(cost.longest, *longer[i]);
      weights += weight;
    }
    if (weights > 0) cost.longer /= weights;
    return cost;
  }

 private:
  /// The exchange on a box of so many ranks, without its computation.
  std::string exchange(std::size_t size, cosim::JobId id) const {
    static const cosim::Programs rule{fmt::format("stencil:grid={{box}},steps={},bytes=1MB", steps)};
    jobs::Job job;
    job.size = static_cast<std::int32_t>(size);
    const std::vector<std::int32_t> sides(machine_.grid().dimension_count(), 1);
    return rule.of(job, id, 0, sides).trace;
  }

  const workloads::Trace& trace(const Job& job, double flops) {
    const auto text = fmt::format("{},flops={}", job.rest, core::exact_speed(flops));
    auto& trace = traces_[text];
    if (!trace) trace = workloads::open_trace(text);
    return *trace;
  }

  /// What the ranks of a job send each other.
  const mapping::Traffic& traffic(const Job& job) {
    auto& traffic = traffics_[job.rest];
    if (!traffic) traffic = std::make_unique<mapping::Traffic>(trace(job, 0));
    return *traffic;
  }

  void add(const cosim::Holder& holder) {
    Job job{.rest = exchange(holder.nodes.size(), holder.id), .mapping = {}, .phase = random_.unit()};
    job.mapping = mapping::make_mapping("quick", {machine_, holder.nodes, traffic(job)});
    jobs_.push_back(std::move(job));
  }

  /// The groups of two jobs and more in which messages of jobs take the same links, directly or by way of others.
  std::vector<Pieces> groups_that_meet() {
    boost::disjoint_sets_with_storage<> sets(size());
    core::IdVector<platforms::LinkId, std::optional<std::size_t>> on(machine_.link_count());
    for (std::size_t job = 0; job < size(); ++job) {
      const auto& mapping = jobs_[job].mapping;
      const auto& rows = traffic(jobs_[job]).matrix().rows;
      for (const auto from : rows.ids())
        for (const auto& cell : rows[from])
          machine_.for_each_link(mapping[from], mapping[cell.to], [&](platforms::LinkId link) {
            if (on[link]) sets.union_set(*on[link], job);
            on[link] = job;
          });
    }
    std::map<std::size_t, Pieces> by_set;
    for (std::size_t job = 0; job < size(); ++job) by_set[sets.find_set(job)].push_back(job);
    std::vector<Pieces> groups;
    for (auto& [set, group] : by_set)
      if (group.size() > 1) groups.push_back(std::move(group));
    return groups;
  }

  netsim::PlacedJob placed(const Job& job, double flops) {
    netsim::ReplayOptions options;
    options.compute_scale = 1;
    return {.name = {}, .trace = trace(job, flops), .mapping = job.mapping, .options = options};
  }

  /// The seconds that a job of so many flops a step takes alone.
  double alone(const Job& job, double flops) {
    const auto job_alone = placed(job, flops);
    return netsim::run_in_process({machine_, job_alone.trace, job.mapping, job_alone.options, netsim::fast_engine})
        .runtime;
  }

  /// Runs the jobs of a group together, and says of each how much longer it takes than alone: nothing for a job of
  /// which no round was over when the others had ended. The job with the longest rounds begins last, and all others go
  /// on until that one has ended.
  void run(const Pieces& group, double share, std::vector<std::optional<double>>& longer) {
    netsim::JobsRequest request{.machine = machine_, .jobs = {}, .engine = netsim::fast_engine, .with_charges = false};
    double last = 0;
    std::size_t longest = 0;
    std::vector<double> flops;
    for (const auto number : group) {
      const auto& job = jobs_[number];
      flops.push_back(job.step * (1 - share) / share * machine_.parameters().speed);
      request.jobs.push_back(placed(job, flops.back()));
      auto& added = request.jobs.back();
      added.rounds = netsim::until_end;
      added.start = job.phase * steps * job.step / share;
      last = std::max(last, added.start);
      if (job.step > jobs_[group[longest]].step) longest = request.jobs.size() - 1;
    }
    request.jobs[longest].start = last;
    request.jobs[longest].rounds = rounds;
    const auto result = netsim::run_together(request);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto& job = jobs_[group[i]];
      longer[group[i]] = mean_round(result.jobs[i], last);
      if (auto& time = longer[group[i]]) time = *time / alone(job, flops[i]) - 1;
    }
  }

  const platforms::Machine& machine_;
  core::Random random_;
  std::map<std::string, std::unique_ptr<workloads::Trace>> traces_;
  std::map<std::string, std::unique_ptr<mapping::Traffic>> traffics_;
  std::vector<Job> jobs_;
  std::vector<Pieces> groups_;
};

}  // namespace

std::optional<std::vector<NeighbourCost>> neighbour_costs(const platforms::Machine& machine,
                                                          std::span<const cosim::Holder> jobs,
                                                          std::span<const double> shares, std::uint64_t seed) {
  Neighbourhood neighbourhood(machine, jobs, seed);
  if (neighbourhood.size() < 2) return std::nullopt;
  std::vector<NeighbourCost> costs;
  for (const double share : shares) costs.push_back(neighbourhood.cost(share));
  return costs;
}

}  // namespace toroid::study
