#include "study/log_advice.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "cosim/fragmentation.hpp"
#include "study/advice.hpp"
#include "study/sweep_json.hpp"
#include "study/tasks.hpp"

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

/// Looks at allocators, one in each task.
class Looks {
 public:
  Looks(const Sweep& sweep, const LogQuestions& questions, std::size_t instants)
      : sweep_(sweep), questions_(questions), instants_(instants) {}

  Json look(std::size_t allocator) const {
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
    Json json{{"outside", with_pieces ? Json(pieces.outside()) : Json()}, {"neighbours", Json::array()}};
    for (const auto& snapshot : snapshots.finish()) {
      const auto seed = spec.seed + json["neighbours"].size();
      Json instant;  // null where nobody has a neighbour
      if (const auto costs = neighbour_costs(request.machine, snapshot.holders, questions_.shares, seed))
        for (const auto& cost : *costs) instant.push_back({cost.longer, cost.longest});
      json["neighbours"].push_back(std::move(instant));
    }
    return json;
  }

 private:
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
};

/// What an allocator costs, from its look and from that of the first allocator.
AllocatorCosts costs_of(std::size_t allocator, const Json& found, const Json& first, const LogQuestions& questions) {
  AllocatorCosts costs{.allocator = allocator, .neighbours = {}};
  if (!found["outside"].is_null()) costs.outside = found["outside"].get<double>();
  const auto& instants = found["neighbours"];
  for (std::size_t s = 0; s < questions.shares.size(); ++s) {
    NeighbourCosts cost{.share = questions.shares[s]};
    Sample longer, more;
    for (std::size_t i = 0; i < instants.size(); ++i) {
      if (instants[i].is_null()) continue;
      longer.push_back(instants[i][s][0]);
      cost.longest = std::max(cost.longest, instants[i][s][1].get<double>());
      if (!first.is_null() && !first["neighbours"][i].is_null())
        more.push_back(longer.back() - first["neighbours"][i][s][0].get<double>());
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
  JudgedSweep judged{.sweep = std::make_unique<Sweep>(std::move(spec)), .rows = {}, .groups = {}, .trade_offs = {}};
  const auto& sweep = *judged.sweep;
  const auto executor = make_local_executor([&](std::size_t task) { return sweep.work(task); }, workers);
  judged.rows = run_sweep(sweep, *executor, nullptr);
  judged.groups = sweep_groups(sweep, judged.rows);
  judged.trade_offs = trade_offs(sweep, judged.groups);
  return judged;
}

/// The number of the first allocator that none dominates.
std::size_t first_undominated(const JudgedSweep& allocators) {
  if (allocators.trade_offs.empty()) throw core::SimulationError(allocators.rows.front().error);
  const auto& found = allocators.trade_offs.front();
  const auto first = std::find_if(found.groups.begin(), found.groups.end(),
                                  [&](std::size_t group) { return found.dominators(group).empty(); });
  // Dominance within a margin may go round in circles: none is undominated then.
  return allocators.groups[first == found.groups.end() ? found.groups.front() : *first].first.allocator;
}

Json judged_json(const JudgedSweep& judged) {
  return {{"rows", sweep_rows_json(*judged.sweep, judged.rows)},
          {"summary", sweep_summary_json(*judged.sweep, judged.groups, judged.trade_offs)},
          {"trade_offs", trade_offs_json(*judged.sweep, judged.groups, judged.trade_offs)}};
}

}  // namespace

LogAdvice advise(const SweepSpec& spec, const LogQuestions& questions, std::size_t workers) {
  LogAdvice advice;
  auto part = spec;
  part.schedulers = {spec.schedulers.front()};
  advice.allocators = judged(part, workers);
  const auto chosen = first_undominated(advice.allocators);
  advice.allocator_is_undecided = spec.allocators.size() > 1 && advice.allocators.trade_offs.front().are_single_runs();
  part = spec;
  part.allocators = {spec.allocators[chosen]};
  if (spec.schedulers.size() > 1) advice.schedulers = judged(part, workers);
  const auto& sweep = *advice.allocators.sweep;
  const auto allocators = spec.allocators.size();
  advice.instants = instants_of(questions, allocators, sweep.machine(0).node_count());
  const Looks looks(sweep, questions, advice.instants);
  std::vector<Json> found(allocators);
  advice.costs.resize(allocators);
  run_all(
      "looking at allocators", allocators, workers, [&](std::size_t allocator) { return looks.look(allocator); },
      [&](std::size_t allocator, const Json& result, const std::string& error) {
        found[allocator] = result;
        advice.costs[allocator].error = error;
      });
  for (std::size_t a = 0; a < allocators; ++a)
    if (advice.costs[a].error.empty())
      advice.costs[a] = costs_of(a, found[a], a == 0 ? Json() : found[0], questions);
    else
      advice.costs[a].allocator = a;
  for (const auto& group : advice.allocators.groups)
    if (!group.rows.empty())
      advice.costs[group.first.allocator].delayed = group.mean("refused") / std::max(1.0, group.mean("jobs"));
  return advice;
}

Json log_advice_json(const LogAdvice& advice) {
  const auto& spec = advice.allocators.sweep->spec();
  Json json{{"by_allocator", judged_json(advice.allocators)},
            {"by_scheduler", advice.schedulers.sweep ? judged_json(advice.schedulers) : Json()},
            {"instants", advice.instants},
            {"allocators", Json::array()}};
  const auto json_of = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto ends = [](const std::optional<Interval>& i) { return i ? Json{i->low, i->high} : Json(); };
  for (const auto& costs : advice.costs) {
    Json one{{"alloc", spec.allocators[costs.allocator].text()},
             {"scheduler", spec.schedulers[0].text()},
             {"delayed_by_shape", json_of(costs.delayed)},
             {"outside_largest_region", json_of(costs.outside)},
             {"instants", costs.instants},
             {"neighbours", Json::array()}};
    for (const auto& cost : costs.neighbours)
      one["neighbours"].push_back({{"communication_share", cost.share},
                                   {"longer", cost.longer},
                                   {"interval", ends(cost.interval)},
                                   {"longest", cost.longest},
                                   {"more_than_first", json_of(cost.more)},
                                   {"more_interval", ends(cost.more_interval)}});
    if (!costs.error.empty()) one["error"] = costs.error;
    json["allocators"].push_back(std::move(one));
  }
  return json;
}

}  // namespace toroid::study
