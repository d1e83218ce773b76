#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "mapping/bisection/bisect.hpp"
#include "mapping/search/searches.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;

PartGraph random_graph(core::Random& random, std::int32_t vertices, double density, bool biased) {
  std::vector<std::vector<std::pair<PartVertex, double>>> edges(static_cast<std::size_t>(vertices));
  for (std::int32_t a = 0; a < vertices; ++a)
    for (std::int32_t b = 0; b < a; ++b)
      if (random.unit() < density) {
        const auto weight = static_cast<double>(1 + random.below(9));
        edges[static_cast<std::size_t>(a)].emplace_back(static_cast<PartVertex>(b), weight);
        edges[static_cast<std::size_t>(b)].emplace_back(static_cast<PartVertex>(a), weight);
      }
  PartGraph graph;
  for (const auto& list : edges) {
    for (const auto& [to, weight] : list) {
      graph.to.push_back(to);
      graph.weight.push_back(weight);
    }
    graph.begin.push_back(graph.to.size());
    graph.size.push_back(1);
    graph.bias.push_back(biased ? static_cast<double>(random.below(21)) - 10 : 0);
  }
  return graph;
}

std::int32_t lower_side(const Sides& sides) {
  return static_cast<std::int32_t>(std::count(sides.begin(), sides.end(), 0));
}

/// The least cost of all cuts within the bounds.
double least_cost(const PartGraph& graph, Bounds bounds) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t set = 0; set < 1U << graph.vertices(); ++set) {
    Sides sides;
    for (PartVertex v = 0; v < graph.vertices(); ++v) sides.push_back(static_cast<std::uint8_t>(set >> v & 1U));
    if (lower_side(sides) >= bounds.low && lower_side(sides) <= bounds.high)
      least = std::min(least, cost_of(graph, sides));
  }
  return least;
}

TEST_CASE("Small graphs are cut at the least cost of all cuts, nearly always") {
  core::Random random(1, "cuts");
  int optimal = 0, cuts = 0;
  for (int i = 0; i < 150; ++i) {
    const auto n = static_cast<std::int32_t>(2 + random.below(10));
    const auto graph = random_graph(random, n, 0.4, i % 2 == 0);
    const auto low = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n)));
    const Bounds bounds{low, i % 3 == 0 ? low : low + static_cast<std::int32_t>(random.below(3))};
    if (bounds.high > n) continue;
    const auto sides = bisect(graph, bounds, random);
    const double least = least_cost(graph, bounds);
    CAPTURE(n, bounds.low, bounds.high);
    REQUIRE(lower_side(sides) >= bounds.low);
    REQUIRE(lower_side(sides) <= bounds.high);
    REQUIRE(cost_of(graph, sides) >= least);
    ++cuts;
    if (cost_of(graph, sides) == least) ++optimal;
  }
  CHECK(optimal >= 0.95 * cuts);
}

TEST_CASE("Cuts of large graphs keep their bounds, and refining never makes one worse") {
  core::Random random(2, "large");
  for (int i = 0; i < 20; ++i) {
    const auto n = static_cast<std::int32_t>(300 + random.below(900));
    const auto graph = random_graph(random, n, 6.0 / n, i % 2 == 0);
    const Bounds bounds{n / 2 - 5, n / 2 - 5 + i % 3};
    auto sides = bisect(graph, bounds, random);
    CHECK(lower_side(sides) >= bounds.low);
    CHECK(lower_side(sides) <= bounds.high);
    const double before = cost_of(graph, sides);
    refine(graph, bounds, sides);
    CHECK(cost_of(graph, sides) <= before * (1 + 1e-9) + 1e-9);
    Sides out_of_bounds(static_cast<std::size_t>(n), 1);
    refine(graph, bounds, out_of_bounds);
    CHECK(lower_side(out_of_bounds) >= bounds.low);
    CHECK(lower_side(out_of_bounds) <= bounds.high);
  }
}

