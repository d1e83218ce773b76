#include <catch2/catch.hpp>

#include <algorithm>

#include "toroid/mapping/mapper.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::mapping {
namespace {

Mapping along_curve(const Machine& machine, const std::vector<NodeId>& slots, std::size_t ranks,
                    const std::string& curve = "hilbert") {
  CommunicationMatrix silent;
  silent.rows.resize(ranks);
  const Traffic traffic(silent);
  return make_mapping(curve, {machine, slots, traffic});
}

TEST_CASE("On a cube whose side is a power of two, each step along the Hilbert curve is one hop") {
  for (const std::string shape : {"2", "8", "2x2", "8x8", "32x32", "2x2x2", "8x8x8", "4x4x4x4", "2x2x2x2x2", "8x1x8"}) {
    CAPTURE(shape);
    const auto machine = platforms::make_machine("mesh:" + shape);
    auto nodes = along_curve(machine, all_nodes(machine), all_nodes(machine).size()).elements();
    for (std::size_t rank = 1; rank < nodes.size(); ++rank) REQUIRE(machine.hops(nodes[rank - 1], nodes[rank]) == 1);
    std::sort(nodes.begin(), nodes.end());
    CHECK(nodes == all_nodes(machine));
  }
}

TEST_CASE("Each quarter of the Hilbert curve is a quarter of the square, and so on") {
  const auto machine = platforms::make_machine("mesh:16x16");
  const auto mapping = along_curve(machine, all_nodes(machine), 256);
  const auto square = [](NodeId node, int side) {
    return std::pair(node.value() % 16 / side, node.value() / 16 / side);
  };
  for (const int side : {2, 4, 8})
    for (int rank = 0; rank < 256; ++rank) {
      const int first = rank - rank % (side * side);
      REQUIRE(square(mapping[workloads::Rank(rank)], side) == square(mapping[workloads::Rank(first)], side));
    }
}

TEST_CASE("hilbert fills the slots that there are, on any machine") {
  const auto machine = platforms::make_machine("torus:5x3,cores=2");
  CHECK(along_curve(machine, {7, 7, 2}, 2).size() == 2);
  auto mapping = along_curve(machine, {7, 2, 7, 11, 2}, 5);
  std::sort(mapping.begin(), mapping.end());
  CHECK(mapping == Mapping{2, 2, 7, 7, 11});
  CHECK(along_curve(platforms::make_machine("mesh:1"), {0}, 1) == Mapping{0});
  CHECK(along_curve(machine, {4}, 0).empty());
}

TEST_CASE("Each step along the snake is one hop, whatever the sides") {
  for (const std::string shape : {"2", "7", "2x5", "5x2", "3x4x5", "6x3x2", "3x2x3x2", "4x1x5"}) {
    CAPTURE(shape);
    const auto machine = platforms::make_machine("mesh:" + shape);
    auto nodes = along_curve(machine, all_nodes(machine), all_nodes(machine).size(), "snake").elements();
    for (std::size_t rank = 1; rank < nodes.size(); ++rank) REQUIRE(machine.hops(nodes[rank - 1], nodes[rank]) == 1);
    std::sort(nodes.begin(), nodes.end());
    CHECK(nodes == all_nodes(machine));
  }
  const auto machine = platforms::make_machine("mesh:3x3,cores=2");
  CHECK(along_curve(machine, {8, 5, 3, 5, 0}, 4, "snake") == Mapping{0, 5, 5, 3});
}

}  // namespace
}  // namespace toroid::mapping
