// The simulator as the judge: of the mappings that other mappers propose, the one that runs fastest, made better by
// swaps of ranks that are simulated one by one.

#include <set>

#include "core/random.hpp"
#include "mapping/portfolio/candidates.hpp"

namespace toroid::mapping {
namespace {

/// A climb down from one mapping.
class SimulatedDescent {
 public:
  SimulatedDescent(const MappingProblem& problem, SimulationJudge& judge, const Mapping& start, Routing routing)
      : problem_(problem),
        judge_(judge),
        loads_(TrafficGraph(problem.traffic.matrix()), Routes(problem.machine, routing), problem.slots,
               assignment_of(start, problem.slots)) {}

  Mapping run(std::size_t patience) {
    while (improve(patience)) {
    }
    return mapping();
  }

 private:
  struct Swap {
    Rank a, b;             ///< ranks; beyond those of the job, free slots
    std::size_t failures;  ///< the failures of earlier steps: so the next step begins with others
    double delta;  ///< the change of the squares of the loads: a crowded link counts more than two that share its load
  };

  Mapping mapping() const { return mapping_of(loads_.placement().slot_of(), problem_.slots, problem_.ranks()); }
  NodeId node(Rank rank) const { return problem_.slots[loads_.placement().slot(rank).index()]; }

  /// Takes the first swap that runs faster; false if there is none among the first `patience`, or no more may be
  /// simulated.
  bool improve(std::size_t patience) {
    if (judge_.exhausted()) return false;
    const auto now = judge_(mapping());
    const auto over = ranks_over(now.bottlenecks);
    std::size_t tried = 0;
    for (const bool at_bottleneck : {true, false})
      for (const auto& [a, b, failures, delta] : swaps(over, at_bottleneck)) {
        if (judge_.exhausted() || tried++ == patience) return false;
        loads_.swap(a, b);
        if (judge_(mapping()).runtime < now.runtime) return true;
        loads_.swap(a, b);
        ++failures_[{a, b}];
      }
    return false;
  }

  /// The ranks that send or receive something over one of the links.
  std::set<Rank> ranks_over(const std::vector<LinkId>& links) const {
    std::set<Rank> over;
    for (const LinkId link : links)
      for (const Rank rank : loads_.ranks_across(link)) over.insert(rank);
    return over;
  }

  /// The swaps that move a rank with messages over a bottleneck, or the others; what relieves links most comes first.
  std::vector<Swap> swaps(const std::set<Rank>& over, bool at_bottleneck) {
    const auto visits = loads_.visits();
    std::vector<Swap> all;
    for (const Rank a : loads_.ranks())
      for (const Rank b : loads_.placement().ranks()) {
        if (b <= a || node(a) == node(b) || (over.contains(a) || over.contains(b)) != at_bottleneck) continue;
        const auto failed = failures_.find({a, b});
        all.push_back({a, b, failed == failures_.end() ? 0 : failed->second, loads_.change_of_squares(a, b)});
      }
    std::ranges::stable_sort(all, [](const Swap& x, const Swap& y) {
      return std::pair(x.failures, x.delta) < std::pair(y.failures, y.delta);
    });
    judge_.charge(static_cast<double>(loads_.visits() - visits));
    return all;
  }