TEST_CASE("A cut of a coarse graph costs what it costs in the fine one") {
  core::Random random(3, "coarse");
  for (int i = 0; i < 20; ++i) {
    const auto fine = random_graph(random, 80, 0.08, true);
    const auto coarse = coarsen(fine, 6, random);
    CHECK(coarse.graph.vertices() < fine.vertices());
    CHECK(coarse.graph.largest() <= 6);
    CHECK(coarse.graph.total_size() == fine.total_size());
    Sides sides, projected;
    for (PartVertex v = 0; v < coarse.graph.vertices(); ++v)
      sides.push_back(static_cast<std::uint8_t>(random.below(2)));
    for (const PartVertex cluster : coarse.cluster) projected.push_back(sides[cluster]);
    CHECK(cost_of(coarse.graph, sides) == Approx(cost_of(fine, projected)));
  }
}

TEST_CASE("The tree of slots has each slot once, in parts of one router at last") {
  core::Random random(4, "tree");
  for (const std::string spec :
       {"mesh:6x5", "torus:8x8", "ring:4x5", "torus:4x4x3,wrap=torus/mesh/ring", "torus:4x8,x.twist=y+4", "mesh:1x1"})
    for (int i = 0; i < 6; ++i) {
      const auto machine = make_machine(spec);
      const auto count = 1 + random.below(static_cast<std::uint64_t>(machine.node_count()));
      const auto slots = random_slots(random, machine, count, 2);
      const SlotHops hops(machine, slots);
      const SlotTree tree(hops, {hops.slots().begin(), hops.slots().end()}, HopWeights(hops.dimensions(), 1),
                          i % 2 == 0, random);
      CAPTURE(spec, i, count);
      std::set<Slot> seen;
      for (const auto& part : tree.parts()) {
        if (part.is_cut()) {
          const auto &lower = tree.parts()[static_cast<std::size_t>(part.lower)],
                     &upper = tree.parts()[static_cast<std::size_t>(part.upper)];
          CHECK((lower.begin == part.begin && lower.end == upper.begin && upper.end == part.end));
          CHECK(std::min(lower.size(), upper.size()) >= part.size() / 3);
          continue;
        }
        for (auto at = part.begin; at < part.end; ++at) {
          CHECK(seen.insert(tree.slot(at)).second);
          CHECK(hops(tree.slot(at), tree.slot(part.begin)) == 0);
        }
      }
      CHECK(seen.size() == slots.size());
    }
}

/// The most hops between two coordinates that the part's slots have along dimension d, by the steps of routes.
std::int32_t most_hops(const Machine& machine, const std::set<std::int32_t>& coordinates, std::size_t d) {
  std::int32_t most = 0;
  for (const std::int32_t from : coordinates)
    for (const std::int32_t to : coordinates) most = std::max(most, std::abs(machine.grid().steps(d, from, to)));
  return most;
}

TEST_CASE("Parts are cut across the dimension along which two of their slots are farthest apart") {
  core::Random random(12, "farthest");
  for (const std::string spec :
       {"mesh:6x5", "torus:8x8x4", "torus:4x7x5", "ring:12x6", "ring:4x6x4", "torus:4x6x8,wrap=torus/mesh/ring"})
    for (int i = 0; i < 4; ++i) {
      const auto machine = make_machine(spec);
      const auto slots = all_nodes(machine);
      const SlotHops hops(machine, slots);
      const bool opens_rings = false;
      const SlotTree tree(hops, {hops.slots().begin(), hops.slots().end()}, HopWeights(hops.dimensions(), 1),
                          opens_rings, random);
      const auto coordinates = [&](const SlotPart& part, std::size_t d) {
        std::set<std::int32_t> all;
        for (auto at = part.begin; at < part.end; ++at) all.insert(hops.coordinate(tree.slot(at), d));
        return all;
      };
      for (const auto& part : tree.parts()) {
        if (!part.is_cut()) continue;
        const auto& lower = tree.parts()[static_cast<std::size_t>(part.lower)];
        std::int32_t across = 0, most = 0;
        for (std::size_t d = 0; d < hops.dimensions(); ++d) {
          const auto whole = coordinates(part, d);
          const std::int32_t distance = most_hops(machine, whole, d);
          most = std::max(most, distance);
          if (coordinates(lower, d) != whole) across = distance;
        }
        CAPTURE(spec, part.begin, part.end);
        CHECK(across == most);
      }
    }
}

