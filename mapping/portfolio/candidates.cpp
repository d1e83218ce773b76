#include "mapping/portfolio/candidates.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

#include "mapping/geometric/geometric_mapper.hpp"
#include "mapping/search/relief.hpp"
#include "mapping/search/searches.hpp"

namespace toroid::mapping {
namespace {

constexpr std::int32_t most_of_small_job = 128;
/// How many mappings are annealed, besides that of multilevel.
constexpr std::size_t to_anneal = 2, to_anneal_of_small_job = 4;
/// How often load is taken off, at least and at most; two of three times from what others made.
constexpr double least_reliefs = 3, most_reliefs = 12;
/// What comes of that may have so many more hops; of the best of all then so many more.
constexpr double some_hops = 1.03, many_hops = 1.25;
/// Shares of the steps; what is left is for the loads.
constexpr double for_bisection = 0.2, for_annealing = 0.3, for_tabu = 0.2, for_minmaxload = 0.15;
/// Of the bisection that minmaxload starts from, as usual for small jobs.
constexpr int tries_of_minmaxload = 8, sweeps_of_minmaxload = 1000;
constexpr int most_rows = 6;  ///< orders of the axes: all of three
constexpr double most_sweeps = 3000, most_tries = 4, least_swaps = 10'000, most_swaps = 100'000;
/// What ReliefOptions::visits counts takes so many steps each.
constexpr double steps_of_a_visit = 2;

class Portfolio {
 public:
  Portfolio(const MappingProblem& problem, const Effort& effort)
      : problem_(problem),
        effort_(effort),
        traffic_(problem.traffic.matrix()),
        cost_(traffic_, SlotCosts(problem.machine, problem.slots, weighted_distance)),
        hops_(problem.machine, problem.slots),
        routes_(problem.machine, effort.routing),
        random_(problem.seed, "mapping/candidates"),
        messages_follow_nodes_(problem.program != nullptr &&
                               problem.program->replay.collectives.for_program(problem.program->trace).may_use_grid()) {
    for (const Rank rank : traffic_.ranks()) bytes_ += traffic_.bytes(rank) / 2;
  }

  Candidates make() {
    start();
    if (!ended()) anneal_best();
    if (!ended()) relieve_best();
    sort();
    return {std::move(all_), taken_, gain_at_most_};
  }

 private:
  /// Whether nothing better can come, or the user waits for what there is.
  bool ended() const { return gain_at_most_ <= effort_.leeway || (core::is_interrupted() && !all_.empty()); }

  void start() {
    const auto found = find_grid(problem_.traffic.matrix());
    if (found.exists && !found.grid.extents.empty())
      problem_.note(fmt::format("the traffic looks like {}", found.grid.text()));
    problem_.notes = nullptr;  // what mappers say of it would be said for each
    if (suits_geometric_mappers(found)) {
      for (const char* mapper : {"mj", "gsearch"}) add(mapper, mapper);
      if (messages_follow_nodes_) add_rows(found.grid);
    }
    for (const char* mapper : {"consecutive", "hilbert", "rcm", "scotch"}) add(mapper, mapper);
    if (ended()) return;
    const auto tries = whole(1, for_bisection * effort_.steps / steps_of_a_bisection(), most_tries);
    add("multilevel", fmt::format("multilevel:cost=weighted,tries={},sweeps={}", tries, sweeps(2)));
    taken_ += static_cast<double>(tries) * steps_of_a_bisection() + static_cast<double>(sweeps(2)) * steps_of_a_sweep();
    if (!is_small()) return;
    add_minmaxload();
    const double slots = static_cast<double>(problem_.slots.size());
    const double steps_of_a_swap = 1 + slots * slots / 8;
    const double swaps = std::min(for_tabu * effort_.steps / steps_of_a_swap, most_swaps);
    if (slots > 2 * most_of_small_job || swaps < least_swaps) return;
    add("tabu", fmt::format("tabu:cost=weighted,iterations={:.0f}", swaps));
    taken_ += swaps * steps_of_a_swap;
  }

  /// As it is, which starts from another bisection than the candidates: on irregular jobs now and then a better one.
  void add_minmaxload() {
    const double steps = tries_of_minmaxload * steps_of_a_bisection() + sweeps_of_minmaxload * steps_of_a_sweep() +
                         steps_of_a_visit * static_cast<double>(usual_visits(problem_.ranks()));
    if (steps > for_minmaxload * effort_.steps) return;
    add("minmaxload", fmt::format("minmaxload:routing={},base=(multilevel:cost=weighted,tries={},sweeps={})",
                                  platforms::to_word(effort_.routing), tries_of_minmaxload, sweeps_of_minmaxload));
    taken_ += steps;
  }

