// The packet engine: by hand, and by what must hold for any traffic.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "netsim/network.hpp"
#include "platforms/xml.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/result.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::Order;
using platforms::NodeId;
using test::Flow;

namespace {

/// Flows of one order on a packet network, in this process.
struct PacketBench final : netsim::FlowClient, netsim::TimerClient {
  PacketBench(const platforms::Machine& on, const std::string& engine, Order order = Order::shared)
      : machine(on), network(netsim::engines().make(engine, machine, clock)), discipline(order) {}
  explicit PacketBench(const std::string& spec, const std::string& engine = "packet", Order order = Order::shared)
      : PacketBench(platforms::make_machine(spec), engine, order) {}

  /// Runs all; when each ends, in nanoseconds.
  std::vector<double> run(const std::vector<Flow>& all) {
    flows = all;
    ends.assign(all.size(), -1);
    for (std::uint32_t i = 0; i < all.size(); ++i) clock.start_timer(netsim::Time(all[i].start), *this, i);
    clock.run();
    return ends;
  }
  void timer_ended(std::uint32_t i) override {
    network->start_flow(flows[i].from, flows[i].to, flows[i].bytes, *this, i, discipline);
  }
  void flow_ended(std::uint32_t i, const netsim::FlowEnd&) override {
    REQUIRE(ends[i] == -1);
    ends[i] = clock.now().seconds() * 1e9;
    order_of_ends.push_back(i);
  }

  platforms::Machine machine;
  netsim::Clock clock;
  std::unique_ptr<netsim::Network> network;
  Order discipline;
  std::vector<Flow> flows;
  std::vector<double> ends;
  std::vector<std::uint32_t> order_of_ends;
};

Flow flow(std::int32_t from, std::int32_t to, std::uint64_t bytes, double start = 0) {
  return {NodeId(from), NodeId(to), bytes, start};
}

/// Ticks are at most a 2048th of a packet's time.
void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).epsilon(1e-3).margin(0.2));
}

constexpr const char* line_of_four = "mesh:4,bw=1GBps,lat=100ns";

/// Between any two of the nodes that compute, or few of them; some without bytes.
std::vector<Flow> random_traffic(core::Random& random, const platforms::Machine& machine, std::size_t count,
                                 std::uint64_t most_bytes) {
  const auto nodes = machine.compute_nodes();
  std::vector<Flow> flows;
  while (flows.size() < count)
    flows.push_back({nodes[random.below(nodes.size())], nodes[random.below(nodes.size())],
                     random.below(8) == 0 ? 0 : random.below(most_bytes), 1e-6 * random.unit()});
  return flows;
}

}  // namespace

TEST_CASE("a message alone takes its latencies and its bytes at the narrowest link, as with the other engines") {
  check_near(PacketBench(line_of_four).run({flow(0, 3, 10000)}), {300 + 10000});
  check_near(PacketBench(line_of_four).run({flow(0, 3, 100)}), {300 + 100});
  check_near(PacketBench(line_of_four).run({flow(0, 3, 0)}), {300});
  check_near(PacketBench(line_of_four).run({flow(2, 2, 1000)}), {100 + 100});  // loopback
  check_near(PacketBench("mesh:4,bw=1GBps,lat=100ns,base=1us,injection=1GBps,ejection=1GBps").run({flow(0, 3, 10000)}),
             {1000 + 300 + 10000});
  // A narrow link before a wide one, and behind it: the packet of 256 B waits for its tail, or is stretched.
  check_near(PacketBench("mesh:2x2,bw=1GBps/2GBps,lat=100ns").run({flow(0, 3, 256)}), {200 + 256});
  check_near(PacketBench("mesh:2x2,bw=2GBps/1GBps,lat=100ns").run({flow(0, 3, 256)}), {200 + 256});
  check_near(PacketBench("mesh:2x2,bw=2GBps/1GBps,lat=100ns").run({flow(0, 3, 25600)}), {200 + 25600});
}

