#include "study/advice/log_advice.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "cosim/free_pieces.hpp"
#include "study/advice/advice.hpp"
#include "study/json.hpp"
#include "study/tasks/executor.hpp"

namespace toroid::study {
namespace {

using core::Json;

/// About the steps that it takes to look at the neighbours of all jobs on a node once.
constexpr double steps_of_node = 30'000;

std::size_t instants_of(const LogQuestions& questions, std::size_t allocators, double nodes) {
  const double each = steps_of_node * nodes * static_cast<double>(questions.shares.size() * allocators);
  const double affordable = questions.budget * steps_of_budget / std::max(1.0, each);
  return static_cast<std::size_t>(std::clamp(affordable, 1.0, static_cast<double>(questions.most_instants)));
}

/// The jobs that hold nodes at an instant, each with its nodes.
using Holders = std::vector<cosim::Holder>;

/// What becomes of the machine under an allocator.
struct Look {
  std::optional<double> outside = {};                  ///< see AllocatorCosts
  std::vector<Holders> instants = {};                  ///< none if the schedule failed
  std::vector<std::vector<NeighbourCost>> costs = {};  ///< by instant; empty where nobody has a neighbour
  std::string error = {};
};

Json holders_json(const Holders& holders) {
  Json json = Json::array();
  for (const auto& holder : holders) json.push_back({holder.id, holder.nodes});
  return json;
}

Holders holders_from(const Json& json) {
  Holders holders;
  for (const auto& one : json) holders.push_back({one[0], {}, one[1].get<cosim::Allocation>()});
  return holders;
}

/// Looks at all allocators, in tasks of two kinds: the log under an allocator, then the neighbours at one of its
/// instants.
class Looks {
 public:
  Looks(const Sweep& sweep, const LogQuestions& questions, std::size_t instants)
      : sweep_(sweep), questions_(questions), instants_(instants), looks_(sweep.spec().allocators.size()) {}

  std::vector<Look> all(std::size_t workers) {
    const auto schedules = run_all("looking at allocators", looks_.size(), workers,
                                   [&](std::size_t allocator) { return schedule(allocator); });
    std::vector<std::pair<std::size_t, std::size_t>> tasks;  // allocator, instant
    for (std::size_t a = 0; a < looks_.size(); ++a) {
      auto& look = looks_[a];
      const auto& result = schedules[a].result;
      look.error = schedules[a].error;
      if (result.is_null()) continue;
      if (!result["outside"].is_null()) look.outside = result["outside"];
      for (const auto& holders : result["instants"]) look.instants.push_back(holders_from(holders));
      look.costs.resize(look.instants.size());
      for (std::size_t i = 0; i < look.instants.size(); ++i) tasks.emplace_back(a, i);
    }
    const auto costs = run_all("looking at neighbours", tasks.size(), workers,
                               [&](std::size_t task) { return neighbours(tasks[task].first, tasks[task].second); });
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const auto& [result, error] = costs[task];
      auto& look = looks_[tasks[task].first];
      if (look.error.empty()) look.error = error;
      for (std::size_t s = 0; s < result.size(); ++s)
        look.costs[tasks[task].second].push_back({questions_.shares[s], result[s][0], result[s][1]});
    }
    return std::move(looks_);
  }

 private:
  Json schedule(std::size_t allocator) const {
    const auto& spec = sweep_.spec();
    const auto jobs = spec.jobs[0].open(spec.reading, spec.seed);
    cosim::ScheduleRequest request(sweep_.machine(0), *jobs, spec.schedulers[0], spec.allocators[allocator]);
    static_cast<cosim::ScheduleSettings&>(request) = spec;
    request.seed = spec.seed;
    cosim::Fragmentation pieces(request.machine);
    cosim::SnapshotObserver snapshots(times(*jobs));
    request.observers = {&snapshots};
    constexpr double most = 4e9;  // nodes times instants, some ten seconds
    const bool with_pieces = 2.0 * static_cast<double>(jobs->counts().jobs) * request.machine.node_count() < most;
    if (with_pieces) request.observers.push_back(&pieces);
    cosim::run_schedule(request);
    Json json{{"outside", with_pieces ? Json(pieces.outside()) : Json()}, {"instants", Json::array()}};
    for (const auto& snapshot : snapshots.finish()) json["instants"].push_back(holders_json(snapshot.holders));
    return json;
  }

  /// For each share how much longer jobs take, on average and at most; empty where nobody has a neighbour.
  Json neighbours(std::size_t allocator, std::size_t instant) const {
    Json json = Json::array();
    const auto costs = neighbour_costs(sweep_.machine(0), looks_[allocator].instants[instant], questions_.shares,
                                       sweep_.spec().seed + instant);
    if (costs)
      for (const auto& cost : *costs) json.push_back({cost.longer, cost.longest});
    return json;
  }

  /// The middles of equal parts of the time in which jobs are submitted.
  std::vector<double> times(const jobs::Jobs& jobs) const {
    const auto summary = jobs::summarize(jobs);
    std::vector<double> times;
    for (std::size_t i = 0; i < instants_; ++i)
      times.push_back(summary.first +
                      (summary.last - summary.first) * (static_cast<double>(i) + 0.5) / static_cast<double>(instants_));
    return times;
  }

