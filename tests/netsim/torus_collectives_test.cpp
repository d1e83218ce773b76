// Collectives along the axes of a torus: their times against the formula of bidirectional rings, and which grid the
// members of a communicator are taken for.

#include <catch2/catch.hpp>
#include <numeric>

#include "core/random.hpp"
#include "netsim/placed_grid.hpp"
#include "tests/support/support.hpp"
#include "toroid/netsim/mapping.hpp"

using namespace toroid;
using workloads::OpKind;
using workloads::Rank;

namespace {

using Groups = std::vector<std::vector<Rank>>;

/// The ranks of a 4x4x4 torus in groups: those of one group differ along these dimensions alone.
Groups groups_along(const std::vector<std::size_t>& dimensions) {
  std::map<std::vector<std::int32_t>, std::vector<Rank>> groups;
  for (std::int32_t rank = 0; rank < 64; ++rank) {
    std::vector<std::int32_t> at{rank % 4, rank / 4 % 4, rank / 16};
    for (const auto d : dimensions) at[d] = 0;
    groups[at].push_back(Rank(rank));
  }
  Groups all;
  for (auto& [at, members] : groups) all.push_back(std::move(members));
  return all;
}

/// Seconds of a collective of all groups at once, by torus algorithms; `bytes` are those of the whole array.
double time_of(const std::string& platform, OpKind kind, const Groups& groups, std::uint64_t bytes,
               const std::string& engine = "fluid", const std::string& rule = "torus") {
  std::int32_t ranks = 0;
  for (const auto& group : groups) ranks += static_cast<std::int32_t>(group.size());
  workloads::CompactTrace trace(ranks);
  for (const auto& group : groups) {
    const auto comm = trace.add_communicator(workloads::Communicator(group));
    const auto n = static_cast<std::uint64_t>(group.size());
    const auto block = kind == OpKind::allreduce ? bytes : kind == OpKind::alltoall ? bytes / (n * n) : bytes / n;
    for (const auto rank : group) trace.add(rank, {.kind = kind, .comm = comm, .bytes = block});
  }
  trace.finish();
  netsim::ReplayOptions options;
  options.collectives = workloads::CollectiveChoice::parse(rule);
  return test::simulate(platform, trace, options, {}, engine)["runtime_s"];
}

/// One group of all ranks.
Groups everybody(std::int32_t ranks) {
  Groups all(1);
  for (std::int32_t rank = 0; rank < ranks; ++rank) all[0].emplace_back(rank);
  return all;
}

/// Seconds of an all-gather among all nodes, over those that all links take if they are busy all the time.
double over_bound(const std::string& platform, const std::string& engine = "fluid", std::uint64_t bytes = 1 << 30) {
  const auto machine = platforms::make_machine(platform + ",lat=0s");
  const auto& grid = machine.grid();
  double speed = 0;
  for (std::int32_t link = 0; link < grid.link_count(); ++link)
    speed += machine.link_bandwidth(platforms::LinkId(link));
  const auto nodes = machine.node_count();
  return time_of(platform + ",lat=0s", OpKind::allgather, everybody(nodes), bytes, engine) /
         (static_cast<double>(bytes) * (nodes - 1.0) / speed);
}

constexpr std::uint64_t bytes = 1 << 30;
constexpr double both_ways = 2 * 50e9;  // of a link of TPU v4, in bytes/s

workloads::MemberGrid grid_on(const std::string& platform, const std::vector<std::int32_t>& nodes) {
  const auto machine = platforms::make_machine(platform);
  std::vector<platforms::NodeId> members;
  for (const auto node : nodes) members.emplace_back(node);
  return netsim::placed_grid(machine, members);
}

}  // namespace

