#include "mapping/search/greedy_start.hpp"
#include "mapping/search/tabu_search.hpp"

namespace toroid::mapping {
namespace {

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
      : problem_(problem), budget_(budget), random_(random), tabu_(make_tabu_search(problem)) {}

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
  static constexpr int patience = 100;  ///< children without a better one

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

  void evolve(const Assignment& start, std::int64_t length) {
    std::vector<Member> population;
    for (std::size_t i = 0; i < population_size && (population.empty() || !ended()); ++i) {
      population.push_back({i == 0 && !start.empty() ? start : fresh(i)});
      improve(population.back(), length);
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
};

}  // namespace

Assignment memetic_search(const Qap& problem, SearchBudget& budget, core::Random& random, Assignment start) {
  if (problem.size() < 2) return in_order(problem.size());
  return Memetic(problem, budget, random).run(std::move(start));
}

}  // namespace toroid::mapping
