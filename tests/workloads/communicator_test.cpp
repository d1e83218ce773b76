#include "toroid/workloads/trace.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/random.hpp"

namespace toroid::workloads {
namespace {

void check_members(const Communicator& communicator, const std::vector<Rank>& members, std::int32_t ranks) {
  REQUIRE(communicator.size() == static_cast<CommRank>(members.size()));
  for (CommRank i = 0; i < communicator.size(); ++i)
    REQUIRE(communicator.member(i) == members[static_cast<std::size_t>(i)]);
  for (const Rank r : core::IdRange(Rank(-1), Rank(ranks + 1))) {
    const auto found = std::find(members.begin(), members.end(), r);
    REQUIRE(communicator.rank_of(r) ==
            (found == members.end() ? no_process : static_cast<CommRank>(found - members.begin())));
  }
}

TEST_CASE("The world has every rank as itself") {
  check_members(Communicator::all(1), {0}, 1);
  check_members(Communicator::all(4), {0, 1, 2, 3}, 4);
}

TEST_CASE("Rows and columns of a grid of ranks are strided") {
  check_members(Communicator::strided(8, 1, 4), {8, 9, 10, 11}, 16);
  check_members(Communicator::strided(2, 4, 4), {2, 6, 10, 14}, 16);
  check_members(Communicator::strided(5, -2, 3), {5, 3, 1}, 8);
}

TEST_CASE("Ranks of random communicators are found as by searching") {
  core::Random random(3, "communicators");
  for (int round = 0; round < 200; ++round) {
    std::vector<Rank> ranks(1 + random.below(30));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i] = Rank(i);
      std::swap(ranks[i], ranks[random.below(i + 1)]);
    }
    auto members = ranks;
    members.resize(1 + random.below(ranks.size()));
    if (random.below(3) == 0) std::sort(members.begin(), members.end());
    check_members(Communicator(members), members, static_cast<std::int32_t>(ranks.size()));
  }
}

}  // namespace
}  // namespace toroid::workloads