// J. Austin and others, How to Scale Your Model, chapter 3: V / (W axes), here with the part that nobody has to send.
TEST_CASE("Collectives over one, two and three axes of a TPU v4 take the time of rings both ways") {
  const std::string engine = GENERATE("fluid", "simgrid");
  const std::vector<std::vector<std::size_t>> some{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}};
  for (const auto& dimensions : some) {
    const auto groups = groups_along(dimensions);
    const auto n = static_cast<double>(groups[0].size()), axes = static_cast<double>(dimensions.size());
    CAPTURE(engine, n, axes);
    const double gather = bytes * (1 - 1 / n) / (both_ways * axes);
    const auto time = [&](OpKind kind) { return time_of("tpu-v4-4x4x4", kind, groups, bytes, engine); };
    CHECK(time(OpKind::allgather) == Approx(gather).epsilon(0.02));
    CHECK(time(OpKind::reduce_scatter) == Approx(gather).epsilon(0.02));
    CHECK(time(OpKind::allreduce) == Approx(2 * gather).epsilon(0.02));
    // Of a ring's part of the array a quarter crosses each link; with more axes the parts take turns on them.
    CHECK(time_of("tpu-v4-4x4x4", OpKind::alltoall, groups, 16 * bytes, engine) ==
          Approx(16.0 * bytes * (4 / n) / (4 * both_ways)).epsilon(0.02));
  }
}

TEST_CASE("An all-gather keeps all links busy, whatever the extents of the torus") {
  for (const std::string shape : {"4x8", "4x16", "8x16", "3x5", "4x64", "4x4x8", "8x8x16", "4x8x16", "5x6x7", "4x4x5"})
    CHECK(over_bound("torus:" + shape) < 1.03);
}

TEST_CASE("An all-gather keeps all links busy where axes are of different speed") {
  CHECK(over_bound("torus:8x8,y.bw=2GBps,x.bw=1GBps") < 1.03);
  CHECK(over_bound("torus:4x8,y.bw=1GBps,x.bw=1.5GBps") < 1.03);
  CHECK(over_bound("torus:4x8x4,y.bw=2GBps,x.bw=1GBps,z.bw=1.5GBps") < 1.05);
}

TEST_CASE("Packets keep all links busy in an all-gather, too", "[slow]") {
  for (const std::string shape : {"4x8", "4x4x8"}) CHECK(over_bound("torus:" + shape, "packet", 1 << 24) < 1.05);
}

// Halves of parts double the messages, which is worth it only where links take longer than the cores that send. By
// hand: each of three parts goes 1, 2 and 3 steps both ways round, which are 36 messages of a member, sent and
// received.
TEST_CASE("Where cores take time to send, short vectors go in few parts and long ones keep links busy") {
  const auto all_reduce = [](const std::string& machine, std::uint64_t size) {
    return time_of(machine, OpKind::allreduce, everybody(platforms::make_machine(machine).node_count()), size, "fluid",
                   "torus:allreduce=rings");
  };
  CHECK(all_reduce("torus:3x4x6,overhead=1us,bw=10GBps", 1 << 18) == Approx(2 * 36 * 2e-6).epsilon(0.01));
  CHECK(over_bound("torus:3x4x6,overhead=1us,bw=10GBps") < 1.03);
  // It is never later than if links carried nothing while cores see to the messages of the best parts.
  constexpr double message = 2e-6;
  for (const std::string shape : {"5x16", "2x3", "3x4x6"}) {
    const auto machine = "torus:" + shape + ",overhead=1us,lat=0s";
    std::vector<std::int32_t> nodes(static_cast<std::size_t>(platforms::make_machine(machine).node_count()));
    std::iota(nodes.begin(), nodes.end(), 0);
    const auto rings = grid_on(machine, nodes).rings();
    for (std::uint64_t size = 1 << 14; size <= 1 << 26; size += size / 4) {
      double least = std::numeric_limits<double>::infinity();
      for (const double other : {0.0, message / 10, message, 10 * message})
        for (const auto& parts : workloads::ring_parts(rings, other))
          least = std::min(
              least, 2 * (static_cast<double>(size) * parts.cost + message * static_cast<double>(parts.messages)));
      CAPTURE(shape, size, least);
      CHECK(all_reduce(machine, size) <= least * 1.02);
    }
  }
}

