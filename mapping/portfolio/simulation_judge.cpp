#include "mapping/portfolio/simulation_judge.hpp"

#include "netsim/run.hpp"

namespace toroid::mapping {

SimulationJudge::SimulationJudge(const MappingProblem& problem, const netsim::EngineChoice& engine, std::size_t runs)
    : problem_(problem), engine_(engine), runs_(runs), bar_("simulating mappings", runs) {}

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

core::Type<netsim::EngineChoice> engine_in_parentheses() {
  return core::choice_in_parentheses<netsim::engines>("an engine, in parentheses if it has keys");
}

}  // namespace toroid::mapping
