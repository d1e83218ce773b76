#include "mapping/traffic_grid.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {
namespace {

using Extents = std::vector<std::int32_t>;
using test::error_of;

/// A stencil on a grid: bytes to each neighbour by its offset along each axis, -1, 0 or 1.
struct Stencil {
  Extents extents;
  std::vector<bool> periodic;
  std::function<double(const std::vector<int>& offset)> bytes;

  std::int32_t ranks() const {
    return std::accumulate(extents.begin(), extents.end(), std::int32_t{1}, std::multiplies<>());
  }
  Extents coordinates(std::int32_t place) const {
    Extents c;
    for (const auto extent : extents) {
      c.push_back(place % extent);
      place /= extent;
    }
    return c;
  }

  workloads::CommunicationMatrix matrix() const {
    std::vector<std::map<std::int32_t, std::uint64_t>> rows(static_cast<std::size_t>(ranks()));
    std::vector<int> offset(extents.size(), -1);
    do {
      const double amount = bytes(offset);
      if (amount <= 0) continue;
      for (std::int32_t place = 0; place < ranks(); ++place) {
        const auto c = coordinates(place);
        std::int32_t to = 0;
        bool inside = true;
        for (std::size_t d = extents.size(); d-- > 0;) {
          std::int32_t there = c[d] + offset[d];
          if (periodic[d]) there = (there + extents[d]) % extents[d];
          inside = inside && there >= 0 && there < extents[d];
          to = to * extents[d] + there;
        }
        if (inside && to != place) rows[static_cast<std::size_t>(place)][to] += static_cast<std::uint64_t>(amount);
      }
    } while (next(offset));
    workloads::CommunicationMatrix result;
    for (const auto& row : rows) {
      const auto rank = result.rows.add();
      for (const auto& [to, sent] : row) result.rows[rank].push_back({Rank(to), sent, 1});
    }
    return result;
  }

 private:
  static bool next(std::vector<int>& offset) {
    for (int& o : offset) {
      if (o < 1) {
        ++o;
        return true;
      }
      o = -1;
    }
    return false;
  }
};

int nonzero(const std::vector<int>& offset) {
  return static_cast<int>(offset.size()) - static_cast<int>(std::count(offset.begin(), offset.end(), 0));
}

/// Neighbours that differ along at most `most` axes, all with as many bytes.
std::function<double(const std::vector<int>&)> even(int most) {
  return [most](const std::vector<int>& offset) { return nonzero(offset) > 0 && nonzero(offset) <= most ? 1000 : 0; };
}

/// The surface of a block of so many cells: what a code exchanges that has 27 points or all their like.
std::function<double(const std::vector<int>&)> surface(std::vector<int> cells) {
  return [cells](const std::vector<int>& offset) {
    if (nonzero(offset) == 0) return 0.0;
    double bytes = 8;
    for (std::size_t d = 0; d < cells.size(); ++d) bytes *= offset[d] == 0 ? cells[d] : 1;
    return bytes;
  };
}

/// Steps between two places along each axis, or the axes along which they differ.
bool beside(const Extents& extents, const std::vector<bool>& periodic, std::int32_t a, std::int32_t b, int most_axes) {
  int axes = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::int32_t steps = std::abs(a % extents[d] - b % extents[d]);
    if (steps > 1 && !(periodic[d] && steps == extents[d] - 1)) return false;
    axes += steps == 0 ? 0 : 1;
    a /= extents[d];
    b /= extents[d];
  }
  return axes > 0 && axes <= most_axes;
}

