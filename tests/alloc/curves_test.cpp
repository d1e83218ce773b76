#include <catch2/catch.hpp>

#include <map>
#include <numeric>
#include <set>

#include "alloc/curves/curve.hpp"
#include "tests/alloc/storms.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::alloc {
namespace {

Axes all_axes(const Extents& extents) {
  Axes axes(extents.size());
  std::iota(axes.begin(), axes.end(), 0U);
  return axes;
}

/// Hops on a mesh from each place of the order to the next.
std::vector<std::int32_t> steps(const Order& order, const Extents& extents) {
  std::vector<std::int32_t> all;
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::int32_t from = order[i - 1], to = order[i], hops = 0;
    for (const auto extent : extents) {
      hops += std::abs(from % extent - to % extent);
      from /= extent;
      to /= extent;
    }
    all.push_back(hops);
  }
  return all;
}

bool is_connected(const Order& order, const Extents& extents) {
  const auto all = steps(order, extents);
  return std::all_of(all.begin(), all.end(), [](auto hops) { return hops == 1; });
}

const std::vector<Extents> boxes{{1},       {9},       {8, 8},       {5, 3},       {16, 8},    {20, 4},
                                 {4, 20},   {128, 8},  {10, 10},     {4, 4, 4},    {16, 8, 8}, {5, 5, 4},
                                 {8, 8, 4}, {1, 4, 1}, {3, 2, 4, 2}, {4, 4, 4, 4}, {2, 3, 5},  {16, 16, 8}};

TEST_CASE("A curve comes to each place of a box once") {
  for (const auto& extents : boxes)
    for (const auto& order : {row_order, snake_order, hilbert_order, zoltan_order}) {
      Axes axes = all_axes(extents);
      do {
        auto places = order(extents, axes);
        std::sort(places.begin(), places.end());
        Order expected(
            static_cast<std::size_t>(std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>())));
        std::iota(expected.begin(), expected.end(), 0);
        REQUIRE(places == expected);
      } while (std::next_permutation(axes.begin(), axes.end()));
    }
}

TEST_CASE("Snakes never jump, whatever they run along first; rows do at each end") {
  for (const auto& extents : boxes) {
    Axes axes = all_axes(extents);
    do CHECK(is_connected(snake_order(extents, axes), extents));
    while (std::next_permutation(axes.begin(), axes.end()));
  }
  CHECK(row_order({3, 2}, {0, 1}) == Order{0, 1, 2, 3, 4, 5});
  CHECK(row_order({3, 2}, {1, 0}) == Order{0, 3, 1, 4, 2, 5});
  CHECK(snake_order({3, 2}, {0, 1}) == Order{0, 1, 2, 5, 4, 3});
  CHECK(snake_order({3, 2}, {1, 0}) == Order{0, 3, 4, 1, 2, 5});
  CHECK(snake_order({2, 2, 2}, {0, 1, 2}) == Order{0, 1, 3, 2, 6, 7, 5, 4});
}

TEST_CASE("Hilbert's curves side by side are one curve") {
  for (const Extents& extents : {Extents{8, 8}, {16, 8}, {20, 4}, {128, 8}, {4, 4, 4}, {16, 8, 8}, {4, 4, 4, 4}}) {
    Axes axes = all_axes(extents);
    std::reverse(axes.begin(), axes.end());  // the longest last
    CHECK(is_connected(hilbert_order(extents, axes), extents));
  }
  CHECK(hilbert_order({2, 2}, {1, 0}) == Order{0, 2, 3, 1});
  CHECK(hilbert_order({2, 2}, {0, 1}) == Order{0, 1, 3, 2});
  // Two rows of cubes meet; from pair to pair of rows there is one step over almost two cubes.
  CHECK(is_connected(hilbert_order({16, 16, 8}, {2, 1, 0}), {16, 16, 8}));
  const auto all = steps(hilbert_order({16, 16, 4}, {2, 1, 0}), {16, 16, 4});
  CHECK(std::count(all.begin(), all.end(), 1) == 16 * 16 * 4 - 2);
  CHECK(std::count(all.begin(), all.end(), 7) == 1);
}

