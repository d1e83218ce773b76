#include <cmath>
#include <tuple>

#include "mapping/search/greedy_start.hpp"
#include "mapping/search/tabu_search.hpp"

namespace toroid::mapping {
namespace {

/// The correlation of the distances with those of the net above which the former are as smooth.
constexpr double alike = 0.7;

using Net = std::vector<std::vector<std::size_t>>;  ///< neighbours

/// The longest of the distances that are needed to join all locations: the longest edge of a shortest spanning tree
/// (Prim's algorithm).
double joining_distance(const Qap& problem) {
  const std::size_t n = problem.size();
  std::vector<double> to_tree(n, std::numeric_limits<double>::infinity());
  std::vector<char> joined(n, false);
  double longest = -std::numeric_limits<double>::infinity();
  std::size_t last = 0;
  for (std::size_t count = 1; count < n; ++count) {
    joined[last] = true;
    const auto row = problem.distance(Slot(last));
    std::size_t next = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (joined[i]) continue;
      to_tree[i] = std::min(to_tree[i], row[i]);
      if (next == n || to_tree[i] < to_tree[next]) next = i;
    }
    longest = std::max(longest, to_tree[next]);
    last = next;
  }
  return longest;
}

Net net_of(const Qap& problem) {
  const double longest = joining_distance(problem);
  Net net(problem.size());
  for (std::size_t i = 0; i < net.size(); ++i)
    for (std::size_t j = 0; j < net.size(); ++j)
      if (i != j && problem.distance(Slot(i))[j] <= longest) net[i].push_back(j);
  return net;
}

/// Links between each two locations.
Qap::Matrix links_between(const Net& net) {
  const std::size_t n = net.size();
  Qap::Matrix links(n * n, 0);
  for (std::size_t start = 0; start < n; ++start) {
    auto* row = &links[start * n];
    std::vector<char> found(n, false);
    std::vector<std::size_t> order{start};
    found[start] = true;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const auto next : net[order[i]])
        if (!std::exchange(found[next], true)) {
          row[next] = row[order[i]] + 1;
          order.push_back(next);
        }
  }
  return links;
}

/// Pearson's, over all pairs of locations; 1 where one of both is the same for all.
double correlation(const Qap& problem, const Qap::Matrix& links) {
  const std::size_t n = problem.size();
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double a = problem.distance(Slot(i))[j], b = links[i * n + j];
      std::tie(count, x, y, xx, yy, xy) = std::tuple(count + 1, x + a, y + b, xx + a * a, yy + b * b, xy + a * b);
    }
  const double variances = (xx - x * x / count) * (yy - y * y / count);
  return variances > 0 ? (xy - x * y / count) / std::sqrt(variances) : 1;
}

struct Member {
  Assignment assignment;
  double cost = std::numeric_limits<double>::infinity();
};

Assignment random_assignment(std::size_t size, core::Random& random) {
  auto assignment = in_order(size);
  random.shuffle(assignment.elements());
  return assignment;
}

/// Items take the location that `choose` picks of those they have in the parents, if it is free; the rest are dealt at
/// random.
template <class Choose>
Assignment combine(const Assignment& first, const Assignment& second, core::Random& random, Choose choose) {
  Assignment child(first.size(), nowhere);
  core::IdVector<Slot, char> taken(first.size(), false);
  const auto take = [&](Rank item, Slot location) {
    if (child[item] != nowhere || taken[location]) return;
    child[item] = location;
    taken[location] = true;
  };
  for (const Rank item : first.ids())
    if (first[item] == second[item]) take(item, first[item]);
  choose(take);
  std::vector<Slot> free;
  for (const Slot location : taken.ids())
    if (!taken[location]) free.push_back(location);
  random.shuffle(free);
  for (auto& location : child) {
    if (location != nowhere) continue;
    location = free.back();
    free.pop_back();
  }
  return child;
}

/// Each item where one parent has it, drawn by lot.
Assignment uniform_crossover(const Assignment& first, const Assignment& second, core::Random& random) {
  std::vector<Rank> order(first.ids().begin(), first.ids().end());
  random.shuffle(order);
  return combine(first, second, random, [&](const auto& take) {
    for (const Rank item : order) {
      const bool swap = random.below(2) == 1;
      take(item, swap ? second[item] : first[item]);
      take(item, swap ? first[item] : second[item]);
    }
  });
}

/// The half of the locations that is closest to one of them as in the first parent, the others as in the second
/// (Drezner's cohesive merging): good regions survive whole.
Assignment cohesive_crossover(const Qap& problem, const Assignment& first, const Assignment& second,
                              core::Random& random) {
  const std::size_t n = first.size();
  const auto distance = problem.distance(Slot(random.below(n)));
  auto order = random_assignment(n, random).elements();
  std::ranges::stable_sort(order, [&](Slot a, Slot b) { return distance[a.index()] < distance[b.index()]; });
  core::IdVector<Slot, char> near(n, false);
  for (std::size_t i = 0; i < n / 2; ++i) near[order[i]] = true;
  return combine(first, second, random, [&](const auto& take) {
    for (const Rank item : first.ids())
      if (near[first[item]]) take(item, first[item]);
    for (const Rank item : first.ids()) take(item, second[item]);
  });
}