/// The grid with other names of the ranks is the stencil's: the same ranks are beside each other along `axes` axes or
/// fewer.
void check_found(const Stencil& stencil, core::Random& random, int axes) {
  const auto names = shuffled_names(random, stencil.ranks());
  const auto found = find_grid(permuted(stencil.matrix(), names));
  CAPTURE(stencil.extents, stencil.periodic, found.reason);
  REQUIRE(found.exists);
  CAPTURE(found.grid.text());
  CHECK(found.grid.near_bytes == 1);
  for (std::int32_t a = 0; a < stencil.ranks(); ++a)
    for (std::int32_t b = 0; b < a; ++b) {
      const bool expected = beside(stencil.extents, stencil.periodic, a, b, axes);
      const auto there = found.grid.place[names[Rank(a)]], other = found.grid.place[names[Rank(b)]];
      if (beside(found.grid.extents, found.grid.periodic, there, other, axes) != expected) FAIL("neighbours differ");
    }
  auto volume = std::int64_t{1};
  for (const auto extent : found.grid.extents) volume *= extent;
  CHECK(volume == stencil.ranks());
}

const std::vector<std::pair<Extents, std::vector<bool>>> shapes{
    {{12}, {false}},
    {{9}, {true}},
    {{5, 8}, {false, false}},
    {{2, 7}, {false, false}},
    {{3, 3}, {false, false}},
    {{6, 4}, {true, false}},
    {{4, 4}, {true, true}},
    {{3, 5}, {true, true}},
    {{7, 7}, {true, true}},
    {{4, 4, 4}, {false, false, false}},
    {{8, 8, 4}, {false, false, true}},
    {{5, 3, 2}, {false, true, false}},
    {{2, 2, 6}, {false, false, false}},
    {{4, 4, 4}, {true, true, true}},
    {{3, 4, 5}, {true, true, true}},
    {{3, 4, 3, 4}, {false, false, false, false}},
    {{4, 3, 5, 2}, {true, false, true, false}},
    {{4, 4, 4, 4}, {true, true, true, true}},
};

TEST_CASE("Stencils without diagonals are found whatever the numbers of the ranks") {
  core::Random random(1, "stars");
  for (const auto& [extents, periodic] : shapes)
    for (int seed = 0; seed < 3; ++seed) {
      check_found({extents, periodic, even(1)}, random, 1);
      const auto uneven = [](const std::vector<int>& offset) {  // 1, 2, 4, 8 along the axes
        for (std::size_t d = 0; d < offset.size(); ++d)
          if (nonzero(offset) == 1 && offset[d] != 0) return 1000 * std::pow(2, static_cast<double>(d));
        return 0.0;
      };
      check_found({extents, periodic, uneven}, random, 1);
    }
}

TEST_CASE("Stencils with all diagonals are found, weighted by surface or all alike") {
  core::Random random(2, "boxes");
  for (const auto& [extents, periodic] : shapes)
    for (int seed = 0; seed < 3; ++seed) {
      const auto all = static_cast<int>(extents.size());
      check_found({extents, periodic, surface(std::vector<int>(extents.size(), 20))}, random, 1);
      // Along axes of 2 and rings of 3 which neighbour is a diagonal one cannot be seen: all are neighbours.
      const bool hidden = std::count(extents.begin(), extents.end(), 2) > 0 || [&e = extents, &p = periodic] {
        for (std::size_t d = 0; d < e.size(); ++d)
          if (e[d] == 3 && p[d]) return true;
        return false;
      }();
      check_found({extents, periodic, even(all)}, random, hidden ? all : 1);
    }
}

TEST_CASE("Blocks that are longer one way have other surfaces, and their grid is found") {
  core::Random random(3, "blocks");
  for (int seed = 0; seed < 3; ++seed) {
    check_found({{5, 6, 4}, {false, false, false}, surface({30, 10, 20})}, random, 1);
    check_found({{5, 6, 4}, {true, false, true}, surface({16, 16, 40})}, random, 1);
    check_found({{9, 6}, {false, false}, surface({50, 10})}, random, 1);
  }
}

TEST_CASE("19 points in space are found") {
  core::Random random(4, "nineteen");
  for (const auto& [extents, periodic] :
       std::vector<std::pair<Extents, std::vector<bool>>>{{{5, 6, 4}, {false, false, false}},
                                                          {{4, 4, 4}, {false, false, false}},
                                                          {{5, 6, 7}, {true, true, true}},
                                                          {{5, 6, 5}, {false, true, false}}})
    for (int seed = 0; seed < 3; ++seed) check_found({extents, periodic, even(2)}, random, 1);
}