TEST_CASE("Zoltan's curve is Hilbert's on a cube, and keeps to the shape of a box elsewhere") {
  CHECK(zoltan_order({8, 8}, {1, 0}) == hilbert_order({8, 8}, {1, 0}));
  CHECK(zoltan_order({4, 4, 4}, {0, 1, 2}) == hilbert_order({4, 4, 4}, {0, 1, 2}));
  // The first half of the curve is in one half of the box.
  const auto order = zoltan_order({20, 4}, {1, 0});
  for (std::size_t i = 0; i < 40; ++i) CHECK(order[i] % 20 < 10);
  for (std::size_t i = 0; i < 20; ++i) CHECK(order[i] / 20 < 2);
}

/// What each fit finds among the ranks of a curve, straight from what it is said to be.
std::optional<std::size_t> by_definition(const std::string& fit, const std::vector<bool>& free, std::size_t nodes) {
  std::vector<std::pair<std::size_t, std::size_t>> intervals;  // first, length
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (!free[i]) continue;
    if (i == 0 || !free[i - 1]) intervals.emplace_back(i, 0);
    ++intervals.back().second;
  }
  if (fit == "freelist") return intervals.front().first;
  const auto squares = [&](std::size_t chosen) {
    std::map<std::size_t, std::int64_t> count;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto length = intervals[i].second - (i == chosen ? nodes : 0);
      if (length > 0) ++count[length];
    }
    std::int64_t sum = 0;
    for (const auto& [length, n] : count) sum += n * n;
    return sum;
  };
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].second < nodes) continue;
    if (!chosen || (fit == "best" && intervals[i].second < intervals[*chosen].second) ||
        (fit == "sumsq" && squares(i) < squares(*chosen)))
      chosen = i;
  }
  if (!chosen) return std::nullopt;
  return intervals[*chosen].first;
}

/// The free ranks of the window of least span, from the first of all windows.
std::vector<std::size_t> window_by_definition(const std::vector<bool>& free, std::size_t nodes) {
  std::vector<std::size_t> best;
  for (std::size_t first = 0; first < free.size(); ++first) {
    std::vector<std::size_t> window;
    for (std::size_t i = first; i < free.size() && window.size() < nodes; ++i)
      if (free[i]) window.push_back(i);
    if (window.size() == nodes && (best.empty() || window.back() - window.front() < best.back() - best.front()))
      best = window;
  }
  return best;
}

TEST_CASE("Fits are what they are said to be, whatever is free") {
  core::Random random(2, "test");
  for (const std::string text :
       {"mesh:9x7", "torus:4x4x3,nodes-per-router=2", "mesh:8x8,failed-nodes=3-5,service-nodes=40"}) {
    const auto machine = platforms::make_machine(text);
    for (const std::string fit : {"freelist", "first", "best", "sumsq"})
      for (const std::string order : {"snake", "hilbert"}) {
        const std::string spec = "curve:order=" + order + ",fit=" + fit;
        FreeNodes empty(machine);
        const auto curve =  // its ranks: a job of all nodes gets them in order
            *dynamic_cast<LocalAllocator&>(*allocators().make(spec, Site{empty})).choose({0, empty.count()});
        storm(spec, machine, random, {}, [&](const FreeNodes& now, const Request& request, const Allocation& found) {
          std::vector<bool> free;
          for (const NodeId node : curve) free.push_back(now.is_free(node));
          const auto nodes = static_cast<std::size_t>(request.nodes);
          Allocation expected;
          if (const auto start = by_definition(fit, free, nodes)) {
            for (std::size_t i = *start; expected.size() < nodes; ++i)
              if (free[i]) expected.push_back(curve[i]);
          } else {
            for (const auto i : window_by_definition(free, nodes)) expected.push_back(curve[i]);
          }
          REQUIRE(found == expected);
        });
      }
  }
}

