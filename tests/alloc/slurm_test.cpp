// Slurm's topology plug-ins: what Slurm's own tests say, cases derived by hand, and the rules by brute force.

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include "alloc/slurm/anchors.hpp"
#include "core/random.hpp"
#include "platforms/values.hpp"
#include "tests/alloc/storms.hpp"
#include "tests/support/support.hpp"
#include "toroid/alloc/allocator.hpp"
#include "toroid/core/error.hpp"

namespace toroid::alloc {
namespace {

/// Nodes 0, 1, 4 and 5 for `0 1 4 5`.
Allocation nodes(std::initializer_list<int> numbers) {
  Allocation all;
  for (const int number : numbers) all.emplace_back(number);
  return all;
}

/// A machine with an allocator on it, as a script of jobs sees them.
struct Cluster {
  explicit Cluster(const std::string& platform, const std::string& spec)
      : machine(platforms::make_machine(platform)), free(machine), allocator(allocators().make(spec, Site{free})) {}

  /// Gives a job its nodes; none if there are none for it.
  Allocation start(std::int32_t size) {
    Allocation got;
    allocator->allocate({.nodes = size}, [&](std::optional<Allocation> found) {
      if (found) got = *found;
    });
    return got;
  }
  bool fits(std::int32_t size) { return allocator->fits({.nodes = size}); }