TEST_CASE("A grid with traffic along one diagonal is found, of any two of its directions") {
  core::Random random(9, "triangles");
  const auto falling = [](const std::vector<int>& offset) {  // along the axes and along x = -y
    return nonzero(offset) == 1 || offset[0] == -offset[1] ? 1000.0 : 0.0;
  };
  const auto light = [&](const std::vector<int>& offset) { return falling(offset) * (nonzero(offset) == 1 ? 1.5 : 1); };
  for (const auto& [extents, periodic] : std::vector<std::pair<Extents, std::vector<bool>>>{{{4, 4}, {true, true}},
                                                                                            {{5, 5}, {true, true}},
                                                                                            {{8, 8}, {true, true}},
                                                                                            {{4, 9}, {true, true}},
                                                                                            {{6, 5}, {false, false}},
                                                                                            {{5, 7}, {true, false}}})
    for (int seed = 0; seed < 3; ++seed) {
      const Stencil even{extents, periodic, falling}, uneven{extents, periodic, light};
      check_found(uneven, random, 1);  // the light direction is the diagonal
      const auto found = find_grid(permuted(even.matrix(), shuffled_names(random, even.ranks())));
      CAPTURE(extents, periodic, found.reason);
      REQUIRE(found.exists);
      CHECK(found.grid.near_bytes == 1);
      CHECK(std::is_permutation(extents.begin(), extents.end(), found.grid.extents.begin(), found.grid.extents.end()));
    }
}

TEST_CASE("BT and SP fit a torus however their ranks are numbered") {
  core::Random random(10, "multipartition");
  const auto machine = platforms::make_machine("torus:4x4x4");
  for (const std::string program : {"bt", "sp"}) {
    const auto trace = workloads::generators().make(program + ":class=W,ranks=64,iterations=1");
    const Traffic natural(*trace);
    for (int seed = 0; seed < 4; ++seed) {
      const Traffic renamed(permuted(natural.matrix(), shuffled_names(random, natural.ranks())));
      const MappingProblem problem{machine, all_nodes(machine), renamed};
      // Two of three directions take one hop each: each ring of 8 goes around 4x2 nodes, and the diagonal takes two.
      const double hops = cost(problem, make_mapping("mj", problem)) / bytes(problem);
      CHECK(hops > 1.33);
      CHECK(hops < 1.34);
    }
  }
}

TEST_CASE("Where links do not tell the axes the numbers of the ranks may") {
  const auto bt = Traffic(*workloads::generators().make("bt:class=W,ranks=36,iterations=1")).matrix();
  const auto found = find_grid(bt);  // one diagonal: a lattice of triangles
  CHECK(found.grid.extents == Extents{6, 6});
  const auto mg = Traffic(*workloads::generators().make("mg:class=S,ranks=64")).matrix();
  CHECK(find_grid(mg).grid.text().substr(0, 26) == "4x4x4, periodic in x and y");
  CHECK(found.grid.near_bytes > 0.9);
}

