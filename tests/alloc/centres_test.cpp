#include <catch2/catch.hpp>

#include <limits>
#include <tuple>

#include "alloc/geometry/boxes.hpp"
#include "alloc/metrics.hpp"
#include "tests/alloc/storms.hpp"
#include "tests/support/sanitized.hpp"

namespace toroid::alloc {
namespace {

using platforms::Grid;
using platforms::Wrap;

/// How far a coordinate is from a range of `length` that begins at `first`, and on which side (1 up, -1 down).
std::pair<std::int32_t, std::int32_t> distance(const Grid& grid, std::size_t d, std::int32_t first, std::int32_t length,
                                               std::int32_t c) {
  const auto& dimension = grid.dimension(d);
  std::pair<std::int32_t, std::int32_t> least{std::numeric_limits<std::int32_t>::max(), 0};
  for (std::int32_t i = 0; i < length; ++i) {
    const std::int32_t from = first + i;
    if (dimension.wrap == Wrap::mesh) {
      if (from < dimension.extent) least = std::min(least, std::pair(std::abs(c - from), c < from ? 1 : 0));
    } else {
      const std::int32_t up = ((c - from) % dimension.extent + dimension.extent) % dimension.extent;
      least = std::min({least, std::pair(up, 0), std::pair(dimension.extent - up, 1)});
    }
  }
  return {least.first, least.first == 0 ? 0 : least.second == 1 ? -1 : 1};
}

std::int64_t hops_both_ways(const Grid& grid, RouterId a, RouterId b) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    sum += alloc::hops_both_ways(grid.dimension(d), grid.coordinate(a, d), grid.coordinate(b, d));
  return sum;
}

/// MC straight from its definition: every free node's router as the low corner of every shape in turn.
Allocation mc_by_definition(const FreeNodes& free, std::int32_t count, const std::vector<Shape>& shapes, bool greedy) {
  const Machine& machine = free.machine();
  const auto& grid = machine.grid();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  Allocation allocation;
  for (const Shape& shape : shapes)
    for (const RouterId corner : core::ids<RouterId>(grid.size())) {
      if (free.free_on(corner) == 0) continue;
      // Shell, dimensions at the shell's distance, the side along each, offset and coordinate along each.
      using Key = std::tuple<std::int32_t, std::int32_t, std::vector<std::int32_t>, std::vector<std::int32_t>, NodeId>;
      std::vector<Key> nodes;
      for (const NodeId node : free.all()) {
        std::vector<std::int32_t> ends(grid.dimension_count()), offsets;
        std::int32_t shell = 0, extremes = 0;
        for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
          const auto [far, side] =
              distance(grid, d, grid.coordinate(corner, d), shape[d], grid.coordinate(machine.router(node), d));
          offsets.push_back(far * side);
          offsets.push_back(grid.coordinate(machine.router(node), d));
          shell = std::max(shell, far);
        }
        for (std::size_t d = 0; d < grid.dimension_count(); ++d)
          if (shell > 0 && std::abs(offsets[2 * d]) == shell) {
            ++extremes;
            ends[d] = offsets[2 * d] < 0 ? -1 : 1;
          }
        nodes.emplace_back(shell, extremes, ends, offsets, node);
      }
      std::sort(nodes.begin(), nodes.end());
      const auto k = static_cast<std::size_t>(count);
      const std::int32_t last = std::get<0>(nodes[k - 1]);
      Allocation chosen;
      std::vector<Key> pool;
      std::int64_t score = 0;
      for (const auto& key : nodes) {
        const auto shell = std::get<0>(key);
        if (shell == last || (shell > last && last > 0)) pool.push_back(key);
        if (shell >= last) continue;
        chosen.push_back(std::get<4>(key));
        score += shell;
      }
      const auto cost = [&](const Key& key) {
        const NodeId node = std::get<4>(key);
        std::int64_t sum = 0;
        for (const NodeId other : chosen) sum += hops_both_ways(grid, machine.router(node), machine.router(other));
        return std::tuple(sum, hops_both_ways(grid, machine.router(node), corner),
                          grid.coordinates(machine.router(node)), node);
      };
      while (chosen.size() < k) {
        auto next = pool.begin();
        if (greedy) next = std::min_element(next, pool.end(), [&](auto& a, auto& b) { return cost(a) < cost(b); });
        chosen.push_back(std::get<4>(*next));
        score += std::get<0>(*next);
        pool.erase(next);
      }
      if (score >= best) continue;
      best = score;
      allocation = chosen;
    }
  return allocation;
}

