#include "mapping/portfolio/simulated_descent.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "mapping/costs/swapped_loads.hpp"

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
    std::size_t failures;  ///< of earlier steps: so the next step begins with others
    double delta;          ///< of the squares of the loads: a crowded link counts more than two that share its load
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
    std::stable_sort(all.begin(), all.end(), [](const Swap& x, const Swap& y) {
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

}  // namespace

Mapping simulated_descent(const MappingProblem& problem, SimulationJudge& judge, const Mapping& start, Routing routing,
                          std::size_t patience) {
  return SimulatedDescent(problem, judge, start, routing).run(patience);
}

}  // namespace toroid::mapping
