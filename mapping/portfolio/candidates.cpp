#include "mapping/portfolio/candidates.hpp"

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"
#include "mapping/costs/link_loads.hpp"
#include "mapping/costs/quadratic_cost.hpp"
#include "mapping/search/annealing.hpp"
#include "mapping/search/local_search.hpp"
#include "mapping/search/relief.hpp"
#include "mapping/traffic_grid.hpp"

namespace toroid::mapping {
namespace {

constexpr std::int32_t most_for_tabu = 128;
constexpr std::size_t most_axes_of_grids = 8;  // of mj and gsearch
constexpr std::size_t most_for_any_swap = 1024;
/// How many mappings are annealed, besides that of multilevel, and from how many load is taken at least and at most.
constexpr std::size_t to_anneal = 2, to_relieve = 3, most_to_relieve = 8;
/// What comes of that may have so many more hops; the least loaded of all then so many more.
constexpr double some_hops = 1.03, many_hops = 1.25;
/// Shares of the steps.
constexpr double for_bisection = 0.2, for_annealing = 0.3, for_tabu = 0.2, for_relief = 0.3;
constexpr double most_sweeps = 3000, most_tries = 4, least_swaps = 10'000, most_swaps = 100'000;

class Portfolio {
 public:
  Portfolio(const MappingProblem& problem, const Effort& effort)
      : problem_(problem),
        effort_(effort),
        traffic_(problem.traffic.matrix()),
        cost_(traffic_, SlotCosts(problem.machine, problem.slots, weighted_distance)),
        hops_(problem.machine, problem.slots),
        routes_(problem.machine, effort.routing),
        random_(problem.seed, "mapping/candidates") {
    for (const Rank rank : traffic_.ranks()) bytes_ += traffic_.bytes(rank) / 2;
  }

  std::vector<Candidate> make() {
    start();
    if (!ended()) anneal_best();
    if (!ended()) relieve_best();
    sort();
    return std::move(all_);
  }

 private:
  /// Whether nothing better can come, or the user waits for what there is.
  bool ended() const { return optimal_ || (core::is_interrupted() && !all_.empty()); }

  void start() {
    const auto found = find_grid(problem_.traffic.matrix());
    if (found.exists && !found.grid.extents.empty())
      problem_.note(fmt::format("the traffic looks like {}", found.grid.text()));
    problem_.notes = nullptr;  // what mappers say of it would be said for each
    if (found.exists && !found.grid.extents.empty() && found.grid.extents.size() <= most_axes_of_grids)
      for (const char* mapper : {"mj", "gsearch"}) add(mapper, mapper);
    for (const char* mapper : {"consecutive", "hilbert", "rcm", "scotch"}) add(mapper, mapper);
    if (ended()) return;
    add("multilevel",
        fmt::format("multilevel:cost=weighted,tries={},sweeps={}",
                    whole(1, for_bisection * effort_.steps / steps_of_a_bisection(), most_tries), sweeps(2)));
    const double slots = static_cast<double>(problem_.slots.size());
    const double swaps = std::min(for_tabu * effort_.steps / (1 + slots * slots / 8), most_swaps);
    if (problem_.ranks() <= most_for_tabu && slots <= 2 * most_for_tabu && swaps >= least_swaps)
      add("tabu", fmt::format("tabu:cost=weighted,iterations={:.0f}", swaps));
  }

  /// A level takes each edge through a coarsening, some cuts and two refinements.
  double steps_of_a_bisection() const {
    return 130 * static_cast<double>(traffic_.edge_count() + 1) * std::log2(2 + problem_.ranks());
  }

  /// As many as a share of the annealing allows, each of which looks at all partners of two ranks, there and here.
  std::int64_t sweeps(double share) const {
    return whole(0, for_annealing / share * effort_.steps / (4 * static_cast<double>(traffic_.edge_count() + 1)),
                 most_sweeps);
  }
  static std::int64_t whole(double least, double count, double most) {
    return static_cast<std::int64_t>(std::clamp(count, least, most));
  }