  /// Ranks row by row of their grid on the nodes by number, whichever axis the rows are along: collectives along the
  /// axes of a torus want their members in blocks of nodes, which no matrix tells.
  void add_rows(const TrafficGrid& grid) {
    std::vector<std::size_t> axes(grid.extents.size());
    std::iota(axes.begin(), axes.end(), 0U);
    auto nodes = problem_.slots;
    std::ranges::sort(nodes);
    int left = most_rows;
    do {
      Mapping mapping;
      for (const std::int32_t place : grid.place) mapping.add(nodes[row_by_row(grid, axes, place)]);
      std::vector<std::int32_t> extents;
      for (const std::size_t axis : axes) extents.push_back(grid.extents[axis]);
      add_mapping(fmt::format("rows of {}", fmt::join(extents, "x")), std::move(mapping));
    } while (--left > 0 && std::next_permutation(axes.begin(), axes.end()) && !ended());
  }

  /// The number of a place if the first of `axes` is counted fastest.
  static std::size_t row_by_row(const TrafficGrid& grid, const std::vector<std::size_t>& axes, std::int32_t place) {
    std::vector<std::size_t> at;
    for (const std::int32_t extent : grid.extents) {
      at.push_back(static_cast<std::size_t>(place % extent));
      place /= extent;
    }
    std::size_t number = 0;
    for (std::size_t i = axes.size(); i-- > 0;)
      number = number * static_cast<std::size_t>(grid.extents[axes[i]]) + at[axes[i]];
    return number;
  }

  bool is_small() const { return problem_.ranks() <= most_of_small_job; }

  /// A level takes each edge through a coarsening, some cuts and two refinements.
  double steps_of_a_bisection() const {
    return 130 * static_cast<double>(traffic_.edge_count() + 1) * std::log2(2 + problem_.ranks());
  }

  /// Each rank in turn looks at all partners of two ranks, there and here.
  double steps_of_a_sweep() const { return 4 * static_cast<double>(traffic_.edge_count() + 1); }

  /// As many as a part of the share of annealing allows.
  std::int64_t sweeps(double parts) const {
    return whole(0, for_annealing / parts * effort_.steps / steps_of_a_sweep(), most_sweeps);
  }
  static std::int64_t whole(double least, double count, double most) {
    return static_cast<std::int64_t>(std::clamp(count, least, most));
  }

  void anneal_best() {
    std::ranges::stable_sort(all_, [](const auto& a, const auto& b) { return a.cost < b.cost; });
    const auto count = sweeps(2 * to_anneal);
    std::size_t left = is_small() ? to_anneal_of_small_job : to_anneal;
    for (const auto& [name, mapping] : first(all_.size())) {
      if (left == 0 || ended()) break;
      if (name == "multilevel" || name == "minmaxload" || name == "tabu") continue;
      --left;
      auto slot_of = anneal(cost_, assignment_of(mapping, problem_.slots), count, random_);
      descend(cost_, slot_of, usual_reach(problem_.slots.size()));
      add_mapping(name + ", annealed", mapping_of(slot_of, problem_.slots, problem_.ranks()));
      taken_ += static_cast<double>(count) * steps_of_a_sweep();
    }
  }

  /// First of those with fewest hops and of the least loaded; then again and again of the best that was not tried yet,
  /// which is often what the last time made. Where the peak stays, the better of the two mappings is kept.
  void relieve_best() {
    const auto usual = static_cast<double>(usual_visits(problem_.ranks()));
    const double left = std::max(0.0, effort_.steps - taken_) / steps_of_a_visit;
    const double count = std::clamp(std::floor(left / usual), least_reliefs, most_reliefs);
    const auto visits = static_cast<std::uint64_t>(std::min(left / count, usual));
    const auto times = static_cast<std::size_t>(count);
    taken_ += steps_of_a_visit * static_cast<double>(times * visits);

    std::ranges::stable_sort(all_, [](const auto& a, const auto& b) { return a.cost < b.cost; });
    const auto at_first = static_cast<std::ptrdiff_t>(2 * times / 3);
    const auto least =
        std::ranges::min_element(all_, [](const auto& a, const auto& b) { return a.peak_seconds < b.peak_seconds; });
    if (least - all_.begin() >= at_first) std::rotate(all_.begin() + at_first - 1, least, least + 1);
    for (const auto& [name, mapping] : first(static_cast<std::size_t>(at_first)))
      relieve_one(name + ", less load", mapping, {effort_.routing, some_hops, visits});

    std::vector<Mapping> tried, superseded;
    for (auto i = static_cast<std::size_t>(at_first); i < times && !ended(); ++i) {
      sort();
      const auto best =
          std::ranges::find_if(all_, [&](const auto& candidate) { return !is_among(candidate.mapping, tried); });
      if (best == all_.end()) break;
      const Candidate start = *best;
      tried.push_back(start.mapping);
      const auto before = all_.size();
      relieve_one(with_least_load(start.name), start.mapping, {effort_.routing, many_hops, visits});
      if (all_.size() > before && all_.back().peak_seconds >= start.peak_seconds)
        superseded.push_back(is_before(all_.back(), start) ? start.mapping : all_.back().mapping);
    }
    // Mappings that differ little are not worth a simulation each.
    std::erase_if(all_, [&](const auto& candidate) { return is_among(candidate.mapping, superseded); });
  }

