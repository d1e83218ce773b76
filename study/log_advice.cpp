#include "study/log_advice.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "cosim/fragmentation.hpp"
#include "study/sweep_json.hpp"
#include "study/tasks.hpp"

namespace toroid::study {
namespace {

using core::Json;

constexpr double steps_of_budget = 1e8;

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
      Json costs = Json::array();
      for (const auto& cost :
           neighbour_costs(request.machine, snapshot.holders, questions_.shares, spec.seed + json["neighbours"].size()))
        costs.push_back({{"share", cost.share}, {"longer", cost.longer}, {"longest", cost.longest}});
      json["neighbours"].push_back(std::move(costs));
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

AllocatorCosts costs_of(std::size_t allocator, const Json& found, const LogQuestions& questions) {
  AllocatorCosts costs{.allocator = allocator, .neighbours = {}};
  if (!found["outside"].is_null()) costs.outside = found["outside"].get<double>();
  const auto& instants = found["neighbours"];
  for (std::size_t s = 0; s < questions.shares.size(); ++s) {
    NeighbourCost mean{.share = questions.shares[s]};
    for (const auto& instant : instants) {
      mean.longer += instant[s]["longer"].get<double>() / static_cast<double>(instants.size());
      mean.longest = std::max(mean.longest, instant[s]["longest"].get<double>());
    }
    costs.neighbours.push_back(mean);
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
  return allocators.groups[*first].first.allocator;
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
  part = spec;
  part.allocators = {spec.allocators[first_undominated(advice.allocators)]};
  advice.schedulers = judged(part, workers);
  const auto& sweep = *advice.allocators.sweep;
  const auto allocators = spec.allocators.size();
  advice.instants = instants_of(questions, allocators, sweep.machine(0).node_count());
  advice.costs.resize(allocators);
  const Looks looks(sweep, questions, advice.instants);
  run_all(
      "looking at allocators", allocators, workers, [&](std::size_t allocator) { return looks.look(allocator); },
      [&](std::size_t allocator, const Json& found, const std::string& error) {
        if (error.empty())
          advice.costs[allocator] = costs_of(allocator, found, questions);
        else
          advice.costs[allocator] = {.allocator = allocator, .neighbours = {}, .error = error};
      });
  for (const auto& group : advice.allocators.groups)
    if (!group.rows.empty())
      advice.costs[group.first.allocator].delayed = group.mean("refused") / std::max(1.0, group.mean("jobs"));
  return advice;
}

Json log_advice_json(const LogAdvice& advice) {
  const auto& spec = advice.allocators.sweep->spec();
  Json json{{"by_allocator", judged_json(advice.allocators)},
            {"by_scheduler", judged_json(advice.schedulers)},
            {"instants", advice.instants},
            {"allocators", Json::array()}};
  for (const auto& costs : advice.costs) {
    Json one{{"alloc", spec.allocators[costs.allocator].text()},
             {"scheduler", spec.schedulers[0].text()},
             {"delayed_by_shape", costs.delayed ? Json(*costs.delayed) : Json()},
             {"outside_largest_region", costs.outside ? Json(*costs.outside) : Json()},
             {"neighbours", Json::array()}};
    for (const auto& cost : costs.neighbours)
      one["neighbours"].push_back(
          {{"communication_share", cost.share}, {"longer", cost.longer}, {"longest", cost.longest}});
    if (!costs.error.empty()) one["error"] = costs.error;
    json["allocators"].push_back(std::move(one));
  }
  return json;
}

}  // namespace toroid::study