/// Hop-bytes over bytes of `mapper` for a job that is renumbered at random.
double hops_per_byte(const std::string& mapper, const Machine& machine, const std::vector<NodeId>& slots,
                     const CommunicationMatrix& matrix, core::Random& random) {
  const Traffic traffic(permuted(matrix, shuffled_names(random, Rank(matrix.rows.size()).value())));
  const MappingProblem problem{machine, slots, traffic, random.below(1000)};
  return cost(problem, make_mapping(mapper, problem)) / bytes(problem);
}

TEST_CASE("Renumbered stencils find their shape again by bisection alone") {
  core::Random random(5, "shapes");
  for (const auto& [spec, grid] : std::vector<std::pair<std::string, std::string>>{
           {"mesh:8x8", "8x8"}, {"mesh:12x12", "12x12"}, {"torus:5x6x5", "5x6x5"}, {"mesh:4x8x2", "8x4x2"}})
    for (int i = 0; i < 3; ++i) {
      const auto machine = make_machine(spec);
      const auto matrix = stencil("grid=" + grid);
      const auto renumbered = permuted(matrix, shuffled_names(random, Rank(matrix.rows.size()).value()));
      const auto slots = all_nodes(machine);
      const SlotHops hops(machine, slots);
      const TrafficGraph traffic(renumbered);
      const QuadraticCost cost(traffic, SlotCosts(machine, slots, classic_distance));
      double least = std::numeric_limits<double>::infinity();
      for (int attempt = 0; attempt < 8; ++attempt) {
        const SlotTree tree(hops, {hops.slots().begin(), hops.slots().end()}, HopWeights(hops.dimensions(), 1),
                            attempt % 2 == 0, random);
        auto slot_of = dual_bisection(traffic, tree, random);
        descend(cost, slot_of);
        least = std::min(least, cost.total(slot_of));
      }
      CAPTURE(spec, grid, i);
      CHECK(least == static_cast<double>(renumbered.total_bytes()));
    }
}

/// What a program sends from rank to rank, without its collectives.
CommunicationMatrix program(const std::string& spec) {
  return workloads::point_to_point_matrix(*workloads::generators().make(spec));
}

TEST_CASE("Multilevel is no worse than the grid of the traffic laid on the machine, whatever the numbers", "[slow]") {
  core::Random random(13, "grids");
  for (const auto& [spec, job] : std::vector<std::pair<std::string, std::string>>{
           {"torus:4x4x4", "bt:class=A,ranks=64,iterations=1"},
           {"ring:12x6", "stencil:grid=12x6,steps=1,periodic=yes"},
           {"torus:8x4,x.twist=y+4", "stencil:grid=8x4,steps=1,periodic=yes"},
           {"torus:5x5x4", "bt:class=A,ranks=100,iterations=1"},
           {"mesh:8x8", "mg:class=A,ranks=64"},
           {"torus:4x4x2,cores=2", "lulesh:ranks=64,steps=1"}})
    for (int i = 0; i < 2; ++i) {
      const auto machine = make_machine(spec);
      const auto matrix = program(job);
      std::vector<NodeId> slots;
      for (const auto node : machine.nodes())
        slots.insert(slots.end(), matrix.rows.size() / static_cast<std::size_t>(machine.node_count()), node);
      const Traffic traffic(permuted(matrix, shuffled_names(random, Rank(matrix.rows.size()).value())));
      const MappingProblem problem{machine, slots, traffic, random.below(1000)};
      CAPTURE(spec, job, i);
      CHECK(cost(problem, make_mapping("multilevel", problem)) <= cost(problem, make_mapping("mj", problem)));
    }
}

TEST_CASE("A grid that fits is laid down at once: periodic, 16 nodes long, which bisection does not find") {
  core::Random random(14, "fits");
  const auto machine = make_machine("torus:16x16x16");
  CHECK(hops_per_byte("multilevel", machine, all_nodes(machine), stencil("grid=16x16x16,periodic=yes"), random) == 1);
}