  Machine machine;
  FreeNodes free;
  std::unique_ptr<Allocator> allocator;
};

constexpr std::string_view available = "Requested topology configuration is not available";
constexpr std::string_view no_unit = "No suitable topology unit found";

// Slurm's own tests (testsuite, test_161_1): 4x4x2 with boxes of 2x2x2, 2x2x1 and 4x4x2.

Cluster of_slurms_test(const std::string& keys = "") {
  return Cluster("torus:4x4x2,placements=(2x2x2 2x2x1 4x4x2)", "slurm-torus3d" + keys);
}

/// The boxes of a shape at multiples of it in 4x4x2.
std::set<Allocation> tiles(std::int32_t x, std::int32_t y, std::int32_t z) {
  std::set<Allocation> all;
  for (std::int32_t i = 0; i < 4; i += x)
    for (std::int32_t j = 0; j < 4; j += y)
      for (std::int32_t k = 0; k < 2; k += z) {
        Allocation box;
        for (std::int32_t n = 0; n < 32; ++n)
          if (n % 4 / x == i / x && n / 4 % 4 / y == j / y && n / 16 / z == k / z) box.emplace_back(n);
        all.insert(box);
      }
  return all;
}

TEST_CASE("Slurm's tests: basic placement, 8 nodes, the full torus, an unsupported size") {
  CHECK(tiles(2, 2, 1).contains(of_slurms_test().start(4)));
  CHECK(tiles(2, 2, 2).contains(of_slurms_test().start(8)));
  CHECK(of_slurms_test().start(32).size() == 32);
  auto cluster = of_slurms_test();
  CHECK_FALSE(cluster.fits(3));
  CHECK(cluster.allocator->refusal() == available);
}

TEST_CASE("Slurm's tests: concurrent placements") {
  auto cluster = of_slurms_test();
  const auto first = cluster.start(4), second = cluster.start(4);
  CHECK(tiles(2, 2, 1).contains(second));
  CHECK(first != second);
}

TEST_CASE("Slurm's tests: a placement that spares larger boxes") {
  auto cluster = of_slurms_test();
  cluster.free.take(nodes({2, 3, 6, 7}));  // node[3,4,7,8], counted from 1
  CHECK(cluster.start(4) == nodes({18, 19, 22, 23}));
}

TEST_CASE("Slurm's tests: a torus whose boxes are all spoiled") {
  auto cluster = of_slurms_test();
  for (const auto& box : {nodes({0, 1, 4, 5}), nodes({2, 3, 6, 7}), nodes({8, 9, 12, 13}), nodes({10, 11, 14, 15})})
    cluster.free.take(box);
  CHECK(cluster.fits(8));
  CHECK(cluster.start(8).empty());
  CHECK(cluster.allocator->refusal() == no_unit);
}

TEST_CASE("Slurm's tests: segments, and one that does not divide") {
  auto cluster = of_slurms_test(":segment=8");
  auto left = cluster.start(16);
  int boxes = 0;
  for (const auto& box : tiles(2, 2, 2)) {
    const bool is_in = std::includes(left.begin(), left.end(), box.begin(), box.end());
    boxes += is_in ? 1 : 0;
  }
  CHECK(left.size() == 16);
  CHECK(boxes == 2);
  auto other = of_slurms_test(":segment=3");
  CHECK_FALSE(other.fits(8));
  CHECK(other.allocator->refusal() == available);
}

// Cases of our own.

TEST_CASE("Boxes are taken where they spoil least, with x slowest and z fastest on ties") {
  Cluster cluster("torus:4x4x2", "slurm-torus3d:placements=(2x2x1 2x2x2 4x4x2)");
  CHECK(cluster.start(4) == nodes({0, 1, 4, 5}));
  CHECK(cluster.start(4) == nodes({16, 17, 20, 21}));
  CHECK(cluster.start(4) == nodes({8, 9, 12, 13}));
  CHECK(cluster.start(8) == nodes({2, 3, 6, 7, 18, 19, 22, 23}));
}

TEST_CASE("The largest weight in a box comes before everything else") {
  // In z=0 all boxes have a node of weight 2 but the last; without weights the first would be taken.
  Cluster cluster("torus:4x4x1", "slurm-torus3d:placements=(2x2x1 4x4x1),weights=(0-3 2; 8 2; 10 1)");
  CHECK(cluster.start(4) == nodes({10, 11, 14, 15}));
  // All of weight 2 now: a box with one such node is as heavy as one with two.
  CHECK(cluster.start(4) == nodes({0, 1, 4, 5}));
}

TEST_CASE("A lower weight decides between shapes and between tori, too") {
  Cluster shapes("torus:4x4x1", "slurm-torus3d:placements=(4x1x1 2x2x1),weights=(0 2; 4 2; 8 2; 12 2)");
  CHECK(shapes.start(4) == nodes({2, 3, 6, 7}));
  Cluster tori("torus:2x1x1x2,dimensions=x y z torus", "slurm-torus3d:placements=(2x1x1),weights=(0-1 2)");
  CHECK(tori.start(2) == nodes({2, 3}));
}

TEST_CASE("The second of two shapes of one size serves if the first has no fit") {
  Cluster cluster("torus:4x4x1", "slurm-torus3d:placements=(4x1x1 2x2x1)");
  cluster.free.take(nodes({0, 4, 9, 13}));  // a node of each line
  CHECK(cluster.start(4) == nodes({2, 3, 6, 7}));
}

TEST_CASE("Of several tori the one with the fewest free nodes is used first") {
  Cluster cluster("torus:2x2x1x3,dimensions=x y z torus", "slurm-torus3d:placements=(1x1x1; 1x1x1 2x2x1; 1x1x1)");
  cluster.free.take(nodes({4, 8, 9}));
  CHECK(cluster.start(1) == nodes({10}));
  CHECK(cluster.start(1) == nodes({11}));
  CHECK(cluster.start(1) == nodes({6}));  // y counts before x
  CHECK_FALSE(Cluster("torus:2x2x1x2,dimensions=x y z torus", "slurm-torus3d:placements=(1x1x1; 2x2x1)").fits(2));
}

TEST_CASE("Anchors go round the torus from the seed on until they are back") {
  const auto all = anchors_of({{.dims = {3, 1, 1}, .spacing = {3, 0, 0}, .seed = {0, 1, 0}}}, {4, 4, 1});
  CHECK(all[0].axes[0].at == std::vector<std::int32_t>{0, 3, 2, 1});
  CHECK(all[0].axes[1].at == std::vector<std::int32_t>{1, 2, 3, 0});
  CHECK(all[0].may_overlap);
  CHECK_FALSE(anchors_of({{.dims = {2, 2, 1}, .spacing = {}, .seed = {1, 1, 0}}}, {4, 4, 1})[0].may_overlap);
}

TEST_CASE("Placements of one size may overlap each other") {
  const auto may_overlap = [](const std::string& placements) {
    return anchors_of(platforms::parse_placements(placements, "")[0], {8, 8, 8})[0].may_overlap;
  };
  CHECK(may_overlap("4x2x1 2x2x2"));
  CHECK_FALSE(may_overlap("2x2x1 spacing=4x4x4 2x2x1 spacing=4x4x4 seed=2x0x0"));
  CHECK(may_overlap("2x2x1 spacing=4x4x4 2x2x1 spacing=4x4x4 seed=1x0x0"));
}

TEST_CASE("Where segments do not fit a node of a chosen box is barred, and all tried again") {
  // On 5x3 nodes 0 1 2 / 6 7 / 11 12 are free. The line 0 1 2 comes first and spoils both columns; without node 0 there
  // is no such line.
  const std::string boxes = "slurm-torus3d:segment=3,placements=(3x1x1 spacing=1x1x1 1x3x1)";
  Cluster cluster("torus:5x3x1", boxes);
  cluster.free.take(nodes({3, 4, 5, 8, 9, 10, 13, 14}));
  CHECK(cluster.start(6) == nodes({1, 2, 6, 7, 11, 12}));
  // With node 12 taken, too, no more nodes are left than the job needs: that is tried no second time.
  Cluster tight("torus:5x3x1", boxes);
  tight.free.take(nodes({3, 4, 5, 8, 9, 10, 12, 13, 14}));
  CHECK(tight.start(6).empty());
  CHECK(tight.allocator->refusal() == "No suitable topology unit found for segment");
  // Boxes that cannot overlap are tried once.
  Cluster apart("torus:6x1x1", "slurm-torus3d:segment=2,placements=(2x1x1)");
  apart.free.take(nodes({2, 4}));
  CHECK(apart.start(4).empty());
  CHECK(apart.allocator->refusal() == no_unit);
}

TEST_CASE("A node that is down spoils its boxes, an empty cell counts in no cost") {
  Cluster down("torus:4x4x2,placements=(2x2x1 2x2x2 4x4x2),failed-nodes=5", "slurm-torus3d");
  CHECK(down.start(8) == nodes({8, 9, 12, 13, 24, 25, 28, 29}));
  // The box of 4x2x1 with the hole in it is still counted as one that a box of 2x2x1 would spoil.
  Cluster hole("torus:4x4x1,placements=(2x2x1 4x2x1),absent-nodes=0", "slurm-torus3d");
  CHECK(hole.start(4) == nodes({8, 9, 12, 13}));
}

TEST_CASE("Nodes outside all boxes of a torus that has placements are never used") {
  Cluster cluster("torus:5x1x1", "slurm-torus3d:placements=(2x1x1 spacing=5x1x1)");
  CHECK(cluster.start(2) == nodes({0, 1}));
  CHECK(cluster.start(2).empty());
  CHECK(cluster.allocator->refusal() == no_unit);
  Cluster sparse("torus:2x2x1", "slurm-torus3d:placements=(1x1x1 spacing=2x2x1)");
  CHECK(sparse.start(1) == nodes({0}));
  CHECK(sparse.start(1).empty());
}

TEST_CASE("Nodes of a torus without placements are used when the tori that have some are full") {
  Cluster cluster("torus:3x1x1x2,dimensions=x y z torus", "slurm-torus3d:placements=(2x1x1; )");
  CHECK(cluster.start(2) == nodes({0, 1}));
  CHECK(cluster.start(2).empty());  // node 2 is free
  cluster.free.take(nodes({2}));
  CHECK(cluster.start(2) == nodes({3, 4}));
}

TEST_CASE("Faults of placements, weights and machines are told") {
  const auto error = [](const std::string& platform, const std::string& spec) {
    return test::error_of([&] { Cluster(platform, spec); });
  };
  CHECK(error("torus:4x4", "slurm-torus3d").find("torus:4x4 has no placements; expected some") != std::string::npos);
  CHECK(error("torus:4x4", "slurm-torus3d:placements=(5x1x1)").find("'5x1x1' does not fit the 4 routers") !=
        std::string::npos);
  CHECK(error("torus:4x4", "slurm-torus3d:placements=(2x2)").find("expected three numbers such as 4x4x2") !=
        std::string::npos);
  CHECK(error("torus:4x4", "slurm-torus3d:placements=(2x2x1 gap=1x1x1)").find("found 'gap=1x1x1'") !=
        std::string::npos);
  CHECK(error("torus:4x4", "slurm-torus3d:placements=2x2x1,weights=(99 5)").find("node 99 does not exist") !=
        std::string::npos);
  CHECK(error("torus:4x4", "slurm-torus3d:placements=2x2x1,weights=(1-2)").find("expected nodes and their weight") !=
        std::string::npos);
  CHECK(error("torus:2x2x2x2", "slurm-torus3d:placements=1x1x1").find("one to three dimensions") != std::string::npos);
  CHECK(error("mesh:8", "slurm-ring").find("whose first dimension wraps") != std::string::npos);
  CHECK(error("torus:17", "slurm-ring").find("more than 16 nodes") != std::string::npos);
}

// Against the text of the rules, on random machines.

/// Tori as lists of cells: what the allocator is told to do, done the long way round.
struct ByBruteForce {
  const FreeNodes& free;
  std::vector<std::vector<Placement>> tori;  // of each the placements, smaller ones first
  Placement::Extents extents;
  std::vector<std::int64_t> weights;

