#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "alloc/buddies/blocks.hpp"
#include "tests/alloc/storms.hpp"

namespace toroid::alloc {
namespace {

const std::vector<std::pair<std::string, MakeBlocks>> hierarchies{{"mbs", cube_blocks},
                                                                  {"layered-mbs", square_blocks},
                                                                  {"octet-mbs", octet_blocks},
                                                                  {"granular-mbs", granular_blocks}};

std::vector<NodeId> nodes_of(const Machine& machine, const Block& block) {
  std::vector<NodeId> nodes;
  block.for_each_node(machine.grid(),
                      [&](RouterId router, std::int32_t i) { nodes.push_back(machine.first_node(router) + i); });
  return nodes;
}

/// Sizes of the blocks that are part of no other, and how many of each.
std::map<std::int32_t, int> tops(const Blocks& blocks) {
  std::map<std::int32_t, int> count;
  for (const auto& block : blocks)
    if (!block.is_part()) ++count[block.nodes];
  return count;
}

TEST_CASE("Blocks have their parts' nodes, and those that are no parts cover the machine") {
  for (const auto& text : machines_of_all_kinds())
    for (const auto& [name, make_blocks] : hierarchies) {
      CAPTURE(text, name);
      const auto machine = platforms::make_machine(text);
      const auto blocks = make_blocks(machine);
      std::vector<NodeId> covered;
      for (const auto id : blocks.ids()) {
        const auto& block = blocks[id];
        auto nodes = nodes_of(machine, block);
        REQUIRE(static_cast<std::int32_t>(nodes.size()) == block.nodes);
        if (!block.is_part()) covered.insert(covered.end(), nodes.begin(), nodes.end());
        REQUIRE(block.children.empty() == (block.nodes == 1));
        std::vector<NodeId> of_parts;
        for (const auto child : block.children) {
          REQUIRE(blocks[child].parent == id);
          const auto part = nodes_of(machine, blocks[child]);
          of_parts.insert(of_parts.end(), part.begin(), part.end());
        }
        std::sort(nodes.begin(), nodes.end());
        std::sort(of_parts.begin(), of_parts.end());
        if (!of_parts.empty()) REQUIRE(of_parts == nodes);
      }
      std::sort(covered.begin(), covered.end());
      REQUIRE(static_cast<std::int32_t>(covered.size()) == machine.node_count());
      REQUIRE(std::adjacent_find(covered.begin(), covered.end()) == covered.end());
    }
}

TEST_CASE("Hierarchies of the paper") {
  // Figure 10: one 4x4 block and four single nodes.
  CHECK(tops(square_blocks(platforms::make_machine("mesh:5x4"))) == std::map<std::int32_t, int>{{16, 1}, {1, 4}});
  // Figure 11: the last column becomes one block of 1x4.
  CHECK(tops(granular_blocks(platforms::make_machine("mesh:5x4"))) == std::map<std::int32_t, int>{{16, 1}, {4, 1}});
  // Section III.B: 16x15 has an 8x8 top block (and others), Octet has single nodes on a plane.
  CHECK(tops(granular_blocks(platforms::make_machine("mesh:16x15"))) ==
        std::map<std::int32_t, int>{{16, 1}, {32, 1}, {64, 1}, {128, 1}});
  CHECK(tops(octet_blocks(platforms::make_machine("mesh:16x8"))) == std::map<std::int32_t, int>{{1, 128}});
  CHECK(tops(octet_blocks(platforms::make_machine("mesh:16x8x8"))) == std::map<std::int32_t, int>{{512, 2}});
  CHECK(tops(square_blocks(platforms::make_machine("mesh:8x8x4"))) == std::map<std::int32_t, int>{{64, 4}});
  CHECK(tops(cube_blocks(platforms::make_machine("mesh:16x8x1"))) == std::map<std::int32_t, int>{{64, 2}});
  CHECK(tops(granular_blocks(platforms::make_machine("torus:8x4x4,nodes-per-router=2"))) ==
        std::map<std::int32_t, int>{{256, 1}});
}

/// The multiple buddy strategy on sets of blocks, as the paper tells it: lists of free blocks, the largest blocks of
/// the request first, a larger block split before the request is.
Allocation by_definition(const Machine& machine, const Blocks& blocks, const FreeNodes& free, std::int32_t nodes) {
  const auto all_free = [&](const Block& block) {
    const auto these = nodes_of(machine, block);
    return std::all_of(these.begin(), these.end(), [&](NodeId node) { return free.is_free(node); });
  };
  std::set<std::int32_t> sizes;
  std::map<std::int32_t, std::set<std::pair<BlockPlace, BlockId>>> lists;  // by size
  for (const auto id : blocks.ids()) {
    const auto& block = blocks[id];
    sizes.insert(block.nodes);
    if (all_free(block) && !(block.is_part() && all_free(blocks[block.parent])))
      lists[block.nodes].emplace(block.first, id);
  }
  std::map<std::int32_t, std::int32_t, std::greater<>> wanted;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    for (; nodes >= *size; nodes -= *size) ++wanted[*size];
  Allocation allocation;
  while (!wanted.empty()) {
    const auto [size, count] = *wanted.begin();
    if (--wanted.begin()->second == 0) wanted.erase(wanted.begin());
    auto larger = lists.lower_bound(size);
    while (larger != lists.end() && larger->second.empty()) ++larger;
    if (larger == lists.end()) {
      const auto smaller = *std::prev(sizes.find(size));
      wanted[smaller] += size / smaller;
      continue;
    }
    BlockId block = larger->second.begin()->second;
    larger->second.erase(larger->second.begin());
    while (blocks[block].nodes > size) {
      std::set<std::pair<BlockPlace, BlockId>> parts;
      for (const auto child : blocks[block].children) parts.emplace(blocks[child].first, child);
      block = parts.begin()->second;
      parts.erase(parts.begin());
      for (const auto& part : parts) lists[blocks[part.second].nodes].insert(part);
    }
    const auto these = nodes_of(machine, blocks[block]);
    allocation.insert(allocation.end(), these.begin(), these.end());
  }
  return allocation;
}

TEST_CASE("Multiple buddies are what the paper says, whatever is free") {
  core::Random random(11, "test");
  for (const auto& text : machines_of_all_kinds())
    for (const auto& [name, make_blocks] : hierarchies) {
      const auto machine = platforms::make_machine(text);
      const auto blocks = make_blocks(machine);
      storm(name, machine, random, {.steps = 100},
            [&](const FreeNodes& free, const Request& request, const Allocation& found) {
              REQUIRE(found == by_definition(machine, blocks, free, request.nodes));
            });
    }
}

TEST_CASE("Nodes come in the order of their blocks, the first dimension the slowest") {
  const auto machine = platforms::make_machine("mesh:4x4");
  FreeNodes free(machine);
  const auto allocator = allocators().make("granular-mbs", Site{free});
  auto& granular = dynamic_cast<LocalAllocator&>(*allocator);
  CHECK(*granular.choose({1, 4}) == Allocation{0, 4, 1, 5});
  CHECK(*granular.choose({1, 2}) == Allocation{0, 1});
  free.take(std::vector<NodeId>{0});
  CHECK(*granular.choose({1, 3}) == Allocation{4, 5, 1});
}

TEST_CASE("Single buddy gives one block with all its nodes, or makes the job wait") {
  core::Random random(12, "test");
  for (const auto& text : machines_of_all_kinds())
    for (const std::string blocks : {"cubes", "layered", "octet", "granular"})
      storm("single-buddy:blocks=" + blocks, platforms::make_machine(text), random,
            {.steps = 100, .exact = false, .always = false});
  const auto machine = platforms::make_machine("mesh:8x4,service-nodes=0");
  FreeNodes free(machine);
  const auto allocator = allocators().make("single-buddy", Site{free});
  auto& buddy = dynamic_cast<LocalAllocator&>(*allocator);
  CHECK(buddy.choose({1, 5})->size() == 16);
  CHECK(*buddy.choose({1, 1}) == Allocation{8});
  CHECK(allocator->fits({1, 16}));
  CHECK_FALSE(allocator->fits({1, 17}));
}

}  // namespace
}  // namespace toroid::alloc
