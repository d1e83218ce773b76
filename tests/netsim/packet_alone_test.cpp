// A message that is alone in a packet network: as fast as its links if buffers are large enough, else as fast as
// credits come back, which is computed here by hand; and what is said of such buffers.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "netsim/network.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/support.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using platforms::NodeId;

namespace {

/// When a message from a node to another one ends, in nanoseconds.
double ends(const platforms::Machine& machine, std::int32_t from, std::int32_t to, std::uint64_t bytes,
            const std::string& engine) {
  return test::engine_end_times(machine, {{NodeId(from), NodeId(to), bytes}}, engine)[0] * 1e9;
}
double ends(const std::string& machine, std::int32_t from, std::int32_t to, std::uint64_t bytes,
            const std::string& engine) {
  return ends(platforms::make_machine(machine), from, to, bytes, engine);
}

double between(core::Random& random, double least, double most) {
  return least * std::pow(most / least, random.unit());
}

/// Links of each dimension with a bandwidth and a latency of their own, ports with a limit or without.
std::string some_line(core::Random& random) {
  const auto number = [&](double least, double most) { return fmt::format("{:.4g}", between(random, least, most)); };
  std::string spec = fmt::format("{}:8x5,bw={}GBps/{}GBps,lat={}ns/{}ns,base={}ns",
                                 std::array{"mesh", "torus", "ring"}[random.below(3)], number(0.1, 100),
                                 number(0.1, 100), number(1, 2000), number(1, 2000), number(1, 1000));
  if (random.below(2) == 0) spec += fmt::format(",injection={}GBps", number(0.1, 300));
  if (random.below(2) == 0) spec += fmt::format(",ejection={}GBps", number(0.1, 300));
  if (random.below(4) == 0) spec += ",x.exceptions=(0-7/2 bandwidth=" + number(0.1, 100) + "GBps)";
  return spec;
}

/// Any routers, whose buffers hold what their links need.
std::string random_engine(core::Random& random, std::uint64_t packet, bool adaptive) {
  const bool bubble = random.below(3) == 0;
  const int least = (bubble ? 1 : 2) + (adaptive ? 1 : 0);
  std::string engine = fmt::format("packet:packet={},vcs={}", packet, least + int(random.below(20)));
  if (bubble) engine += ",rings=bubble";
  if (adaptive) engine += random.below(2) == 0 ? ",routing=adaptive" : ",routing=longest-first";
  if (random.below(4) == 0) engine += ",arbitration=age";
  if (random.below(4) == 0) engine += fmt::format(",crossbar={}", 1 + random.below(2));
  return engine;
}

/// When the last of `packets` packets has come that go over a row of links with the credits of `window` packets each:
/// each goes once the one before it has gone over the link, and the credit of that `window` before it has come; that of
/// an adaptive packet comes when its tail has left the router, as all of the room must be there.
double by_hand(std::int32_t packets, std::int32_t window, double packet_ns, double latency_ns, std::int32_t hops,
               bool adaptive = false) {
  const double loop_ns = 2 * latency_ns + (adaptive ? packet_ns : 0);
  std::vector<double> start(static_cast<std::size_t>(packets));
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (i > 0) start[i] = start[i - 1] + packet_ns;
    if (const auto w = static_cast<std::size_t>(window); i >= w) start[i] = std::max(start[i], start[i - w] + loop_ns);
  }
  return start.back() + hops * latency_ns + packet_ns;
}

/// When the last of a message's packets has come over links that are as wide and as far as the route says, if none
/// waits for credits: a packet goes once the one before it has gone, and so late that its tail has come when it leaves.
double over_links(const platforms::Machine& machine, std::int32_t from, std::int32_t to, std::uint64_t bytes,
                  std::uint64_t packet) {
  std::vector<double> per_byte, latency;
  machine.for_each_link(NodeId(from), NodeId(to), [&](platforms::LinkId link) {
    per_byte.push_back(1e9 / machine.link_bandwidth(link));
    latency.push_back(machine.is_of_grid(link) ? 1e9 * machine.grid().link_latency(link) : 0);
  });
  std::vector<double> gone(per_byte.size());  // when the packet before has gone
  double last = 0;
  for (std::uint64_t left = bytes; left > 0; left -= std::min(left, packet)) {
    const auto size = static_cast<double>(std::min(left, packet));
    double tail = 0, head = 1e9 * machine.parameters().base_latency;
    for (std::size_t i = 0; i < per_byte.size(); ++i) {
      const double start = std::max({head, tail - size * per_byte[i], gone[i]});
      gone[i] = start + size * per_byte[i];
      head = start + latency[i];
      last = tail = gone[i] + latency[i];
    }
  }
  return last;
}

std::vector<std::string> remarks(const std::string& machine, const std::string& engine) {
  auto all = netsim::remarks(engine, platforms::make_machine(machine));
  std::erase_if(all, [](const auto& remark) { return remark.starts_with("adaptive routes "); });
  return all;
}

}  // namespace