  std::int32_t volume() const { return extents[0] * extents[1] * extents[2]; }
  std::int32_t free_in(std::size_t torus) const {
    std::int32_t count = 0;
    for (std::int32_t cell = 0; cell < volume(); ++cell)
      count += free.is_free(NodeId(static_cast<std::int32_t>(torus) * volume() + cell)) ? 1 : 0;
    return count;
  }

  std::vector<Allocation> boxes(std::size_t torus, const Placement& placement) const {
    std::array<std::vector<int>, 3> at;
    for (std::size_t d = 0; d < 3; ++d) {
      const int spacing = placement.spacing[d] == 0 ? placement.dims[d] : placement.spacing[d];
      std::set<int> seen;
      for (int p = placement.seed[d]; seen.insert(p).second; p = (p + spacing) % extents[d]) at[d].push_back(p);
    }
    std::vector<Allocation> all;
    for (const int x : at[0])
      for (const int y : at[1])
        for (const int z : at[2]) {
          Allocation box;
          for (int k = 0; k < placement.dims[2]; ++k)
            for (int j = 0; j < placement.dims[1]; ++j)
              for (int i = 0; i < placement.dims[0]; ++i)
                box.emplace_back(static_cast<std::int32_t>(torus) * volume() + (x + i) % extents[0] +
                                 extents[0] * ((y + j) % extents[1] + extents[1] * ((z + k) % extents[2])));
          std::sort(box.begin(), box.end());
          all.push_back(box);
        }
    return all;
  }