TEST_CASE("packets of two messages that meet take turns on the link") {
  // Node 1's packet goes at once; that of node 0 comes after 100 ns and waits for the end of it.
  check_near(PacketBench(line_of_four).run({flow(0, 2, 256), flow(1, 2, 256)}), {256 + 100 + 256, 100 + 256});
  // Long ones get half of the link each, to a packet.
  const auto ends = PacketBench(line_of_four).run({flow(0, 2, 256000), flow(1, 2, 256000)});
  CHECK(ends[0] == Approx(512000).epsilon(0.01));
  CHECK(ends[1] == Approx(512000).epsilon(0.01));
}

TEST_CASE("a packet that waits blocks those behind it in its channel, but not those in others") {
  // The packet from node 1 holds the link to node 2 for 4096 ns. Node 0 sends one packet there and one round the
  // corner.
  const std::vector<Flow> flows{flow(1, 2, 4096), flow(0, 2, 256), flow(0, 4, 256)};
  const std::string machine = "mesh:3x2,bw=1GBps,lat=100ns";
  check_near(PacketBench(machine, "packet:packet=4KiB,vcs=1").run(flows), {4196, 4096 + 100 + 256, 4352 + 100 + 256});
  check_near(PacketBench(machine, "packet:packet=4KiB,vcs=2").run(flows), {4196, 4096 + 100 + 256, 256 + 200 + 256});
}

TEST_CASE("a packet without bytes blocks those behind it, too, also one that is on its last hop") {
  // The second waits behind router 1 for the link that the first one takes, and the third behind it.
  check_near(PacketBench(line_of_four, "packet:packet=1KiB,buffer=2KiB,vcs=1")
                 .run({flow(1, 2, 1024), flow(0, 2, 0), flow(0, 1, 256)}),
             {1124, 1124, 1024});
}

TEST_CASE("with room for one packet the next one waits for the credit of the one before") {
  // A credit comes 200 ns after the head has gone on, 200 ns after it was sent: a packet each 400 ns instead of 256.
  const std::string machine = "mesh:3,bw=1GBps,lat=200ns,injection=1GBps";
  check_near(PacketBench(machine, "packet:vcs=1,buffer=256").run({flow(0, 2, 2560)}), {9 * 400 + 400 + 256});
  check_near(PacketBench(machine, "packet:vcs=1,buffer=512").run({flow(0, 2, 2560)}), {400 + 2560});
}

TEST_CASE("a credit that comes at the tick at which its channel is given to the next packet lets that go on") {
  // Without latency: at 256 ns node 0's second packet gets the channel that the first one leaves just then.
  const Flow two_packets = flow(0, 2, 512), one = flow(1, 2, 256);
  check_near(PacketBench("mesh:3,bw=1GBps,lat=0s", "packet:vcs=1").run({two_packets, one}), {768, 256});
  check_near(PacketBench("mesh:3,bw=1GBps,lat=0s", "packet:vcs=1").run({one, two_packets}), {256, 768});
}

TEST_CASE("a packet that comes into a channel which another one is still leaving waits, also on its last hop") {
  // The second has to wait for 300 ns, and leaves router 1 until 556 ns; its credit is back at 350 ns.
  check_near(PacketBench("mesh:3,bw=1GBps,lat=50ns", "packet:packet=1KiB,vcs=1")
                 .run({flow(1, 2, 300), flow(0, 2, 256), flow(0, 1, 10, 400e-9)}),
             {350, 606, 556});
}

TEST_CASE("as many channels of an input leave at once as the crossbar lets") {
  // Until 4096 ns packets of node 4 hold its links to nodes 5 and 7. Behind them, in two channels of the link from node
  // 3, wait packets that want one of these links each.
  const std::vector<Flow> flows{flow(4, 5, 4096), flow(4, 7, 4096), flow(3, 5, 256), flow(3, 7, 256)};
  const std::string channels = GENERATE("vcs=8", "vcs=32"),  // with 32 the router has more than 64 channels
      rule = GENERATE("", ",rings=bubble", ",arbitration=age");
  const auto last_two = [&](const std::string& crossbar) {
    auto ends =
        PacketBench("mesh:3x3,bw=1GBps,lat=100ns", "packet:packet=4KiB," + channels + rule + crossbar).run(flows);
    check_near({ends[0], ends[1]}, {4196, 4196});
    std::sort(ends.begin() + 2, ends.end());
    return std::vector<double>{ends[2], ends[3]};
  };
  CAPTURE(channels, rule);
  check_near(last_two(",crossbar=1"), {4096 + 100 + 256, 4096 + 256 + 100 + 256});
  for (const auto& crossbar : {",crossbar=2", ""}) check_near(last_two(crossbar), {4096 + 100 + 256, 4096 + 100 + 256});
}