/// A stencil of 4x4x4 in which each rank also exchanges `bytes` with one that is anywhere, renumbered.
CommunicationMatrix with_far_partners(std::uint64_t bytes, core::Random& random) {
  auto matrix = program("stencil:grid=4x4x4,steps=1,bytes=1000");
  const auto partners = shuffled_names(random, 64);
  for (std::int32_t i = 0; i < 64; ++i) {
    auto& row = matrix.rows[partners[Rank(i)]];
    const Rank far = partners[Rank(i ^ 1)];
    const auto place = std::find_if(row.begin(), row.end(), [&](const auto& cell) { return cell.to >= far; });
    if (place == row.end() || place->to != far) row.insert(place, {far, bytes, 1});
  }
  return permuted(matrix, shuffled_names(random, 64));
}

TEST_CASE("A grid that leaves at most 2 % of the cost to gain is laid down at once, others are searched on") {
  core::Random random(16, "far");
  const auto machine = make_machine("torus:4x4x4"), larger = make_machine("torus:6x6x6");
  for (int i = 0; i < 3; ++i) {
    const Traffic traffic(with_far_partners(20, random));
    const MappingProblem fits{machine, all_nodes(machine), traffic, random.below(100)};
    const auto by_grid = make_mapping("mj", fits);
    const double most = cost(fits, by_grid), least = bytes(fits);
    CHECK(most > least);
    CHECK(0.98 * most <= least);
    CHECK(make_mapping("multilevel", fits) == by_grid);
    const MappingProblem pieces{larger, random_slots(random, larger, 64, 1), traffic, random.below(100)};
    CHECK(cost(pieces, make_mapping("multilevel", pieces)) < 0.95 * cost(pieces, make_mapping("mj", pieces)));
  }
}

TEST_CASE("No assignment costs less than the least total") {
  core::Random random(17, "least");
  for (const auto& spec : platforms_tried)
    for (const auto& distance : {"classic", "td", "td-eq7", "weighted"}) {
      const auto machine = roomy_machine(spec);
      const auto slots = random_slots(random, machine, 12, 1 + random.below(2));
      const QuadraticCost cost(TrafficGraph(random_matrix(random, 12, 0.1)),
                               SlotCosts(machine, slots, distances().find(distance).make));
      CAPTURE(spec, distance);
      for (int i = 0; i < 20; ++i) {
        auto slot_of = random_assignment(random, 12);
        descend(cost, slot_of);
        CHECK(cost.total(slot_of) >= cost.least_total() * (1 - 1e-9));
      }
    }
}

TEST_CASE("A stencil of four dimensions has the fewest hops known, or nearly so", "[slow]") {
  core::Random random(15, "four");
  const auto machine = make_machine("torus:8x8x4");
  const double fewest_known = 7.0 / 6;  // by ten seconds of tabu search
  double mean = 0;
  for (int i = 0; i < 4; ++i) {
    const double hops = hops_per_byte("multilevel", machine, all_nodes(machine), stencil("grid=4x4x4x4"), random);
    CHECK(hops >= fewest_known);
    mean += hops / 4;
  }
  CHECK(mean <= 1.02 * fewest_known);
}

TEST_CASE("A chain goes round a one-way ring in the order of its messages") {
  core::Random random(6, "one way");
  const auto machine = make_machine("ring:16");
  CommunicationMatrix chain;
  chain.rows.resize(16);
  for (std::int32_t rank = 0; rank < 16; ++rank) chain.rows[Rank(rank)] = {{Rank((rank + 1) % 16), 5, 1}};
  for (int i = 0; i < 5; ++i) CHECK(hops_per_byte("multilevel", machine, all_nodes(machine), chain, random) == 1);
}