TEST_CASE("MC1x1 is what its definition says, whatever is free", "[slow]") {
  core::Random random(7, "test");
  auto machines = machines_of_all_kinds();
  for (const std::string more : {"mesh:12x9", "torus:9x6", "mesh:5x4x4", "torus:3x5x4,nodes-per-router=2", "mesh:40"})
    machines.push_back(more);
  Shape one;
  one.fill(1);
  for (const auto& text : machines)
    for (const bool greedy : {true, false})
      storm(greedy ? "mc1x1" : "mc1x1:last=first", platforms::make_machine(text), random,
            {.steps = test::tenth_if_sanitized(60)},
            [&](const FreeNodes& free, const Request& request, const Allocation& found) {
              REQUIRE(found == mc_by_definition(free, request.nodes, {one}, greedy));
            });
}

TEST_CASE("MC is what its definition says: its shell 0 has the job's shape") {
  core::Random random(8, "test");
  for (const std::string text : {"mesh:9x7", "torus:8x5", "mesh:4x4x3", "torus:4x3x3", "mesh:6x3,nodes-per-router=2"}) {
    const auto machine = platforms::make_machine(text);
    for (const bool greedy : {true, false})
      storm(greedy ? "mc" : "mc:last=first", machine, random, {.steps = 40},
            [&](const FreeNodes& free, const Request& request, const Allocation& found) {
              const auto shapes = orientations(shape_of(request, machine), machine.grid());
              REQUIRE(found == mc_by_definition(free, request.nodes, shapes, greedy));
            });
  }
}

TEST_CASE("MC with a shape of one node is MC1x1, and a free box of the shape is taken whole") {
  const auto machine = platforms::make_machine("mesh:8x8");
  FreeNodes free(machine);
  const auto allocator = allocators().make("mc", Site{free});
  auto& mc = dynamic_cast<LocalAllocator&>(*allocator);
  CHECK(mc.choose({1, 6, {3, 2}})->size() == 6);
  auto wide = *mc.choose({1, 8, {8, 1}});
  std::sort(wide.begin(), wide.end());
  CHECK(wide == Allocation{0, 1, 2, 3, 4, 5, 6, 7});
  auto high = *mc.choose({1, 8, {1, 8}});
  std::sort(high.begin(), high.end());
  CHECK(high == Allocation{0, 8, 16, 24, 32, 40, 48, 56});
}