  bool is_free(const Allocation& box) const {
    return std::all_of(box.begin(), box.end(), [&](NodeId node) { return free.is_free(node); });
  }

  std::size_t cost(std::size_t torus, const Allocation& box) const {
    const auto& placements = tori[torus];
    const auto size = static_cast<std::int32_t>(box.size());
    const auto next =
        std::find_if(placements.begin(), placements.end(), [&](const auto& p) { return p.size() > size; });
    if (next == placements.end()) return 0;
    const auto larger = boxes(torus, *next);
    return static_cast<std::size_t>(std::count_if(larger.begin(), larger.end(), [&](const Allocation& other) {
      Allocation both;
      std::set_intersection(box.begin(), box.end(), other.begin(), other.end(), std::back_inserter(both));
      return !both.empty() && is_free(other);
    }));
  }

  /// Whether Slurm looks for boxes at all: not if no free node lies in a torus with placements.
  bool looks_for_boxes() const {
    for (std::size_t torus = 0; torus < tori.size(); ++torus)
      if (!tori[torus].empty() && free_in(torus) > 0) return true;
    return false;
  }

  std::optional<Allocation> choose(std::int32_t size) const {
    std::optional<Allocation> best;
    std::int64_t best_weight = 0;
    std::size_t best_cost = 0, best_torus = 0, best_placement = 0;
    for (std::size_t torus = 0; torus < tori.size(); ++torus)
      for (std::size_t p = 0; p < tori[torus].size(); ++p) {
        if (tori[torus][p].size() != size) continue;
        for (const auto& box : boxes(torus, tori[torus][p])) {
          if (!is_free(box)) continue;
          std::int64_t weight = 0;
          for (const NodeId node : box) weight = std::max(weight, weights[node.index()]);
          const auto spoiled = cost(torus, box);
          bool is_better = !best || weight < best_weight;
          if (best && weight == best_weight) {
            const bool are_of_one_placement = torus == best_torus && p == best_placement;
            is_better = are_of_one_placement && spoiled != best_cost ? spoiled < best_cost
                                                                     : free_in(torus) < free_in(best_torus);
          }
          if (!is_better) continue;
          best = box;
          best_weight = weight;
          best_cost = spoiled;
          best_torus = torus;
          best_placement = p;
        }
      }
    return best;
  }
};

TEST_CASE("Random tori, placements and weights: the choice is that of the rules, by brute force", "[slow]") {
  core::Random random(7, "slurm");
  const auto number = [&](std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  int boxes = 0, refused = 0, outside = 0;
  for (int round = 0; round < 100; ++round) {
    const Placement::Extents extents{number(2, 6), number(1, 5), number(1, 4)};
    std::vector<std::vector<Placement>> tori(static_cast<std::size_t>(number(1, 3)));
    std::vector<std::int32_t> sizes;
    for (auto& placements : tori)
      for (int i = sizes.empty() ? number(1, 5) : number(0, 3); i > 0; --i) {
        Placement placement;
        for (std::size_t d = 0; d < 3; ++d) {
          placement.dims[d] = number(1, extents[d]);
          placement.spacing[d] = random.below(3) == 0 ? number(1, extents[d]) : 0;
          placement.seed[d] = random.below(3) == 0 ? number(0, extents[d] - 1) : 0;
        }
        placements.push_back(placement);
        sizes.push_back(placement.size());
      }
    const auto several = tori.size() > 1 ? fmt::format("x{},dimensions=x y z torus", tori.size()) : std::string();
    const Machine machine =
        platforms::make_machine(fmt::format("torus:{}x{}x{}{},placements=({})", extents[0], extents[1], extents[2],
                                            several, platforms::placements_text(tori)));
    std::vector<std::int64_t> weights(static_cast<std::size_t>(machine.node_count()), 1);
    std::string spec = "slurm-torus3d";
    if (random.below(2) == 0) {
      const auto heavy = number(0, machine.node_count() - 1);
      weights[static_cast<std::size_t>(heavy)] = 3;
      spec += fmt::format(":weights=({} 3)", heavy);
    }
    for (auto& placements : tori)
      std::stable_sort(placements.begin(), placements.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
    FreeNodes free(machine);
    const auto allocator = allocators().make(spec, Site{free});
    const ByBruteForce rules{free, tori, extents, weights};
    std::vector<Allocation> running;
    for (int step = 0; step < 60; ++step) {
      const auto wanted = sizes[random.below(sizes.size())];
      CAPTURE(machine.name(), spec, step, wanted);
      const auto chosen = allocator->local()->choose({.nodes = wanted});
      if (wanted <= free.count()) {
        if (rules.looks_for_boxes()) {
          const auto expected = rules.choose(wanted);
          REQUIRE(chosen.has_value() == expected.has_value());
          if (chosen) REQUIRE(*chosen == *expected);
          (chosen ? boxes : refused) += 1;
        } else {
          REQUIRE(chosen.has_value());
          ++outside;
        }
      }
      if (chosen) {
        REQUIRE(rules.is_free(*chosen));
        free.take(*chosen);
        running.push_back(*chosen);
      }
      while (!running.empty() && (!chosen || random.below(3) == 0)) {
        std::swap(running[random.below(running.size())], running.back());
        free.give_back(running.back());
        running.pop_back();
        if (random.below(2) == 0) break;
      }
    }
  }
  CHECK(boxes > 500);  // or the test says little
  CHECK(refused > 100);
  CHECK(outside > 5);
}

// Rings

TEST_CASE("A ring gives consecutive nodes, over its end, too, of the fullest ring") {
  Cluster cluster("torus:6x3,wrap=torus/mesh", "slurm-ring");
  cluster.free.take(nodes({2, 3, 13}));
  CHECK(cluster.start(4) == nodes({4, 5, 0, 1}));      // the ring with four free nodes, which lie over its end
  CHECK(cluster.start(4) == nodes({14, 15, 16, 17}));  // then that with five
  CHECK(cluster.start(6) == nodes({6, 7, 8, 9, 10, 11}));
  Cluster apart("torus:4x2,wrap=torus/mesh", "slurm-ring");
  apart.free.take(nodes({0, 2, 4, 6}));
  CHECK(apart.start(2).empty());
  CHECK(apart.allocator->refusal() == no_unit);
  CHECK_FALSE(cluster.fits(7));
  CHECK(cluster.allocator->refusal() == available);
}

TEST_CASE("A ring with empty places ends where its last node is") {
  Cluster cluster("torus:4x2,wrap=torus/mesh,absent-nodes=7", "slurm-ring");  // 0 to 3, and 4 to 6
  cluster.free.take(nodes({5}));
  CHECK(cluster.start(2) == nodes({6, 4}));
  CHECK(cluster.start(4) == nodes({0, 1, 2, 3}));
  CHECK(cluster.start(1).empty());
}

TEST_CASE("The lightest nodes of a ring come first") {
  CHECK(Cluster("torus:6x2", "slurm-ring:weights=(0-5 2; 6-7 2)").start(3) == nodes({8, 9, 10}));
  CHECK(Cluster("torus:6", "slurm-ring:weights=(1 2)").start(3) == nodes({2, 3, 4}));
}

TEST_CASE("Each ring gives at most one segment, and the best rings give them") {
  Cluster cluster("torus:6x3", "slurm-ring:segment=3");
  cluster.free.take(nodes({0, 13, 14}));
  CHECK(cluster.start(6) == nodes({15, 16, 17, 1, 2, 3}));  // four free nodes, then five
  CHECK_FALSE(cluster.fits(12));                            // there are three rings
  CHECK_FALSE(cluster.fits(8));
  CHECK(cluster.start(2).size() == 2);  // a segment larger than the job does not count
}

TEST_CASE("Of rings that are alike the first stays, wherever its free nodes begin") {
  Cluster cluster("torus:3x2", "slurm-ring");
  cluster.free.take(nodes({0, 1, 4, 5}));
  CHECK(cluster.start(1) == nodes({2}));
}

/// Rings of random lengths with random weights, beside a walk through all rings and starts that keeps what it has
/// unless something has a lighter heaviest node or, if as heavy, lies in another ring with fewer free nodes.
TEST_CASE("Random rings: the choice is that of the rules, by brute force") {
  core::Random random(3, "rings");
  for (int round = 0; round < 400; ++round) {
    std::vector<std::int64_t> weights(28, 1);
    std::string absent, spec = "slurm-ring";
    for (int n = 1; n < 28; ++n)
      if (random.below(12) == 0) absent += fmt::format("{} ", n);
    if (round % 2 == 0) {
      std::vector<std::string> parts;
      for (std::size_t n = 0; n < weights.size(); ++n) {
        weights[n] += static_cast<std::int64_t>(random.below(3));
        parts.push_back(fmt::format("{} {}", n, weights[n]));
      }
      spec += ":weights=(" + core::join(parts, "; ") + ")";
    }
    const auto size = static_cast<std::int32_t>(1 + random.below(5));
    Cluster cluster("torus:7x4" + (absent.empty() || round % 2 == 0 ? "" : ",absent-nodes=(" + absent + ")"), spec);
    std::vector<std::vector<NodeId>> rings(4);
    for (const NodeId node : cluster.machine.compute_nodes())
      rings[static_cast<std::size_t>(node.value() / 7)].push_back(node);
    for (const auto& ring : rings)
      for (const NodeId node : ring)
        if (random.below(3) == 0) cluster.free.take({&node, 1});
    std::optional<Allocation> expected;
    std::int64_t expected_weight = 0, expected_free = 0;
    for (const auto& ring : rings) {
      const auto free = std::count_if(ring.begin(), ring.end(), [&](NodeId n) { return cluster.free.is_free(n); });
      for (std::size_t start = 0; start < ring.size() && static_cast<std::size_t>(size) <= ring.size(); ++start) {
        Allocation run;
        std::int64_t weight = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k) {
          run.push_back(ring[(start + k) % ring.size()]);
          weight = std::max(weight, weights[run.back().index()]);
        }
        if (!std::all_of(run.begin(), run.end(), [&](NodeId n) { return cluster.free.is_free(n); })) continue;
        if (expected && (weight > expected_weight || (weight == expected_weight && free >= expected_free))) continue;
        expected = run;
        expected_weight = weight;
        expected_free = free;
      }
    }
    CAPTURE(spec, absent, size);
    if (cluster.fits(size)) CHECK(cluster.allocator->local()->choose({.nodes = size}) == expected);
  }
}

TEST_CASE("Whatever comes, Slurm's allocators give free nodes, as many as were asked for") {
  core::Random random(5, "storm");
  const StormJobs jobs{.steps = 200, .most_nodes = 16, .exact = true, .always = false};
  const auto nothing = [](const FreeNodes&, const Request&, const Allocation&) {};
  storm("slurm-ring", platforms::make_machine("torus:12x4"), random, jobs, nothing);
  storm("slurm-torus3d:placements=(1x1x1 2x1x1 2x2x1 spacing=1x1x1 2x2x2 3x1x1)",
        platforms::make_machine("torus:6x4x2"), random, jobs, nothing);
}

// The cases beside the project.

TEST_CASE("Ten derived cases: the nodes of each job") {
  const std::string path = "../shared/data/tori/slurm_torus_cases.json";
  const auto file = std::filesystem::path(test::source_folder()) / path;
  if (!std::filesystem::exists(file)) {
    WARN("skipped: no " << path);
    return;
  }
  std::ifstream stream(file);
  const auto cases = core::Json::parse(stream).at("derived");
  CHECK(cases.size() == 10);
  const auto triple = [](const core::Json& t) {
    return fmt::format("{}x{}x{}", t.at(0).get<int>(), t.at(1).get<int>(), t.at(2).get<int>());
  };
  for (const auto& c : cases) {
    const auto& tori = c.at("toruses");
    const auto dims = tori.at(0).at("dims");
    std::vector<std::string> of_tori, holes;
    for (const auto& torus : tori) {
      REQUIRE(torus.at("dims") == dims);
      std::string placements;
      for (const auto& p : torus.at("placements")) {
        placements += triple(p.at("dims")) + " ";
        if (p.contains("anchor_spacing")) placements += "spacing=" + triple(p.at("anchor_spacing")) + " ";
        if (p.contains("anchor_seed")) placements += "seed=" + triple(p.at("anchor_seed")) + " ";
      }
      of_tori.push_back(placements);
      for (const auto& hole : torus.value("holes", core::Json::array())) {
        const auto at = hole.get<std::vector<int>>();
        holes.push_back(std::to_string(at[0] + dims.at(0).get<int>() * (at[1] + dims.at(1).get<int>() * at[2])));
      }
    }
    auto platform = fmt::format("torus:{}{},placements=({})", triple(dims),
                                tori.size() > 1 ? fmt::format("x{},dimensions=x y z torus", tori.size()) : "",
                                core::join(of_tori, "; "));
    if (!holes.empty()) platform += ",absent-nodes=(" + core::join(holes, " ") + ")";
    CAPTURE(c.at("name").get<std::string>(), platform);
    const Machine machine = platforms::make_machine(platform);
    FreeNodes free(machine);
    for (const auto& node : c.at("down")) free.take(nodes({node.get<int>()}));
    for (std::size_t i = 0; i < c.at("jobs").size(); ++i) {
      const auto& job = c.at("jobs").at(i);
      const std::string spec = job.contains("segment")
                                   ? fmt::format("slurm-torus3d:segment={}", job.at("segment").get<int>())
                                   : "slurm-torus3d";
      const auto found = allocators().make(spec, Site{free})->local()->choose({.nodes = job.at("nodes").get<int>()});
      Allocation expected;
      for (const auto& node : c.at("expect").at(i).at("nodes")) expected.emplace_back(node.get<int>());
      CAPTURE(i);
      CHECK(found.value_or(Allocation()) == expected);
      if (found) free.take(*found);
    }
  }
}

}  // namespace
}  // namespace toroid::alloc
