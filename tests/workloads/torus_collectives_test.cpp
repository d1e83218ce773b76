// Collectives along the axes of a torus: in which shares, in which time, and to whom.

#include "workloads/collectives/collectives.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "core/random.hpp"
#include "tests/workloads/collective_executor.hpp"

namespace toroid::workloads {
namespace {

struct Cost {
  Counts sent;
  CommRank rounds;
};

/// What each rank sends, and the rounds of the first lane.
Cost cost(OpKind kind, std::string_view name, const std::vector<CommRank>& extents, std::uint64_t bytes,
          const CollectiveTuning& tuning = {}) {
  core::Random random(7, "cost");
  const auto grid = shuffled_grid(extents, random);
  Collective c(kind, grid.size(), 0, bytes);
  c.grid = &grid;
  c.tuning = tuning;
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
  const auto parts = ring_parts({{4, 0.5}, {8, 0.5}}).back();
  REQUIRE(parts.parts.size() == 2);
  for (const auto& part : parts.parts)
    CHECK(part.last - part.first == Approx(part.axes[0] == 0 ? 17.0 / 42 : 25.0 / 42));  // 3 x + 24 y = 28 x + 7 y
  CHECK(parts.cost == Approx(31.0 / 32 / (2 + 2)));
  // A slow axis: all goes along it first, as 7 blocks for each member are the least that it can bring.
  const auto slow = ring_parts({{4, 0.5}, {8, 50}}).back();
  REQUIRE(slow.parts.size() == 1);
  CHECK(slow.parts[0].axes[0] == 1);
  CHECK(slow.cost == Approx(7.0 / 32 * 50).epsilon(0.01));  // and a little along the other axis behind it
  // Two halves of each part, which else would wait for each other.
  CHECK(ring_parts({{5, 0.5}, {16, 0.5}}).back().parts.size() == 4);
}

TEST_CASE("Parts of every shape take hardly longer than links that carry alike need") {
  constexpr CommRank most_members = 4096, extents[] = {2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
  std::size_t shapes = 0;
  const auto check = [&](const std::vector<CommRank>& shape) {
    CommRank members = 1;
    for (const auto extent : shape) members *= extent;
    if (members > most_members) return;
    std::vector<RingAxis> axes;
    double speeds = 0;
    for (const auto extent : shape) axes.push_back({extent, extent == 2 ? 1.0 : 0.5});  // a pair has one link each way
    for (const auto& axis : axes) speeds += 1 / axis.cost;
    CAPTURE(shape);
    CHECK(ring_parts(axes).back().cost < (1 - 1.0 / members) / speeds * 1.03);
    ++shapes;
  };
  for (const auto x : extents)
    for (const auto y : extents) {
      check({x, y});
      for (const auto z : {2, 3, 5, 8, 16}) check({x, y, z});
    }
  CHECK(shapes > 500);
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
    const auto parts = ring_parts(axes).back();
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

// As if links carried nothing while cores see to messages. What is soonest for other cores is no sooner for these.
TEST_CASE("Where messages take a core time, each length has the parts that are soonest for it") {
  core::Random random(6, "lengths");
  constexpr double message = 1000;  // seconds, if a byte takes half a second to two
  std::size_t several = 0;
  for (int i = 0; i < 100; ++i) {
    const auto axis = [&] { return RingAxis{static_cast<CommRank>(2 + random.below(15)), 0.5 + random.unit()}; };
    const std::vector<RingAxis> axes{axis(), axis()};
    auto grid = shuffled_grid({axes[0].extent, axes[1].extent}, random);
    grid.set_rings(axes, message);
    several += ring_parts(axes, message).size() > 1 ? 1U : 0U;
    CHECK(grid.parts().cost == ring_parts(axes).back().cost);
    for (const double bytes : {0.0, 1e3, 1e4, 1e5, 1e6, 1e9}) {
      const auto seconds = [&](const RingParts& parts) {
        return bytes * parts.cost + message * static_cast<double>(parts.messages);
      };
      const auto chosen = seconds(grid.parts(bytes));
      for (const double other : {0.0, message / 100, message, 100 * message})
        for (const auto& parts : ring_parts(axes, other)) CHECK(chosen <= seconds(parts) * (1 + 1e-9));
    }
  }
  CHECK(several > 10);
}

TEST_CASE("Parts cover the data, each with a piece of it, where axes are of simple ratios") {
  core::Random random(7, "ratios");
  const auto axis = [&] {
    return RingAxis{static_cast<CommRank>(2 + random.below(7)), 1.0 / static_cast<double>(1 << random.below(3)),
                    random.below(4) == 0};
  };
  for (int i = 0; i < 500; ++i) {
    std::vector<RingAxis> axes(2 + random.below(3));
    std::ranges::generate(axes, axis);
    for (const auto& choice : ring_parts(axes, 100)) {
      double end = 0;
      for (const auto& part : choice.parts) {
        CHECK(part.first == end);
        CHECK(part.first + 1e-9 < part.last);
        end = part.last;
      }
      CHECK(end == 1);
    }
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
  // In segments of 512 B to each destination, 16 at most, or as asked. Two are under way, each in a lane, in which a
  // segment goes along while the one before it goes on: the first lane has the larger half of them.
  using Lane = std::tuple<std::uint64_t, std::uint64_t, CommRank>;  // bytes of a block, of a segment, rounds
  for (const auto& [bytes, segment, rounds_in_lane] :
       {Lane{192, 0, 3}, {65536, 0, 9}, {192, 100, 9}, {1024, 8192, 2}}) {
    const auto [all_sent, rounds] = cost(OpKind::alltoall, "two_phase", {2, 8, 4}, bytes, {.segment = segment});
    CHECK(rounds == rounds_in_lane);
    for (const auto sent : all_sent) CHECK(sent == 2 * 7 * 8 * bytes);
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
