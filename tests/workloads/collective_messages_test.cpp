// What each collective algorithm sends: how many messages and bytes by formula, to whom by hand.

#include "workloads/collectives/collectives.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/workloads/collective_executor.hpp"

namespace toroid::workloads {
namespace {

std::uint64_t rounds(CommRank size) {  // ceil(log2 size)
  return std::bit_width(static_cast<std::uint64_t>(size - 1));
}

TEST_CASE("Trees and linear one-to-all and all-to-one have p-1 messages") {
  for (const CommRank p : {2, 5, 8, 17, 33})
    for (const auto kind : {OpKind::bcast, OpKind::reduce, OpKind::gather, OpKind::scatter})
      for (const std::string name :
           {"binomial", kind == OpKind::gather || kind == OpKind::scatter ? "basic_linear" : "linear"})
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
    CHECK(schedule.next()->kind == Step::Kind::copy);  // of its own block
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

/// The partners of a rank in the order of its sends, and the bytes of these.
std::vector<std::pair<CommRank, std::uint64_t>> sends_of(OpKind kind, std::string_view name, CollectiveCall call) {
  call.kind = kind;
  std::vector<std::pair<CommRank, std::uint64_t>> sends;
  auto schedule = find_collective(kind, name).run(call);
  while (const auto step = schedule.next())
    if (step->kind == Step::Kind::send) sends.emplace_back(step->peer, step->bytes);
  return sends;
}
using Sends = std::vector<std::pair<CommRank, std::uint64_t>>;

TEST_CASE("Swing goes 1, -1, 3, -5 forward from even ranks and backward from odd ones") {
  CHECK(sends_of(OpKind::allreduce, "swing", {.me = 0, .size = 16, .bytes = 100}) ==
        Sends{{1, 100}, {15, 100}, {3, 100}, {11, 100}});
  CHECK(sends_of(OpKind::allreduce, "swing", {.me = 5, .size = 16, .bytes = 100}) ==
        Sends{{4, 100}, {6, 100}, {2, 100}, {10, 100}});
  CHECK(sends_of(OpKind::allreduce, "swing_halving", {.me = 0, .size = 8, .bytes = 800}) ==
        Sends{{1, 400}, {7, 200}, {3, 100}, {3, 100}, {7, 200}, {1, 400}});
  CHECK(sends_of(OpKind::allgather, "bine", {.me = 0, .size = 8, .bytes = 10}) == Sends{{3, 10}, {7, 20}, {1, 40}});
}

TEST_CASE("Ports begin with an axis of their own, and go the other way round in a mirrored part") {
  std::vector<CommRank> members(16);
  std::iota(members.begin(), members.end(), 0);
  const MemberGrid grid({4, 4}, members);
  const auto of_port = [&](CommRank port, std::string_view name) {
    return sends_of(OpKind::allreduce, name,
                    {.me = 0, .size = 16, .bytes = 400, .grid = &grid, .lane = port, .tuning = {.ports = 4}});
  };
  CHECK(of_port(0, "swing") == Sends{{1, 100}, {4, 100}, {3, 100}, {12, 100}});
  CHECK(of_port(1, "swing") == Sends{{4, 100}, {1, 100}, {12, 100}, {3, 100}});
  CHECK(of_port(2, "swing") == Sends{{3, 100}, {12, 100}, {1, 100}, {4, 100}});
  CHECK(of_port(3, "swing") == Sends{{12, 100}, {3, 100}, {4, 100}, {1, 100}});
  CHECK(of_port(0, "cube") == Sends{{1, 100}, {4, 100}, {2, 100}, {8, 100}});
  CHECK(find_collective(OpKind::allreduce, "swing").lanes_of({.size = 16, .grid = &grid}) == 4);
}

TEST_CASE("Butterflies of a power of two have p log2 p messages, and halves carry 2(p-1) vectors") {
  for (const CommRank p : {2, 4, 8, 16, 32}) {
    const auto messages = static_cast<std::uint64_t>(p) * rounds(p);
    CHECK(run(OpKind::allreduce, "swing", p, 0, 100).total_bytes() == 100 * messages);
    CHECK(run(OpKind::allreduce, "cube", p, 0, 100).total_messages() == messages);
    for (const std::string name : {"swing_halving", "cube_halving"}) {
      const auto halving = run(OpKind::allreduce, name, p, 0, 320);
      CHECK(halving.total_messages() == 2 * messages);
      CHECK(halving.total_bytes() == 640U * static_cast<std::uint64_t>(p - 1));
    }
  }
}

TEST_CASE("Swing's halves reach all of any even number of ranks, and each block comes once") {
  for (const CommRank p : {6, 10, 12, 14, 20, 22, 36, 50, 62}) {
    const auto blocks = static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(p - 1);
    CHECK(run(OpKind::allgather, "bine", p, 0, 7).total_bytes() == 7 * blocks);
    CHECK(run(OpKind::allreduce, "swing_halving", p, 0, 10 * static_cast<std::uint64_t>(p)).total_bytes() ==
          20 * blocks);
  }
  // By hand: 0 knows of 1, then of 5 and 2, then of 3 and 4, as 1 meets 4; 2 and 5 have met.
  CHECK(sends_of(OpKind::allgather, "bine", {.me = 0, .size = 6, .bytes = 10}) == Sends{{3, 10}, {5, 20}, {1, 20}});
}

TEST_CASE("Trees of Open MPI have the children that its sources give them") {
  const auto children = [](std::string_view name, CommRank me) {
    std::vector<CommRank> all;
    for (const auto& [child, bytes] : sends_of(OpKind::bcast, name, {.me = me, .size = 7, .bytes = 8}))
      all.push_back(child);
    return all;
  };
  using Children = std::vector<CommRank>;
  CHECK(children("openmpi_binomial", 0) == Children{1, 2, 4});
  CHECK(children("openmpi_binomial", 1) == Children{3, 5});
  CHECK(children("openmpi_binomial", 2) == Children{6});
  CHECK(children("binary", 0) == Children{1, 2});
  CHECK(children("binary", 1) == Children{3, 5});
  CHECK(children("binary", 2) == Children{4, 6});
  CHECK(children("chain", 3) == Children{4});
  const auto parent = [](CommRank me) {
    return sends_of(OpKind::reduce, "in_order", {.me = me, .size = 7, .root = 6});
  };
  CHECK(parent(5) == Sends{{6, 0}});
  CHECK(parent(2) == Sends{{6, 0}});
  CHECK(parent(4) == Sends{{5, 0}});
  CHECK(parent(3) == Sends{{5, 0}});
  CHECK(parent(1) == Sends{{2, 0}});
  CHECK(parent(0) == Sends{{2, 0}});
}

TEST_CASE("Messages are cut into segments, which trees pass on while the next one comes") {
  auto schedule = find_collective(OpKind::bcast, "chain")
                      .run({.kind = OpKind::bcast, .me = 1, .size = 3, .bytes = 25, .tuning = {.segment = 10}});
  std::string text;
  while (const auto step = schedule.next())
    text += step->kind == Step::Kind::wait      ? std::string("wait ")
            : step->kind == Step::Kind::receive ? std::string("receive ")
                                                : fmt::format("{} B ", step->bytes);
  CHECK(text == "receive wait receive 9 B wait receive 8 B wait 8 B wait ");
  for (const std::string name : {"binary", "chain", "in_order", "binomial", "bine"}) {
    Collective c(OpKind::reduce, 13, 5, 1000);
    c.tuning.segment = 64;
    const auto outcome = run(find_collective(c.kind, name), c);
    CHECK(outcome.failure.empty());
    CHECK(outcome.total_messages() == 12U * 16U + (name == "in_order" ? 1U : 0U));  // of the last rank to the root
    CHECK(outcome.total_bytes() == 1000U * (name == "in_order" ? 13U : 12U));
  }
}

TEST_CASE("A split binary broadcast sends a half down each side, and sides swap") {
  for (const CommRank p : {2, 3, 6, 7, 12, 13}) {
    const auto outcome = run(OpKind::bcast, "split_binary", p, 1, 1001);
    INFO(p);
    CHECK(outcome.failure.empty());
    for (CommRank r = 0; r < p; ++r) CHECK(outcome.received[static_cast<std::size_t>(r)] == (r == 1 ? 0U : 1001U));
  }
}

TEST_CASE("Neighbours exchange pairs of blocks in half the rounds of a ring") {
  CHECK(sends_of(OpKind::allgather, "neighbours", {.me = 0, .size = 8, .bytes = 10}) ==
        Sends{{1, 10}, {7, 20}, {1, 20}, {7, 20}});
  CHECK(sends_of(OpKind::allgather, "neighbours", {.me = 3, .size = 8, .bytes = 10}) ==
        Sends{{2, 10}, {4, 20}, {2, 20}, {4, 20}});
}

TEST_CASE("Sums travel round a ring, or in halves, block by block") {
  const std::vector<std::uint64_t> blocks{10, 20, 30, 40};
  CHECK(sends_of(OpKind::reduce_scatter, "ring", {.me = 1, .size = 4, .recv_counts = blocks}) ==
        Sends{{2, 10}, {2, 40}, {2, 30}});
  CHECK(sends_of(OpKind::reduce_scatter, "recursive_halving", {.me = 1, .size = 4, .recv_counts = blocks}) ==
        Sends{{3, 70}, {0, 10}});
  CHECK(sends_of(OpKind::reduce_scatter, "cube", {.me = 1, .size = 4, .recv_counts = blocks}) ==
        Sends{{0, 40}, {3, 40}});
}

TEST_CASE("A random all-to-all has the messages of a linear one, in an order of each rank's own") {
  auto random = sends_of(OpKind::alltoall, "random", {.me = 3, .size = 32, .bytes = 10});
  const auto other = sends_of(OpKind::alltoall, "random", {.me = 3, .size = 32, .bytes = 10});
  auto linear = sends_of(OpKind::alltoall, "linear", {.me = 3, .size = 32, .bytes = 10});
  CHECK(random == other);
  CHECK(random != linear);
  std::ranges::sort(random);
  std::ranges::sort(linear);
  CHECK(random == linear);
}

TEST_CASE("Scatter and ring broadcast gives every rank the message in p pieces") {
  const auto outcome = run(OpKind::bcast, "scatter_ring", 8, 3, 8000);
  CHECK(outcome.total_messages() == 7 + 8 * 7);
  CHECK(outcome.total_bytes() == 7 * 8000 + 3 * 8 / 2 * 1000);  // the ring; the scatter: half the blocks in each round
}

/// What every rank sends, and in how many rounds, on a grid of these extents.

}  // namespace
}  // namespace toroid::workloads