  const Sweep& sweep_;
  const LogQuestions& questions_;
  std::size_t instants_;
  std::vector<Look> looks_;
};

/// What an allocator costs, from its look and from that of the first allocator.
AllocatorCosts costs_of(std::size_t allocator, const Look& look, const Look& first, const LogQuestions& questions) {
  AllocatorCosts costs{.allocator = allocator, .neighbours = {}, .error = look.error};
  if (!look.error.empty()) return costs;
  costs.outside = look.outside;
  for (std::size_t s = 0; s < questions.shares.size(); ++s) {
    NeighbourCosts cost{.share = questions.shares[s]};
    Sample longer, more;
    for (std::size_t i = 0; i < look.costs.size(); ++i) {
      if (look.costs[i].empty()) continue;
      longer.push_back(look.costs[i][s].longer);
      cost.longest = std::max(cost.longest, look.costs[i][s].longest);
      if (allocator != 0 && first.error.empty() && !first.costs[i].empty())
        more.push_back(longer.back() - first.costs[i][s].longer);
    }
    costs.instants = longer.size();
    if (longer.empty()) return costs;
    cost.longer = mean(longer);
    cost.interval = interval_of_mean(longer);
    if (!more.empty()) cost.more = mean(more);
    cost.more_interval = interval_of_mean(more);
    costs.neighbours.push_back(cost);
  }
  return costs;
}

JudgedSweep judged(SweepSpec spec, std::size_t workers) {
  const auto sweep = std::make_shared<const Sweep>(std::move(spec));
  return judge(sweep, *make_local_executor([&](std::size_t task) { return sweep->work(task); }, workers), nullptr);
}

/// Keeps one of the labels, if there are any.
void keep_label(std::vector<std::string>& labels, std::size_t which) {
  if (!labels.empty()) labels = {labels[which]};
}

/// The number of the first allocator that none dominates.
std::size_t first_undominated(const JudgedSweep& allocators) {
  if (allocators.trade_offs.empty()) throw core::SimulationError(allocators.rows.front().error);
  const auto& found = allocators.trade_offs.front();
  const auto first = std::find_if(found.groups.begin(), found.groups.end(),
                                  [&](std::size_t group) { return found.dominators(group).empty(); });
  // Dominance within a margin may go round in circles: none is undominated then.
  return allocators.groups[first == found.groups.end() ? found.groups.front() : *first].run.alloc;
}

}  // namespace

LogAdvice advise(const SweepSpec& spec, const LogQuestions& questions, std::size_t workers) {
  LogAdvice advice;
  auto part = spec;
  part.schedulers = {spec.schedulers.front()};
  keep_label(part.labels.schedulers, 0);
  advice.allocators = judged(part, workers);
  const auto chosen = first_undominated(advice.allocators);
  advice.allocator_is_undecided = spec.allocators.size() > 1 && advice.allocators.trade_offs.front().are_single_runs();
  part = spec;
  part.allocators = {spec.allocators[chosen]};
  keep_label(part.labels.allocs, chosen);
  if (spec.schedulers.size() > 1) advice.schedulers = judged(part, workers);
  const auto& sweep = *advice.allocators.sweep;
  const auto allocators = spec.allocators.size();
  advice.instants = instants_of(questions, allocators, sweep.machine(0).node_count());
  const auto looks = Looks(sweep, questions, advice.instants).all(workers);
  for (std::size_t a = 0; a < allocators; ++a) advice.costs.push_back(costs_of(a, looks[a], looks[0], questions));
  for (const auto& group : advice.allocators.groups)
    if (!group.rows.empty())
      advice.costs[group.run.alloc].delayed = group.mean("refused") / std::max(1.0, group.mean("jobs"));
  return advice;
}

Json log_advice_json(const LogAdvice& advice) {
  const auto& spec = advice.allocators.sweep->spec();
  auto labels = labels_json(*advice.allocators.sweep);
  if (advice.schedulers.sweep) labels["scheduler"] = labels_json(*advice.schedulers.sweep)["scheduler"];
  Json json{{"labels", std::move(labels)},
            {"by_allocator", judged_json(advice.allocators)},
            {"by_scheduler", advice.schedulers.sweep ? judged_json(advice.schedulers) : Json()},
            {"instants", advice.instants},
            {"allocators", Json::array()}};
  for (const auto& costs : advice.costs) {
    Json one{{"alloc", spec.allocators[costs.allocator].text()},
             {"scheduler", spec.schedulers[0].text()},
             {"delayed_by_shape", or_null(costs.delayed)},
             {"outside_largest_region", or_null(costs.outside)},
             {"instants", costs.instants},
             {"neighbours", Json::array()}};
    for (const auto& cost : costs.neighbours)
      one["neighbours"].push_back({{"communication_share", cost.share},
                                   {"longer", cost.longer},
                                   {"interval", interval_json(cost.interval)},
                                   {"longest", cost.longest},
                                   {"more_than_first", or_null(cost.more)},
                                   {"more_interval", interval_json(cost.more_interval)}});
    if (!costs.error.empty()) one["error"] = costs.error;
    json["allocators"].push_back(std::move(one));
  }
  return json;
}

}  // namespace toroid::study
