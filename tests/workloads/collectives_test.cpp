// Every collective algorithm on all kinds of groups: whom it lets hear from whom, and with how many bytes.

#include "workloads/collectives/collectives.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "tests/workloads/collective_executor.hpp"

namespace toroid::workloads {
namespace {

struct OnGrid {
  MemberGrid grid;
  CommRank root;
  std::uint64_t bytes;
};

const std::vector<OnGrid>& grids() {
  static const auto all = [] {
    core::Random random(33, "grids");
    std::vector<OnGrid> some;
    for (const std::vector<CommRank>& extents : std::vector<std::vector<CommRank>>{{2},
                                                                                   {5},
                                                                                   {2, 2},
                                                                                   {3, 4},
                                                                                   {6, 2},
                                                                                   {4, 4},
                                                                                   {5, 3},
                                                                                   {2, 2, 3},
                                                                                   {4, 4, 4},
                                                                                   {2, 8, 4},
                                                                                   {3, 5, 2},
                                                                                   {2, 2, 2, 2}})
      for (const std::uint64_t bytes : {0U, 1U, 1000U, 10'003U, 3'000'000U}) {
        auto grid = shuffled_grid(extents, random);
        const auto root = static_cast<CommRank>(random.below(static_cast<std::uint64_t>(grid.size())));
        some.push_back({std::move(grid), root, bytes});
      }
    return some;
  }();
  return all;
}

/// What an algorithm may be asked for: nothing, ports, segments.
std::vector<CollectiveTuning> tunings_of(const CollectiveAlgorithm& algorithm) {
  using Takes = CollectiveAlgorithm::Takes;
  switch (algorithm.takes) {
    case Takes::nothing:
      return {{}};
    case Takes::segment:
      return {{}, {.segment = 300}};
    case Takes::ports:
      return {{}, {.ports = 3}};
    default:
      return {{}, {.ports = 3, .segment = 300}};
  }
}

/// Calls check(algorithm, collective, outcome) for every algorithm, size, some roots, message sizes and tunings.
template <class Check>
void for_all_runs(Check check) {
  std::vector<CommRank> sizes(17);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {32, 33});
  for (const auto& algorithm : collective_algorithms())
    for (const CommRank size : sizes)
      for (const CommRank root : std::set<CommRank>{0, size / 2, size - 1})
        for (const std::uint64_t bytes : {0U, 1U, 7U, 1000U, 10'003U}) {
          Collective collective(algorithm.kind, size, root, bytes);
          collective.tuning = tunings_of(algorithm)[bytes % 2 * (tunings_of(algorithm).size() - 1)];
          const auto outcome = run(algorithm, collective);
          INFO(to_string(algorithm.kind) << " " << algorithm.name << " p=" << size << " root=" << root
                                         << " b=" << bytes);
          check(collective, outcome);
        }
  for (const auto& [grid, root, bytes] : grids())
    for (const auto& algorithm : collective_algorithms()) {
      if (!algorithm.uses_grid) continue;
      Collective collective(algorithm.kind, grid.size(), root, bytes);
      collective.grid = &grid;
      collective.tuning = tunings_of(algorithm)[bytes % 2 * (tunings_of(algorithm).size() - 1)];
      INFO(to_string(algorithm.kind) << " " << algorithm.name << " grid=" << grid.text() << " root=" << root
                                     << " b=" << bytes);
      check(collective, run(algorithm, collective));
    }
}

/// Whether what rank `to` has after the collective depends on rank `from`.
bool must_know(const Collective& c, std::size_t to, std::size_t from) {
  const auto root = static_cast<std::size_t>(c.root);
  switch (c.kind) {
    case OpKind::bcast:
    case OpKind::scatter:
    case OpKind::scatterv:
      return from == root;
    case OpKind::reduce:
    case OpKind::gather:
    case OpKind::gatherv:
      return to == root;
    case OpKind::scan:
    case OpKind::exscan:
      return from < to;
    default:
      return true;
  }
}

TEST_CASE("Every collective algorithm ends with every message received and waited for", "[slow]") {
  for_all_runs([](const Collective&, const Outcome& outcome) { REQUIRE(outcome.failure.empty()); });
}

TEST_CASE("After a collective every rank has heard from all it depends on", "[slow]") {
  for_all_runs([](const Collective& c, const Outcome& outcome) {
    bool all = true;
    for (std::size_t to = 0; to < outcome.knows.size(); ++to)
      for (std::size_t from = 0; from < outcome.knows.size(); ++from)
        all = all && (!must_know(c, to, from) || outcome.knows[to][from]);
    REQUIRE(all);
  });
}

TEST_CASE("Collectives sum as many bytes as their vectors have, and no others do", "[slow]") {
  const std::set<std::string_view> often{"recursive_doubling", "swing", "cube"};  // partial sums of everybody
  for_all_runs([&](const Collective& c, const Outcome& outcome) {
    const auto others = static_cast<std::uint64_t>(c.size - 1);
    const auto total = [](const Counts& all) { return std::accumulate(all.begin(), all.end(), std::uint64_t{0}); };
    const auto sum = total(outcome.summed);
    switch (c.kind) {
      case OpKind::reduce:
      case OpKind::allreduce:
      case OpKind::reduce_scatter: {
        const auto vectors = others * (c.kind == OpKind::reduce_scatter ? total(c.counts[0]) : c.bytes);
        const bool is_often =
            often.contains(outcome.algorithm) && !(c.kind == OpKind::reduce_scatter && outcome.algorithm == "cube");
        const bool is_round = outcome.algorithm == "rings";  // parts are whole bytes; what was summed goes back
        CHECK((sum == vectors || (is_often && sum > vectors) || (is_round && 2 * sum == total(outcome.received))));
        break;
      }
      case OpKind::scan:
        CHECK(sum >= others * c.bytes);
        break;
      case OpKind::exscan:  // the last one's result is without its own vector
        CHECK(sum + c.bytes >= others * c.bytes);
        break;
      default:
        CHECK(sum == 0);
    }
    for (std::size_t r = 0; r < outcome.summed.size() && c.kind != OpKind::scan && c.kind != OpKind::exscan; ++r)
      CHECK(outcome.summed[r] <= outcome.received[r]);
  });
}

TEST_CASE("What algorithms copy, by hand") {
  const auto copied = [](OpKind kind, std::string_view name, CommRank size) {
    return run(kind, name, size, 0, 1000).copied;
  };
  CHECK(copied(OpKind::allreduce, "recursive_doubling", 4) == Counts(4, 1000));
  CHECK(copied(OpKind::allreduce, "ring", 3) == Counts(3, 1000));
  CHECK(copied(OpKind::allgather, "bruck", 4) == Counts{1000, 9000, 9000, 9000});
  CHECK(copied(OpKind::allgather, "ring", 3) == Counts(3, 1000));
  CHECK(copied(OpKind::alltoall, "bruck", 4) == Counts(4, 2 * 4000 + 2 * (2000 + 2000)));
  CHECK(copied(OpKind::alltoall, "pairwise", 3) == Counts(3, 1000));
  CHECK(copied(OpKind::gather, "binomial", 4) == Counts{1000, 0, 1000, 0});
  CHECK(copied(OpKind::scatter, "linear", 3) == Counts{1000, 0, 0});
  CHECK(copied(OpKind::bcast, "binary", 7) == Counts(7));
  CHECK(copied(OpKind::reduce, "chain", 4) == Counts(4));
  // Blocks of 0, 1000, 2000 and 3000 bytes: the whole vector before, the own block after.
  const auto halving = run(OpKind::reduce_scatter, "recursive_halving", 4, 0, 1000);
  CHECK(halving.copied == Counts{6000 + 0, 6000 + 1000, 6000 + 2000, 6000 + 3000});
}

TEST_CASE("What scans sum, by hand") {
  const auto summed = [](OpKind kind, std::string_view name, CommRank size) {
    return run(kind, name, size, 0, 1000).summed;
  };
  CHECK(summed(OpKind::scan, "linear", 3) == Counts{0, 1000, 2000});
  CHECK(summed(OpKind::exscan, "linear", 3) == Counts{0, 0, 1000});
  CHECK(summed(OpKind::scan, "chain", 3) == Counts{0, 1000, 1000});
  CHECK(summed(OpKind::exscan, "chain", 3) == Counts{0, 1000, 0});
  // Two rounds of partial sums; ranks 1 and 2 have one from below, rank 3 two.
  CHECK(summed(OpKind::scan, "recursive_doubling", 4) == Counts{2000, 3000, 3000, 4000});
  CHECK(summed(OpKind::exscan, "recursive_doubling", 4) == Counts{2000, 2000, 2000, 3000});
}

TEST_CASE("A collective of one rank sends nothing") {
  for (const auto& algorithm : collective_algorithms())
    CHECK(run(algorithm, {algorithm.kind, 1, 0, 1000}).total_messages() == 0);
}

/// The least that rank r must receive, whatever the algorithm.
std::uint64_t least_received(const Collective& c, CommRank r) {
  const auto others = static_cast<std::uint64_t>(c.size - 1);
  std::uint64_t sum = 0;
  switch (c.kind) {
    case OpKind::bcast:
      return r == c.root ? 0 : c.bytes;
    case OpKind::reduce:
      return r == c.root && c.size > 1 ? c.bytes : 0;
    case OpKind::gather:
      return r == c.root ? others * c.bytes : 0;
    case OpKind::scatter:
      return r == c.root ? 0 : c.bytes;
    case OpKind::scatterv:
      return r == c.root ? 0 : c.block(r);
    case OpKind::allreduce:
      return c.size > 1 ? c.bytes : 0;
    case OpKind::allgather:
    case OpKind::alltoall:
      return others * c.bytes;
    case OpKind::gatherv:
    case OpKind::allgatherv:
      for (CommRank i = 0; i < c.size; ++i) sum += i == r ? 0 : c.block(i);
      return c.kind == OpKind::allgatherv || r == c.root ? sum : 0;
    case OpKind::alltoallv:
      for (CommRank i = 0; i < c.size; ++i) sum += i == r ? 0 : c.block(i, r);
      return sum;
    case OpKind::reduce_scatter:
      return c.size > 1 ? c.block(r) : 0;
    case OpKind::scan:
    case OpKind::exscan:
      return r == 0 ? 0 : c.bytes;
    default:
      return 0;
  }
}

TEST_CASE("Every rank receives at least the bytes that its result needs", "[slow]") {
  for_all_runs([](const Collective& c, const Outcome& outcome) {
    for (CommRank r = 0; r < c.size; ++r)
      REQUIRE(outcome.received[static_cast<std::size_t>(r)] >= least_received(c, r));
  });
}

TEST_CASE("No allgather, gather to the root or vector collective sends a byte more than needed", "[slow]") {
  for_all_runs([](const Collective& c, const Outcome& outcome) {
    if (outcome.algorithm == "gather_bcast") return;  // brings all blocks to all
    const bool to_all = c.kind == OpKind::allgather || c.kind == OpKind::allgatherv || c.kind == OpKind::alltoallv ||
                        c.kind == OpKind::scatterv || c.kind == OpKind::gatherv;
    for (CommRank r = 0; r < c.size; ++r)
      if (to_all || (c.kind == OpKind::gather && r == c.root))
        REQUIRE(outcome.received[static_cast<std::size_t>(r)] == least_received(c, r));
  });
}

TEST_CASE("The root of a scatter sends each block once") {
  for (const std::string name : {"binomial", "linear"})
    for (const CommRank size : {2, 7, 16, 33})
      CHECK(run(OpKind::scatter, name, size, size / 2, 10).sent[static_cast<std::size_t>(size / 2)] ==
            10U * static_cast<std::uint64_t>(size - 1));
}

TEST_CASE("Barriers carry no bytes") {
  for (const std::string name : {"dissemination", "linear"})
    CHECK(run(OpKind::barrier, name, 9, 0, 99).total_bytes() == 0);
}

TEST_CASE("Rings and trees send to neighbours on the grid alone") {
  for (const auto& [grid, root, bytes] : grids())
    for (const auto& algorithm : collective_algorithms()) {
      if (algorithm.name != "rings" && algorithm.name != "trees") continue;
      Collective c(algorithm.kind, grid.size(), root, bytes);
      c.grid = &grid;
      for (CommRank r = 0; r < grid.size(); ++r) {
        auto schedule = algorithm.run(c.call(r));
        const auto here = grid.place(r);
        while (const auto step = schedule.next()) {
          if (step->kind != Step::Kind::send && step->kind != Step::Kind::receive) continue;
          bool near = false;
          for (std::size_t axis = 0; axis < grid.axes(); ++axis)
            for (const CommRank way : {1, -1}) near = near || grid.along(here, axis, way) == grid.place(step->peer);
          REQUIRE(near);
        }
      }
    }
}

}  // namespace
}  // namespace toroid::workloads
