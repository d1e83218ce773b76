#include "tests/netsim/rates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace toroid::test {

using netsim::MaxMin;

std::vector<MaxMin::Link> random_route(core::Random& random, std::size_t links) {
  const auto ids = core::ids<MaxMin::Link>(links);
  std::vector<MaxMin::Link> all(ids.begin(), ids.end());
  random.shuffle(all);
  all.resize(1 + random.below(std::min<std::uint64_t>(links, 6)));
  return all;
}

ByLink random_capacities(core::Random& random) {
  ByLink capacities(2 + random.below(40));
  const auto kind = random.below(3);
  for (auto& capacity : capacities) {
    capacity = kind == 0 ? 1e9 : 1e9 * static_cast<double>(1 + random.below(4));
    if (kind == 2) capacity = random.below(3) == 0 ? 1e3 * (1 + random.unit()) : 1e9 * (1 + random.unit());
  }
  return capacities;
}

void change_something(core::Random& random, MaxMin& solver, std::vector<PlainClass>& classes, std::size_t links,
                      std::size_t most) {
  const auto action = random.below(4);
  if (classes.empty() || (action < 2 && classes.size() < most)) {
    PlainClass added{random_route(random, links), static_cast<std::uint32_t>(1 + random.below(3)), 0};
    added.id = solver.add(added.route);
    solver.set_weight(added.id, added.weight);
    classes.push_back(added);
    return;
  }
  const auto at = random.below(classes.size());
  auto& changed = classes[at];
  changed.weight = action == 2 ? static_cast<std::uint32_t>(1 + random.below(5)) : 0;
  solver.set_weight(changed.id, changed.weight);
  if (changed.weight > 0) return;
  std::swap(changed, classes.back());
  classes.pop_back();
}

void check_fair(const ByLink& capacities, const std::vector<PlainClass>& classes, const MaxMin& solver,
                double tolerance) {
  ByLink loads(capacities.size(), 0), fastest(capacities.size(), 0);
  for (const auto& c : classes)
    for (const auto link : c.route) {
      loads[link] += c.weight * solver.rate(c.id);
      fastest[link] = std::max(fastest[link], solver.rate(c.id));
    }
  for (const auto l : loads.ids()) REQUIRE(loads[l] <= capacities[l] * (1 + tolerance + 1e-11));
  for (const auto& c : classes)
    REQUIRE(std::any_of(c.route.begin(), c.route.end(), [&](MaxMin::Link link) {
      return loads[link] >= capacities[link] * (1 - tolerance - 1e-11) &&
             solver.rate(c.id) >= fastest[link] * (1 - 1e-11);
    }));
}

}  // namespace toroid::test