TEST_CASE("The column-major snake of the paper") {
  const auto machine = platforms::make_machine("mesh:16x8");
  FreeNodes free(machine);
  const auto first = [&](const std::string& spec, std::int32_t nodes) {
    return *dynamic_cast<LocalAllocator&>(*allocators().make(spec, Site{free})).choose({0, nodes});
  };
  CHECK(first("curve", 10) == Allocation{0, 16, 32, 48, 64, 80, 96, 112, 113, 97});
  CHECK(first("curve:run=y", 9) == Allocation{0, 16, 32, 48, 64, 80, 96, 112, 113});
  CHECK(first("curve:run=long", 17) == Allocation{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 31});
  CHECK(first("curve:order=row,run=x/y", 17).back() == 16);
  CHECK(first("curve:order=hilbert", 5) == Allocation{0, 16, 17, 1, 2});
}

TEST_CASE("Pages are allocated whole") {
  const auto machine = platforms::make_machine("mesh:5x4");
  FreeNodes free(machine);
  const auto allocator = allocators().make("curve:order=row,run=x,fit=freelist,block=2x2", Site{free});
  Allocation first, second;
  allocator->allocate({1, 3}, [&](auto nodes) { first = *nodes; });
  allocator->allocate({2, 5}, [&](auto nodes) { second = *nodes; });
  CHECK(first == Allocation{0, 1, 5, 6});
  CHECK(second == Allocation{2, 3, 7, 8, 4, 9});  // the page at the end is half a page
  allocator->release(1, first);
  core::Random random(3, "test");
  for (const std::string fit : {"freelist", "first", "best", "sumsq"})
    for (const auto& text : machines_of_all_kinds())
      storm("curve:block=2,fit=" + fit, platforms::make_machine(text), random, {.exact = false});
}

TEST_CASE("Pages of which a part is free are not allocated, however many nodes that leaves") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  for (const std::string fit : {"freelist", "first", "best", "sumsq"}) {
    const auto allocator = allocators().make("curve:block=2x2,fit=" + fit, Site{free});
    const Allocation busy{0, 15};  // of two pages, which leaves two
    free.take(busy);
    CHECK_FALSE(allocator->local()->choose({1, 9}));
    const auto all = allocator->local()->choose({1, 8});
    REQUIRE(all);
    CHECK(std::set<NodeId>(all->begin(), all->end()) == std::set<NodeId>{2, 3, 6, 7, 8, 9, 12, 13});
    free.give_back(busy);
    CHECK(allocator->local()->choose({1, 13})->size() == 16);
  }
}

TEST_CASE("All curves on all kinds of machines") {
  core::Random random(4, "test");
  for (const auto& text : machines_of_all_kinds())
    for (const std::string order : {"row", "snake", "hilbert", "zoltan"})
      for (const std::string run : {"short", "long", "x"})
        storm("curve:order=" + order + ",run=" + run, platforms::make_machine(text), random, {.steps = 50});
}

TEST_CASE("What a curve cannot be told") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  const auto message = [&](const std::string& spec) {
    return test::error_of([&] { allocators().make(spec, Site{free}); });
  };
  CHECK_THAT(message("curve:run=z"),
             Catch::Contains("run=z: expected short, long, or some of the machine's dimensions"));
  CHECK_THAT(message("curve:run=x/x"), Catch::Contains("run=x/x"));
  CHECK_THAT(message("curve:order=peano"), Catch::Contains("row") && Catch::Contains("hilbert"));
  CHECK_THAT(message("curve:fit=worst"), Catch::Contains("freelist"));
  CHECK_THAT(message("curve:block=2x2x2"), Catch::Contains("mesh:4x4 has 2 dimensions"));
}

}  // namespace
}  // namespace toroid::alloc