TEST_CASE("outputs get the channels of an input in turn") {
  // Node 3 sends along the row and round the corner; both links are busy for ever with what they get of it, at half of
  // their bandwidths.
  const std::vector<Flow> flows{flow(3, 5, 256000), flow(3, 7, 256000)};
  const auto ends = PacketBench("mesh:3x3,bw=2GBps/1GBps,lat=100ns", "packet:crossbar=1").run(flows);
  // A packet takes 128 ns along x and 256 ns along y.
  CHECK(ends[0] == Approx(1000 * (128 + 256)).epsilon(0.01));
  CHECK(ends[1] == Approx(1000 * (128 + 256)).epsilon(0.01));
  const auto at_once = PacketBench("mesh:3x3,bw=2GBps/1GBps,lat=100ns", "packet").run(flows);
  CHECK(*std::max_element(at_once.begin(), at_once.end()) == Approx(1000 * 256).epsilon(0.01));
}

TEST_CASE("a node's port is as many inputs of the crossbar as it is links wide, and parallel links are one each") {
  const auto last = [](const std::string& machine, const std::string& engine, const std::vector<Flow>& flows) {
    const auto ends = PacketBench(machine, engine).run(flows);
    return *std::max_element(ends.begin(), ends.end());
  };
  const std::vector<Flow> both_ways{flow(1, 0, 256000), flow(1, 2, 256000)};
  const std::string three = "mesh:3,bw=1GBps,lat=100ns";
  CHECK(last(three + ",injection=1.25GBps", "packet", both_ways) == Approx(512000 / 1.25).epsilon(0.01));
  CHECK(last(three + ",injection=1.25GBps", "packet:crossbar=1", both_ways) == Approx(512000).epsilon(0.01));
  CHECK(last(three + ",injection=2GBps", "packet:crossbar=1", both_ways) == Approx(256000).epsilon(0.01));
  CHECK(last(three, "packet:crossbar=1", both_ways) == Approx(256000).epsilon(0.01));
  const std::string parallel = "mesh:4,bw=1GBps,lat=100ns,links=2";
  CHECK(last(parallel, "packet:crossbar=1", {flow(0, 2, 256000), flow(0, 3, 256000)}) == Approx(256000).epsilon(0.01));
}

TEST_CASE("parallel links carry a packet each") {
  check_near(PacketBench("mesh:2,bw=1GBps,lat=100ns,links=4").run({flow(0, 1, 4 * 256)}), {100 + 256});
}

TEST_CASE("ports are shared by all that a node sends and receives") {
  const auto out = PacketBench("mesh:3,bw=1GBps,lat=100ns,injection=1GBps").run({flow(1, 0, 25600), flow(1, 2, 25600)});
  CHECK(*std::max_element(out.begin(), out.end()) == Approx(51300).epsilon(1e-3));
  const auto in = PacketBench("mesh:3,bw=1GBps,lat=100ns,ejection=1GBps").run({flow(0, 1, 25600), flow(2, 1, 25600)});
  CHECK(*std::max_element(in.begin(), in.end()) == Approx(51300).epsilon(1e-3));
}

TEST_CASE("a node sends its messages one after another, or interleaves them") {
  const std::vector<Flow> flows{flow(1, 0, 25600), flow(1, 2, 25600)};
  const auto ends = [&](Order order) {
    return PacketBench("mesh:3,bw=1GBps,lat=100ns,injection=1GBps", "packet", order).run(flows);
  };
  check_near(ends(Order::node), {25700, 51300});
  check_near(ends(Order::pair), {51300 - 256, 51300});
  check_near(ends(Order::shared), {51300 - 256, 51300});
  const std::vector<Flow> one_way{flow(0, 1, 25600), flow(0, 1, 25600)};
  for (const auto order : {Order::node, Order::pair})
    check_near(PacketBench("mesh:2,bw=1GBps,lat=100ns,injection=1GBps", "packet", order).run(one_way), {25700, 51300});
}

