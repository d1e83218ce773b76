// Every collective algorithm, run by an executor without time: messages meet only when both sides have posted them.

#include "workloads/collectives/collectives.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <catch2/catch.hpp>
#include <deque>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "workloads/collectives/rules.hpp"

namespace toroid::workloads {
namespace {

constexpr std::size_t most_ranks = 64;
using Counts = std::vector<std::uint64_t>;

/// One collective as all its ranks call it. Block sizes by rank where the kind has them.
struct Collective {
  OpKind kind;
  CommRank size, root;
  std::uint64_t bytes;
  const MemberGrid* grid = nullptr;
  std::vector<Counts> counts;  ///< [sender][receiver] for alltoallv; else row 0: the block of each rank

  Collective(OpKind of, CommRank ranks, CommRank root_rank, std::uint64_t size_of_block)
      : kind(of), size(ranks), root(root_rank), bytes(size_of_block) {
    for (CommRank from = 0; from < size; ++from) {
      counts.emplace_back();
      for (CommRank to = 0; to < size; ++to)
        counts.back().push_back(bytes * static_cast<std::uint64_t>((3 * from + 5 * to) % 4));
    }
  }

  std::uint64_t block(CommRank rank) const { return counts[0][static_cast<std::size_t>(rank)]; }
  std::uint64_t block(CommRank from, CommRank to) const {
    return counts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  CollectiveCall call(CommRank me) const {
    CollectiveCall c{.kind = kind, .me = me, .size = size, .root = root, .bytes = bytes, .grid = grid};
    const auto& blocks = counts[0];
    if (kind == OpKind::alltoallv) {
      c.bytes = 0;
      c.send_counts = counts[static_cast<std::size_t>(me)];
    }
    if (kind == OpKind::scatterv || kind == OpKind::gatherv) {
      c.bytes = block(me);
      if (me == root) (kind == OpKind::scatterv ? c.send_counts : c.recv_counts) = blocks;
    }
    if (kind == OpKind::allgatherv || kind == OpKind::reduce_scatter) c.recv_counts = blocks;
    if (kind == OpKind::allgatherv) c.bytes = block(me);
    if (kind == OpKind::reduce_scatter) c.bytes = 0;
    return c;
  }
};

struct Outcome {
  std::string failure;  ///< empty if the collective ends as it should
  std::vector<std::bitset<most_ranks>> knows;
  Counts sent, received, messages;  ///< by rank; messages: sent

  std::uint64_t total_messages() const { return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0}); }
  std::uint64_t total_bytes() const { return std::accumulate(sent.begin(), sent.end(), std::uint64_t{0}); }
};

class Executor {
 public:
  Executor(const CollectiveAlgorithm& algorithm, const Collective& collective)
      : size_(static_cast<std::size_t>(collective.size)),
        ranks_(size_),
        sends_(size_ * size_),
        receives_(size_ * size_) {
    for (CommRank r = 0; r < collective.size; ++r) {
      auto schedule = algorithm.run(collective.call(r));
      while (const auto step = schedule.next()) ranks_[static_cast<std::size_t>(r)].steps.push_back(*step);
    }
  }

  Outcome run() {
    out_.sent = out_.received = out_.messages = Counts(size_);
    out_.knows.resize(size_);
    for (std::size_t r = 0; r < size_; ++r) out_.knows[r].set(r);
    for (bool moved = true; moved && out_.failure.empty();) {
      moved = false;
      for (std::size_t r = 0; r < size_; ++r)
        while (out_.failure.empty() && advance(r)) moved = true;
    }
    for (std::size_t r = 0; r < size_ && out_.failure.empty(); ++r) {
      if (ranks_[r].at < ranks_[r].steps.size()) out_.failure = fmt::format("rank {} waits for ever", r);
      if (ranks_[r].open > 0 || !ranks_[r].arrived.none()) out_.failure = fmt::format("rank {} ends without wait", r);
    }
    return out_;
  }

 private:
  struct RankState {
    std::vector<Step> steps;
    std::size_t at = 0;
    int open = 0;                     ///< posted and not met
    std::bitset<most_ranks> arrived;  ///< known once the rank has waited
  };
  struct Message {
    std::uint64_t bytes;
    std::bitset<most_ranks> knowledge;  ///< of the sender when it posted
  };

