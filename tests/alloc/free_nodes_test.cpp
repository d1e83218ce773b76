#include "toroid/alloc/allocator.hpp"

#include <catch2/catch.hpp>

#include "toroid/core/assert.hpp"

namespace toroid::alloc {
namespace {

/// Counts what it is told of.
class Counter final : public FreeView {
 public:
  explicit Counter(FreeNodes& free) : FreeView(free), count(free.count()) {}
  void taken(std::span<const NodeId> nodes) override { count -= static_cast<std::int32_t>(nodes.size()); }
  void given_back(std::span<const NodeId> nodes) override { count += static_cast<std::int32_t>(nodes.size()); }
  std::int32_t count;
};

TEST_CASE("At first the nodes that compute are free") {
  const auto machine = platforms::make_machine(
      "mesh:4x2,nodes-per-router=2,service-nodes=0,absent-nodes=5,failed-nodes=6-7,failed-routers=r7");
  const FreeNodes free(machine);
  CHECK(free.count() == 10);
  CHECK(free.all() == std::vector<NodeId>{1, 2, 3, 4, 8, 9, 10, 11, 12, 13});
  CHECK(free.lowest(3) == std::vector<NodeId>{1, 2, 3});
  CHECK(free.lowest(0).empty());
  CHECK(free.lowest(11).size() == 10);
  CHECK(free.free_on(RouterId(0)) == 1);
  CHECK(free.free_on(RouterId(1)) == 2);
  CHECK(free.free_on(RouterId(3)) == 0);
}

TEST_CASE("Views are told of every change while they live") {
  const auto machine = platforms::make_machine("mesh:4x2");
  FreeNodes free(machine);
  Counter all(free);
  const std::vector<NodeId> some{5, 2}, more{7};
  {
    const Counter early(free);
    free.take(some);
    CHECK(early.count == 6);
  }
  const Counter late(free);
  free.take(more);
  CHECK(all.count == 5);
  CHECK(late.count == 5);
  CHECK_FALSE(free.is_free(2));
  free.give_back(some);
  CHECK(free.all() == std::vector<NodeId>{0, 1, 2, 3, 4, 5, 6});
  CHECK(late.count == free.count());
}

TEST_CASE("What is supposed to be free or taken is so for views as well, and is undone") {
  const auto machine = platforms::make_machine("mesh:4x2");
  FreeNodes free(machine);
  const Counter view(free);
  const std::vector<NodeId> some{5, 2}, more{7}, half{6, 7};
  free.take(some);
  free.take(more);
  {
    Supposed supposed(free);
    supposed.given_back(some);
    supposed.taken(half);  // 7 is taken already
    CHECK(free.all() == std::vector<NodeId>{0, 1, 2, 3, 4, 5});
    CHECK(view.count == 6);
    supposed.given_back(more);
    CHECK(view.count == 7);
  }
  CHECK(free.all() == std::vector<NodeId>{0, 1, 3, 4, 6});
  CHECK(view.count == 5);
}

TEST_CASE("Nodes are neither taken nor given back twice, and those that do not compute never") {
  const auto machine = platforms::make_machine("mesh:4x2,service-nodes=7");
  FreeNodes free(machine);
  const auto list = [](std::initializer_list<NodeId> nodes) { return std::vector<NodeId>(nodes); };
  free.take(list({0, 1}));
  CHECK_THROWS_AS(free.take(list({1})), core::ContractError);
  CHECK_THROWS_AS(free.take(list({3, 3})), core::ContractError);
  CHECK_THROWS_AS(free.take(list({7})), core::ContractError);
  CHECK_THROWS_AS(free.give_back(list({7})), core::ContractError);
  CHECK_THROWS_AS(free.give_back(list({4})), core::ContractError);
  CHECK_THROWS_AS(free.give_back(list({0, 0})), core::ContractError);
}

}  // namespace
}  // namespace toroid::alloc
