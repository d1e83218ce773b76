#include "mapping/portfolio/simulation_judge.hpp"

#include "netsim/run.hpp"

namespace toroid::mapping {

SimulationJudge::SimulationJudge(const MappingProblem& problem, std::string engine, std::size_t runs)
    : problem_(problem), engine_(std::move(engine)), runs_(runs), bar_("simulating mappings", runs) {}

const Verdict& SimulationJudge::operator()(const Mapping& mapping) {
  const auto [entry, is_new] = verdicts_.try_emplace(mapping.elements());
  if (is_new) entry->second = simulate(mapping);
  bar_.update(verdicts_.size());
  return entry->second;
}

Verdict SimulationJudge::simulate(const Mapping& mapping) const {
  const auto& program = *problem_.program;
  const auto result = netsim::run({problem_.machine, program.trace, mapping, program.replay, engine_});
  Verdict verdict{result.runtime, {}};
  for (const auto& link : result.bottlenecks()) verdict.bottlenecks.push_back(link.link);
  return verdict;
}

core::Type<std::string> engine_in_parentheses() {
  // Not the names of engines in the help: tables of other files may not be there yet when parameters are made.
  return {"an engine, in parentheses if it has keys",
          [](std::string_view text, const core::Place& place) -> std::optional<std::string> {
            const std::string engine(core::unwrap(text));
            netsim::engines().find(core::Spec::inside(place.spec, engine));
            return engine;
          }};
}

}  // namespace toroid::mapping