/// Gen-Alg and MM by their definitions.
Allocation nearest_by_definition(const FreeNodes& free, std::int32_t count, bool all_intersections) {
  const Machine& machine = free.machine();
  const auto& grid = machine.grid();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  Allocation allocation;
  // In the order of their numbers, or by when free nodes first have their coordinates, that along x first.
  std::vector<std::pair<std::vector<std::size_t>, RouterId>> centres;
  for (const RouterId centre : core::ids<RouterId>(grid.size())) {
    std::vector<std::size_t> first;
    const auto nodes = free.all();
    for (std::size_t d = 0; d < grid.dimension_count() && all_intersections; ++d) {
      const auto found = std::find_if(nodes.begin(), nodes.end(), [&](NodeId node) {
        return grid.coordinate(machine.router(node), d) == grid.coordinate(centre, d);
      });
      if (found != nodes.end()) first.push_back(static_cast<std::size_t>(found - nodes.begin()));
    }
    if (all_intersections ? first.size() == grid.dimension_count() : free.free_on(centre) > 0)
      centres.emplace_back(first, centre);
  }
  std::sort(centres.begin(), centres.end());
  for (const auto& [first, centre] : centres) {
    std::vector<std::tuple<std::int32_t, std::vector<std::int32_t>, NodeId>> nodes;
    for (const NodeId node : free.all()) {
      std::int32_t hops = 0;
      std::vector<std::int32_t> offsets;
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
        const auto [far, side] =
            distance(grid, d, grid.coordinate(centre, d), 1, grid.coordinate(machine.router(node), d));
        hops += far;
        offsets.push_back(far * side);
      }
      nodes.emplace_back(hops, offsets, node);
    }
    std::sort(nodes.begin(), nodes.end());
    Allocation these;
    for (std::int32_t i = 0; i < count; ++i) these.push_back(std::get<2>(nodes[static_cast<std::size_t>(i)]));
    std::int64_t sum = 0;
    for (const NodeId a : these)
      for (const NodeId b : these)
        if (a < b) sum += hops_both_ways(grid, machine.router(a), machine.router(b));
    if (sum >= best) continue;
    best = sum;
    allocation = these;
  }
  return allocation;
}

TEST_CASE("Gen-Alg and MM are what their definitions say, whatever is free") {
  core::Random random(9, "test");
  auto machines = machines_of_all_kinds();
  for (const std::string more : {"mesh:9x7", "torus:7x6", "mesh:4x4x3", "torus:3x4x3,nodes-per-router=2"})
    machines.push_back(more);
  for (const auto& text : machines)
    for (const bool mm : {false, true})
      storm(mm ? "mm" : "gen-alg", platforms::make_machine(text), random, {.steps = 30},
            [&](const FreeNodes& free, const Request& request, const Allocation& found) {
              REQUIRE(found == nearest_by_definition(free, request.nodes, mm));
            });
}

/// The least sum of pairwise hops of all choices of `count` free nodes.
double least_sum(const Machine& machine, const std::vector<NodeId>& free, std::size_t count) {
  Measure measure(machine);
  double least = std::numeric_limits<double>::max();
  std::vector<bool> chosen(free.size(), false);
  std::fill(chosen.end() - static_cast<std::ptrdiff_t>(count), chosen.end(), true);
  do {
    Allocation nodes;
    for (std::size_t i = 0; i < free.size(); ++i)
      if (chosen[i]) nodes.push_back(free[i]);
    least = std::min(least, measure.sum_pairwise_hops(nodes));
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return least;
}

TEST_CASE("Gen-Alg and MM are within their factors of the best choice") {
  core::Random random(10, "test");
  for (const std::string text : {"mesh:5x4", "mesh:3x3x2", "torus:5x4", "torus:4x4"}) {
    const auto machine = platforms::make_machine(text);
    const double dimensions = static_cast<double>(machine.grid().dimension_count());
    for (int round = 0; round < 15; ++round) {
      FreeNodes free(machine);
      std::vector<NodeId> busy = free.all();
      random.shuffle(busy);
      busy.resize(busy.size() - 11);
      free.take(busy);
      const auto nodes = static_cast<std::int32_t>(2 + random.below(6));
      const double best = least_sum(machine, free.all(), static_cast<std::size_t>(nodes));
      const auto sum = [&](const std::string& spec) {
        const auto allocator = allocators().make(spec, Site{free});
        return Measure(machine).sum_pairwise_hops(*dynamic_cast<LocalAllocator&>(*allocator).choose({0, nodes}));
      };
      CHECK(sum("gen-alg") >= best);
      CHECK(sum("gen-alg") <= (2 - 2.0 / nodes) * best + 1e-9);
      CHECK(sum("mm") >= best);
      if (machine.grid().dimension(0).wrap == Wrap::mesh) CHECK(sum("mm") <= (2 - 1 / (2 * dimensions)) * best + 1e-9);
    }
  }
}

}  // namespace
}  // namespace toroid::alloc
