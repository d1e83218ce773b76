#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <set>

#include "alloc/contiguous/plan.hpp"
#include "tests/alloc/storms.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::alloc {
namespace {

using platforms::Wrap;

/// The routers of the box, or nothing if it does not lie in the machine.
std::optional<std::set<RouterId>> routers_of(const platforms::Grid& grid, RouterId first, const Shape& shape) {
  std::set<RouterId> routers;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (shape[d] > grid.dimension(d).extent ||
        (grid.dimension(d).wrap == Wrap::mesh && grid.coordinate(first, d) + shape[d] > grid.dimension(d).extent))
      return std::nullopt;
  for (const RouterId router : core::ids<RouterId>(grid.size())) {
    bool is_in = true;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const std::int32_t extent = grid.dimension(d).extent;
      is_in &= (grid.coordinate(router, d) - grid.coordinate(first, d) + extent) % extent < shape[d];
    }
    if (is_in) routers.insert(router);
  }
  return routers;
}

bool all_free(const FreeNodes& free, const std::set<RouterId>& routers) {
  return std::all_of(routers.begin(), routers.end(), [&](RouterId router) {
    return free.free_on(router) == free.machine().description().nodes_per_router;
  });
}

/// The first free box of a request by trying all, its routers; none if there is none.
std::set<RouterId> first_fit_by_definition(const FreeNodes& free, const Request& request) {
  const auto& grid = free.machine().grid();
  for (const Shape& shape : orientations(shape_of(request, free.machine()), grid))
    for (const RouterId first : core::ids<RouterId>(grid.size()))
      if (const auto routers = routers_of(grid, first, shape); routers && all_free(free, *routers)) return *routers;
  return {};
}

/// Fewest free nodes around, of all free boxes.
std::int32_t least_around(const FreeNodes& free, const Request& request) {
  const auto& grid = free.machine().grid();
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (const Shape& shape : orientations(shape_of(request, free.machine()), grid))
    for (const RouterId first : core::ids<RouterId>(grid.size())) {
      const auto routers = routers_of(grid, first, shape);
      if (!routers || !all_free(free, *routers)) continue;
      std::int32_t around = 0;
      for (const RouterId router : core::ids<RouterId>(grid.size())) {
        bool is_near = !routers->contains(router);
        for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
          const auto& dimension = grid.dimension(d);
          const std::int32_t extent = dimension.extent;
          const std::int32_t offset = grid.coordinate(router, d) - grid.coordinate(first, d);
          is_near &= dimension.wrap == Wrap::mesh
                         ? offset >= -1 && offset <= shape[d]
                         : shape[d] + 2 >= extent || (offset + 1 + extent) % extent < shape[d] + 2;
        }
        if (is_near) around += free.free_on(router);
      }
      least = std::min(least, around);
    }
  return least;
}

std::set<RouterId> routers_under(const Machine& machine, const Allocation& nodes) {
  std::set<RouterId> routers;
  for (const NodeId node : nodes) routers.insert(machine.router(node));
  return routers;
}

/// A request with a random shape, so that it needs all the nodes of its box.
void storm_of_shapes(
    const std::string& spec, const Machine& machine, core::Random& random,
    const std::function<void(const FreeNodes&, const Request&, const std::optional<Allocation>&)>& check) {
  FreeNodes free(machine);
  const auto allocator = allocators().make(spec, Site{free});
  std::vector<Allocation> running;
  for (std::int64_t job = 0; job < 150; ++job) {
    CAPTURE(spec, machine.name(), job);
    Request request{job, 1};
    for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) {
      request.shape.push_back(static_cast<std::int32_t>(1 + random.below(4)));
      request.nodes *= request.shape.back();
    }
    const auto chosen = dynamic_cast<LocalAllocator&>(*allocator).choose(request);
    check(free, request, chosen);
    if (chosen) {
      REQUIRE(chosen->size() == static_cast<std::size_t>(request.nodes));
      free.take(*chosen);
      running.push_back(*chosen);
    }
    while (!running.empty() && (!chosen || random.below(3) == 0)) {
      const std::size_t i = random.below(running.size());
      allocator->release(0, running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      if (random.below(3) != 0) break;
    }
  }
}

TEST_CASE("A submesh is found where there is one: the first, or the one with the fewest free nodes around it") {
  core::Random random(13, "test");
  for (const std::string text : {"mesh:8x6", "torus:6x5", "mesh:4x4x4", "torus:4x3x5", "ring:7x4", "mesh:12"}) {
    const auto machine = platforms::make_machine(text);
    storm_of_shapes("submesh", machine, random, [&](const auto& free, const auto& request, const auto& chosen) {
      const auto expected = first_fit_by_definition(free, request);
      REQUIRE(chosen.has_value() == !expected.empty());
      if (chosen) REQUIRE(routers_under(machine, *chosen) == expected);
    });
    storm_of_shapes("submesh:fit=best", machine, random,
                    [&](const auto& free, const auto& request, const auto& chosen) {
                      REQUIRE(chosen.has_value() == !first_fit_by_definition(free, request).empty());
                      if (!chosen) return;
                      Plan plan(const_cast<FreeNodes&>(free));
                      const auto routers = routers_under(machine, *chosen);
                      const RouterId first = machine.router(chosen->front());
                      std::int32_t found = std::numeric_limits<std::int32_t>::max();
                      for (const Shape& shape : orientations(shape_of(request, machine), machine.grid()))
                        if (routers_of(machine.grid(), first, shape) == routers)
                          found = std::min(found, plan.free_around({machine.grid().coordinates(first), shape}));
                      REQUIRE(found == least_around(free, request));
                    });
  }
}