TEST_CASE("full rings go on, by classes of channels or by a bubble") {
  const std::string engine =
      GENERATE("packet:vcs=2", "packet:vcs=1,rings=bubble,buffer=512", "packet:vcs=3,routing=adaptive",
               "packet:vcs=2,routing=adaptive,rings=bubble,buffer=512");
  const std::string machine = GENERATE("ring:8", "torus:8", "torus:5x5", "ring:4x4");
  PacketBench bench(machine + ",bw=1GBps,lat=10ns", engine);
  std::vector<Flow> flows;
  const std::int32_t nodes = bench.machine.node_count();
  for (std::int32_t n = 0; n < nodes; ++n)
    for (std::int32_t far = 1; far < nodes; ++far) flows.push_back(flow(n, (n + far) % nodes, 2560));
  const auto ends = bench.run(flows);
  CHECK(std::count(ends.begin(), ends.end(), -1) == 0);
}

TEST_CASE("any traffic arrives on any machine, in order, with the bytes on the links that its routes have") {
  core::Random random(81, "packet/traffic");
  for (int i = 0; i < 60; ++i) {
    const auto machine = test::random_machine_of_links(random, 60);
    CAPTURE(platforms::xml_text(machine.description()));
    const bool failures = !machine.description().failed_links.empty() || !machine.description().failed_routers.empty();
    const bool twisted = !machine.description().dimensions.empty() &&
                         std::any_of(machine.description().dimensions.begin(), machine.description().dimensions.end(),
                                     [](const auto& d) { return d.is_twisted(); });
    std::string engine = random.below(2) == 0 ? "packet:vcs=2" : "packet:vcs=4";
    const bool adaptive = !twisted && random.below(2) == 0;
    if (adaptive)
      engine = std::array{"packet:vcs=3,routing=adaptive", "packet:vcs=3,routing=longest-first",
                          "packet:vcs=2,routing=adaptive,rings=bubble,buffer=512"}[random.below(3)];
    if (random.below(3) == 0) engine += ",arbitration=age";
    if (random.below(3) == 0) engine += ",crossbar=1";
    CAPTURE(engine);
    const auto order = std::array{Order::pair, Order::node, Order::shared}[random.below(3)];
    PacketBench bench(machine, engine, order);
    std::vector<Flow> flows;
    try {
      flows = random_traffic(random, machine, 600, 4000);
      bench.run(flows);
    } catch (const core::InputError& error) {
      REQUIRE(failures);
      REQUIRE(std::string(error.what()).find("turns back") != std::string::npos);
      continue;
    }
    REQUIRE(std::count(bench.ends.begin(), bench.ends.end(), -1) == 0);
    REQUIRE(bench.network->flows() == 0);
    std::map<std::pair<NodeId, NodeId>, std::pair<double, std::uint32_t>> last;
    for (const auto f : bench.order_of_ends) {
      if (flows[f].from == flows[f].to) continue;
      auto& before = last[{flows[f].from, flows[f].to}];
      REQUIRE(std::pair(flows[f].start, f) >= std::pair(before.first, before.second));
      before = {flows[f].start, f};
    }
    if (failures)
      for (const auto link : machine.links())
        REQUIRE((machine.link_exists(link) || bench.network->usage().load(link, bench.clock.now()).bytes == 0));
    if (adaptive) continue;
    std::map<platforms::LinkId, std::uint64_t> bytes;
    for (const auto& f : flows)
      machine.for_each_link(f.from, f.to, [&](platforms::LinkId link) { bytes[link] += f.bytes; });
    for (const auto& [link, expected] : bytes)
      REQUIRE(bench.network->usage().load(link, bench.clock.now()).bytes == expected);
  }
}

TEST_CASE("adaptive packets go round what is crowded") {
  // Two streams that meet on the dimension-order route, with other ways as short.
  const std::vector<Flow> flows{flow(0, 15, 256000), flow(1, 3, 256000)};
  const auto ends = [&](const std::string& routing) {
    return PacketBench("mesh:4x4,bw=1GBps,lat=100ns", "packet:routing=" + routing).run(flows);
  };
  CHECK(ends("dimension-order")[0] > 500000);
  CHECK(ends("adaptive")[0] < 400000);
}