  /// Does the next step of rank r, if it can.
  bool advance(std::size_t r) {
    auto& rank = ranks_[r];
    if (rank.at == rank.steps.size()) return false;
    const Step step = rank.steps[rank.at];
    const auto peer = static_cast<std::size_t>(step.peer);
    if (step.kind == Step::Kind::wait) {
      if (rank.open > 0) return false;
      out_.knows[r] |= rank.arrived;
      rank.arrived.reset();
    } else if (peer >= size_ || peer == r) {
      out_.failure = fmt::format("rank {} has partner {}", r, step.peer);
      return false;
    } else if (step.kind == Step::Kind::send) {
      ++rank.open;
      ++out_.messages[r];
      out_.sent[r] += step.bytes;
      sends_[r * size_ + peer].push_back({step.bytes, out_.knows[r]});
      meet(r, peer);
    } else {
      ++rank.open;
      ++receives_[peer * size_ + r];
      meet(peer, r);
    }
    ++rank.at;
    return true;
  }

  void meet(std::size_t from, std::size_t to) {
    auto& sends = sends_[from * size_ + to];
    auto& receives = receives_[from * size_ + to];
    if (sends.empty() || receives == 0) return;
    out_.received[to] += sends.front().bytes;
    ranks_[to].arrived |= sends.front().knowledge;
    sends.pop_front();
    --receives;
    --ranks_[from].open;
    --ranks_[to].open;
  }