  void anneal_best() {
    std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    const auto count = sweeps(2 * to_anneal);
    std::size_t annealed = 0;
    for (const auto& [name, mapping] : first(all_.size())) {
      if (name == "multilevel" || name == "tabu" || annealed++ == to_anneal || ended()) continue;
      auto slot_of = anneal(cost_, assignment_of(mapping, problem_.slots), count, random_);
      descend(cost_, slot_of, problem_.slots.size() <= most_for_any_swap ? Reach::any : Reach::near);
      add_mapping(name + ", annealed", mapping_of(slot_of, problem_.slots, problem_.ranks()));
    }
  }

  /// Of those with fewest hops, and of the least loaded.
  void relieve_best() {
    std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    const auto least = std::min_element(all_.begin(), all_.end(),
                                        [](const auto& a, const auto& b) { return a.peak_seconds < b.peak_seconds; });
    if (least - all_.begin() >= static_cast<std::ptrdiff_t>(to_relieve))
      std::rotate(all_.begin() + to_relieve - 1, least, least + 1);
    const double usual = static_cast<double>(usual_visits(problem_.ranks()));
    const double count =
        std::clamp(std::floor(for_relief * effort_.steps / usual / 1.5), double{to_relieve}, double{most_to_relieve});
    const auto visits = static_cast<std::uint64_t>(std::min(for_relief * effort_.steps / (1.5 * count), usual));
    for (const auto& [name, mapping] : first(static_cast<std::size_t>(count)))
      relieve_one(name + ", less load", mapping, {effort_.routing, some_hops, visits});
    sort();
    for (const auto& [name, mapping] : first(static_cast<std::size_t>(count) / 2))
      relieve_one(name + ", least load", mapping, {effort_.routing, many_hops, visits});
  }

  void relieve_one(const std::string& name, const Mapping& mapping, const ReliefOptions& options) {
    if (ended()) return;
    const auto slot_of = relieve(problem_, assignment_of(mapping, problem_.slots), options, random_);
    add_mapping(name, mapping_of(slot_of, problem_.slots, problem_.ranks()));
  }

  /// Copies: more are added while one looks at these.
  std::vector<std::pair<std::string, Mapping>> first(std::size_t count) const {
    std::vector<std::pair<std::string, Mapping>> some;
    for (const auto& candidate : all_)
      if (some.size() < count) some.emplace_back(candidate.name, candidate.mapping);
    return some;
  }

  void add(const std::string& name, const std::string& spec) {
    if (!ended()) add_mapping(name, make_mapping(spec, problem_));
  }

  void add_mapping(std::string name, Mapping mapping) {
    for (const auto& candidate : all_)
      if (candidate.mapping == mapping) return;
    const auto slot_of = assignment_of(mapping, problem_.slots);
    const double bytes = std::max(bytes_, 1.0);
    all_.push_back({std::move(name), std::move(mapping), LinkLoads(traffic_, routes_, problem_.slots, slot_of).peak(),
                    hop_bytes(traffic_, hops_, slot_of) / bytes, cost_.total(slot_of) / bytes});
    optimal_ = optimal_ || each_on_one_link(slot_of);
  }

  /// Where each rank has a node of its own, and no line is shared, no messages share a link then, and none can be
  /// shorter.
  bool each_on_one_link(const Assignment& slot_of) const {
    for (std::size_t d = 0; d < hops_.dimensions(); ++d)
      if (hops_.dimension(d).shared) return false;
    for (const Rank rank : traffic_.ranks())
      for (const auto& edge : traffic_.neighbours(rank))
        if (edge.sent > 0 && hops_(slot_of[rank], slot_of[edge.rank]) != 1) return false;
    auto nodes = problem_.slots;
    std::sort(nodes.begin(), nodes.end());
    return all_.back().cost <= 1 && std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end();
  }

  void sort() {
    std::stable_sort(all_.begin(), all_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.peak_seconds * a.cost, a.cost) < std::pair(b.peak_seconds * b.cost, b.cost);
    });
  }

  MappingProblem problem_;
  Effort effort_;
  TrafficGraph traffic_;
  QuadraticCost cost_;
  SlotHops hops_;
  Routes routes_;
  core::Random random_;
  double bytes_ = 0;
  std::vector<Candidate> all_;
  bool optimal_ = false;
};

}  // namespace

std::vector<Candidate> candidates(const MappingProblem& problem, const Effort& effort) {
  return Portfolio(problem, effort).make();
}

}  // namespace toroid::mapping
