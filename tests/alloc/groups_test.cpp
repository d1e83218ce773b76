#include <tuple>

#include "alloc/groups/grouped.hpp"
#include "alloc/neighbours.hpp"
#include "tests/alloc/storms.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::alloc {
namespace {

/// Where a node of BigBen is, from its number.
using Cage = std::tuple<int, int, int>;  // cabinet, cage position, row
Cage cage(NodeId node) {
  return {node.value() / 192, node.value() % 96 / 32, node.value() % 192 / 96};
}

const Machine& bigben() {
  static const auto machine = platforms::make_machine("bigben");
  return machine;
}

Allocation whole_machine(const std::string& spec) {
  FreeNodes free(bigben());
  Allocation all;
  allocators().make(spec, Site{free})->allocate({1, free.count()}, [&](auto nodes) { all = *nodes; });
  REQUIRE(all.size() == 2068);
  return all;
}

template <class Place>
auto each_once(const Allocation& nodes, Place place) {
  std::vector<decltype(place(nodes[0]))> places;
  for (const NodeId node : nodes)
    if (places.empty() || places.back() != place(node)) places.push_back(place(node));
  return places;
}

std::pair<int, int> cabinet(NodeId node) {  // and row
  return {node.value() / 192, node.value() % 192 / 96};
}

TEST_CASE("BigBen by default: by cabinet, alternating rows") {
  std::vector<std::pair<int, int>> expected;
  for (int x = 0; x < 11; ++x)
    for (const int row : {0, 1}) expected.emplace_back(x, row);
  CHECK(each_once(whole_machine("consecutive"), cabinet) == expected);
}

const std::vector<int> joined{0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1};

TEST_CASE("BigBen by connected cabinets: x-major, the other row in the identical order") {
  std::vector<std::pair<int, int>> expected;
  for (const int row : {0, 1})
    for (const int x : joined) expected.emplace_back(x, row);
  CHECK(each_once(whole_machine("blocks:box=1x12x8,order=row"), cabinet) == expected);
}

TEST_CASE("BigBen by cages: the order of Table 4") {
  std::vector<Cage> expected;
  const auto line = [&](std::vector<int> cabinets, int position, int row) {
    for (const int x : cabinets) expected.emplace_back(x, position, row);
  };
  line({0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1}, 0, 0);
  line({1, 3, 5, 7, 9, 10, 8, 6, 4, 2, 0}, 1, 0);
  line({0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1}, 2, 0);
  line({1, 3, 5, 7, 9, 10, 8, 6, 4, 2, 0}, 2, 1);
  line({0, 2, 4, 6, 8, 10, 9, 7, 5, 3, 1}, 1, 1);
  line({1, 3, 5, 7, 9, 10, 8, 6, 4, 2, 0}, 0, 1);
  CHECK(each_once(whole_machine("blocks:box=1x4x8,order=snake"), cage) == expected);
}

TEST_CASE("BigBen's cages have the connections of Table 3") {
  FreeNodes free(bigben());
  const BlockList cages(free, {1, 4, 8}, BlockOrder::snake), cabinets(free, {1, 12, 8}, BlockOrder::row);
  const auto numbers = [](const BlockList& blocks, std::size_t block) {
    std::vector<std::int32_t> all;
    for (const auto& [_, cables] : blocks.cables(block)) all.push_back(cables);
    std::sort(all.begin(), all.end());
    return all;
  };
  REQUIRE(cages.size() == 66);
  REQUIRE(cabinets.size() == 22);
  for (std::size_t block = 0; block < cages.size(); ++block)
    CHECK(numbers(cages, block) == std::vector<std::int32_t>{8, 8, 8, 32, 32});  // z, twice y, twice x
  for (std::size_t block = 0; block < cabinets.size(); ++block)
    CHECK(numbers(cabinets, block) == std::vector<std::int32_t>{24, 96, 96});
}

/// All free nodes but those in these cages are taken.
void leave(FreeNodes& free, const std::vector<Cage>& cages) {
  Allocation busy;
  for (const NodeId node : free.all())
    if (std::find(cages.begin(), cages.end(), cage(node)) == cages.end()) busy.push_back(node);
  free.take(busy);
}

TEST_CASE("The smallest list of contiguous eligible cages: the paper's example") {
  FreeNodes free(bigben());
  leave(free, {{1, 1, 0}, {3, 1, 0}, {4, 1, 0}, {2, 1, 0}, {0, 1, 0}, {0, 2, 0}});
  const auto allocator = allocators().make("blocks:box=1x4x8,rule=lists,threshold=28", Site{free});
  Allocation first, second, third;
  allocator->allocate({1, 48}, [&](auto nodes) { first = *nodes; });
  CHECK(each_once(first, cage) == std::vector<Cage>{{1, 1, 0}, {3, 1, 0}});
  // 16 nodes of cage (3,1,0) are left, too few to be eligible.
  allocator->allocate({2, 100}, [&](auto nodes) { second = *nodes; });
  CHECK(each_once(second, cage) == std::vector<Cage>{{4, 1, 0}, {2, 1, 0}, {0, 1, 0}, {0, 2, 0}});
  // No list is large enough: all that is left, in order.
  allocator->allocate({3, 44}, [&](auto nodes) { third = *nodes; });
  CHECK(each_once(third, cage) == std::vector<Cage>{{3, 1, 0}, {0, 2, 0}});
}

TEST_CASE("A cage with a service blade has 28 nodes") {
  FreeNodes free(bigben());
  leave(free, {{5, 0, 0}, {6, 1, 0}, {7, 2, 1}});
  const auto allocator = allocators().make("blocks:box=1x4x8,rule=lists,threshold=28", Site{free});
  Allocation nodes;
  allocator->allocate({1, 20}, [&](auto found) { nodes = *found; });
  CHECK(each_once(nodes, cage) == std::vector<Cage>{{5, 0, 0}});
}

// Blocks of 2x2 in rows, numbered as they stand; # has one free node left, the others four.
//   0 1 2 #
//   # 5 # 7
TEST_CASE("Clusters join blocks in any dimension; the most cables come first") {
  const auto machine = platforms::make_machine("mesh:8x4");
  const auto block_of = [](NodeId node) { return node.value() % 8 / 2 + node.value() / 16 * 4; };
  FreeNodes free(machine);
  Allocation busy;
  for (const NodeId node : free.all()) {
    const auto block = block_of(node);
    if ((block == 3 || block == 4 || block == 6) && (node.value() % 2 != 0 || node.value() / 8 % 2 != 0))
      busy.push_back(node);
  }
  free.take(busy);
  const auto allocator = allocators().make("blocks:box=2x2,order=row,rule=clusters,threshold=2", Site{free});
  const auto blocks_of = [&](std::int32_t wanted) {
    Allocation nodes;
    allocator->allocate({1, wanted}, [&](auto found) { nodes = *found; });
    allocator->release(1, nodes);
    return each_once(nodes, block_of);
  };
  CHECK(blocks_of(4) == std::vector<int>{7});
  CHECK(blocks_of(5) == std::vector<int>{0, 1});
  CHECK(blocks_of(16) == std::vector<int>{0, 1, 2, 5});
  CHECK(blocks_of(17) == std::vector<int>{0, 1, 2, 3, 4, 5});  // no cluster is large enough
}

TEST_CASE("Of blocks beside a cluster the one with the most cables to it follows") {
  // Blocks of 3x1 above each other are joined by 3 cables, those beside each other by 1.
  const auto machine = platforms::make_machine("mesh:6x3");
  FreeNodes free(machine);
  Allocation nodes;
  allocators().make("blocks:box=3x1,order=row,rule=clusters", Site{free})->allocate({1, 18}, [&](auto all) {
    nodes = *all;
  });
  CHECK(each_once(nodes, [](NodeId node) { return node.value() / 3; }) == std::vector<int>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("On random states the cluster taken is the smallest with room") {
  core::Random random(1, "test");
  const auto machine = platforms::make_machine("torus:8x6x4");
  for (int round = 0; round < 100; ++round) {
    FreeNodes free(machine);
    for (const NodeId node : machine.compute_nodes())
      if (random.below(10) < 4) free.take(std::vector<NodeId>{node});
    // By hand: blocks of 2x2x2 with at least 5 free, joined where they touch on the torus.
    std::map<std::vector<int>, std::vector<NodeId>> blocks;
    for (const NodeId node : free.all())
      blocks[{node.value() % 8 / 2, node.value() / 8 % 6 / 2, node.value() / 48 / 2}].push_back(node);
    std::erase_if(blocks, [](const auto& block) { return block.second.size() < 5; });
    const auto eligible = blocks;
    std::vector<std::size_t> rooms;
    while (!blocks.empty()) {
      std::vector<std::vector<int>> cluster{blocks.begin()->first};
      std::size_t room = blocks.begin()->second.size();
      blocks.erase(blocks.begin());
      for (std::size_t i = 0; i < cluster.size(); ++i)
        for (std::size_t d = 0; d < 3; ++d)
          for (const int step : {1, -1}) {
            const int extents[] = {4, 3, 2};
            auto next = cluster[i];
            next[d] = (next[d] + step + extents[d]) % extents[d];
            if (const auto found = blocks.find(next); found != blocks.end()) {
              room += found->second.size();
              blocks.erase(found);
              cluster.push_back(next);
            }
          }
      rooms.push_back(room);
    }
    std::sort(rooms.begin(), rooms.end());
    const auto allocator = allocators().make("blocks:box=2x2x2,rule=clusters,threshold=5", Site{free});
    for (const auto room : rooms) {  // of a job that fills a cluster to the last node
      std::optional<Allocation> nodes;
      allocator->allocate({1, static_cast<std::int32_t>(room)}, [&](auto found) { nodes = found; });
      REQUIRE(nodes);
      std::size_t room_there = 0;
      const auto used = each_once(*nodes, [](NodeId node) {
        return std::vector<int>{node.value() % 8 / 2, node.value() / 8 % 6 / 2, node.value() / 48 / 2};
      });
      for (const auto& block : used) room_there += eligible.at(block).size();
      CHECK(room_there == room);
      allocator->release(1, *nodes);
    }
  }
}

// 0 # 2 3    The clusters are 0; 6, 7 and 2, 3 hang together.
// # # 6 7
// 8 9 # #
TEST_CASE("Scatter takes the smallest clusters first") {
  const auto machine = platforms::make_machine("mesh:4x3");
  FreeNodes free(machine);
  free.take(std::vector<NodeId>{1, 4, 5, 10, 11});
  const auto allocator = allocators().make("scatter", Site{free});
  const auto nodes_of = [&](std::int32_t wanted) {
    Allocation nodes;
    allocator->allocate({1, wanted}, [&](auto found) { nodes = *found; });
    allocator->release(1, nodes);
    return nodes;
  };
  CHECK(nodes_of(1) == Allocation{0});
  CHECK(nodes_of(2) == Allocation{0, 8});
  CHECK(nodes_of(5) == Allocation{0, 8, 9, 2, 3});
  CHECK(nodes_of(7) == Allocation{0, 8, 9, 2, 3, 6, 7});
}

TEST_CASE("What narrows a choice passes on what it does not say") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  CHECK(allocators().make("scatter:base=random", Site{free})->uses_seed());
  CHECK_FALSE(allocators().make("scatter:base=(random:seed=1)", Site{free})->uses_seed());
  Allocation nodes;
  const auto allocator = allocators().make("blocks:box=2x2,order=row,base=(random:seed=5)", Site{free});
  allocator->allocate({1, 10}, [&](auto found) { nodes = *found; });
  const auto blocks = each_once(nodes, [](NodeId node) { return node.value() % 4 / 2 + node.value() / 8 * 2; });
  CHECK(blocks == std::vector<int>{0, 1, 2});
  CHECK_FALSE(std::is_sorted(nodes.begin(), nodes.begin() + 4));
}

TEST_CASE("What cannot be narrowed is an error") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  const auto message = [&](const std::string& spec) {
    return test::error_of([&] { allocators().make(spec, Site{free}); });
  };
  CHECK_THAT(message("blocks:box=3x2"), Catch::Contains("box=3x2: expected extents that divide the machine's, 4x4"));
  CHECK_THAT(message("blocks:box=2"), Catch::Contains("divide"));
  CHECK_THAT(message("scatter:base=leak"), Catch::Contains("'leak': expected an allocator that answers at once"));
  CHECK_THAT(message("scatter:base=(blocks:base=leak)"), Catch::Contains("answers at once"));
  for (const std::string spec : {"scatter:base=as-logged", "scatter:base=(preferred-shape:otherwise=as-logged)"})
    CHECK_THAT(message(spec), Catch::Contains("expected a 'base' that chooses nodes, or as-logged alone"));
  CHECK_THAT(message("scatter:base=nobody"), Catch::Contains("unknown allocator 'nobody'"));
}

TEST_CASE("Neighbours are joined by a working link, in the order of the dimensions") {
  const auto machine = platforms::make_machine("mesh:3x3,fail-link=4-5");
  CHECK(neighbours(machine, 4) == std::vector<RouterId>{3, 7, 1});
  CHECK(neighbours(platforms::make_machine("torus:2x3"), 0) == std::vector<RouterId>{1, 2, 4});
  CHECK(neighbours(platforms::make_machine("ring:4x1"), 0) == std::vector<RouterId>{1, 3});
}

}  // namespace
}  // namespace toroid::alloc
