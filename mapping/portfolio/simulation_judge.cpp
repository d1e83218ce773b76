#include "mapping/portfolio/simulation_judge.hpp"

#include "netsim/run.hpp"

namespace toroid::mapping {

namespace {

/// A message takes about as long in a simulation as so many steps of a search, and a run without messages as so many.
constexpr double steps_of_a_message = 400, steps_of_a_run = 30'000;

/// The number of runs, or 0 where work is what ends them.
std::size_t known_runs(const Allowance& allowance) {
  return allowance.runs == Allowance{}.runs ? 0 : allowance.runs;
}

}  // namespace

double steps_of_simulation(std::uint64_t messages) {
  return steps_of_a_run + steps_of_a_message * static_cast<double>(messages);
}

SimulationJudge::SimulationJudge(const MappingProblem& problem, const netsim::EngineChoice& engine,
                                 const Allowance& allowance)
    : problem_(problem), engine_(engine), allowance_(allowance), bar_("simulating mappings", known_runs(allowance)) {}

const Verdict& SimulationJudge::operator()(const Mapping& mapping) {
  const auto [entry, is_new] = verdicts_.try_emplace(mapping.elements());
  if (is_new) entry->second = simulate(mapping);
  bar_.update(verdicts_.size());
  return entry->second;
}

Verdict SimulationJudge::simulate(const Mapping& mapping) {
  const auto& program = *problem_.program;
  const auto result = netsim::run({problem_.machine, program.trace, mapping, program.replay, engine_});
  auto messages = result.messages;
  for (const auto& iterations : result.repeated) messages -= iterations.messages;  // these were passed over
  charge(steps_of_simulation(messages));
  Verdict verdict{result.runtime, {}};
  for (const auto& link : result.bottlenecks()) verdict.bottlenecks.push_back(link.link);
  return verdict;
}

core::Type<netsim::EngineChoice> engine_in_parentheses() {
  return core::choice_in_parentheses<netsim::engines>("an engine, in parentheses if it has keys");
}

}  // namespace toroid::mapping