TEST_CASE("Links of any speed, and of simple ratios, have parts") {
  constexpr double pairs = 7.0 / 6;  // along z one of two links each way is in use
  CHECK(over_bound("torus:3x6x2,x.bw=200GBps,y.bw=50GBps,z.bw=100GBps") < 1.1 * pairs);
  for (const std::string speed : {"1Bps", "1kBps", "5TBps", "1000TBps"})
    CHECK(over_bound("torus:4x8x16,bw=" + speed) == Approx(over_bound("torus:4x8x16")).epsilon(0.001));
}

TEST_CASE("Rings go round one-way rings as plain ones do") {
  const auto all = everybody(8);
  const auto gather = [&](const std::string& rule) {
    return time_of("ring:8,bw=1GBps,lat=0s", OpKind::allgather, all, bytes, "fluid", rule);
  };
  CHECK(gather("torus") == Approx(7.0 / 8 * bytes / 1e9).epsilon(0.001));
  CHECK(gather("torus") == Approx(gather("torus:allgather=ring")));
}

TEST_CASE("The rule of tori takes no rings that are slower than plain ones, on random shapes") {
  core::Random random(67, "shapes");
  const std::vector<std::pair<OpKind, std::vector<std::string>>> plain{{OpKind::allgather, {"ring"}},
                                                                       {OpKind::allreduce, {"ring", "rabenseifner"}},
                                                                       {OpKind::reduce_scatter, {"ring", "pairwise"}},
                                                                       {OpKind::alltoall, {"pairwise"}}};
  std::size_t one_way = 0, failed = 0;
  for (int i = 0; i < 40; ++i) {
    const auto axes = 1 + random.below(3);
    std::string shape, properties;
    std::int32_t nodes = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto extent = static_cast<std::int32_t>(2 + random.below(axes == 1 ? 11 : axes == 2 ? 6 : 3));
      nodes *= extent;
      shape += (axis > 0 ? "x" : "") + std::to_string(extent);
      const auto name = std::string(1, static_cast<char>('x' + axis));
      const std::string wrap[] = {"torus", "torus", "mesh", "ring"};
      const auto drawn = wrap[random.below(4)];
      one_way += drawn == "ring" ? 1 : 0;
      properties += "," + name + ".wrap=" + drawn + "," + name + ".bw=" + std::to_string(1 + random.below(4)) + "GBps";
    }
    const auto sound = "torus:" + shape + ",lat=0s" + properties;
    const bool fails = axes > 1 && random.below(4) == 0 && properties.find("ring") == std::string::npos;
    failed += fails ? 1 : 0;
    const auto platform = sound + (fails ? ",fail-link=0-1" : "");
    const auto vector = static_cast<std::uint64_t>(nodes) * static_cast<std::uint64_t>(nodes) * 4096;
    for (const auto& [kind, algorithms] : plain) {
      const auto time = [&](const std::string& algorithm) {
        return time_of(platform, kind, everybody(nodes), vector, "fluid", algorithm);
      };
      const auto by_rule = time("torus");
      for (const auto& algorithm : algorithms) {
        CAPTURE(platform, to_string(kind), algorithm);
        CHECK(by_rule <= 1.02 * time("torus:" + std::string(to_string(kind)) + "=" + algorithm));
      }
    }
  }
  CHECK((one_way > 10 && failed > 3));
}

