// What mappers make of a job must not depend on how its ranks are numbered, where they claim that: the distributions of
// their results are equal, whether ranks are numbered along the structure of the job or at random.

#include <catch2/catch.hpp>
#include <cmath>

#include "mapping/traffic_grid.hpp"
#include "tests/mapping/problems.hpp"
#include "toroid/mapping/metrics.hpp"

namespace toroid::mapping {
namespace {

/// The score of the rank-sum test of Mann and Whitney: about normally distributed around 0, with deviation 1, if both
/// samples come from one distribution. Equal values count half; 0 where all values are equal.
double rank_sum_score(const std::vector<double>& first, const std::vector<double>& second) {
  double wins = 0, square = 0;
  std::vector<double> all(first);
  all.insert(all.end(), second.begin(), second.end());
  for (const double a : first)
    for (const double b : second) wins += a < b ? 1 : a == b ? 0.5 : 0;
  std::sort(all.begin(), all.end());
  const auto n = static_cast<double>(all.size());
  double ties = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end] == all[begin]) ++end;
    const auto t = static_cast<double>(end - begin);
    ties += t * (t * t - 1);
  }
  const auto m = static_cast<double>(first.size()), k = static_cast<double>(second.size());
  square = m * k / 12 * (n + 1 - ties / (n * (n - 1)));
  return square > 0 ? (wins - m * k / 2) / std::sqrt(square) : 0;
}

TEST_CASE("The rank-sum score tells distributions apart, and only these") {
  CHECK(rank_sum_score({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}) == Approx(12.5 / std::sqrt(25.0 * 11 / 12)));
  CHECK(rank_sum_score({1, 3, 5}, {2, 4, 3}) == Approx(0));
  CHECK(rank_sum_score({2, 2}, {2, 2}) == 0);
}

/// Each rank exchanges with those `near` and `far` numbers away, round a ring.
workloads::CommunicationMatrix chords(std::int32_t ranks, std::int32_t near, std::int32_t far) {
  workloads::CommunicationMatrix matrix;
  matrix.rows.resize(ranks);
  for (const Rank from : matrix.rows.ids())
    for (const Rank to : matrix.rows.ids()) {
      const std::int32_t apart = std::abs(from.value() - to.value()), round = std::min(apart, ranks - apart);
      if (round == near || round == far) matrix.rows[from].push_back({to, 1000, 1});
    }
  return matrix;
}

TEST_CASE("Searches do as well whatever the numbers of the ranks", "[slow]") {
  // Traffic without a grid, and holes in the allocation: no mapper finds the optimum every time.
  const auto machine = roomy_machine("torus:6x6x4");
  const auto natural = chords(96, 1, 7);
  REQUIRE_FALSE(find_grid(natural).exists);
  core::Random random(11, "test/renumbering");
  const auto slots = random_slots(random, machine, 100, 1);
  constexpr std::uint64_t seeds = 12;
  for (const char* mapper :
       {"multilevel:tries=1,sweeps=0", "multilevel:tries=1,sweeps=50", "anneal:base=random,sweeps=50",
        "tabu:iterations=300", "minmaxload:base=(multilevel:tries=1,sweeps=20),visits=50000", "grasp:iterations=2",
        "refine:base=random"}) {
    CAPTURE(mapper);
    const auto hops = [&](bool renumber, std::uint64_t first_seed) {
      std::vector<double> all;
      for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
        const Traffic traffic(renumber ? permuted(natural, shuffled_names(random, 96)) : natural);
        const MappingProblem problem{machine, slots, traffic, seed};
        all.push_back(measure(machine, make_mapping(mapper, problem), traffic.matrix()).hops_per_byte());
      }
      return all;
    };
    const auto by_structure = hops(false, 1), at_random = hops(true, 101);
    const auto [least, most] = std::minmax_element(by_structure.begin(), by_structure.end());
    CHECK(*least < *most);
    CHECK(std::abs(rank_sum_score(by_structure, at_random)) < 3);  // by chance in one of 370
  }
}

TEST_CASE("The test of numbers finds a mapper that lives on their order") {
  const auto machine = roomy_machine("torus:6x6x4");
  const auto natural = stencil("grid=6x6x4");
  core::Random random(12, "test/renumbering");
  std::vector<double> by_structure, at_random;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (const bool renumber : {false, true}) {
      const Traffic traffic(renumber ? permuted(natural, shuffled_names(random, 144)) : natural);
      const MappingProblem problem{machine, all_nodes(machine), traffic, seed};
      (renumber ? at_random : by_structure)
          .push_back(measure(machine, make_mapping("anneal:base=consecutive,sweeps=1", problem), traffic.matrix())
                         .hops_per_byte());
    }
  CHECK(rank_sum_score(by_structure, at_random) > 3);
}

}  // namespace
}  // namespace toroid::mapping
