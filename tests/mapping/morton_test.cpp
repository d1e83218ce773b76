// The mapper that orders ranks as Slurm does on a torus.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

#include "core/random.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::mapping {
namespace {

std::vector<NodeId> order(const std::string& platform, std::vector<NodeId> nodes) {
  const auto machine = platforms::make_machine(platform);
  CommunicationMatrix silent;
  silent.rows.resize(nodes.size());
  const Traffic traffic(silent);
  const auto mapping = make_mapping("morton", {machine, std::move(nodes), traffic});
  return {mapping.begin(), mapping.end()};
}

TEST_CASE("Morton order interleaves the bits of x, y and z, x lowest") {
  CHECK(order("torus:2x2x2", {7, 6, 5, 4, 3, 2, 1, 0}) == std::vector<NodeId>{0, 1, 2, 3, 4, 5, 6, 7});
  // On 4x2 x has two bits and y one: places x0 y0 x1.
  CHECK(order("torus:4x2", {0, 1, 2, 3, 4, 5, 6, 7}) == std::vector<NodeId>{0, 1, 4, 5, 2, 3, 6, 7});
}

TEST_CASE("Coordinates count from the beginning of the arc that holds the job") {
  CHECK(order("torus:8", {0, 1, 6, 7}) == std::vector<NodeId>{6, 7, 0, 1});
  CHECK(order("mesh:8", {0, 1, 6, 7}) == std::vector<NodeId>{0, 1, 6, 7});
  // A box of 2x2 that lies over both ends of 4x4: x 3 0, y 3 0.
  CHECK(order("torus:4x4", {0, 3, 12, 15}) == std::vector<NodeId>{15, 12, 3, 0});
}

TEST_CASE("Beyond sixteen bits the longest axis loses its lowest ones, and ties go by the number") {
  // x has 8 bits and y 9, of which it loses one: (0,0) and (0,1) share a place before (1,0).
  CHECK(order("mesh:256x512", {131071, 256, 1, 0}) == std::vector<NodeId>{0, 256, 1, 131071});
  CHECK(order("mesh:256x256", {65535, 256, 1, 0}) == std::vector<NodeId>{0, 1, 256, 65535});
}

TEST_CASE("Tori come one after the other") {
  CHECK(order("torus:2x2x1x2,dimensions=x y z torus", {6, 0, 3, 5, 1}) == std::vector<NodeId>{0, 1, 3, 5, 6});
}

TEST_CASE("Random jobs: the order is that of places computed bit by bit") {
  core::Random random(11, "morton");
  const auto machine = platforms::make_machine("torus:5x8x3");
  for (int round = 0; round < 50; ++round) {
    // A box that lies anywhere: its arcs are known, if it is less than half the torus.
    std::array<std::int32_t, 3> first{}, sides{};
    constexpr std::array<std::int32_t, 3> extents{5, 8, 3};
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(extents[d])));
      sides[d] = 1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>((extents[d] + 1) / 2)));
    }
    std::vector<std::pair<std::string, NodeId>> expected;  // digits from the highest place on
    for (std::int32_t z = 0; z < sides[2]; ++z)
      for (std::int32_t y = 0; y < sides[1]; ++y)
        for (std::int32_t x = 0; x < sides[0]; ++x) {
          std::string place;
          for (int bit = 0; bit < 4; ++bit) {
            const std::array<std::int32_t, 3> at{x, y, z};
            for (std::size_t d = 0; d < 3; ++d)
              if ((1 << bit) < sides[d]) place.insert(place.begin(), (at[d] >> bit & 1) != 0 ? '1' : '0');
          }
          expected.emplace_back(place,
                                NodeId((first[0] + x) % 5 + 5 * ((first[1] + y) % 8 + 8 * ((first[2] + z) % 3))));
        }
    std::sort(expected.begin(), expected.end());
    std::vector<NodeId> nodes, wanted;
    for (const auto& [place, node] : expected) wanted.push_back(node);
    nodes = wanted;
    random.shuffle(nodes);
    CHECK(order("torus:5x8x3", nodes) == wanted);
  }
}

}  // namespace
}  // namespace toroid::mapping