TEST_CASE("The rule of tori goes by rings from about where they are sooner than few rounds") {
  const std::map<OpKind, std::vector<std::string>> few_rounds{
      {OpKind::allgather, {"torus:allgather=bruck", "torus:allgather=recursive_doubling"}},
      {OpKind::reduce_scatter, {"torus:reduce_scatter=recursive_halving"}},
      {OpKind::allreduce, {"mpi"}}};
  std::size_t by_rings = 0, by_few = 0;
  const auto check = [&](const std::string& platform, const Groups& members, std::uint64_t vector, double most) {
    for (const auto& [kind, others] : few_rounds) {
      const auto time = [&](const std::string& rule) {
        return time_of(platform, kind, members, vector, "fluid", rule);
      };
      const auto rings = time(fmt::format("torus:{}=rings", to_string(kind))), rule = time("torus");
      auto few = time(others[0]);
      if (others.size() > 1 && std::has_single_bit(members[0].size())) few = std::min(few, time(others[1]));
      (rule == rings ? by_rings : by_few) += 1;
      CAPTURE(platform, members[0].size(), to_string(kind), vector, rule, rings, few);
      CHECK(rule < most * std::min(rings, few));
    }
  };
  const auto all = [](const std::string& platform) {
    return everybody(platforms::make_machine(platform).node_count());
  };
  for (const std::string tpu : {"tpu-v4-4x4x4", "tpu-v5e:8x8", "tpu-v6e:8x16", "tpu-v5p:4x4x8", "torus:2x3x32"})
    for (const std::uint64_t vector : {1 << 10, 1 << 16, 1 << 18, 1 << 20}) check(tpu, all(tpu), vector, 1.14);
  core::Random random(69, "crossover");
  for (int i = 0; i < 60; ++i) {
    const std::string shapes[] = {"16", "6x4", "8x8", "2x12", "4x4x4", "3x2x5", "2x3x8"},
                      times[] = {"0s", "1us", "5us"};
    const auto any_time = [&] { return times[random.below(3)]; };
    const auto platform =
        fmt::format("{}:{},lat={}ns,base={},overhead={},bw={}GBps", random.below(3) == 0 ? "mesh" : "torus",
                    shapes[random.below(7)], 50 + random.below(950), any_time(), any_time(), 1 + random.below(20));
    auto members = all(platform);
    if (i % 3 == 0) {  // anywhere
      random.shuffle(members[0]);
      members[0].resize(members[0].size() * 3 / 4);
    }
    check(platform, members, std::uint64_t{1} << (10 + random.below(12)), 1.55);
  }
  CHECK((by_rings > 60 && by_few > 60));
}

TEST_CASE("The rule of tori takes no rings for an all-to-all of members that fill no block") {
  core::Random random(68, "members");
  for (int i = 0; i < 10; ++i) {
    auto members = everybody(48);
    random.shuffle(members[0]);
    members[0].resize(6 + random.below(30));
    const auto time = [&](const std::string& algorithm) {
      return time_of("torus:8x6,lat=0s", OpKind::alltoall, members, 1 << 26, "fluid", algorithm);
    };
    CHECK(time("torus") == time("torus:alltoall=pairwise"));
    CHECK(time("torus") < time("torus:alltoall=rings"));
  }
}

TEST_CASE("On a line collectives take twice as long as on a ring") {
  const auto lines = groups_along({0}), planes = groups_along({0, 1});
  for (const auto kind : {OpKind::allgather, OpKind::reduce_scatter, OpKind::allreduce, OpKind::alltoall}) {
    CAPTURE(to_string(kind));
    const double ring = time_of("tpu-v4-4x4x4", kind, lines, bytes);
    CHECK(time_of("tpu-v4-4x4x4:x.wrap=mesh", kind, lines, bytes) / ring == Approx(2).margin(0.02));
    const double torus = time_of("tpu-v4-4x4x4", kind, planes, bytes);
    CHECK(time_of("tpu-v4-4x4x4:wrap=mesh", kind, planes, bytes) / torus == Approx(2).margin(0.02));
  }
}

TEST_CASE("A broadcast down trees along the axes fills a link each way") {
  Groups all{groups_along({0, 1, 2})};
  CHECK(time_of("tpu-v4-4x4x4", OpKind::bcast, all, bytes * 64) < 1.1 * static_cast<double>(bytes) / 50e9);
}