  const MappingProblem& problem_;
  SimulationJudge& judge_;
  SwappedLoads loads_;
  std::map<std::pair<Rank, Rank>, std::size_t> failures_;
};

using Mappers = std::vector<std::shared_ptr<const Mapper>>;

const core::OptionalParameter<Mappers> bases{
    "base",
    "mappers to start from, joined by +",
    {"mappers, in parentheses if they have keys, or mapping files",
     [](std::string_view text, const core::Place& place) -> std::optional<Mappers> {
       Mappers all;
       for (const auto part : core::split(text, '+'))
         all.push_back(mapper_in_parentheses().read(core::trim(part), place));
       return all;
     }},
    "what auto tries"};
const core::Parameter<std::size_t> candidates_of_each{"candidates", "mappings of each that draws lots",
                                                      core::whole<std::size_t>(1, 1'000'000), "3"};
const core::Parameter<std::size_t> simulated_runs{"runs", "simulations in all, at most",
                                                  core::whole<std::size_t>(1, 1'000'000'000), "100"};
const core::Parameter<netsim::EngineChoice> simulated_engine{"engine", "engine of the simulations",
                                                             engine_in_parentheses(), std::string(netsim::fast_engine)};

class Simulated final : public KeyedMapper {
 public:
  explicit Simulated(const core::Arguments& arguments) : KeyedMapper(arguments) {
    netsim::load(value(simulated_engine));
    for (const auto& base : value(bases).value_or(Mappers{})) {
      if (base->file().empty()) continue;
      if (!file_.empty())
        core::fail_input("'{}': found two mapping files, expected one at most", core::excerpt(arguments.spec().text()));
      file_ = base->file();
    }
  }

  bool uses_seed() const override {
    const auto& all = value(bases);
    return KeyedMapper::uses_seed() &&
           (!all || std::ranges::any_of(*all, [](const auto& base) { return base->uses_seed(); }));
  }
  std::string file() const override { return file_; }

  void check(const MappingProblem& problem) const override {
    if (problem.program == nullptr)
      core::fail_input("mapper 'simulated': found a communication matrix only, expected a trace to simulate");
    for (const auto& base : value(bases).value_or(Mappers{})) base->check(problem);
  }

  Mapping map(const MappingProblem& problem) const override {
    check(problem);
    SimulationJudge judge(problem, value(simulated_engine), {value(simulated_runs)});
    return simulated_descent(problem, judge, best_candidate(problem, judge), usual_routing(problem.machine));
  }

 private:
  Mapping best_candidate(MappingProblem problem, SimulationJudge& judge) const {
    problem.seed = seed(problem);
    core::Random random(problem.seed, "mapping/simulated");
    Mapping best;
    double best_runtime = std::numeric_limits<double>::infinity();
    const auto consider = [&](Mapping mapping) {
      const double runtime = judge(mapping).runtime;
      if (runtime >= best_runtime) return;
      best_runtime = runtime;
      best = std::move(mapping);
    };
    // The seed as it was given comes first: the result is no worse than what a base, or auto, alone makes of it.
    for (std::size_t i = 0; i < value(candidates_of_each); ++i, problem.seed = random.below(std::uint64_t{1} << 63U)) {
      if (value(bases)) {
        for (const auto& base : *value(bases))
          if ((i == 0 || base->uses_seed()) && !judge.exhausted()) consider(make_mapping(*base, problem));
      } else if (!judge.exhausted()) {
        for (auto& candidate : mapping::candidates(problem, {.routing = usual_routing(problem.machine)}).all)
          if (!judge.exhausted()) consider(std::move(candidate.mapping));
      }
    }
    return best;
  }

  std::string file_;
};

}  // namespace

SimulationJudge::SimulationJudge(const MappingProblem& problem, const netsim::EngineChoice& engine,
                                 const Allowance& allowance)
    : problem_(problem),
      engine_(engine),
      allowance_(allowance),
      bar_("simulating mappings", allowance.runs == Allowance{}.runs ? 0 : allowance.runs) {}

const Verdict& SimulationJudge::operator()(const Mapping& mapping) {
  const auto [entry, is_new] = verdicts_.try_emplace(mapping.elements());
  if (is_new) entry->second = simulate(mapping);
  bar_.update(verdicts_.size());
  return entry->second;
}

netsim::CountedRun SimulationJudge::run_counted(const netsim::Run& request, double most_work) {
  try {
    return netsim::run_counted(request, most_work);
  } catch (const core::SimulationError&) {
    charge(most_work);
    throw;
  }
}

Verdict SimulationJudge::simulate(const Mapping& mapping) {
  const auto& program = *problem_.program;
  const double runs = verdicts_.size() == 1 ? allowance_.least_runs : 2;  // this one stands there already
  const auto [result, work] =
      run_counted({problem_.machine, program.trace, mapping, program.replay, engine_}, allowance_.steps / runs);
  price_ = work;
  charge(work);
  Verdict verdict{result.runtime, {}};
  for (const auto& link : result.bottlenecks()) verdict.bottlenecks.push_back(link.link);
  return verdict;
}

core::Type<netsim::EngineChoice> engine_in_parentheses() {
  return core::choice_in_parentheses<netsim::engines>("an engine, in parentheses if it has keys");
}

Mapping simulated_descent(const MappingProblem& problem, SimulationJudge& judge, const Mapping& start, Routing routing,
                          std::size_t patience) {
  return SimulatedDescent(problem, judge, start, routing).run(patience);
}

core::Entry<MakeMapper> simulated_mapper() {
  return {"simulated",
          "least simulated run time, among those of other mappers and by swaps from the best",
          make<Simulated>,
          {bases, candidates_of_each, simulated_runs, simulated_engine, seed_parameter}};
}

}  // namespace toroid::mapping