TEST_CASE("packets take the dimensions in which ways can be longest first, and choose among those alike") {
  const auto loads = [](const std::string& spec, const std::string& engine) {
    core::Random random(82, "packet/longest");
    PacketBench bench(spec, engine);
    std::vector<Flow> flows;  // of a packet each, and alone, so that none falls back on the order of the dimensions
    const auto nodes = static_cast<std::uint64_t>(bench.machine.node_count());
    for (int i = 0; i < 2000; ++i)
      flows.push_back(flow(std::int32_t(random.below(nodes)), std::int32_t(random.below(nodes)), 256, 1e-4 * i));
    bench.run(flows);
    std::vector<std::uint64_t> bytes;
    for (const auto link : bench.machine.links())
      bytes.push_back(bench.network->usage().load(link, bench.clock.now()).bytes);
    return bytes;
  };
  const auto alike = [&](const std::string& spec, const std::string& other, const std::string& engine) {
    return loads(spec, "packet:vcs=3,routing=longest-first") == loads(spec + other, engine);
  };
  // Ways of at most 2, 4, 3 and 1 hops, and of 2, 6 and 1: each packet has one way.
  CHECK(alike("mesh:5x5x4x2,x.wrap=torus", ",routing=(y z x d3)", "packet"));
  CHECK(alike("mesh:5x7x2,x.wrap=torus,y.wrap=ring", ",routing=(y x z)", "packet"));
  CHECK_FALSE(alike("mesh:5x7x2,x.wrap=torus,y.wrap=ring", "", "packet"));
  CHECK(alike("mesh:8x5,x.wrap=torus", "", "packet:vcs=3,routing=adaptive"));
  CHECK_FALSE(alike("mesh:8x4,x.wrap=torus", "", "packet:vcs=3,routing=adaptive"));
}

TEST_CASE("a failure changes no router: its buffers least of all") {
  for (const std::string engine : {"packet", "packet:routing=adaptive", "packet:routing=adaptive,rings=bubble"}) {
    const auto settings = [&](const std::string& failed) {
      return PacketBench("torus:8x8x8,bw=1GBps,lat=300ns" + failed, engine).network->settings();
    };
    CHECK(settings("") == settings(",fail-link=0-1"));
  }
}

TEST_CASE("adaptive packets that are alone prefer no dimension and no direction") {
  const auto [spec, target, links] = GENERATE(table<std::string, std::int32_t, std::size_t>(
      {{"mesh:2x2x2", 3, 2}, {"mesh:2x2x2", 7, 3}, {"torus:4x4x4", 21, 3}, {"torus:4x4x4", 42, 6}}));
  PacketBench bench(spec, "packet:routing=adaptive,ties=split");
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < 600; ++i) flows.push_back(flow(0, target, 256, 1e-4 * static_cast<double>(i)));
  bench.run(flows);
  std::size_t taken = 0;
  for (const auto link : bench.machine.links()) {
    const auto bytes = bench.network->usage().load(link, bench.clock.now()).bytes;
    if (!bench.machine.is_of_grid(link) || bytes == 0) continue;
    if (bench.machine.grid().link_source(link) != platforms::RouterId(0)) continue;
    ++taken;
    CHECK(bytes == 600 / links * 256);
  }
  CHECK(taken == links);
}

TEST_CASE("packets that go half round a torus can take both ways") {
  const std::string both = GENERATE("packet:ties=split", "packet:ties=split,routing=adaptive");
  const auto ends = [](const std::string& engine, const std::vector<Flow>& flows) {
    return PacketBench("torus:4,bw=1GBps,lat=100ns", engine, Order::node).run(flows);
  };
  check_near(ends("packet", {flow(0, 2, 256000)}), {200 + 256000});
  check_near(ends(both, {flow(0, 2, 256000)}), {200 + 128000});
  // Also those of messages of a packet each, between which others go that have one shortest way.
  std::vector<Flow> small;
  for (int i = 0; i < 100; ++i) {
    small.push_back(flow(0, 2, 256));
    small.push_back(flow(0, 1, 256));
  }
  const auto found = ends(both, small);
  CHECK(*std::max_element(found.begin(), found.end()) < 40000);
}

