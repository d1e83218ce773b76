#pragma once
// The mappings that are worth a look: what several mappers make of a job, each made better.

#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "mapping/costs/swapped_loads.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::mapping {

struct Candidate {
  std::string name;  ///< what was done, such as `mj, annealed, less load`
  Mapping mapping;
  double peak_seconds = 0;   ///< seconds that the most loaded link needs for its bytes
  double hops_per_byte = 0;  ///< mean over all bytes between ranks
  double cost = 0;           ///< the same, hops along slow dimensions counting more
};

struct Effort {
  /// How many distances and links may be looked at, roughly: a step takes about 10 ns. The default is what auto has
  /// for them where it simulates, too.
  double steps = 2.1e8;
  Routing routing = Routing::dimension_order;
  /// The search ends where no mapping can have a product of peak and cost that is less by more than this share.
  double leeway = 0;
};

struct Candidates {
  std::vector<Candidate> all;
  double steps = 0;  ///< about what it took to find them, in those of Effort
  /// The share of the least product of peak and cost that another mapping could have less, at most; 1 if that is
  /// unknown.
  double gain_at_most = 1;
};

/// The candidates follow from the size and the structure of the job: the orders of the nodes, rcm, Scotch, mj and
/// gsearch where the traffic has a grid, multilevel, and minmaxload and tabu for small jobs. Then the best of these is
/// annealed; then comes the best of all with less load on the most loaded links, again and again. Nothing is tried
/// after a mapping that leaves no more to gain than the leeway, as the largest message loads some link, and all bytes
/// go over one at least where each rank has a router of its own. If the program's collectives go along the grid of
/// their members' nodes, the traffic is other on other nodes: then all is tried, and the rows of the traffic's grid on
/// the nodes by number, too. No mapping stands twice. The least product of peak and cost comes first: load decides how
/// long transfers take that are under way together, hops decide their latency and how often they meet.
Candidates candidates(const MappingProblem& problem, const Effort& effort);

// The simulator as the judge of mappings, and mappings made better by swaps of ranks that are simulated one by one.

struct Verdict {
  double runtime = 0;
  std::vector<platforms::LinkId> bottlenecks;  ///< the links that carried most for their bandwidth
};

/// How much may be simulated.
struct Allowance {
  std::size_t runs = std::numeric_limits<std::size_t>::max();
  /// Work, in the steps of Effort, which are the units of netsim::CountsWork.
  double steps = std::numeric_limits<double>::infinity();
  /// The number of simulations, each as dear as the first, that must fit into the steps.
  double least_runs = 2;
};

/// Simulates mappings of one job, no mapping twice, and not more than it may. The problem must have a program. What a
/// simulation costs is known when it has ended; the next one is taken to cost as much.
class SimulationJudge {
 public:
  SimulationJudge(const MappingProblem& problem, const netsim::EngineChoice& engine, const Allowance& allowance);

  /// Whether it may not simulate another mapping, or the user waits for the result and one was simulated.
  bool exhausted() const {
    return verdicts_.size() >= allowance_.runs || steps_ + price_ > allowance_.steps ||
           (core::is_interrupted() && !verdicts_.empty());
  }

  /// Throws SimulationError where the program cannot run, the first simulation takes more than its part of the steps,
  /// or any takes more than half of them.
  const Verdict& operator()(const Mapping& mapping);

  /// What was done so far.
  double steps() const { return steps_; }

  /// Counts work that was done to find what to simulate, in steps.
  void charge(double steps) { steps_ += steps; }

 private:
  Verdict simulate(const Mapping& mapping);
  /// A run that is given up, or fails, is counted in full.
  netsim::CountedRun run_counted(const netsim::Run& request, double most_work);

  const MappingProblem& problem_;
  netsim::EngineChoice engine_;
  Allowance allowance_;
  double steps_ = 0, price_ = 0;  ///< the steps in all, and the price of the last simulation
  core::Progress bar_;
  std::map<std::vector<NodeId>, Verdict> verdicts_;
};

/// The type of keys whose value is an engine, in parentheses if it has keys of its own.
core::Type<netsim::EngineChoice> engine_in_parentheses();

/// Swaps two ranks, or moves a rank to a free slot, as long as that runs faster and the judge is not exhausted, from
/// `start` on, which the judge may know already. What to try first is told by the links that the last run was short of:
/// ranks with messages over these come first, and of their swaps the ones that relieve the links most (by the sum over
/// all links of the square of their seconds, with that routing). Swaps that failed before come last. The search ends
/// with the judge, with a mapping that no swap makes faster, or after `patience` failures in a row.
Mapping simulated_descent(const MappingProblem& problem, SimulationJudge& judge, const Mapping& start, Routing routing,
                          std::size_t patience = std::numeric_limits<std::size_t>::max());

}  // namespace toroid::mapping