  std::size_t size_;
  std::vector<RankState> ranks_;
  std::vector<std::deque<Message>> sends_;
  std::vector<int> receives_;
  Outcome out_;
};

Outcome run(const CollectiveAlgorithm& algorithm, const Collective& collective) {
  return Executor(algorithm, collective).run();
}

Outcome run(OpKind kind, std::string_view name, CommRank size, CommRank root, std::uint64_t bytes) {
  return run(find_collective(kind, name), {kind, size, root, bytes});
}

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

TEST_CASE("Rings along the axes go half way round each, in as many phases as there are axes") {
  for (const std::vector<CommRank>& extents :
       std::vector<std::vector<CommRank>>{{8}, {7}, {4, 4}, {3, 5}, {4, 4, 4}, {2, 8, 4}}) {
    const auto half_way = *std::max_element(extents.begin(), extents.end()) / 2;
    const auto phases = static_cast<CommRank>(extents.size());
    CHECK(cost(OpKind::allgather, "rings", extents, 960).rounds == phases * half_way);
    CHECK(cost(OpKind::reduce_scatter, "rings", extents, 960).rounds == phases * half_way);
    CHECK(cost(OpKind::allreduce, "rings", extents, 960).rounds == 2 * phases * half_way);
    CHECK(cost(OpKind::alltoall, "rings", extents, 960).rounds == phases * half_way);
    CHECK(cost(OpKind::alltoall, "two_phase", extents, 960).rounds == 2);
  }
}

TEST_CASE("Rings send as many bytes as an all-gather must deliver, and an all-reduce twice that") {
  for (const std::vector<CommRank>& extents :
       std::vector<std::vector<CommRank>>{{8}, {4, 4}, {4, 4, 4}, {2, 8, 4}, {2, 2, 2, 2}}) {
    std::uint64_t p = 1;
    for (const auto extent : extents) p *= static_cast<std::uint64_t>(extent);
    for (const auto sent : cost(OpKind::allgather, "rings", extents, 960).sent) CHECK(sent == (p - 1) * 960);
    for (const auto sent : cost(OpKind::allreduce, "rings", extents, 960 * p).sent) CHECK(sent == 2 * (p - 1) * 960);
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

/// Those with algorithms: a fence has the barrier's.
std::vector<OpKind> collective_kinds() {
  std::vector<OpKind> kinds;
  for (std::size_t k = 0; k < op_kind_count; ++k)
    if (is_collective(static_cast<OpKind>(k)) && static_cast<OpKind>(k) != OpKind::fence)
      kinds.push_back(static_cast<OpKind>(k));
  return kinds;
}

TEST_CASE("All ranks of a call choose the same algorithm, and it ends") {
  core::Random random(6, "calls");
  const auto kinds = collective_kinds();
  for (const std::string spec : {"default", "mpi", "torus", "smpi", "default:alltoall=linear,allreduce=ring"}) {
    const auto choice = CollectiveChoice::parse(spec);
    for (int i = 0; i < 400; ++i) {
      const auto size = static_cast<CommRank>(1 + random.below(40));
      const auto root = static_cast<CommRank>(random.below(static_cast<std::uint64_t>(size)));
      const Collective c(kinds[random.below(kinds.size())], size, root, random.below(2) << random.below(20));
      const auto& chosen = choice.choose(c.call(0));
      INFO(spec << " " << to_string(c.kind) << " p=" << size << " b=" << c.bytes);
      for (CommRank r = 1; r < size; ++r) REQUIRE(&choice.choose(c.call(r)) == &chosen);
      REQUIRE(run(chosen, c).failure.empty());
    }
  }
}

TEST_CASE("Every collective has an algorithm under every rule") {
  for (const auto kind : collective_kinds())
    for (const std::string rule : {"default", "mpi", "torus", "smpi"})
      for (const CommRank size : {1, 2, 7, 64})
        for (const std::uint64_t bytes : {0U, 1U, 5000U, 1'000'000U}) {
          const Collective c(kind, size, 0, bytes);
          CHECK(CollectiveChoice::parse(rule).choose(c.call(0)).kind == kind);
        }
}

/// The algorithm of a rule for a call with that block of each rank, whatever the kind.
std::string_view chosen(const std::string& rule, OpKind kind, CommRank size, std::uint64_t block) {
  const Counts blocks(static_cast<std::size_t>(size), block);
  CollectiveCall call{.kind = kind, .size = size, .bytes = block};
  if (kind == OpKind::allgatherv || kind == OpKind::reduce_scatter) call.recv_counts = blocks;
  return CollectiveChoice::parse(rule).choose(call).name;
}

TEST_CASE("Rules change their algorithm at their thresholds") {
  using enum OpKind;
  CHECK(chosen("mpi", bcast, 8, 12287) == "binomial");
  CHECK(chosen("mpi", bcast, 8, 12288) == "scatter_ring");
  CHECK(chosen("mpi", bcast, 7, 12288) == "binomial");
  CHECK(chosen("mpi", allreduce, 4, 2048) == "recursive_doubling");
  CHECK(chosen("mpi", allreduce, 4, 2049) == "rabenseifner");
  CHECK(chosen("mpi", allreduce, 3, 2049) == "recursive_doubling");
  CHECK(chosen("mpi", allgather, 64, 1279) == "recursive_doubling");
  CHECK(chosen("mpi", allgather, 64, 1280) == "ring");
  CHECK(chosen("mpi", allgather, 48, 1279) == "bruck");
  CHECK(chosen("mpi", allgatherv, 64, 1279) == "bruck");
  CHECK(chosen("mpi", allgatherv, 64, 1280) == "ring");
  CHECK(chosen("mpi", alltoall, 8, 256) == "bruck");
  CHECK(chosen("mpi", alltoall, 8, 257) == "pairwise");
  CHECK(chosen("mpi", alltoall, 7, 256) == "pairwise");
  CHECK(chosen("torus", bcast, 64, 16383) == "scatter_ring");
  CHECK(chosen("torus", bcast, 64, 16384) == "trees");
  CHECK(chosen("torus", allreduce, 64, 16383) == "rabenseifner");
  CHECK(chosen("torus", allreduce, 64, 16384) == "rings");
  CHECK(chosen("torus", allgather, 64, 255) == "recursive_doubling");
  CHECK(chosen("torus", alltoall, 64, 256) == "rings");
  CHECK(chosen("torus", reduce_scatter, 64, 1) == "rings");
  CHECK(chosen("smpi", reduce_scatter, 64, 1 << 20) == "linear");
  const auto uneven = [](std::uint64_t first) {
    const Counts blocks{first, 1};
    return CollectiveChoice::parse("smpi").choose({.kind = reduce_scatter, .size = 2, .recv_counts = blocks}).name;
  };
  CHECK(uneven(524287) == "recursive_doubling");
  CHECK(uneven(524288) == "pairwise");
}

/// The algorithm that the words of a rule name for a call with alike blocks.
std::string by_words(const std::string& words, CommRank size, std::uint64_t block) {
  std::istringstream alternatives(std::regex_replace(words, std::regex(", "), "\n"));
  for (std::string line; std::getline(alternatives, line);) {
    line = std::regex_replace(line, std::regex("(else |(\\d),)"), "$2");
    const auto algorithm = line.substr(0, line.find(' '));
    const auto all = block * static_cast<std::uint64_t>(size);
    bool holds = algorithm == line || line == "as mpi" || line.ends_with("all blocks are alike") ||
                 (line.ends_with("a power of two") && std::has_single_bit(static_cast<std::uint64_t>(size)));
    static const std::regex limit("(up to|from) (\\d+) (ranks|B in all|B)");
    for (std::sregex_iterator it(line.begin(), line.end(), limit), end; it != end; ++it) {
      const auto of = (*it)[3] == "ranks" ? static_cast<std::uint64_t>(size) : (*it)[3] == "B" ? block : all;
      holds = holds || ((*it)[1] == "from" ? of >= std::stoull((*it)[2]) : of <= std::stoull((*it)[2]));
    }
    if (holds) return algorithm;
  }
  return {};
}

TEST_CASE("What a rule says in words is what it chooses") {
  core::Random random(11, "calls");
  for (const auto& rule : collective_rules())
    for (const auto kind : rule.kinds())
      for (int i = 0; i < 200; ++i) {
        const auto size = static_cast<CommRank>(1 + random.below(40));
        const auto block = random.below(1ULL << (1 + random.below(20)));
        const auto named = by_words(rule.text(kind), size, block);
        INFO(rule.name << ": " << to_string(kind) << ": " << rule.text(kind) << "; p=" << size << " b=" << block);
        CHECK(chosen(std::string(rule.name), kind, size, block) ==
              (named == "as" ? chosen("mpi", kind, size, block) : named));
      }
}

TEST_CASE("Algorithms of one collective have different names and help") {
  std::set<std::pair<OpKind, std::string_view>> names;
  for (const auto& algorithm : collective_algorithms()) {
    CHECK(names.emplace(algorithm.kind, algorithm.name).second);
    CHECK_FALSE(algorithm.help.empty());
  }
}

TEST_CASE("An override replaces the rule for its collective alone") {
  const auto choice = CollectiveChoice::parse("smpi:alltoall=pairwise,barrier=dissemination");
  CHECK(choice.choose({.kind = OpKind::alltoall, .size = 64, .bytes = 8}).name == "pairwise");
  CHECK(choice.choose({.kind = OpKind::barrier, .size = 64}).name == "dissemination");
  CHECK(choice.choose({.kind = OpKind::allreduce, .size = 64, .bytes = 8}).name == "reduce_bcast");
}

TEST_CASE("SMPI's rule is the one that was measured") {
  const auto choice = CollectiveChoice::parse("smpi");
  const auto alltoall = [&](std::uint64_t bytes) {
    return choice.choose({.kind = OpKind::alltoall, .size = 64, .bytes = bytes}).name;
  };
  CHECK(alltoall(1023) == "bruck");
  CHECK(alltoall(1024) == "linear");
  CHECK(alltoall(262'143) == "linear");
  CHECK(alltoall(262'144) == "pairwise");
  CHECK(choice.choose({.kind = OpKind::bcast, .size = 64, .bytes = 1 << 20}).name == "binomial");
  CHECK(choice.choose({.kind = OpKind::reduce, .size = 64}).name == "linear");
}

struct Uncounted final : Trace {
  explicit Uncounted(CollectiveWorld which) : world(which) {}
  std::int32_t ranks() const override { return 0; }
  std::unique_ptr<OperationStream> open(Rank) const override { return nullptr; }
  std::string locate(Rank, std::uint64_t) const override { return {}; }
  const Communicator& communicator(CommId) const override { return all; }
  CollectiveWorld collectives() const override { return world; }
  CollectiveWorld world;
  Communicator all = Communicator::all(0);
};

TEST_CASE("The default is that of the program's world, overrides stay, and what a user names is taken") {
  const auto text = [](const char* spec, CollectiveWorld world) {
    return CollectiveChoice::parse(spec).for_program(Uncounted(world)).text();
  };
  CHECK(text("default", CollectiveWorld::mpi) == "mpi");
  CHECK(text("default", CollectiveWorld::torus) == "torus");
  CHECK(text("default:bcast=linear,allreduce=ring", CollectiveWorld::torus) == "torus:bcast=linear,allreduce=ring");
  CHECK(text("smpi", CollectiveWorld::torus) == "smpi");
  CHECK(text("mpi:bcast=linear", CollectiveWorld::torus) == "mpi:bcast=linear");
}

TEST_CASE("Short vectors go by MPI's rule on a torus, too") {
  const auto torus = CollectiveChoice::parse("torus");
  CHECK(torus.choose({.kind = OpKind::allreduce, .size = 64, .bytes = 8}).name == "recursive_doubling");
  CHECK(torus.choose({.kind = OpKind::allreduce, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::allgather, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::reduce_scatter, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::alltoall, .size = 64, .bytes = 1 << 20}).name == "rings");
  CHECK(torus.choose({.kind = OpKind::bcast, .size = 64, .bytes = 1 << 20}).name == "trees");
  CHECK(torus.choose({.kind = OpKind::barrier, .size = 64}).name == "dissemination");
}

std::string error_of(const std::string& spec) {
  return test::message_of<core::InputError>([&] { CollectiveChoice::parse(spec); });
}

TEST_CASE("Errors in a choice of algorithms list what is valid") {
  CHECK(error_of("mpich") ==
        "unknown set of collective algorithms 'mpich'; did you mean 'mpi'? valid: default, mpi, torus, smpi, such as "
        "default:bcast=linear");
  CHECK(error_of("default:bcast=magic") ==
        "unknown algorithm 'magic' for bcast; valid: binomial, scatter_ring, trees, linear");
  CHECK(error_of("default:send=linear") ==
        "'default:send=linear': unknown collective 'send'; valid: barrier, bcast, reduce, allreduce, gather, gatherv, "
        "scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, reduce_scatter, scan, exscan");
  CHECK(error_of("default:linear") == "'default:linear': found 'linear', expected collective=algorithm");
}

}  // namespace
}  // namespace toroid::workloads
