// Images of placements: found alike where routes are, and only there.

#include "cosim/run_times/placed_programs.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "tests/support/ids.hpp"

namespace toroid::cosim {
namespace {

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;

using Nodes = std::vector<NodeId>;

Nodes nodes(std::initializer_list<int> numbers) {
  Nodes all;
  for (const int number : numbers) all.emplace_back(number);
  return all;
}

std::string key(const Symmetry& symmetry, const Nodes& a, const Nodes& b = {}) {
  std::vector<Symmetry::Placed> placed{{"a", a}};
  if (!b.empty()) placed.push_back({"b", b});
  return symmetry.form(placed).key;
}

/// For each pair of the nodes its latency, and the links of its route by the order in which they first come up: all
/// that flows which share links fairly can tell.
std::vector<std::vector<double>> routes(const Machine& machine, const Nodes& all) {
  std::map<LinkId, double> numbers;
  std::vector<std::vector<double>> told;
  for (const auto from : all)
    for (const auto to : all) {
      told.push_back({machine.latency(from, to)});
      machine.for_each_link(from, to, [&](LinkId link) {
        const auto number = static_cast<double>(numbers.size());
        told.back().push_back(numbers.try_emplace(link, number).first->second);
        told.back().push_back(machine.link_bandwidth(link));
      });
    }
  return told;
}

TEST_CASE("On a mesh placements are alike further along and mirrored, but not turned") {
  const auto machine = platforms::make_machine("mesh:6x6");
  const Symmetry symmetry(machine, true);
  const auto corner = key(symmetry, nodes({0, 1, 7}));  // (0,0) (1,0) (1,1)
  CHECK(corner == key(symmetry, nodes({22, 23, 29})));  // further along
  CHECK(corner == key(symmetry, nodes({5, 4, 10})));    // mirrored in x
  CHECK(corner == key(symmetry, nodes({35, 34, 28})));  // in both
  CHECK(corner != key(symmetry, nodes({0, 6, 7})));     // turned: routes go along x first
  CHECK(corner != key(symmetry, nodes({1, 0, 7})));     // other ranks there
  // Of two programs it matters how they lie to each other, and not which is named first.
  CHECK(key(symmetry, nodes({0, 1}), nodes({2, 3})) == key(symmetry, nodes({7, 8}), nodes({9, 10})));
  CHECK(key(symmetry, nodes({0, 1}), nodes({2, 3})) != key(symmetry, nodes({0, 1}), nodes({3, 4})));
  const auto first = nodes({0, 1}), second = nodes({2, 3});
  const std::vector<Symmetry::Placed> one_way{{"a", first}, {"b", second}}, other_way{{"b", second}, {"a", first}};
  CHECK(symmetry.form(one_way).key == symmetry.form(other_way).key);
  CHECK(symmetry.form(other_way).order == std::vector<std::size_t>{1, 0});
}

TEST_CASE("Where links are not all alike placements are not either") {
  for (const auto* platform : {"torus:6x6", "mesh:6x6"}) {
    const auto machine = platforms::make_machine(platform);
    const Symmetry none(machine, false);
    CHECK(key(none, nodes({0, 1})) != key(none, nodes({1, 2})));
  }
  const auto torus = platforms::make_machine("torus:6x6");
  CHECK(key(Symmetry(torus, true), nodes({0, 3})) != key(Symmetry(torus, true), nodes({3, 6})));
  auto description = platforms::make_machine("mesh:6x6").description();
  description.failed_routers.push_back({.number = 14});
  const Machine broken(description);
  CHECK(key(Symmetry(broken, true), nodes({0, 1})) != key(Symmetry(broken, true), nodes({12, 13})));
}

TEST_CASE("What is found alike has the same latencies and links in common") {
  core::Random random(5, "tests/symmetry");
  for (const auto* platform : {"mesh:4x4", "mesh:3x3x3,injection=2GBps", "mesh:4x3,nodes-per-router=2"}) {
    const auto machine = platforms::make_machine(platform);
    const Symmetry symmetry(machine, true);
    std::map<std::string, Nodes> known;
    int found = 0;
    for (int i = 0; i < 3000; ++i) {
      Nodes all;
      while (all.size() < 3)
        all.emplace_back(static_cast<int>(random.below(static_cast<std::uint64_t>(machine.node_count()))));
      const auto [other, is_new] = known.try_emplace(key(symmetry, all), all);
      if (is_new) continue;
      if (other->second != all) ++found;
      REQUIRE(routes(machine, other->second) == routes(machine, all));
    }
    CHECK(found > 500);
  }
}

}  // namespace
}  // namespace toroid::cosim