  static bool is_among(const Mapping& mapping, const std::vector<Mapping>& some) {
    return std::ranges::find(some, mapping) != some.end();
  }

  /// A name that no candidate has yet.
  std::string with_least_load(const std::string& name) const {
    const std::string did = ", least load";
    const auto times = name.find(did);
    const std::string base = name.substr(0, times);
    for (int time = 1;; ++time) {
      auto its = base + did + (time == 1 ? "" : fmt::format(" ({} times)", time));
      if (std::ranges::none_of(all_, [&](const auto& candidate) { return candidate.name == its; })) return its;
    }
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
    const SwappedLoads loads(traffic_, routes_, problem_.slots, slot_of);
    const double bytes = std::max(bytes_, 1.0), cost = cost_.total(slot_of);
    all_.push_back(
        {std::move(name), std::move(mapping), loads.peak(), hop_bytes(traffic_, hops_, slot_of) / bytes, cost / bytes});
    if (!messages_follow_nodes_) gain_at_most_ = std::min(gain_at_most_, gain_over(loads, cost));
  }

  /// The share of the product of peak and cost that another mapping could have less, at most. Ports of nodes carry the
  /// same whatever the mapping if each rank has a node of its own, so links of the grid count.
  double gain_over(const SwappedLoads& loads, double cost) const {
    double peak = 0, fastest = std::numeric_limits<double>::infinity();
    for (const LinkId link : loads.links()) {
      if (!problem_.machine.is_of_grid(link) || !problem_.machine.link_exists(link)) continue;
      peak = std::max(peak, loads.seconds(link));
      fastest = std::min(fastest, loads.seconds_per_byte(link));
    }
    if (peak * cost == 0) return 0;
    constexpr double rounding = 1e-9;
    const double gain = 1 - fastest * least_product() / (peak * cost);
    return gain > rounding ? gain : 0;
  }

  /// No mapping has a smaller product of the bytes on a link of the grid and the cost. A message loads a link with all
  /// its bytes, or, on several ways, with a part of them: its bytes then go two hops at least. So with a peak p all
  /// messages above p do, and the product is least where p is the size of a message, or the part of the largest.
  double least_product() const {
    std::vector<double> sizes{0};
    for (const Rank rank : traffic_.ranks())
      for (const auto& edge : traffic_.neighbours(rank)) sizes.push_back(edge.sent);
    std::ranges::sort(sizes, std::greater<>());
    const double least = cost_.least_total(), hop = least / std::max(bytes_, 1.0),
                 part = sizes.front() / routes_.ways();
    double product = std::numeric_limits<double>::infinity(), above = 0;
    for (const double size : sizes) {
      product = std::min(product, std::max(size, part) * (least + hop * above));
      if (size <= part) break;
      above += size;
    }
    return product;
  }

  static bool is_before(const Candidate& a, const Candidate& b) {
    return std::pair(a.peak_seconds * a.cost, a.cost) < std::pair(b.peak_seconds * b.cost, b.cost);
  }

  void sort() { std::ranges::stable_sort(all_, is_before); }

  MappingProblem problem_;
  Effort effort_;
  TrafficGraph traffic_;
  QuadraticCost cost_;
  SlotHops hops_;
  Routes routes_;
  core::Random random_;
  double bytes_ = 0;
  std::vector<Candidate> all_;
  double taken_ = 0;  ///< steps, about
  double gain_at_most_ = 1;
  bool messages_follow_nodes_;  ///< whether the program may send others than the traffic tells, where nodes are others
};

}  // namespace

Candidates candidates(const MappingProblem& problem, const Effort& effort) {
  return Portfolio(problem, effort).make();
}

}  // namespace toroid::mapping
