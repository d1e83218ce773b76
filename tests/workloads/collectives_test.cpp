// Every collective algorithm: whom it lets hear from whom, and what it sends.

#include "workloads/collectives/collectives.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/collective_executor.hpp"

namespace toroid::workloads {
namespace {

struct OnGrid {
  MemberGrid grid;
  CommRank root;
  std::uint64_t bytes;
};

/// A grid whose members stand in any order.
MemberGrid shuffled_grid(const std::vector<CommRank>& extents, core::Random& random) {
  CommRank size = 1;
  for (const auto extent : extents) size *= extent;
  std::vector<CommRank> members(static_cast<std::size_t>(size));
  std::iota(members.begin(), members.end(), 0);
  for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.below(i)]);
  return MemberGrid(extents, members);
}

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
      for (const std::uint64_t bytes : {0U, 1U, 1000U, 100'003U, 3'000'000U}) {
        auto grid = shuffled_grid(extents, random);
        const auto root = static_cast<CommRank>(random.below(static_cast<std::uint64_t>(grid.size())));
        some.push_back({std::move(grid), root, bytes});
      }
    return some;
  }();
  return all;
}

/// Calls check(algorithm, collective, outcome) for every algorithm, size, some roots and message sizes.
template <class Check>
void for_all_runs(Check check) {
  std::vector<CommRank> sizes(17);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {32, 33});
  for (const auto& algorithm : collective_algorithms())
    for (const CommRank size : sizes)
      for (const CommRank root : std::set<CommRank>{0, size / 2, size - 1})
        for (const std::uint64_t bytes : {0U, 1U, 7U, 1000U, 100'003U}) {
          const Collective collective(algorithm.kind, size, root, bytes);
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

TEST_CASE("Every collective algorithm ends with every message received and waited for") {
  for_all_runs([](const Collective&, const Outcome& outcome) { REQUIRE(outcome.failure.empty()); });
}

TEST_CASE("After a collective every rank has heard from all it depends on") {
  for_all_runs([](const Collective& c, const Outcome& outcome) {
    bool all = true;
    for (std::size_t to = 0; to < outcome.knows.size(); ++to)
      for (std::size_t from = 0; from < outcome.knows.size(); ++from)
        all = all && (!must_know(c, to, from) || outcome.knows[to][from]);
    REQUIRE(all);
  });
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

TEST_CASE("Every rank receives at least the bytes that its result needs") {
  for_all_runs([](const Collective& c, const Outcome& outcome) {
    for (CommRank r = 0; r < c.size; ++r)
      REQUIRE(outcome.received[static_cast<std::size_t>(r)] >= least_received(c, r));
  });
}

TEST_CASE("No allgather, gather to the root or vector collective sends a byte more than needed") {
  for_all_runs([](const Collective& c, const Outcome& outcome) {
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

std::uint64_t rounds(CommRank size) {  // ceil(log2 size)
  return std::bit_width(static_cast<std::uint64_t>(size - 1));
}

TEST_CASE("Trees and linear one-to-all and all-to-one have p-1 messages") {
  for (const CommRank p : {2, 5, 8, 17, 33})
    for (const auto kind : {OpKind::bcast, OpKind::reduce, OpKind::gather, OpKind::scatter})
      for (const std::string name : {"binomial", "linear"})
        CHECK(run(kind, name, p, p - 1, 8).total_messages() == static_cast<std::uint64_t>(p - 1));
}

TEST_CASE("Trees and linear broadcasts and reductions carry the message p-1 times") {
  for (const auto kind : {OpKind::bcast, OpKind::reduce})
    for (const std::string name : {"binomial", "linear"}) CHECK(run(kind, name, 13, 5, 100).total_bytes() == 1200);
}

TEST_CASE("The root of a binomial tree has ceil(log2 p) children") {
  for (const CommRank p : {2, 3, 8, 9, 16, 17, 33}) {
    const auto root = static_cast<std::size_t>(p / 2);
    CHECK(run(OpKind::bcast, "binomial", p, p / 2, 8).messages[root] == rounds(p));
    CHECK(run(OpKind::scatter, "binomial", p, p / 2, 8).messages[root] == rounds(p));
  }
}

TEST_CASE("Dissemination has p ceil(log2 p) messages") {
  for (const CommRank p : {2, 3, 8, 13, 33})
    CHECK(run(OpKind::barrier, "dissemination", p, 0, 0).total_messages() == static_cast<std::uint64_t>(p) * rounds(p));
}

TEST_CASE("Linear barriers and reduce-then-broadcast have 2(p-1) messages") {
  for (const CommRank p : {2, 3, 8, 13}) {
    CHECK(run(OpKind::barrier, "linear", p, 0, 0).total_messages() == 2U * static_cast<std::uint64_t>(p - 1));
    CHECK(run(OpKind::allreduce, "reduce_bcast", p, 0, 8).total_messages() == 2U * static_cast<std::uint64_t>(p - 1));
    CHECK(run(OpKind::reduce_scatter, "linear", p, 0, 8).total_messages() == 2U * static_cast<std::uint64_t>(p - 1));
  }
}

TEST_CASE("Recursive doubling of a power of two has p log2 p messages") {
  for (const CommRank p : {2, 4, 8, 16, 32}) {
    const auto messages = static_cast<std::uint64_t>(p) * rounds(p);
    const auto sum = run(OpKind::allreduce, "recursive_doubling", p, 0, 100);
    CHECK(sum.total_messages() == messages);
    CHECK(sum.total_bytes() == 100 * messages);
    CHECK(run(OpKind::allgather, "recursive_doubling", p, 0, 100).total_messages() == messages);
    CHECK(run(OpKind::scan, "recursive_doubling", p, 0, 100).total_messages() == messages);
  }
}

TEST_CASE("Recursive doubling folds the ranks beyond a power of two with two messages each") {
  for (const CommRank p : {3, 5, 6, 7, 11, 17, 33}) {
    const auto power = std::bit_floor(static_cast<std::uint64_t>(p));
    const auto folded = static_cast<std::uint64_t>(p) - power;
    CHECK(run(OpKind::allreduce, "recursive_doubling", p, 0, 100).total_messages() ==
          power * rounds(static_cast<CommRank>(power)) + 2 * folded);
  }
}

TEST_CASE("Rabenseifner's allreduce sends 2(p-1)/p of the vector from each rank") {
  for (const CommRank p : {2, 4, 8, 32})
    for (const auto sent : run(OpKind::allreduce, "rabenseifner", p, 0, 6400).sent)
      CHECK(sent == 2U * static_cast<std::uint64_t>(p - 1) * 6400U / static_cast<std::uint64_t>(p));
}

TEST_CASE("Rabenseifner's allreduce carries the vector 2(p-1) times, however it is cut") {
  for (const CommRank p : {2, 4, 8, 32})
    CHECK(run(OpKind::allreduce, "rabenseifner", p, 0, 1003).total_bytes() ==
          2U * static_cast<std::uint64_t>(p - 1) * 1003U);
}

TEST_CASE("A ring allreduce has 2p(p-1) messages that carry the vector 2(p-1) times") {
  for (const CommRank p : {2, 3, 8, 13}) {
    const auto n = static_cast<std::uint64_t>(p);
    const auto outcome = run(OpKind::allreduce, "ring", p, 0, 1003);
    CHECK(outcome.total_messages() == 2 * n * (n - 1));
    CHECK(outcome.total_bytes() == 2 * (n - 1) * 1003);
  }
}

TEST_CASE("Ring, linear and pairwise exchanges have p(p-1) messages") {
  const std::vector<std::pair<OpKind, std::string>> algorithms{
      {OpKind::allgather, "ring"},     {OpKind::allgather, "linear"},  {OpKind::allgatherv, "ring"},
      {OpKind::allgatherv, "linear"},  {OpKind::alltoall, "pairwise"}, {OpKind::alltoall, "linear"},
      {OpKind::alltoallv, "pairwise"}, {OpKind::alltoallv, "linear"},  {OpKind::reduce_scatter, "pairwise"}};
  for (const auto& [kind, name] : algorithms)
    for (const CommRank p : {2, 3, 8, 13})
      CHECK(run(kind, name, p, 0, 8).total_messages() ==
            static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(p - 1));
}

TEST_CASE("Bruck's algorithms have p ceil(log2 p) messages") {
  for (const auto kind : {OpKind::allgather, OpKind::allgatherv, OpKind::alltoall})
    for (const CommRank p : {2, 3, 8, 13, 33})
      CHECK(run(kind, "bruck", p, 0, 8).total_messages() == static_cast<std::uint64_t>(p) * rounds(p));
}

TEST_CASE("Bruck's alltoall moves a block once for each bit of its distance") {
  for (const CommRank p : {2, 3, 8, 13, 33}) {
    std::uint64_t moves = 0;
    for (std::uint64_t k = 1; k < static_cast<std::uint64_t>(p); ++k)
      moves += static_cast<std::uint64_t>(std::popcount(k));
    for (const auto sent : run(OpKind::alltoall, "bruck", p, 0, 8).sent) CHECK(sent == 8 * moves);
  }
}

TEST_CASE("A pairwise alltoall of a power of two has the same two partners swap") {
  const auto& algorithm = find_collective(OpKind::alltoall, "pairwise");
  const Collective collective(OpKind::alltoall, 8, 0, 8);
  for (CommRank r = 0; r < 8; ++r) {
    auto schedule = algorithm.run(collective.call(r));
    for (CommRank k = 1; k < 8; ++k) {
      CHECK(schedule.next()->peer == (r ^ k));
      CHECK(schedule.next()->peer == (r ^ k));
      CHECK(schedule.next()->kind == Step::Kind::wait);
    }
  }
}

TEST_CASE("A pairwise reduce_scatter hands each rank p-1 times its block") {
  const Collective c(OpKind::reduce_scatter, 7, 0, 10);
  const auto outcome = run(find_collective(c.kind, "pairwise"), c);
  for (CommRank r = 0; r < 7; ++r) CHECK(outcome.received[static_cast<std::size_t>(r)] == 6 * c.block(r));
}

TEST_CASE("A linear scan has p(p-1)/2 messages") {
  for (const auto kind : {OpKind::scan, OpKind::exscan})
    for (const std::uint64_t p : {2U, 3U, 8U, 13U})
      CHECK(run(kind, "linear", static_cast<CommRank>(p), 0, 8).total_messages() == p * (p - 1) / 2);
}

TEST_CASE("Scatter and ring broadcast gives every rank the message in p pieces") {
  const auto outcome = run(OpKind::bcast, "scatter_ring", 8, 3, 8000);
  CHECK(outcome.total_messages() == 7 + 8 * 7);
  CHECK(outcome.total_bytes() == 7 * 8000 + 3 * 8 / 2 * 1000);  // the ring; the scatter: half the blocks in each round
}

/// What every rank sends, and in how many rounds, on a grid of these extents.
struct Cost {
  Counts sent;
  CommRank rounds;
};

Cost cost(OpKind kind, std::string_view name, const std::vector<CommRank>& extents, std::uint64_t bytes) {
  core::Random random(7, "cost");
  const auto grid = shuffled_grid(extents, random);
  Collective c(kind, grid.size(), 0, bytes);
  c.grid = &grid;
  const auto& algorithm = find_collective(kind, name);
  CollectiveCall call = c.call(0);
  call.recv_counts = {};
  call.bytes = bytes;
  CommRank rounds = 0;
  auto schedule = algorithm.run(call);
  while (const auto step = schedule.next()) rounds += step->kind == Step::Kind::wait ? 1 : 0;
  return {run(algorithm, c).sent, rounds};
}

TEST_CASE("Rings along the axes go half way round each, one after the other") {
  for (const std::vector<CommRank>& extents :
       std::vector<std::vector<CommRank>>{{8}, {7}, {4, 4}, {3, 5}, {4, 4, 4}, {2, 8, 4}}) {
    const auto phases = static_cast<CommRank>(extents.size());
    const auto half_way = *std::max_element(extents.begin(), extents.end()) / 2;
    CommRank half_ways = 0;
    for (const auto extent : extents) half_ways += extent / 2;
    // In step the longest axis counts in each phase; parts that go on by themselves take each axis as it is.
    const auto rounds = cost(OpKind::allgather, "rings", extents, 960).rounds;
    CHECK((rounds == half_ways || rounds == phases * half_way));
    CHECK(cost(OpKind::reduce_scatter, "rings", extents, 960).rounds == rounds);
    CHECK(cost(OpKind::allreduce, "rings", extents, 960).rounds == 2 * rounds);
    CHECK(cost(OpKind::alltoall, "rings", extents, 960).rounds == phases * half_way);
    CHECK(cost(OpKind::alltoall, "two_phase", extents, 60).rounds == 2);
  }
}

// By hand, with one byte for each of 32 members. The part that goes along the axis of 4 first brings 3 blocks along it,
// and then 4 blocks from each of 7 members along that of 8; the other one 7, and then 8 from each of 3.
TEST_CASE("Parts have the shares with which all axes are busy equally long") {
  const auto parts = ring_parts({{4, 0.5}, {8, 0.5}});
  REQUIRE(parts.parts.size() == 2);
  for (const auto& part : parts.parts)
    CHECK(part.last - part.first == Approx(part.axes[0] == 0 ? 17.0 / 42 : 25.0 / 42));  // 3 x + 24 y = 28 x + 7 y
  CHECK(parts.cost == Approx(31.0 / 32 / (2 + 2)));
  // A slow axis: all goes along it first, as 7 blocks for each member are the least that it can bring.
  const auto slow = ring_parts({{4, 0.5}, {8, 50}});
  REQUIRE(slow.parts.size() == 1);
  CHECK(slow.parts[0].axes[0] == 1);
  CHECK(slow.cost == Approx(7.0 / 32 * 50).epsilon(0.01));  // and a little along the other axis behind it
}

TEST_CASE("Parts take no less than all links need, and no longer than equal ones in step") {
  core::Random random(5, "shares");
  for (int i = 0; i < 200; ++i) {
    std::vector<RingAxis> axes;
    double members = 1, speeds = 0;
    for (std::uint64_t axis = 0, n = 2 + random.below(2); axis < n; ++axis) {
      axes.push_back({static_cast<CommRank>(2 + random.below(9)), 0.5 + random.unit()});
      members *= axes.back().extent;
      speeds += 1 / axes.back().cost;
    }
    const auto parts = ring_parts(axes);
    CHECK(parts.cost > (1 - 1 / members) / speeds * (1 - 1e-9));
    // Equal parts in step: in each phase the axis that takes longest counts.
    auto longest_first = axes;
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [](const RingAxis& a, const RingAxis& b) { return a.extent > b.extent; });
    const auto n = axes.size();
    double in_step = 0;
    std::vector<double> blocks(n, 1 / members / static_cast<double>(n));
    for (std::size_t phase = 0; phase < n; ++phase) {
      double longest = 0;
      for (std::size_t part = 0; part < n; ++part) {
        const auto& axis = longest_first[(part + phase) % n];
        longest = std::max(longest, blocks[part] * (axis.extent - 1) * axis.cost);
        blocks[part] *= axis.extent;
      }
      in_step += longest;
    }
    CHECK(parts.cost <= in_step * 1.2);  // rounds of rings that differ in length do not meet
  }
}

TEST_CASE("Rings send as many bytes as an all-gather must deliver, and an all-reduce twice that") {
  for (const std::vector<CommRank>& extents :
       std::vector<std::vector<CommRank>>{{8}, {4, 4}, {4, 4, 4}, {2, 8, 4}, {2, 2, 2, 2}}) {
    std::uint64_t p = 1;
    for (const auto extent : extents) p *= static_cast<std::uint64_t>(extent);
    for (const auto sent : cost(OpKind::allgather, "rings", extents, 960).sent) CHECK(sent == (p - 1) * 960);
    const double parts = 2.0 * static_cast<double>(extents.size());  // each is rounded to bytes twice
    for (const auto sent : cost(OpKind::allreduce, "rings", extents, 960 * p).sent)
      CHECK(static_cast<double>(sent) == Approx(2 * static_cast<double>(p - 1) * 960).margin(parts));
  }
  // Blocks that differ: what an all-gather receives, a reduce-scatter sends.
  core::Random random(8, "blocks");
  const auto grid = shuffled_grid({3, 4, 2}, random);
  Collective c(OpKind::reduce_scatter, 24, 0, 1001);
  c.grid = &grid;
  const auto outcome = run(find_collective(c.kind, "rings"), c);
  const auto all = std::accumulate(c.counts[0].begin(), c.counts[0].end(), std::uint64_t{0});
  for (CommRank r = 0; r < 24; ++r) CHECK(outcome.sent[static_cast<std::size_t>(r)] == all - c.block(r));
}

TEST_CASE("An all-to-all hands each bundle on as many times as its destination is steps away") {
  // Along an axis of n members a rank's bundles travel n^2 / 4 steps in all (n even), each the n-th part of its blocks.
  for (const auto sent : cost(OpKind::alltoall, "rings", {8}, 120).sent) CHECK(sent == 16 * 120);
  for (const auto sent : cost(OpKind::alltoall, "rings", {7}, 120).sent) CHECK(sent == 12 * 120);
  for (const auto sent : cost(OpKind::alltoall, "rings", {4, 4, 4}, 120).sent) CHECK(sent == 3 * 4 * 16 * 120);
  for (const auto sent : cost(OpKind::alltoall, "rings", {2, 6}, 120).sent) CHECK(sent == (1 * 6 + 9 * 2) * 120);
  // First to the 7 others of the longest axis, then to the 7 others of the plane.
  for (const auto sent : cost(OpKind::alltoall, "two_phase", {2, 8, 4}, 100).sent)
    CHECK(sent == 7 * 8 * 100 + 7 * 8 * 100);
  // In segments of 512 B to each destination, 16 at most, of which one goes along while the one before it goes on.
  for (const auto& [bytes, segments] : {std::pair{192, 3}, {65536, 16}}) {
    const auto [all_sent, rounds] = cost(OpKind::alltoall, "two_phase", {2, 8, 4}, static_cast<std::uint64_t>(bytes));
    CHECK(rounds == segments + 1);
    for (const auto sent : all_sent) CHECK(sent == 2 * 7 * 8 * static_cast<std::uint64_t>(bytes));
  }
}

TEST_CASE("Rings and trees send to neighbours on the grid alone") {
  for (const auto& [grid, root, bytes] : grids())
    for (const auto& algorithm : collective_algorithms()) {
      if (!algorithm.uses_grid || algorithm.name == "two_phase") continue;
      Collective c(algorithm.kind, grid.size(), root, bytes);
      c.grid = &grid;
      for (CommRank r = 0; r < grid.size(); ++r) {
        auto schedule = algorithm.run(c.call(r));
        const auto here = grid.place(r);
        while (const auto step = schedule.next()) {
          if (step->kind == Step::Kind::wait) continue;
          bool near = false;
          for (std::size_t axis = 0; axis < grid.axes(); ++axis)
            for (const CommRank way : {1, -1}) near = near || grid.along(here, axis, way) == grid.place(step->peer);
          REQUIRE(near);
        }
      }
    }
}

TEST_CASE("Trees give every rank the message once, in a part from each tree") {
  core::Random random(9, "trees");
  const auto grid = shuffled_grid({4, 3, 5}, random);
  Collective c(OpKind::bcast, 60, 17, 60'000);
  c.grid = &grid;
  const auto outcome = run(find_collective(c.kind, "trees"), c);
  CHECK(outcome.total_messages() == 59 * 3);
  CHECK(outcome.total_bytes() == 59 * 60'000);
  for (CommRank r = 0; r < 60; ++r) CHECK(outcome.received[static_cast<std::size_t>(r)] == (r == 17 ? 0 : 60'000));
}

}  // namespace
}  // namespace toroid::workloads