TEST_CASE("Where there are more slots than ranks a job gets those that suit it") {
  core::Random random(7, "spare");
  const auto machine = make_machine("mesh:12x12");
  // A block of 4x4 nodes, and 20 nodes far from it and from each other: no choice of compactness alone.
  std::vector<NodeId> slots;
  for (std::int32_t y = 0; y < 12; ++y)
    for (std::int32_t x = 0; x < 12; ++x)
      if ((x < 4 && y < 4) || (x > 5 && x % 2 == 0 && y % 3 == 0)) slots.emplace_back(x + 12 * y);
  REQUIRE(slots.size() == 16 + 12);
  for (int i = 0; i < 5; ++i) CHECK(hops_per_byte("multilevel", machine, slots, stencil("grid=4x4"), random) == 1);
}

TEST_CASE("Ranks that share nodes: no byte leaves a node that need not") {
  core::Random random(8, "shared");
  const auto machine = make_machine("mesh:4x4,cores=4");
  CommunicationMatrix cliques;
  cliques.rows.resize(64);
  for (std::int32_t a = 0; a < 64; ++a)
    for (std::int32_t b = 0; b < 64; ++b)
      if (a != b && a / 4 == b / 4) cliques.rows[Rank(a)].push_back({Rank(b), 100, 1});
  std::vector<NodeId> slots;
  for (const auto node : machine.nodes()) slots.insert(slots.end(), 4, node);
  for (int i = 0; i < 3; ++i) CHECK(hops_per_byte("multilevel", machine, slots, cliques, random) == 0);
}

TEST_CASE("Heavy traffic goes along fast dimensions") {
  // Pairs of ranks that talk, on lines whose links along x are ten times slower: all can be neighbours along y.
  core::Random random(9, "unequal");
  const auto machine = make_machine("mesh:8x8,bw=1GBps/10GBps");
  CommunicationMatrix pairs;
  pairs.rows.resize(64);
  for (std::int32_t a = 0; a < 64; a += 2) pairs.rows[Rank(a)].push_back({Rank(a + 1), 100, 1});
  for (int i = 0; i < 3; ++i) {
    const Traffic traffic(permuted(pairs, shuffled_names(random, 64)));
    const MappingProblem problem{machine, all_nodes(machine), traffic, random.below(100)};
    const QuadraticCost weighted(TrafficGraph(traffic.matrix()), SlotCosts(machine, problem.slots, weighted_distance));
    CHECK(weighted.total(assignment_of(make_mapping("multilevel:cost=weighted", problem), problem.slots)) ==
          bytes(problem));
  }
}

TEST_CASE("Multilevel's mapping depends on the seed alone, and annealing from it is no worse") {
  const auto machine = make_machine("torus:4x4x5");
  core::Random random(10, "seed");
  const Traffic traffic(random_matrix(random, 50, 0.1));
  const MappingProblem problem{machine, random_slots(random, machine, 70, 1), traffic, 3};
  const auto mapping = make_mapping("multilevel", problem);
  CHECK(make_mapping("multilevel", problem) == mapping);
  CHECK(make_mapping("multilevel:seed=3", problem) == mapping);
  CHECK(make_mapping("multilevel:seed=4", problem) != mapping);
  CHECK(cost(problem, make_mapping("anneal:sweeps=200", problem)) <=
        cost(problem, make_mapping("multilevel:sweeps=0", problem)));
}

TEST_CASE("Local search near partners leaves no swap that helps there") {
  core::Random random(11, "near");
  for (const std::string spec : {"torus:6x6", "ring:6x5"}) {
    const auto machine = make_machine(spec);
    const auto slots = random_slots(random, machine, 28, 1);
    const QuadraticCost cost(TrafficGraph(random_matrix(random, 25, 0.15)),
                             SlotCosts(machine, slots, classic_distance));
    auto slot_of = random_assignment(random, slots.size());
    descend(cost, slot_of, Reach::near);
    const Placement placement(slot_of);
    for (const Rank rank : cost.ranks())
      cost.for_each_partner(rank, [&](Rank partner, double) {
        for (const Slot there : cost.distances().near(slot_of[partner]))
          CHECK(cost.swap_delta(slot_of, rank, placement.rank_on(there)) >= -1e-9);
      });
  }
}

}  // namespace
}  // namespace toroid::mapping