class Memetic {
 public:
  Memetic(const Qap& problem, SearchBudget& budget, core::Random& random)
      : problem_(problem),
        budget_(budget),
        random_(random),
        tabu_(make_tabu_search(problem)),
        easier_(smoothed(problem)) {}

  Assignment run(Assignment start) {
    std::int64_t length = 10 * static_cast<std::int64_t>(problem_.size());
    do {
      evolve(start, length);
      start.clear();
      length *= 2;
    } while (!ended());
    return best_.assignment;
  }

 private:
  static constexpr std::size_t population_size = 15;
  static constexpr int patience = 100;              ///< children without a better one
  static constexpr std::int64_t easier_part = 100;  ///< an easier problem may have so many times what a search has

  bool ended() const { return budget_.ends(best_.cost); }

  void improve(Member& member, std::int64_t length) {
    // Benchmarks ask for the best of all.
    SearchBudget budget{budget_.iterations,
                        budget_.stop ? [this](double cost) { return budget_.stop(std::min(cost, best_.cost)); }
                                     : std::function<bool(double)>{}};
    member.cost = tabu_->run(member.assignment, length, budget, random_);
    budget_.iterations = budget.iterations;
    if (best_.assignment.empty() || member.cost < best_.cost) best_ = member;
  }

  /// Greedy starts help where flows are sparse or structured, random ones where greed is led astray.
  Assignment fresh(std::size_t i) {
    return i % 2 == 1 ? greedy_start(problem_, random_) : random_assignment(problem_.size(), random_);
  }

  /// The best found for an easier problem, with half of what may be spent at most.
  Member best_of(const Qap& easier, std::int64_t iterations) {
    double bound = 0;  // all flows over one link
    for (const Rank item : easier.items())
      for (const double flow : easier.flow(item)) bound += flow;
    const auto share = std::min(budget_.iterations / 2, iterations);
    SearchBudget budget{share,
                        [&](double least) { return least <= bound || (budget_.stop && budget_.stop(best_.cost)); }};
    Member best{Memetic(easier, budget, random_).run({})};
    budget_.iterations -= share - std::max<std::int64_t>(0, budget.iterations);
    return best;
  }

  void evolve(const Assignment& start, std::int64_t length) {
    std::vector<Member> population;
    for (std::size_t i = 0; i < population_size && (population.empty() || !ended()); ++i) {
      population.push_back({i == 0 && !start.empty() ? start : fresh(i)});
      improve(population.back(), length);
    }
    if (easier_ && !ended()) {
      const double before = best_.cost;
      population.push_back(best_of(*easier_, easier_part * length));
      improve(population.back(), length);
      if (best_.cost >= before) easier_.reset();
    }
    const auto cheaper = [](const Member& x, const Member& y) { return x.cost < y.cost; };
    double least = std::ranges::min_element(population, cheaper)->cost;
    for (int since = 0; since < patience && !ended(); ++since) {
      const std::size_t a = random_.below(population.size());
      const std::size_t b = (a + 1 + random_.below(population.size() - 1)) % population.size();
      const auto &first = population[a].assignment, &second = population[b].assignment;
      Member child{random_.below(2) == 0 ? uniform_crossover(first, second, random_)
                                         : cohesive_crossover(problem_, first, second, random_)};
      improve(child, length);
      auto worst = std::ranges::max_element(population, cheaper);
      const bool known = std::ranges::any_of(population, [&](const Member& m) { return m.cost == child.cost; });
      if (child.cost < worst->cost && !known) *worst = child;
      if (child.cost >= least) continue;
      least = child.cost;
      since = 0;
    }
  }

  const Qap& problem_;
  SearchBudget& budget_;
  core::Random& random_;
  std::unique_ptr<TabuSearch> tabu_;
  Member best_;
  std::optional<Qap> easier_;  ///< if there is one, until its solution is no better than the best found so far
};

}  // namespace

std::optional<Qap> smoothed(const Qap& problem) {
  const std::size_t n = problem.size();
  if (n < 3 || !problem.symmetric()) return std::nullopt;
  const auto net = net_of(problem);
  std::size_t links = 0, flows = 0;
  Qap::Matrix flow;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = problem.flow(Rank(i));
    links += net[i].size();
    flows += n - static_cast<std::size_t>(std::ranges::count(row, 0.0));
    flow.insert(flow.end(), row.begin(), row.end());
  }
  if (flows > 2 * links) return std::nullopt;
  auto distance = links_between(net);
  if (correlation(problem, distance) > alike) return std::nullopt;
  return Qap(n, std::move(flow), std::move(distance));
}

Assignment memetic_search(const Qap& problem, SearchBudget& budget, core::Random& random, Assignment start) {
  if (problem.size() < 2) return in_order(problem.size());
  return Memetic(problem, budget, random).run(std::move(start));
}

}  // namespace toroid::mapping