TEST_CASE("a node's packets take both ways along each dimension, whatever messages they are of") {
  const auto machine = platforms::make_machine("torus:4x4,bw=1GBps,lat=100ns");
  const auto [flows, order] = GENERATE(table<std::vector<Flow>, Order>({
      {{flow(0, 2, 256), flow(0, 8, 256)}, Order::node},   // along x, and along y
      {{flow(0, 2, 256), flow(0, 10, 256)}, Order::node},  // along x, and along both
      {{flow(0, 8, 256), flow(0, 10, 256)}, Order::node},  // along y, and along both
      {{flow(0, 2, 25600), flow(0, 8, 25600)}, Order::shared},
  }));
  PacketBench bench(machine, "packet:ties=split", order);
  std::vector<Flow> all;
  for (std::uint64_t bytes = 0; bytes < 102400; bytes += flows[0].bytes)
    all.insert(all.end(), flows.begin(), flows.end());
  bench.run(all);
  for (const std::size_t d : {std::size_t{0}, std::size_t{1}}) {
    const auto sent = [&](bool forward) {
      std::uint64_t sum = 0;
      for (const auto link : machine.links())
        if (link.value() < machine.grid().link_count() && machine.grid().link_dimension(link) == d &&
            machine.grid().link_is_forward(link) == forward)
          sum += bench.network->usage().load(link, bench.clock.now()).bytes;
      return static_cast<double>(sum);
    };
    CHECK(sent(true) > 0);
    CHECK(sent(true) == Approx(sent(false)).epsilon(0.02));
  }
}

TEST_CASE("on disjoint and on light traffic packets take the time of the fluid") {
  core::Random random(83, "packet/light");
  const auto machine = platforms::make_machine("mesh:6x6,bw=1GBps,lat=100ns");
  std::vector<Flow> light;  // one at a time
  for (std::size_t i = 0; i < 200; ++i)
    light.push_back(
        {NodeId(random.below(36)), NodeId(random.below(36)), 1 + random.below(20000), 3e-5 * static_cast<double>(i)});
  const auto fluid = test::engine_end_times(machine, light, "fluid");
  const auto packets = test::engine_end_times(machine, light, "packet");
  for (std::size_t i = 0; i < light.size(); ++i) {
    const double alone = fluid[i] - light[i].start;
    REQUIRE(packets[i] - light[i].start == Approx(alone).epsilon(1e-3).margin(1e-9));
  }
}

TEST_CASE("what is killed sends no more packets, and those on their way drain") {
  PacketBench bench("mesh:4,bw=1GBps,lat=100ns", "packet", Order::node);
  struct Killer final : netsim::TimerClient {
    PacketBench& bench;
    netsim::FlowId flow = 0;
    explicit Killer(PacketBench& b) : bench(b) {}
    void timer_ended(std::uint32_t) override { bench.network->cancel(flow); }
  } killer(bench);
  bench.flows = {flow(0, 3, 1000000), flow(0, 1, 25600), flow(2, 3, 25600)};
  bench.ends.assign(3, -1);
  killer.flow = bench.network->start_flow(NodeId(0), NodeId(3), 1000000, bench, 0, Order::node);
  bench.network->start_flow(NodeId(0), NodeId(1), 25600, bench, 1, Order::node);
  bench.network->start_flow(NodeId(2), NodeId(3), 25600, bench, 2, Order::node);
  bench.clock.start_timer(netsim::Time(10e-6), killer, 0);
  bench.clock.run();
  CHECK(bench.ends[0] == -1);
  // Its turn came at 10 us; some packets of the other are before it in its router, which share a link further on.
  CHECK(bench.ends[1] > 10000 + 25600);
  CHECK(bench.ends[1] < 10000 + 25600 + 2 * 10 * 256);
  CHECK(bench.ends[2] < 2 * 25600 + 1000);
  CHECK(bench.network->flows() == 0);
  CHECK(bench.clock.timers() == 0);
  const auto link = bench.machine.grid().link(platforms::RouterId(0), 0, true);
  CHECK(bench.network->usage().load(link, bench.clock.now()).bytes < 25600 + 10000 + 3000);
}

TEST_CASE("two runs are the same, whatever the network did before") {
  core::Random random(84, "packet/again");
  PacketBench bench("torus:4x4,bw=1GBps,lat=70ns,injection=2GBps,ejection=2GBps");
  auto flows = random_traffic(random, bench.machine, 400, 5000);
  const auto first = bench.run(flows);
  CHECK(PacketBench("torus:4x4,bw=1GBps,lat=70ns,injection=2GBps,ejection=2GBps").run(flows) == first);
}