TEST_CASE("Where the numbers of the ranks follow the grid each stands at its own place") {
  const auto grid = [](const CommunicationMatrix& matrix) {
    const auto found = find_grid(matrix);
    REQUIRE(found.exists);
    for (const auto rank : found.grid.place.ids()) REQUIRE(found.grid.place[rank] == rank.value());
    return std::pair(found.grid.extents, found.grid.periodic);
  };
  using Bools = std::vector<bool>;
  CHECK(grid(stencil("grid=4x8x2")) == std::pair(Extents{4, 8, 2}, Bools{false, false, false}));
  CHECK(grid(stencil("grid=4x8x2,periodic=yes")) == std::pair(Extents{4, 8, 2}, Bools{true, true, false}));
  CHECK(grid(stencil("grid=3x3x3,periodic=yes")) == std::pair(Extents{3, 3, 3}, Bools{true, true, true}));
  CHECK(grid(stencil("grid=4x4x4,periodic=yes")) == std::pair(Extents{4, 4, 4}, Bools{true, true, true}));
  CHECK(grid(stencil("grid=7")) == std::pair(Extents{7}, Bools{false}));
  CHECK(grid(stencil("grid=1x5x1x3")) == std::pair(Extents{5, 3}, Bools{false, false}));
  CHECK(grid(stencil("grid=2x2x2")) == std::pair(Extents{2, 2, 2}, Bools{false, false, false}));
  CHECK(grid(stencil("grid=2x2x8")) == std::pair(Extents{2, 2, 8}, Bools{false, false, false}));
  CHECK(grid(stencil("grid=1")) == std::pair(Extents{}, Bools{}));
  const Stencil ring_in_z{{8, 8, 4}, {false, false, true}, even(1)};
  CHECK(grid(ring_in_z.matrix()) == std::pair(Extents{8, 8, 4}, Bools{false, false, true}));
  CHECK(find_grid(ring_in_z.matrix()).grid.text() == "8x8x4, periodic in z, 100 % of bytes");
}

TEST_CASE("A little other traffic does not hide the grid, much does") {
  const auto trace = workloads::generators().make("stencil:grid=4x8x2,bytes=8KiB");
  const auto found = find_grid(Traffic(*trace).matrix());
  CHECK(found.grid.extents == Extents{4, 8, 2});
  CHECK(found.grid.near_bytes > 0.99);
  CHECK(found.grid.near_bytes < 1);
  auto far = stencil("grid=4x4");
  for (std::int32_t rank = 0; rank < 8; ++rank) far.rows[Rank(rank)].push_back({Rank(rank + 8), 8, 1});
  CHECK_FALSE(find_grid(far).exists);
  CommunicationMatrix silent;
  silent.rows.resize(6);
  CHECK(find_grid(silent).reason == "no rank talks to another");
}

/// Both ways.
void link(CommunicationMatrix& matrix, std::int32_t a, std::int32_t b, std::uint64_t bytes) {
  matrix.rows[Rank(a)].push_back({Rank(b), bytes, 1});
  matrix.rows[Rank(b)].push_back({Rank(a), bytes, 1});
}

void sort_rows(CommunicationMatrix& matrix) {
  for (auto& row : matrix.rows) {
    std::sort(row.begin(), row.end(), [](auto& a, auto& b) { return a.to < b.to; });
    row.erase(std::unique(row.begin(), row.end(), [](auto& a, auto& b) { return a.to == b.to; }), row.end());
  }
}

TEST_CASE("What is no stencil has no grid") {
  core::Random random(5, "none");
  for (int seed = 0; seed < 4; ++seed) {
    constexpr std::int32_t n = 120;
    CommunicationMatrix geometric, regular, power;
    for (auto* matrix : {&geometric, &regular, &power}) matrix->rows.resize(n);
    std::vector<std::pair<double, double>> at;
    for (std::int32_t i = 0; i < n; ++i) at.emplace_back(random.unit(), random.unit());
    const auto square = [](double x) { return x * x; };
    for (std::int32_t a = 0; a < n; ++a)
      for (std::int32_t b = 0; b < a; ++b)
        if (square(at[a].first - at[b].first) + square(at[a].second - at[b].second) < square(0.14))
          link(geometric, a, b, 100);
    for (int i = 0; i < 4; ++i) {  // rings through all
      const auto ring = shuffled_names(random, n);
      for (std::int32_t a = 0; a < n; ++a) link(regular, ring[Rank(a)].value(), ring[Rank((a + 1) % n)].value(), 100);
    }
    for (std::int32_t a = 1; a < n; ++a)
      for (int i = 0; i < 3; ++i) link(power, a, static_cast<std::int32_t>(a * random.unit() * random.unit()), 100);
    for (auto* matrix : {&geometric, &regular, &power}) {
      sort_rows(*matrix);
      const auto found = find_grid(*matrix);
      CHECK_FALSE(found.exists);
      CHECK_FALSE(found.reason.empty());
    }
    CHECK_FALSE(find_grid(random_matrix(random, 24, 0.3)).exists);
  }
  for (const std::string program :
       {"cg:class=S,ranks=64,iterations=1", "cg:class=A,ranks=128,iterations=1", "ft:class=S,ranks=16"}) {
    CAPTURE(program);
    const auto matrix = Traffic(*workloads::generators().make(program)).matrix();
    CHECK_FALSE(find_grid(matrix).exists);
    CHECK_FALSE(find_grid(permuted(matrix, shuffled_names(random, Rank(matrix.rows.size()).value()))).exists);
  }
}

