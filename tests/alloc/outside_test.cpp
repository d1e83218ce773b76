// Allocators that are not ours: what is wrong with their answers is said, and no node is taken.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/alloc/allocator.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::alloc {
namespace {

/// Gives every request the same answer.
class Fixed final : public LocalAllocator {
 public:
  Fixed(const Site& site, std::optional<Allocation> answer, bool may_refuse)
      : LocalAllocator(site), answer_(std::move(answer)), may_refuse_(may_refuse) {}
  bool counting_suffices() const override { return !may_refuse_; }

 private:
  std::optional<Allocation> find(const Request&) override { return answer_; }

  std::optional<Allocation> answer_;
  bool may_refuse_;
};

/// What is said of an answer to job 7, which wants two nodes of a machine of six where node 5 is taken.
std::string fault(std::optional<Allocation> answer, bool may_refuse = false) {
  const auto machine = platforms::make_machine("mesh:6");
  FreeNodes free(machine);
  free.take(Allocation{5});
  Fixed allocator({free}, std::move(answer), may_refuse);
  allocator.blame("allocator 'mine'");
  auto error =
      test::error_of([&] { allocator.allocate({.job = 7, .nodes = 2}, [](const std::optional<Allocation>&) {}); });
  if (!error.empty()) CHECK(free.count() == 5);
  return error;
}

TEST_CASE("A wrong answer of somebody's allocator is an error that names it, and takes nothing") {
  const std::string who = "allocator 'mine': job 7, 2 nodes: ";
  CHECK(fault(Allocation{1, 2}).empty());
  CHECK(fault(Allocation{1}) == who + "found 1 nodes");
  CHECK(fault(Allocation{0, 1, 2}) == who + "found 3 nodes");
  CHECK(fault(Allocation{1, 6}) == who + "found node 6, expected one of 0 to 5");
  CHECK(fault(Allocation{1, NodeId(-1)}) == who + "found node -1, expected one of 0 to 5");
  CHECK(fault(Allocation{1, 5}) == who + "found node 5, which is not free");
  CHECK(fault(Allocation{3, 3}) == who + "found node 3 twice");
  CHECK(fault(std::nullopt) == who + "found no nodes, expected some where enough are free");
}

TEST_CASE("Somebody's allocator that may refuse does, or gives more") {
  CHECK(fault(std::nullopt, true).empty());
  CHECK(fault(Allocation{0, 1, 2}, true).empty());
  CHECK(fault(Allocation{0}, true) == "allocator 'mine': job 7, 2 nodes: found 1 nodes");
}

TEST_CASE("A wrong answer of our own is a contract that is broken") {
  const auto machine = platforms::make_machine("mesh:6");
  FreeNodes free(machine);
  Fixed allocator({free}, Allocation{1}, false);
  CHECK_THROWS_AS(allocator.choose({.nodes = 2}), core::ContractError);
}

}  // namespace
}  // namespace toroid::alloc
