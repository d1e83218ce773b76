// Which messages travel one after another: by hand, and against a plain reference.

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "netsim/flow.hpp"
#include "platforms/xml.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::Order;
using test::Flow;

namespace {

std::vector<double> ends(const std::string& machine, const std::vector<Flow>& flows, const std::string& engine,
                         Order order) {
  return test::engine_end_times(platforms::make_machine(machine), flows, engine, order);
}

void check_ends(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).epsilon(1e-9));
}

netsim::ReplayOptions in_order(Order order) {
  netsim::ReplayOptions options;
  options.order = order;
  return options;
}

constexpr const char* two_nodes = "mesh:2,bw=1GBps,lat=1us";

}  // namespace

TEST_CASE("messages of a pair of nodes flow one after another, and their latencies overlap") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::vector<Flow> three{{0, 1, 1000000}, {0, 1, 1000000}, {1, 0, 1000000}};
  for (const auto order : {Order::pair, Order::node})
    check_ends(ends(two_nodes, three, engine, order), {1.001e-3, 2.001e-3, 1.001e-3});
  check_ends(ends(two_nodes, three, engine, Order::shared), {2.001e-3, 2.001e-3, 1.001e-3});
}

TEST_CASE("only by order of nodes do messages to different nodes wait for each other") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::vector<Flow> both_ways{{1, 0, 1000000}, {1, 2, 1000000}};
  for (const auto order : {Order::pair, Order::shared})
    check_ends(ends("mesh:3,bw=1GBps,lat=1us", both_ways, engine, order), {1.001e-3, 1.001e-3});
  check_ends(ends("mesh:3,bw=1GBps,lat=1us", both_ways, engine, Order::node), {1.001e-3, 2.001e-3});
}

TEST_CASE("unless said otherwise messages go in the order of the machine's cards, whatever the engine") {
  const std::string engine = GENERATE("simgrid", "fluid", "packet");
  const auto runtime = [&](const std::string& sending, netsim::ReplayOptions options) {
    const std::string two_neighbours =
        "1 isend 0 0 1000000 6\n1 isend 2 0 1000000 6\n1 waitall 2\n0 recv 1 0 1000000 6\n2 recv 1 0 1000000 6\n";
    return test::simulate("mesh:3,bw=1GBps,lat=1us" + sending, two_neighbours, options, {}, engine)["runtime_s"]
        .get<double>();
  };
  CHECK(runtime("", {}) == Approx(1.001e-3).epsilon(1e-3));
  CHECK(runtime(",sending=shared", {}) == Approx(1.001e-3).epsilon(1e-3));
  CHECK(runtime(",sending=node", {}) == Approx(2.001e-3).epsilon(1e-3));
  CHECK(runtime(",sending=node", in_order(Order::pair)) == Approx(1.001e-3).epsilon(1e-3));
  CHECK(runtime("", in_order(Order::node)) == Approx(2.001e-3).epsilon(1e-3));
}

TEST_CASE("a message whose latency is over waits for one that was sent before it to a node far away") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::vector<Flow> far_then_near{{0, 3, 1000}, {0, 1, 1000}};
  check_ends(ends("mesh:4,bw=1GBps,lat=1us", far_then_near, engine, Order::node), {4e-6, 5e-6});
  check_ends(ends("mesh:4,bw=1GBps,lat=1us", far_then_near, engine, Order::pair), {4e-6, 2e-6});
}

TEST_CASE("those in line take no share of the links") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::vector<Flow> flows{{0, 2, 1000000}, {0, 2, 1000000}, {1, 2, 1000000}};
  check_ends(ends("mesh:3,bw=1GBps,lat=0s", flows, engine, Order::pair), {2e-3, 3e-3, 2e-3});
  check_ends(ends("mesh:3,bw=1GBps,lat=0s", flows, engine, Order::shared), {3e-3, 3e-3, 3e-3});
}

TEST_CASE("messages without bytes wait for their turn, too, and keep nobody waiting") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::vector<Flow> flows{{0, 1, 0}, {0, 1, 1000000}, {0, 1, 0}, {0, 1, 0}, {0, 1, 1000000}};
  for (const auto order : {Order::pair, Order::node})
    check_ends(ends(two_nodes, flows, engine, order), {1e-6, 1.001e-3, 1.001e-3, 1.001e-3, 2.001e-3});
  check_ends(ends(two_nodes, flows, engine, Order::shared), {1e-6, 2.001e-3, 1e-6, 1e-6, 2.001e-3});
}

TEST_CASE("messages within a node share nothing and wait for nobody") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto order = GENERATE(Order::pair, Order::node, Order::shared);
  // 100 ns and 10 GB/s each
  check_ends(ends(two_nodes, {{0, 0, 1000}, {0, 0, 1000}, {0, 1, 1000}, {0, 0, 1000}}, engine, order),
             {2e-7, 2e-7, 2e-6, 2e-7});
}

