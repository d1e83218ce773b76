// The logical torus of a job in the six dimensions of TofuD: against the orders that real jobs had (coordinates of
// ranks in github.com/zhuangbility111/Fugaku_mpi_process_mapping_tool), and against what makes a ring.

#include <fmt/ranges.h>
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/support.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::mapping {
namespace {

using Coordinates = std::vector<std::int32_t>;

Machine block(const std::string& cubes) {
  return platforms::make_machine("mesh:" + cubes + "x2x3x2,wrap=mesh/mesh/mesh/mesh/torus/mesh");
}

Mapping fold(const Machine& machine, const std::string& shape, const std::string& order = {}) {
  std::int32_t ranks = 1;
  for (const auto part : core::split(shape, 'x')) ranks *= std::stoi(std::string(part));
  workloads::CommunicationMatrix matrix;
  matrix.rows.resize(ranks);
  const Traffic traffic(std::move(matrix));
  return make_mapping("tofu:shape=" + shape + (order.empty() ? "" : ",order=" + order),
                      {machine, all_nodes(machine), traffic});
}

/// Where a pair of dimensions of the nodes of the ranks 0, step, 2 step, ... is: `00 10 20`.
std::string along(const Machine& machine, const Mapping& mapping, std::size_t pair, std::int32_t n, std::int32_t step) {
  std::vector<std::string> text;
  for (std::int32_t i = 0; i < n; ++i) {
    const auto router = machine.router(mapping[workloads::Rank(i * step)]);
    text.push_back(
        fmt::format("{}{}", machine.grid().coordinate(router, pair), machine.grid().coordinate(router, pair + 3)));
  }
  return core::join(text, " ");
}

/// Every node once, and the neighbours on each logical ring one hop apart; a ring of two is a pair.
void check_rings(const Machine& machine, const Coordinates& shape, const Mapping& mapping) {
  const std::set<NodeId> nodes(mapping.begin(), mapping.end());
  CHECK(nodes.size() == mapping.size());
  std::int32_t stride = 1;
  for (const auto extent : shape) {
    int far = 0;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(mapping.size()); ++rank) {
      const auto at = rank / stride % extent, next = rank + ((at + 1) % extent - at) * stride;
      if (next != rank && machine.hops(mapping[workloads::Rank(rank)], mapping[workloads::Rank(next)]) != 1) ++far;
    }
    CAPTURE(shape, extent);
    CHECK(far == 0);
    stride *= extent;
  }
}

}  // namespace

TEST_CASE("tofu: 8x8x8 as a job of Fugaku had it") {
  const auto machine = block("4x3x4");
  const auto mapping = fold(machine, "8x8x8");
  CHECK(along(machine, mapping, 0, 8, 1) == "00 10 20 30 31 21 11 01");
  CHECK(along(machine, mapping, 1, 8, 8) == "00 10 12 22 20 21 11 01");
  CHECK(along(machine, mapping, 2, 8, 64) == "00 10 20 30 31 21 11 01");
  check_rings(machine, {8, 8, 8}, mapping);
  // Y fastest, then Z, then X: rank-map-bynode=YZX.
  const auto yzx = fold(machine, "8x8x8", "yzx");
  CHECK(along(machine, yzx, 1, 8, 1) == along(machine, mapping, 1, 8, 8));
  CHECK(along(machine, yzx, 2, 8, 8) == along(machine, mapping, 2, 8, 64));
  CHECK(along(machine, yzx, 0, 8, 64) == along(machine, mapping, 0, 8, 1));
}

TEST_CASE("tofu: an axis Y of 16 as jobs of Fugaku had it") {
  const auto machine = block("8x6x2");
  const auto mapping = fold(machine, "16x16x4");
  CHECK(along(machine, mapping, 0, 16, 1) == "00 10 20 30 40 50 60 70 71 61 51 41 31 21 11 01");
  CHECK(along(machine, mapping, 1, 16, 16) == "00 10 20 22 32 42 41 51 52 50 40 30 31 21 11 01");
  check_rings(machine, {16, 16, 4}, mapping);
}

