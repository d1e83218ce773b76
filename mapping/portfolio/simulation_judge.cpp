#include "mapping/portfolio/simulation_judge.hpp"

namespace toroid::mapping {

namespace {

/// The number of runs, or 0 where work is what ends them.
std::size_t known_runs(const Allowance& allowance) {
  return allowance.runs == Allowance{}.runs ? 0 : allowance.runs;
}

}  // namespace

SimulationJudge::SimulationJudge(const MappingProblem& problem, const netsim::EngineChoice& engine,
                                 const Allowance& allowance)
    : problem_(problem), engine_(engine), allowance_(allowance), bar_("simulating mappings", known_runs(allowance)) {}

const Verdict& SimulationJudge::operator()(const Mapping& mapping) {
  const auto [entry, is_new] = verdicts_.try_emplace(mapping.elements());
  if (is_new) entry->second = simulate(mapping);
  bar_.update(verdicts_.size());
  return entry->second;
}

netsim::CountedRun SimulationJudge::run_counted(const netsim::RunRequest& request, double most_work) {
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

}  // namespace toroid::mapping