TEST_CASE("nodes of one router whose ports have no limit wait for what was sent before, and for nothing else") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::string machine = "mesh:2,nodes-per-router=2,bw=1GBps,lat=1us,base=1us";
  const std::vector<Flow> flows{{0, 2, 1000000}, {0, 1, 1000000}};  // to the other router, to the neighbour
  check_ends(ends(machine, flows, engine, Order::pair), {1.002e-3, 1e-6});
  check_ends(ends(machine, flows, engine, Order::node), {1.002e-3, 1.002e-3});
}

TEST_CASE("flows in lines end as progressive filling of the first in each line says") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto order = GENERATE(Order::pair, Order::node);
  core::Random random(71, "order/flows");
  for (int i = 0; i < 25; ++i) {
    const auto machine = test::random_machine(random);
    CAPTURE(platforms::xml_text(machine.description()));
    const auto flows = test::random_flows(random, machine, 1 + random.below(40), i % 2 == 0 ? 0 : 2e-3);
    test::check_equal(test::engine_end_times(machine, flows, engine, order),
                      test::reference_end_times(machine, flows, order));
  }
}

TEST_CASE("both engines agree on crowded machines, whatever the order") {
  const auto order = GENERATE(Order::pair, Order::node);
  core::Random random(72, "order/crowded");
  const auto machine = platforms::make_machine("torus:4x4,bw=1GBps,lat=100ns,injection=2GBps");
  const auto flows = test::random_flows(random, machine, 400, 1e-3);
  test::check_equal(test::engine_end_times(machine, flows, "fluid", order),
                    test::engine_end_times(machine, flows, "simgrid", order));
}

TEST_CASE("what ends at the same moment is told in the order in which it was sent, by every engine") {
  const std::string engine = GENERATE("simgrid", "simgrid:optim=full", "fluid", "packet");
  const auto order = GENERATE(Order::pair, Order::node, Order::shared);
  core::Random random(31, "order/ties");
  std::size_t ties = 0;
  for (const auto* machine : {"torus:17,lat=0s", "mesh:4x4,lat=0s", "torus:5x5,injection=1GBps"}) {
    const auto made = platforms::make_machine(machine);
    std::vector<Flow> flows;
    while (flows.size() < 40) {
      const auto nodes = static_cast<std::uint64_t>(made.node_count());
      const auto from = static_cast<std::int32_t>(random.below(nodes)),
                 to = static_cast<std::int32_t>(random.below(nodes));
      if (from != to) flows.push_back({platforms::NodeId(from), platforms::NodeId(to), 1000 * (1 + random.below(2))});
    }
    const auto ends = test::engine_end_times(made, flows, engine, order);
    const auto places = test::engine_places(made, flows, engine, order);
    for (std::size_t b = 0; b < flows.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        if (ends[a] != ends[b]) continue;
        ++ties;
        CHECK(places[a] < places[b]);
      }
  }
  CHECK(ties > 5);
}

TEST_CASE("ranks of a node share the way, one after another or beside each other") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = "0 send 2 0 10000 6\n1 send 3 0 10000 6\n2 recv 0 0 10000 6\n3 recv 1 0 10000 6\n";
  const auto path = [&](Order order, const netsim::Mapping& placement) {
    return test::simulate("mesh:2,bw=1GBps,lat=1us,cores=2", *test::trace_of(trace), in_order(order), placement,
                          engine)["critical_path"];
  };
  for (const auto order : {Order::pair, Order::shared}) {
    const auto found = path(order, {0, 0, 1, 1});
    CHECK(found["bandwidth_s"].get<double>() == Approx(1e-5).epsilon(1e-9));
    CHECK(found["sharing_s"].get<double>() == Approx(1e-5).epsilon(1e-9));
    CHECK(found["sharing_share"].get<double>() == Approx(1.0 / 2.1).epsilon(1e-9));
  }
}