TEST_CASE("tofu: every shape that fits is rings of neighbours, on each node once") {
  for (const auto& [cubes, shapes] : std::vector<std::pair<std::string, std::vector<Coordinates>>>{
           {"1x1x1", {{2, 2, 2}, {2, 3, 2}, {2, 1, 2}, {2}, {2, 3}, {4}, {12}}},
           {"2x2x2", {{4, 4, 4}, {4, 5, 4}, {4, 6, 2}, {16}, {16, 4}, {96}, {4, 24}}},
           {"3x4x5", {{6, 7, 10}, {2, 9, 8}, {6, 10, 4}, {6, 11, 1}, {60, 12}, {48, 4}}},
           {"4x22x4", {{64, 64}}},
           {"16x6x8", {{32, 256}}}})
    for (const auto& shape : shapes) {
      const auto machine = block(cubes);
      check_rings(machine, shape, fold(machine, fmt::format("{}", fmt::join(shape, "x"))));
    }
}

TEST_CASE("tofu: 64x64 is X in serpentines of x, a by z, c, and Y along y, b") {
  const auto machine = block("4x22x4");
  const auto mapping = fold(machine, "64x64", "yx");
  std::vector<std::pair<int, int>> y_b{{0, 0}, {1, 0}}, ring;
  for (int y = 2; y < 22; ++y) {
    y_b.emplace_back(y, y % 2 == 0 ? 0 : 2);
    y_b.emplace_back(y, y % 2 == 0 ? 2 : 0);
  }
  for (int y = 21; y >= 0; --y) y_b.emplace_back(y, 1);
  for (int i = 0; i < 4; ++i) ring.emplace_back(i, 0);
  for (int i = 3; i >= 0; --i) ring.emplace_back(i, 1);
  std::vector<std::pair<std::size_t, std::size_t>> x_z;
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 1; j < 8; ++j) x_z.emplace_back(i, i % 2 == 0 ? j : 8 - j);
  for (std::size_t i = 8; i-- > 0;) x_z.emplace_back(i, 0);
  for (std::int32_t rank = 0; rank < 4096; ++rank) {
    const auto [y, b] = y_b[static_cast<std::size_t>(rank % 64)];
    const auto [i, j] = x_z[static_cast<std::size_t>(rank / 64)];
    const Coordinates expected{ring[i].first, y, ring[j].first, ring[i].second, b, ring[j].second};
    Coordinates found;
    for (std::size_t d = 0; d < 6; ++d)
      found.push_back(machine.grid().coordinate(machine.router(mapping[workloads::Rank(rank)]), d));
    REQUIRE(found == expected);
  }
}

TEST_CASE("tofu: on the whole machine, and in the block of a job") {
  const auto fugaku = platforms::make_machine("fugaku");
  check_rings(fugaku, {8, 8, 8}, fold(fugaku, "8x8x8"));
  std::vector<NodeId> nodes;
  for (const NodeId node : parse_nodes("(2-3,5-6,20-21,0-1,0-2,0-1)", fugaku)) nodes.push_back(node);
  workloads::CommunicationMatrix matrix;
  matrix.rows.resize(64);
  const Traffic traffic(std::move(matrix));
  const auto mapping = make_mapping("tofu:shape=4x4x4", {fugaku, nodes, traffic});
  CHECK(mapping[workloads::Rank(0)] == nodes[0]);
  check_rings(fugaku, {4, 4, 4}, mapping);
  nodes.erase(nodes.begin() + 30);
  CHECK(test::error_of([&] {
          make_mapping("tofu:shape=4x4x4", {fugaku, nodes, traffic});
        }).find("the job has no node") != std::string::npos);
}

TEST_CASE("tofu: what does not fit is refused") {
  const auto machine = block("2x2x2");
  const auto error = [&](const std::string& shape, const std::string& order = {}) {
    return test::error_of([&] { fold(machine, shape, order); });
  };
  CHECK(error("3x4x4") ==
        "mapper 'tofu': axis X of 3 is no ring of neighbours in the job's 2x2x2 cubes: x with a and z with c take even "
        "numbers up to 4 and 4, y with b up to 6");
  CHECK(error("2x7x2").find("axis Y of 7") != std::string::npos);
  CHECK(error("2x2x6").find("axis Z of 6") != std::string::npos);
  CHECK(error("4x4x4", "xy") == "mapper 'tofu': order=xy names 2 axes, expected the 3 of shape=4x4x4");
  CHECK(error("4x4x4", "xxy").find("order") != std::string::npos);
  CHECK(test::error_of([] { fold(platforms::make_machine("torus:4x4x4"), "4x4x4"); }) ==
        "mapper 'tofu': torus:4x4x4 is no block of TofuD: expected six dimensions, the last three of 2, 3 and 2 nodes, "
        "where the 3 are a torus");
  CHECK(test::error_of([] { fold(platforms::make_machine("mesh:2x2x2x2x3x2"), "4x4x4"); }) != "");
}

}  // namespace toroid::mapping