/// The first free frame of a request by trying all, its routers; none if there is none.
std::set<RouterId> first_frame_by_definition(const FreeNodes& free, const Request& request, bool to_borders) {
  const auto& grid = free.machine().grid();
  RouterId start = 0;
  while (free.free_on(start) == 0) ++start;
  for (const Shape& shape : orientations(shape_of(request, free.machine()), grid))
    for (const RouterId first : core::ids<RouterId>(grid.size())) {
      bool is_frame = true;
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
        const auto& dimension = grid.dimension(d);
        const std::int32_t at = grid.coordinate(first, d);
        const bool is_at_border = dimension.wrap == Wrap::mesh && (at == 0 || at + shape[d] == dimension.extent);
        is_frame &= (at - grid.coordinate(start, d)) % shape[d] == 0 || (to_borders && is_at_border);
      }
      if (!is_frame) continue;
      if (const auto routers = routers_of(grid, first, shape); routers && all_free(free, *routers)) return *routers;
    }
  return {};
}

TEST_CASE("Boxes are those by definition, also where lines are longer than a word and routers have several nodes") {
  core::Random random(16, "test");
  for (const std::string text : {"mesh:70x3", "torus:130x2", "ring:65x3", "torus:64x3", "mesh:129",
                                 "mesh:9x7,nodes-per-router=2", "torus:5x4x3,nodes-per-router=2,failed-routers=r7"}) {
    const auto machine = platforms::make_machine(text);
    using Definition = std::function<std::set<RouterId>(const FreeNodes&, const Request&)>;
    const std::vector<std::pair<std::string, Definition>> kinds{
        {"submesh", first_fit_by_definition},
        {"frame-sliding", [](const auto& f, const auto& r) { return first_frame_by_definition(f, r, false); }},
        {"frame-sliding:borders=yes",
         [](const auto& f, const auto& r) { return first_frame_by_definition(f, r, true); }}};
    for (const auto& [spec, by_definition] : kinds)
      storm(spec, machine, random,
            {.steps = test::tenth_if_sanitized(40), .most_nodes = 60, .exact = true, .always = false},
            [&](const auto& free, const auto& request, const auto& chosen) {
              // Of a box whose last nodes stay free the job's are the first ones.
              const auto expected = by_definition(free, request);
              for (const RouterId router : routers_under(machine, chosen)) REQUIRE(expected.contains(router));
              if (request.nodes == volume(shape_of(request, machine), machine.grid().dimension_count()))
                REQUIRE(routers_under(machine, chosen) == expected);
            });
  }
}

TEST_CASE("Frames slide by whole sides from the first free node on") {
  const auto machine = platforms::make_machine("mesh:8x4");
  FreeNodes free(machine);
  const auto allocator = allocators().make("frame-sliding:rotate=no", Site{free});
  auto& sliding = dynamic_cast<LocalAllocator&>(*allocator);
  const Request request{1, 6, {3, 2}};
  CHECK(*sliding.choose(request) == Allocation{0, 1, 2, 8, 9, 10});
  free.take(std::vector<NodeId>{0, 10});
  // The first free node is 1: frames begin at columns 1 and 4, rows 0 and 2. Node 10 is in the first.
  CHECK(*sliding.choose(request) == Allocation{4, 5, 6, 12, 13, 14});
  free.take(std::vector<NodeId>{13, 17, 29});
  // Columns 3 to 5, rows 1 and 2 are busy at 13 only; no frame is free, though a submesh is.
  CHECK_FALSE(sliding.choose(request));
  CHECK(dynamic_cast<LocalAllocator&>(*allocators().make("submesh:rotate=no", Site{free})).choose(request));
}