TEST_CASE("few windows have the bytes of the many of which they consist") {
  constexpr std::size_t few = 6, many = 16 * few;
  for (const std::string engine : {"packet", "packet:routing=adaptive"}) {
    core::Random random(85, "packet/windows");
    // Messages that end long after their last packet has left a link: they widen the windows, too.
    PacketBench coarse("torus:4x4,bw=1GBps,lat=5us", engine), fine(coarse.machine, engine);
    auto flows = random_traffic(random, coarse.machine, 300, 5000);
    for (auto& flow : flows) flow.start *= 1000;
    coarse.network->measure_windows(few);
    fine.network->measure_windows(many);
    REQUIRE(coarse.run(flows) == fine.run(flows));
    const auto now = coarse.clock.now();
    const auto& usage = coarse.network->usage();
    const auto ratio = usage.windows_until(now).seconds / fine.network->usage().windows_until(now).seconds;
    REQUIRE(ratio > 1);
    for (const auto link : core::ids<platforms::LinkId>(coarse.machine.link_count())) {
      std::vector<double> joined(few);
      const auto bytes = fine.network->usage().bytes_by_window(link, now);
      for (std::size_t w = 0; w < bytes.size(); ++w) joined.at(w / static_cast<std::size_t>(ratio)) += bytes[w];
      joined.resize(usage.windows_until(now).count);
      const auto found = usage.bytes_by_window(link, now);
      REQUIRE(found.size() == joined.size());
      for (std::size_t w = 0; w < found.size(); ++w) REQUIRE(found[w] == Approx(joined[w]).margin(1e-6));
      const auto all = static_cast<double>(usage.load(link, now).bytes);
      REQUIRE(std::accumulate(found.begin(), found.end(), 0.0) == Approx(all).margin(1e-6));
    }
  }
}

TEST_CASE("the critical path of a run by packets adds up") {
  const auto trace = workloads::open_trace("stencil:grid=4x4,bytes=8KiB,steps=3");
  netsim::ReplayOptions options;
  options.order = Order::node;
  const auto result = test::simulate("mesh:4x4,bw=1GBps,lat=100ns", *trace, options, {}, "packet");
  const auto& path = result["critical_path"];
  double sum = 0;
  for (const char* part : {"compute_s", "latency_s", "bandwidth_s", "sharing_s"}) sum += path[part].get<double>();
  CHECK(sum == Approx(result["runtime_s"].get<double>()).epsilon(1e-3));
  CHECK(path["sharing_s"].get<double>() > 0);
}

TEST_CASE("machines and parameters that could block, or are no network of links, are refused with the reason") {
  const auto refused = [](const std::string& machine, const std::string& engine) {
    return test::error_of([&] { PacketBench bench(machine, engine); });
  };
  CHECK(refused("torus:4", "packet:vcs=1").find("found vcs=1, expected 2 or more for dimension x") !=
        std::string::npos);
  CHECK(refused("torus:4", "packet:vcs=2,routing=adaptive").find("expected 3") != std::string::npos);
  CHECK(refused("torus:4", "packet:vcs=1,rings=bubble").empty());
  CHECK(refused("torus:4", "packet:vcs=1,rings=bubble,buffer=256").find("buffers of two packets") != std::string::npos);
  CHECK(refused("mesh:4", "packet:buffer=128").find("does not hold a packet") != std::string::npos);
  CHECK(refused("hpcline", "packet").find("shared") != std::string::npos);
  // Ways round what failed have channels of their own.
  CHECK(refused("mesh:4x4,fail-link=5-6", "packet:vcs=1").empty());
  CHECK(refused("mira:fail-link=n0-n1", "packet").empty());
}

