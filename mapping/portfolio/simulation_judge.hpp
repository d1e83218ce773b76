#pragma once
// The simulator as the judge of mappings.

#include <map>
#include <vector>

#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "mapping/mapper.hpp"
#include "netsim/network.hpp"

namespace toroid::mapping {

struct Verdict {
  double runtime = 0;
  std::vector<platforms::LinkId> bottlenecks;  ///< the links that carried most for their bandwidth
};

/// Simulates mappings of one job, no mapping twice, and not more often than it may. The problem must have a program.
class SimulationJudge {
 public:
  SimulationJudge(const MappingProblem& problem, const netsim::EngineChoice& engine, std::size_t runs);

  /// Whether it may not simulate another mapping, or the user waits for the result and one was simulated.
  bool exhausted() const { return verdicts_.size() >= runs_ || (core::is_interrupted() && !verdicts_.empty()); }

  /// Throws SimulationError where the program cannot run.
  const Verdict& operator()(const Mapping& mapping);

 private:
  Verdict simulate(const Mapping& mapping) const;

  const MappingProblem& problem_;
  netsim::EngineChoice engine_;
  std::size_t runs_;
  core::Progress bar_;
  std::map<std::vector<NodeId>, Verdict> verdicts_;
};

/// The type of keys whose value is an engine, in parentheses if it has keys of its own.
core::Type<netsim::EngineChoice> engine_in_parentheses();

}  // namespace toroid::mapping