TEST_CASE("Members in a block are a grid with its axes, also every so many places") {
  CHECK(grid_on("torus:4x4x4", {0, 1, 2, 3}).text() == "4");
  CHECK(grid_on("torus:4x4x4", {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}).text() == "4x4");
  CHECK(grid_on("torus:8x8", {0, 2, 4, 6}).text() == "4");
  const auto grid = grid_on("torus:4x4", {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(grid.text() == "4x4");
  CHECK(grid.member(0) == 15);
  CHECK(grid.place(14) == 1);
}

TEST_CASE("Members that fill no block are one ring in the order of their numbers") {
  for (const std::vector<std::int32_t>& nodes :
       std::vector<std::vector<std::int32_t>>{{0, 1, 4}, {0, 5, 10, 15}, {3, 0, 2, 1, 7}, {0, 0, 1, 1}}) {
    const auto grid = grid_on("torus:4x4", nodes);
    CHECK(grid.axes() == 1);
    CHECK(grid.member(1) == 1);
  }
  CHECK(grid_on("torus:4x4", {5}).axes() == 0);
}

// 2x4 without wraps: each node has a line of its own along each axis, and sends as much as a ring through all of them.
// Without the link between 1 and 5 their pair goes round by 0 and 4, or by 2 and 6, where others send.
TEST_CASE("Where a ring through the members is better than the axes of their block, they are one") {
  const std::vector<platforms::NodeId> snake{0, 1, 2, 3, 7, 6, 5, 4};
  const auto check = [&](const std::string& machine, const std::string& grid) {
    const auto placed = netsim::placed_grid(platforms::make_machine(machine), snake);
    CHECK(placed.text() == grid);
    CHECK(placed.parts().cost == Approx(7.0 / 16 / 1e9));
    Groups all{{0, 1, 2, 3, 7, 6, 5, 4}};
    CHECK(time_of(machine + ",lat=0s", OpKind::allgather, all, 1 << 26) ==
          Approx(7.0 / 16 * (1 << 26) / 1e9).epsilon(0.01));
  };
  check("mesh:4x2,bw=1GBps", "4x2");
  check("mesh:4x2,bw=1GBps,fail-link=n1-n5", "8");
  Groups rows{{0, 1, 2, 3, 4, 5, 6, 7}};
  CHECK(time_of("mesh:4x2,bw=1GBps,fail-link=n1-n5,lat=0s", OpKind::allgather, rows, 1 << 26) >
        1.2 * 7.0 / 16 * (1 << 26) / 1e9);
}

TEST_CASE("The cost of a grid is what collectives of all its members take") {
  for (const std::string shape : {"mesh:2", "mesh:3", "torus:4", "torus:5", "torus:8", "mesh:4x4", "torus:4x4x4",
                                  "torus:4x8", "torus:8x4x4", "torus:2x3", "torus:3x3x5", "torus:5x16", "ring:8"}) {
    CAPTURE(shape);
    const auto machine = platforms::make_machine(shape + ",bw=1GBps");
    const netsim::MemberNodes nodes(machine.nodes().begin(), machine.nodes().end());
    const auto grid = netsim::placed_grid(machine, nodes);
    const auto cost = netsim::grid_cost(grid, grid.rings());
    const auto time = [&](OpKind kind) {
      return time_of(shape + ",bw=1GBps,lat=0s", kind, everybody(machine.node_count()), bytes);
    };
    const auto n = static_cast<double>(nodes.size());
    CHECK(time(OpKind::allgather) == Approx(cost.gather * bytes).epsilon(0.02));
    CHECK(time(OpKind::alltoall) == Approx(cost.exchange * bytes / n / n * (n - 1)).epsilon(0.01));
  }
}

TEST_CASE("A result names algorithms, grids and calls") {
  workloads::CompactTrace trace(16);
  for (std::int32_t rank = 0; rank < 16; ++rank)
    for (const std::uint64_t size : {8U, 1U << 20U, 1U << 20U})
      trace.add(Rank(rank), {.kind = OpKind::allreduce, .bytes = size});
  trace.finish();
  netsim::ReplayOptions options;
  options.collectives = workloads::CollectiveChoice::parse("torus");
  const auto uses = test::simulate("torus:4x4", trace, options)["collectives"];
  REQUIRE(uses.size() == 2);
  CHECK(uses[0] == core::Json{{"collective", "allreduce"},
                              {"algorithm", "recursive_doubling"},
                              {"ports", 0},
                              {"segment", 0},
                              {"grid", nullptr},
                              {"calls", 1}});
  CHECK(uses[1] == core::Json{{"collective", "allreduce"},
                              {"algorithm", "rings"},
                              {"ports", 0},
                              {"segment", 0},
                              {"grid", "4x4"},
                              {"calls", 2}});
}
