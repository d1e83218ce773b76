#include "study/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "core/random.hpp"
#include "core/units.hpp"
#include "cosim/programs.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run.hpp"
#include "netsim/run_jobs.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::study {
namespace {

constexpr int steps = 4;   // of a round
constexpr int rounds = 3;  // of the job that takes longest

class Neighbourhood {
 public:
  Neighbourhood(const platforms::Machine& machine, std::span<const cosim::Holder> jobs, std::uint64_t seed)
      : machine_(machine), random_(seed, "neighbours") {
    for (const auto& job : jobs)
      if (job.nodes.size() > 1) add(job);
  }

  NeighbourCost cost(double share) {
    NeighbourCost cost{.share = share};
    if (jobs_.size() < 2) return cost;
    const auto together = request(share);
    const auto result = netsim::run_together(together);
    double weights = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto time = result.jobs[i].runtime();
      if (!time) continue;  // its round was not over when the others had ended
      const double longer = std::max(0.0, *time / netsim::run_alone(together, i) - 1);
      const auto weight = static_cast<double>(jobs_[i].mapping.size());
      cost.longer += weight * longer;
      cost.longest = std::max(cost.longest, longer);
      weights += weight;
    }
    if (weights > 0) cost.longer /= weights;
    return cost;
  }

 private:
  struct Job {
    std::string rest;  ///< the TRACE up to the computation
    mapping::Mapping mapping;
    double step = 0;   ///< seconds of communication of a step, alone
    double phase = 0;  ///< part of its round by which it begins later
  };

  /// The exchange on a box of so many ranks, without its computation.
  std::string exchange(std::size_t size, cosim::JobId id) const {
    static const cosim::Programs rule{fmt::format("stencil:grid={{box}},steps={},bytes=1MB", steps)};
    jobs::Job job;
    job.size = static_cast<std::int32_t>(size);
    const std::vector<std::int32_t> sides(machine_.grid().dimension_count(), 1);
    return rule.of(job, id, 0, sides).trace;
  }

  const workloads::Trace& trace(const std::string& text) {
    auto& trace = traces_[text];
    if (!trace) trace = workloads::open_trace(text);
    return *trace;
  }

  void add(const cosim::Holder& holder) {
    Job job{.rest = exchange(holder.nodes.size(), holder.id), .mapping = {}, .phase = random_.unit()};
    const auto& alone = trace(job.rest + ",flops=0f");
    const mapping::Traffic traffic(alone);
    job.mapping = mapping::make_mapping("quick", {machine_, holder.nodes, traffic});
    const netsim::ReplayOptions options;
    job.step = netsim::run_in_process({machine_, alone, job.mapping, options, netsim::fast_engine}).runtime / steps;
    jobs_.push_back(std::move(job));
  }

  /// The jobs, which communicate for that share of their time. All but the one with the longest rounds go on until that
  /// one has ended.
  netsim::JobsRequest request(double share) {
    netsim::JobsRequest request{machine_, {}, netsim::fast_engine};
    const auto longest =
        std::max_element(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.step < b.step; });
    for (const auto& job : jobs_) {
      const double flops = job.step * (1 - share) / share * machine_.parameters().speed;
      netsim::ReplayOptions options;
      options.compute_scale = 1;
      request.jobs.push_back({.name = {},
                              .trace = trace(fmt::format("{},flops={}", job.rest, core::exact_speed(flops))),
                              .mapping = job.mapping,
                              .options = options,
                              .start = job.phase * steps * job.step / share,
                              .rounds = &job == &*longest ? rounds : netsim::until_end});
    }
    return request;
  }

  const platforms::Machine& machine_;
  core::Random random_;
  std::map<std::string, std::unique_ptr<workloads::Trace>> traces_;
  std::vector<Job> jobs_;
};

}  // namespace

std::vector<NeighbourCost> neighbour_costs(const platforms::Machine& machine, std::span<const cosim::Holder> jobs,
                                           std::span<const double> shares, std::uint64_t seed) {
  Neighbourhood neighbourhood(machine, jobs, seed);
  std::vector<NeighbourCost> costs;
  for (const double share : shares) costs.push_back(neighbourhood.cost(share));
  return costs;
}

}  // namespace toroid::study