TEST_CASE("a message alone is as fast as its links let it, whatever they and the routers are like") {
  core::Random random(91, "packet/alone");
  int like_formula = 0;
  for (int i = 0; i < 600; ++i) {
    const auto spec = some_line(random);
    const auto machine = platforms::make_machine(spec);
    const bool adaptive = random.below(2) == 0;
    const auto packet = std::uint64_t{16} << random.below(8);
    const auto engine = random_engine(random, packet, adaptive);
    const auto from = static_cast<std::int32_t>(random.below(40)), to = static_cast<std::int32_t>(random.below(40));
    if (from == to) continue;
    const auto bytes = static_cast<std::uint64_t>(between(random, 1, 200'000));
    CAPTURE(spec, engine, from, to, bytes);
    const double expected = over_links(machine, from, to, bytes, packet);
    const double found = ends(machine, from, to, bytes, engine);
    const auto hops = machine.hops_per_dimension(NodeId(from), NodeId(to));
    if (adaptive && hops[0] > 0 &&
        hops[1] > 0) {  // packets may go several ways at once, and wait for their tails more often
      const double slowest = 1e9 / machine.route_bandwidth(NodeId(from), NodeId(to));
      REQUIRE(found < 1.005 * expected + static_cast<double>(packet) * 3 * slowest);
      continue;
    }
    REQUIRE(found == Approx(expected).epsilon(0.005));
    // What documents call the formula, which all engines have: it holds up to the time of a packet here or there.
    const auto path = machine.path(NodeId(from), NodeId(to));
    const double formula = 1e9 * (path.latency + static_cast<double>(bytes) / path.bandwidth);
    REQUIRE(found > 0.995 * formula);
    if (found < 1.005 * formula) ++like_formula;
  }
  CHECK(like_formula > 300);
}

TEST_CASE("on every preset a message alone takes by packets what it takes by fluid", "[slow]") {
  std::vector<std::string> names{"tpu-v5e:16x16", "tpu-v5p:4x4x8", "tpu-v6e:8x16", "tpu-v7:4x4x4"};
  for (const auto& preset : platforms::presets())
    if (preset.name != "hpcline") names.emplace_back(preset.name);  // its nodes of a ring share a line: no links
  for (const auto& name : names) {
    const auto machine = platforms::make_machine(name);
    const bool has_one_way = machine.description().router.routing == platforms::Routing::dimension_order;
    const auto nodes = machine.compute_nodes();
    const auto from = nodes.front().value();
    core::Random random(17, "packet/presets");
    for (const auto& node : {nodes[1], nodes.back(), nodes[1 + random.below(nodes.size() - 1)]}) {
      const auto to = node.value();
      CAPTURE(name, from, to);
      const double fluid = ends(machine, from, to, 1 << 20, "fluid"),
                   packets = ends(machine, from, to, 1 << 20, "packet");
      CHECK(packets < 1.01 * fluid);
      if (has_one_way) CHECK(packets > 0.99 * fluid);  // else a message may go several ways at once, and be faster
    }
  }
}

TEST_CASE("links of 8 GB/s are as fast in dimension order as with adaptive routes") {
  for (const auto& engine : {"packet", "packet:buffer=256", "packet:routing=adaptive"}) {
    CHECK(ends("mesh:8,bw=8GBps", 0, 3, 262144, engine) == Approx(300 + 262144 / 8.0).epsilon(1e-3));
    CHECK(ends("mesh:8,bw=8GBps", 0, 7, 1 << 20, engine) == Approx(700 + (1 << 20) / 8.0).epsilon(1e-3));
  }
}

TEST_CASE("where buffers are too small a message alone waits for credits, as by hand") {
  CHECK(by_hand(10, 2, 256, 1000, 2) == 10512);
  CHECK(ends("mesh:3,bw=1GBps,lat=1us", 0, 2, 2560, "packet:vcs=2,buffer=256") == Approx(10512).epsilon(1e-3));
  // Headers take room as well.
  CHECK(ends("mesh:3,bw=1GBps,lat=1us", 0, 2, 10 * 272, "packet:vcs=2,packet=256,header=16,buffer=272") ==
        Approx(by_hand(10, 2, 272, 1000, 2)).epsilon(1e-3));
  core::Random random(92, "packet/credits");
  for (int i = 0; i < 200; ++i) {
    const bool torus = random.below(2) == 0, adaptive = random.below(2) == 0;
    const auto channels = static_cast<std::int32_t>(2 + random.below(6));  // that the message can take
    const auto each = static_cast<std::int32_t>(1 + random.below(3)),
               hops = static_cast<std::int32_t>(1 + random.below(7));
    const auto packets = static_cast<std::int32_t>(1 + random.below(100));
    const double latency = std::floor(between(random, 10, 3000));
    const std::int32_t vcs = adaptive ? channels + (torus ? 1 : 0) : torus ? 2 * channels : channels;
    const auto machine = fmt::format("{}:16,bw=1GBps,lat={}ns", torus ? "torus" : "mesh", latency);
    // Into its router a node has what it needs; the credits there come after one latency.
    const auto engine =
        fmt::format("packet:vcs={},buffer={},inject=64{}", vcs, 256 * each, adaptive ? ",routing=adaptive" : "");
    CAPTURE(machine, engine, hops, packets);
    const double expected = by_hand(packets, channels * each, 256, latency, hops, adaptive);
    REQUIRE(ends(machine, 3, 3 + hops, 256 * static_cast<std::uint64_t>(packets), engine) ==
            Approx(expected).epsilon(1e-3));
    const auto made = platforms::make_machine(machine);
    netsim::Clock clock;
    const auto network = netsim::engines().make(engine, made, clock);
    const double alone = network->transfer_alone(NodeId(3), NodeId(3 + hops), 256 * std::uint64_t(packets), 1e9);
    CHECK(1e9 * alone == Approx(expected - hops * latency).epsilon(1e-3));
    CHECK(remarks(machine, engine).empty() == (channels * each * 256 >= 2 * latency + (adaptive ? 256 : 0)));
  }
}

TEST_CASE("waiting for credits is no contention where nobody else is there") {
  const auto trace = test::trace_of("0 send 1 0 262144 6\n1 recv 0 0 262144 6\n");
  netsim::ReplayOptions options;
  const auto result = test::simulate("mesh:2,bw=50GBps,lat=200ns", *trace, options, {}, "packet:vcs=2,buffer=256");
  const auto& path = result["critical_path"];
  CHECK(result["runtime_s"].get<double>() > 100e-6);
  CHECK(path["sharing_s"].get<double>() < 1e-3 * result["runtime_s"].get<double>());
  CHECK(path["bandwidth_s"].get<double>() + path["latency_s"].get<double>() ==
        Approx(result["runtime_s"].get<double>()).epsilon(1e-3));
}

TEST_CASE("buffers that are too small are told with the size that would do") {
  const std::string fast = "torus:4x4x4,bw=50GBps,lat=200ns,injection=300GBps,ejection=300GBps";
  CHECK(remarks(fast, "packet").empty());
  CHECK(remarks("mesh:8x8", "packet:buffer=256").empty());
  CHECK(remarks(fast, "fluid").empty());
  const auto found = remarks(fast, "packet:buffer=1KiB");
  REQUIRE(found.size() == 1);
  const auto at = found[0].find("buffer=");
  REQUIRE(at != std::string::npos);
  const auto size = std::stoi(found[0].substr(at + 7));
  CHECK(remarks(fast, fmt::format("packet:buffer={}", size)).empty());
  CHECK(remarks(fast, fmt::format("packet:buffer={}", size - 256)).size() == 1);
}

TEST_CASE("a node that sends along all its links at once fills them all") {
  for (const std::string machine :
       {"mesh:3,bw=1GBps,lat=1us", "torus:5x5,bw=20GBps/5GBps,lat=300ns", "torus:4x4x4,bw=1GBps,lat=100ns",
        "torus:4x4x4,bw=50GBps,lat=200ns,injection=300GBps"})
    for (const std::string engine : {"packet", "packet:routing=adaptive", "packet:packet=4KiB", "packet:inject=64"}) {
      const auto made = platforms::make_machine(machine);
      const NodeId centre(made.node_count() / 2);
      std::vector<test::Flow> flows;
      double longest = 0;
      for (const auto node : made.nodes())
        if (made.hops(centre, node) == 1) {
          flows.push_back({centre, node, 1'000'000});
          const auto path = made.path(centre, node);
          longest = std::max(longest, path.latency + 1e6 / path.bandwidth);
        }
      const auto ends = test::engine_end_times(made, flows, engine);
      CAPTURE(machine, engine);
      // With a few channels more than links packets of one way are now and then behind those of another one.
      const double tolerance = engine == "packet:inject=64" ? 0.02 : 0.15;
      CHECK(*std::max_element(ends.begin(), ends.end()) == Approx(longest).epsilon(tolerance));
    }
}

TEST_CASE("a machine of one router lets packets through, as nothing there limits them") {
  const auto machine = platforms::make_machine("mesh:1,cores=2");
  const auto trace = workloads::open_trace("stencil:grid=2,steps=2");
  const netsim::Mapping both{NodeId(0), NodeId(0)};
  const netsim::ReplayOptions options;
  const auto by = [&](std::string_view engine) {
    return netsim::run({machine, *trace, both, options, engine}).runtime;
  };
  CHECK(by("packet") == Approx(by("fluid")));
  CHECK(by("packet") > 0);  // messages within a node take the loopback's time
}
