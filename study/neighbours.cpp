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

  std::size_t size() const { return jobs_.size(); }

  NeighbourCost cost(double share) {
    NeighbourCost cost{.share = share};
    const auto together = request(share);
    double all_begun = 0;
    for (const auto& job : together.jobs) all_begun = std::max(all_begun, job.start);
    const auto result = netsim::run_together(together);
    double weights = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto time = mean_round(result.jobs[i], all_begun);
      if (!time) continue;  // none of its rounds was over when the others had ended
      const double longer = *time / netsim::run_alone(together, i) - 1;
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

  /// The mean of the rounds that began at that time or later.
  static std::optional<double> mean_round(const netsim::JobResult& job, double from) {
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

  /// The jobs, which communicate for that share of their time. The one with the longest rounds begins last, and all
  /// others go on until that one has ended.
  netsim::JobsRequest request(double share) {
    netsim::JobsRequest request{machine_, {}, netsim::fast_engine};
    const auto longest = static_cast<std::size_t>(
        std::max_element(jobs_.begin(), jobs_.end(), [](const Job& a, const Job& b) { return a.step < b.step; }) -
        jobs_.begin());
    double last = 0;
    for (const auto& job : jobs_) {
      const double flops = job.step * (1 - share) / share * machine_.parameters().speed;
      netsim::ReplayOptions options;
      options.compute_scale = 1;
      request.jobs.push_back({.name = {},
                              .trace = trace(fmt::format("{},flops={}", job.rest, core::exact_speed(flops))),
                              .mapping = job.mapping,
                              .options = options,
                              .start = job.phase * steps * job.step / share,
                              .rounds = netsim::until_end});
      last = std::max(last, request.jobs.back().start);
    }
    request.jobs[longest].start = last;
    request.jobs[longest].rounds = rounds;
    return request;
  }

  const platforms::Machine& machine_;
  core::Random random_;
  std::map<std::string, std::unique_ptr<workloads::Trace>> traces_;
  std::vector<Job> jobs_;
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