TEST_CASE("Geometric mappers find the grid of renumbered ranks, say so, and refuse where there is none") {
  core::Random random(7, "mappers");
  const auto machine = platforms::make_machine("mesh:4x8x2");
  const Traffic traffic(permuted(stencil("grid=8x4x2"), shuffled_names(random, 64)));
  for (const std::string mapper : {"geom", "gsearch", "mj"}) {
    std::vector<std::string> notes;
    const MappingProblem problem{machine, all_nodes(machine), traffic, 1, nullptr, &notes};
    CHECK(cost(problem, make_mapping(mapper, problem)) == bytes(problem));
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes.front(),
               Catch::StartsWith(mapper + ": the traffic looks like ") && Catch::Contains("100 % of bytes"));
    make_mapping(mapper + ":grid=8x4x2", problem);
    CHECK(notes.size() == 1);
  }
  const Traffic none(random_matrix(random, 64, 0.2));
  for (const std::string mapper : {"geom", "gsearch:limit=3", "mj"})
    CHECK_THAT(test::error_of([&] {
                 make_mapping(mapper, {machine, all_nodes(machine), none});
               }),
               Catch::StartsWith("'" + mapper + "': found no grid in the traffic: ") &&
                   Catch::EndsWith("expected a stencil, or its grid, as in grid=4x8x2"));
}

TEST_CASE("Several ranks on a node, and a job that is renumbered, cost what they cost in natural order") {
  core::Random random(8, "natural");
  for (const auto& [grid, spec, each] : std::vector<std::tuple<std::string, std::string, std::size_t>>{
           {"8x8", "torus:8x8", 1}, {"8x4x4", "torus:4x4x4,cores=2", 2}, {"4x8x4", "mesh:8x4,cores=4", 4}}) {
    const auto machine = platforms::make_machine(spec);
    std::vector<NodeId> slots;
    for (const auto node : machine.nodes()) slots.insert(slots.end(), each, node);
    const Traffic natural(stencil("grid=" + grid));
    const double expected = cost({machine, slots, natural}, make_mapping("mj:grid=" + grid, {machine, slots, natural}));
    for (int seed = 0; seed < 4; ++seed) {
      const Traffic renamed(permuted(natural.matrix(), shuffled_names(random, natural.ranks())));
      CHECK(cost({machine, slots, renamed}, make_mapping("mj", {machine, slots, renamed})) == expected);
    }
  }
}

TEST_CASE("Published programs have the grids that they have") {
  core::Random random(9, "programs");
  for (const auto& [program, extents] :
       std::vector<std::pair<std::string, Extents>>{{"minighost:ranks=64,steps=1", {2, 4, 8}},
                                                    {"minighost:ranks=64,method=svaf,steps=1", {2, 4, 8}},
                                                    {"lulesh:ranks=64,steps=1", {4, 4, 4}}}) {
    CAPTURE(program);
    const auto matrix = Traffic(*workloads::generators().make(program)).matrix();
    const auto found = find_grid(permuted(matrix, shuffled_names(random, Rank(matrix.rows.size()).value())));
    CAPTURE(found.reason);
    auto sorted = found.grid.extents;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == extents);
  }
}

}  // namespace
}  // namespace toroid::mapping
