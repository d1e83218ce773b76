// The simulator as the judge: of the mappings that other mappers propose, the one that runs fastest, made better by
// swaps of ranks that are simulated one by one.

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "mapping/mappers.hpp"
#include "mapping/portfolio/candidates.hpp"
#include "mapping/portfolio/simulated_descent.hpp"
#include "netsim/run.hpp"

namespace toroid::mapping {
namespace {

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

class Simulated final : public Mapper {
 public:
  explicit Simulated(const core::Arguments& arguments)
      : candidates_(arguments[candidates_of_each]),
        runs_(arguments[simulated_runs]),
        engine_(arguments[simulated_engine]),
        seed_(arguments[seed_parameter]),
        bases_(arguments[bases]) {
    netsim::load(engine_);
    if (!bases_) return;
    for (const auto& base : *bases_) {
      if (base->file().empty()) continue;
      if (!file_.empty())
        core::fail_input("'{}': found two mapping files, expected one at most", core::excerpt(arguments.spec().text()));
      file_ = base->file();
    }
  }

  bool uses_seed() const override {
    return !seed_ &&
           (!bases_ || std::any_of(bases_->begin(), bases_->end(), [](const auto& base) { return base->uses_seed(); }));
  }
  std::string file() const override { return file_; }

  void check(const MappingProblem& problem) const override {
    if (problem.program == nullptr)
      core::fail_input("mapper 'simulated': found a communication matrix only, expected a trace to simulate");
    for (const auto& base : bases_.value_or(Mappers{})) base->check(problem);
  }

  Mapping map(const MappingProblem& problem) const override {
    check(problem);
    SimulationJudge judge(problem, engine_, {runs_});
    return simulated_descent(problem, judge, best_candidate(problem, judge), usual_routing(problem.machine));
  }

 private:
  Mapping best_candidate(MappingProblem problem, SimulationJudge& judge) const {
    problem.seed = seed_.value_or(problem.seed);
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
    for (std::size_t i = 0; i < candidates_; ++i, problem.seed = random.below(std::uint64_t{1} << 63U)) {
      if (bases_) {
        for (const auto& base : *bases_)
          if ((i == 0 || base->uses_seed()) && !judge.exhausted()) consider(make_mapping(*base, problem));
      } else if (!judge.exhausted()) {
        for (auto& candidate : mapping::candidates(problem, {.routing = usual_routing(problem.machine)}).all)
          if (!judge.exhausted()) consider(std::move(candidate.mapping));
      }
    }
    return best;
  }

  std::size_t candidates_, runs_;
  netsim::EngineChoice engine_;
  std::optional<std::uint64_t> seed_;
  std::optional<Mappers> bases_;
  std::string file_;
};

}  // namespace

core::Entry<MakeMapper> simulated_mapper() {
  return {"simulated",
          "least simulated run time, among those of other mappers and by swaps from the best",
          make<Simulated>,
          {bases, candidates_of_each, simulated_runs, simulated_engine, seed_parameter}};
}

}  // namespace toroid::mapping