TEST_CASE("Frames that step up to the borders of a mesh have a shorter last step") {
  const auto machine = platforms::make_machine("mesh:8x5");
  FreeNodes free(machine);
  const auto allocator = allocators().make("frame-sliding:rotate=no,borders=yes", Site{free});
  auto& sliding = dynamic_cast<LocalAllocator&>(*allocator);
  const Request request{1, 6, {3, 2}};
  free.take(std::vector<NodeId>{0, 10, 12});
  // The first free node is 1: frames begin at columns 0, 1, 4 and 5, rows 0, 2 and 3. Node 12 is in the one at 4.
  CHECK(*sliding.choose(request) == Allocation{5, 6, 7, 13, 14, 15});
  free.take(std::vector<NodeId>{6, 17, 22});
  CHECK(*sliding.choose(request) == Allocation{24, 25, 26, 32, 33, 34});
  free.take(std::vector<NodeId>{26, 38});
  // Columns 3 to 5, rows 2 and 3 are free, but no frame.
  CHECK_FALSE(sliding.choose(request));
  CHECK(dynamic_cast<LocalAllocator&>(*allocators().make("submesh:rotate=no", Site{free})).choose(request));
}

TEST_CASE("Boxes of all kinds survive storms") {
  core::Random random(14, "test");
  for (const auto& text : machines_of_all_kinds()) {
    const auto machine = platforms::make_machine(text);
    for (const std::string spec :
         {"submesh", "submesh:fit=best,rotate=no", "frame-sliding", "frame-sliding:borders=yes"})
      storm(spec, machine, random, {.steps = 100, .always = false});
    for (const std::string spec : {"anca", "gabl", "preferred-shape:otherwise=consecutive"})
      storm(spec, machine, random, {.steps = 100});
  }
}

TEST_CASE("ANCA halves the job, GABL takes the largest boxes there are, and both take a box if there is one") {
  core::Random random(15, "test");
  const auto machine = platforms::make_machine("mesh:8x8");
  for (const std::string spec : {"anca", "gabl"})
    storm_of_shapes(spec, machine, random, [&](const auto& free, const auto& request, const auto& chosen) {
      REQUIRE(chosen.has_value() == (request.nodes <= free.count()));
      const auto box = first_fit_by_definition(free, request);
      if (!box.empty()) REQUIRE(routers_under(machine, *chosen) == box);
    });
  const auto machine42 = platforms::make_machine("mesh:4x2");
  FreeNodes two_columns(machine42);
  two_columns.take(std::vector<NodeId>{2, 6});  // columns 0, 1 and 3 are left
  const auto chosen = [&](const std::string& spec, const Request& request) {
    return *dynamic_cast<LocalAllocator&>(*allocators().make(spec, Site{two_columns})).choose(request);
  };
  CHECK(chosen("anca", {1, 6, {3, 2}}) == Allocation{0, 1, 4, 5, 3, 7});  // 2x2 and 1x2
  CHECK(chosen("gabl", {1, 6, {3, 2}}) == Allocation{0, 1, 4, 5, 3, 7});
  CHECK(chosen("gabl", {1, 5, {5, 1}}) == Allocation{0, 1, 4, 5, 3});  // 2x1, 2x1, 1x1
}

TEST_CASE("A required shape can be one that never fits; a preferred one falls back") {
  const auto machine = platforms::make_machine("mesh:6x4");
  FreeNodes free(machine);
  const auto required = allocators().make("submesh", Site{free});
  CHECK(required->fits({1, 20, {4, 5}}));
  CHECK(required->fits({1, 24}));
  CHECK_FALSE(required->fits({1, 7, {7, 1}}));
  CHECK_FALSE(allocators().make("submesh:rotate=no", Site{free})->fits({1, 20, {4, 5}}));
  CHECK_FALSE(required->fits({1, 25}));
  const auto preferred = allocators().make("preferred-shape:otherwise=(curve:order=row,run=x)", Site{free});
  CHECK(preferred->fits({1, 7, {7, 1}}));
  auto& local = dynamic_cast<LocalAllocator&>(*preferred);
  CHECK(*local.choose({1, 4, {2, 2}}) == Allocation{0, 1, 6, 7});
  CHECK(*local.choose({1, 7, {7, 1}}) == Allocation{0, 1, 2, 3, 4, 5, 6});
  CHECK_THAT(test::error_of([&] {
               local.choose({1, 8, {2, 2, 2}});
             }),
             Catch::Contains("asks for a shape of 3 dimensions; mesh:6x4 has 2"));
}

TEST_CASE("Jobs without a shape get the box whose sides add up to the least") {
  const auto machine = platforms::make_machine("mesh:16x8");
  const auto shape = [&](std::int32_t nodes) {
    const auto s = shape_of({0, nodes}, machine);
    return std::pair(s[0], s[1]);
  };
  CHECK(shape(1) == std::pair(1, 1));
  CHECK(shape(5) == std::pair(2, 3));
  CHECK(shape(7) == std::pair(2, 4));
  CHECK(shape(16) == std::pair(4, 4));
  CHECK(shape(100) == std::pair(13, 8));
  CHECK(shape(128) == std::pair(16, 8));
  CHECK(shape_of({0, 27}, platforms::make_machine("torus:4x4x4"))[2] == 3);
  CHECK(shape_of({0, 16}, platforms::make_machine("mesh:4x4,nodes-per-router=4"))[0] == 2);
}

}  // namespace
}  // namespace toroid::alloc