TEST_CASE("packets go through the machine's routers, but for what keys of the engine say") {
  const auto settings = [](const std::string& machine, const std::string& engine) {
    std::map<std::string, std::string> all;
    for (const auto& [key, value] : PacketBench(machine, engine).network->settings()) all[key] = value;
    return all;
  };
  const std::string routers =
      "torus:4x4,bw=1GBps,lat=10ns,router.packet=512,router.vcs=5,router.buffer=2KiB,router.inject=3,"
      "router.crossbar=2,router.routing=adaptive,router.ties=split,router.rings=bubble,router.arbitration=age";
  const auto made = settings(routers, "packet");
  CHECK(made == settings("torus:4x4,bw=1GBps,lat=10ns",
                         "packet:packet=512,vcs=5,buffer=2KiB,inject=3,crossbar=2,routing=adaptive,ties=split,"
                         "rings=bubble,arbitration=age"));
  CHECK(made.at("routing") == "adaptive");
  const auto other = settings(routers, "packet:routing=dimension-order,vcs=4,packet=4KiB");
  CHECK(other.at("routing") == "dimension-order");
  CHECK(other.at("vcs") == "4");
  CHECK(other.at("inject") == "3");
  CHECK(other.at("crossbar") == "2");
  CHECK(settings("torus:4x4", "packet").at("crossbar") == "none");
  CHECK(other.at("buffer") == "4096 B");  // the machine's would not hold a packet
  CHECK(settings(routers, "packet:packet=2KiB").at("buffer") != "2048 B");  // nor, with a bubble, two
}

TEST_CASE("adaptive packets take the shortest ways that are left, and no others") {
  // From 0 to 8 six ways are as short. Of two parts of the message one goes over each port of node 0 where both work.
  const auto loads = [](const std::string& failed, const std::vector<Flow>& flows) {
    PacketBench bench("mesh:3x3,bw=1GBps,lat=100ns" + failed, "packet:routing=adaptive");
    bench.run(flows);
    REQUIRE(std::count(bench.ends.begin(), bench.ends.end(), -1) == 0);
    std::uint64_t all = 0;
    for (const auto link : bench.machine.links())
      if (bench.machine.is_of_grid(link)) all += bench.network->usage().load(link, bench.clock.now()).bytes;
    return std::pair(bench.ends[0], all);
  };
  constexpr std::uint64_t bytes = 256'000;
  const std::vector<Flow> across{flow(0, 8, bytes)};
  const auto whole = loads("", across), one_less = loads(",fail-link=0-1", across);
  CHECK(whole.first < 0.6 * one_less.first);
  CHECK(one_less.first >= bytes);
  for (const auto& [end, all] : {whole, one_less}) CHECK(all == 4 * bytes);
  // The way along the edge by 1, 2 and 5 alone is left.
  CHECK(loads(",fail-link=(0-3 1-4)", across).second == 4 * bytes);
  // No shortest way is left: all go round, 4 hops instead of 2, and are in order there.
  CHECK(loads(",fail-link=(0-1 2-5)", {flow(0, 2, bytes)}).second == 4 * bytes);
}

TEST_CASE("a failure elsewhere changes nothing for packets") {
  const std::string engine = GENERATE("packet:vcs=3", "packet:vcs=3,routing=adaptive", "packet:vcs=3,ties=split");
  const auto ends = [&](const std::string& failed) {
    std::vector<Flow> flows;
    for (std::int32_t node = 0; node < 8; ++node) flows.push_back(flow(node, (node + 3) % 8, 20'000));
    return PacketBench("torus:8x4,bw=1GBps,lat=100ns" + failed, engine + ",buffer=2KiB").run(flows);
  };
  CHECK(ends("") == ends(",fail-link=16-17"));
}

TEST_CASE("a way that turns back too often is refused, a shorter one of the same machine is not") {
  // Between the columns of two rows a link is left by turns above and below.
  const std::string engine = GENERATE("packet", "packet:routing=adaptive", "packet:ties=split");
  PacketBench bench("mesh:6x2,fail-link=(0-1 2-3 4-5 7-8 9-10)", engine);
  CHECK(bench.run({flow(0, 3, 2560)}).front() > 0);
  CHECK(test::error_of([&] {
          bench.run({flow(0, 5, 2560)});
        }).find("the way from n0 to n5 round what failed turns back 4 times") != std::string::npos);
}

TEST_CASE("packets go round what failed") {
  check_near(PacketBench("mesh:3x3,bw=1GBps,lat=100ns,fail-link=0-1").run({flow(0, 1, 2560)}), {300 + 2560});
}