TEST_CASE("what a rank sends at full speed is bandwidth, however much of it there is") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto parts = [&](const std::string& machine, const std::string& trace, Order order) {
    auto options = in_order(order);
    options.eager_threshold = 1000000;
    const auto result = test::simulate(machine, *test::trace_of(trace), options, {}, engine);
    const auto& path = result["critical_path"];
    CHECK(path["latency_s"].get<double>() + path["bandwidth_s"].get<double>() + path["sharing_s"].get<double>() ==
          Approx(result["runtime_s"].get<double>()).epsilon(1e-9));
    return std::pair(path["bandwidth_share"].get<double>(), path["sharing_share"].get<double>());
  };
  const auto sends = [](int from, const std::vector<int>& targets) {
    std::string text;
    for (const int to : targets) text += fmt::format("{} send {} 0 1000000 6\n", from, to);
    return text;
  };
  const auto receives = [](int rank, int from, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{} recv {} 0 1000000 6\n", rank, from);
    return text;
  };
  // Ten messages over an idle link.
  const auto ten = sends(0, std::vector<int>(10, 1)) + receives(1, 0, 10);
  for (const auto order : {Order::pair, Order::node, Order::shared}) {
    const auto [bandwidth, sharing] = parts(two_nodes, ten, order);
    CHECK(bandwidth > 0.999);
    CHECK(sharing < 0.001);
  }
  // A ring that fills its links: each rank sends ten to the next one.
  std::string ring;
  for (int rank = 0; rank < 8; ++rank)
    ring += sends(rank, std::vector<int>(10, (rank + 1) % 8)) + receives(rank, (rank + 7) % 8, 10);
  const auto [of_ring, shared_in_ring] = parts("ring:8,bw=1GBps,lat=1us", ring, Order::pair);
  CHECK(of_ring > 0.99);
  CHECK(shared_in_ring < 0.01);
  // One link for two senders: half of the time is what the other one added.
  const auto two = sends(0, {2, 2}) + sends(1, {2, 2}) + receives(2, 0, 2) + receives(2, 1, 2);
  const auto [of_two, between_two] = parts("mesh:3,bw=1GBps,lat=1us", two, Order::pair);
  CHECK(of_two == Approx(0.5).epsilon(0.01));
  CHECK(between_two == Approx(0.5).epsilon(0.01));
}

TEST_CASE("a rank's messages to several nodes are bandwidth where its port, or its card, is what limits them") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const std::string trace = "1 send 0 0 60000 6\n1 send 2 0 60000 6\n0 recv 1 0 60000 6\n2 recv 1 0 60000 6\n";
  const auto sharing = [&](const std::string& machine, Order order) {
    return test::simulate(machine, *test::trace_of(trace), in_order(order), {}, engine)["critical_path"]["sharing_s"]
        .get<double>();
  };
  CHECK(sharing("mesh:3,bw=1GBps,lat=1us,injection=1GBps", Order::pair) == Approx(0).margin(1e-12));
  CHECK(sharing("mesh:3,bw=1GBps,lat=1us", Order::node) == Approx(0).margin(1e-12));
}

TEST_CASE("a rendezvous lines up when its receive is posted, not when it is sent") {
  const std::string engine = GENERATE("simgrid", "fluid");
  auto options = in_order(GENERATE(Order::pair, Order::node));
  options.eager_threshold = 0;
  const auto result = test::simulate("mesh:2,bw=1GBps,lat=0s",
                                     "0 isend 1 1 1000000 6\n0 isend 1 2 3000000 6\n0 waitall 2\n"
                                     "1 recv 0 2 3000000 6\n1 recv 0 1 1000000 6\n",
                                     options, {}, engine);
  CHECK(result["runtime_s"].get<double>() == Approx(4e-3).epsilon(1e-9));
  CHECK(result["critical_path"]["sharing_s"].get<double>() == 0);  // the second is sent after the first has arrived
}

TEST_CASE("sixty-two messages handed along a row of eight ranks") {
  const auto path = test::shared_data("fidelity/pipeline8.ti");
  if (path.empty()) return;
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = workloads::open_trace(path);
  const auto runtime = [&](Order order) {
    return test::simulate("mesh:8,bw=1GBps,lat=100ns", *trace, in_order(order), {}, engine)["runtime_s"].get<double>();
  };
  // By hand: the first message takes 7 x (100 + 280) ns, each of the other 61 follows 280 ns later.
  CHECK(runtime(Order::pair) == Approx(7 * 380e-9 + 61 * 280e-9).epsilon(1e-6));
  CHECK(runtime(Order::shared) > 120e-6);
}

TEST_CASE("who leaves a line lets the next one be first") {
  netsim::Lines lines;
  const auto line = netsim::Lines::of_pair(platforms::NodeId(1), platforms::NodeId(2));
  for (const netsim::Lines::FlowId flow : {5U, 3U, 9U, 4U}) lines.join(line, flow);
  lines.join(netsim::Lines::of_node(platforms::NodeId(1)), 7);
  CHECK(lines.is_first(5));
  CHECK(lines.is_first(7));
  CHECK(!lines.is_first(3));
  CHECK(lines.leave(9) == netsim::Lines::nobody);  // from the middle
  CHECK(lines.leave(5) == 3);
  CHECK(lines.leave(4) == netsim::Lines::nobody);  // the last
  lines.join(line, 6);
  CHECK(lines.leave(3) == 6);
  CHECK(lines.leave(6) == netsim::Lines::nobody);
  lines.join(line, 2);
  CHECK(lines.is_first(2));
}
