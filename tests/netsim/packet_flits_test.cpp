// The packet engine beside two flit-level simulators: ours (flits.hpp) on random traffic, and
// BookSim2 where its times are at hand.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>

#include "tests/netsim/flits.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::FlitMessage;
using test::FlitNetwork;

namespace {

/// When the last packet has come to its node: a flit is a byte, and a cycle a nanosecond.
double last_packet_arrives(const FlitNetwork& network, const std::vector<FlitMessage>& messages) {
  std::string shape = std::to_string(network.k);
  for (std::int32_t d = 1; d < network.n; ++d) shape += "x" + std::to_string(network.k);
  const auto machine = platforms::make_machine(
      fmt::format("{}:{},bw=1GBps,injection=1GBps,ejection=1GBps,base=5ns,lat={}ns",  // 5 cycles at the nodes
                  network.wraps ? "torus" : "mesh", shape, network.hop));
  std::vector<test::Flow> flows;
  for (const auto& [from, to, packets] : messages)
    flows.push_back({platforms::NodeId(from), platforms::NodeId(to),
                     static_cast<std::uint64_t>(packets) * static_cast<std::uint64_t>(network.packet)});
  const auto engine =
      fmt::format("packet:packet={},vcs={},buffer={},crossbar={},{}", network.packet, network.channels, network.buffer,
                  network.speedup, network.adaptive ? "routing=adaptive" : "ties=split");
  const auto ends = test::engine_end_times(machine, flows, engine, netsim::Order::node);
  return *std::max_element(ends.begin(), ends.end()) * 1e9;
}

/// How far times are from what is expected, as parts of that.
struct Errors {
  std::vector<double> all;
  std::string worst_case;
  void add(double found, double expected, const std::string& of) {
    const double error = std::abs(found / expected - 1);
    if (error > worst()) worst_case = fmt::format("{}: found {:.0f}, expected {:.0f}", of, found, expected);
    all.push_back(error);
  }
  double worst() const { return all.empty() ? 0 : *std::max_element(all.begin(), all.end()); }
  double mean() const { return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()); }
  std::ptrdiff_t beyond(double error) const {
    return std::count_if(all.begin(), all.end(), [&](double other) { return other > error; });
  }
};

std::int32_t nodes(const FlitNetwork& network) {
  std::int32_t count = 1;
  for (std::int32_t d = 0; d < network.n; ++d) count *= network.k;
  return count;
}

enum class Kind : std::uint8_t { mesh, torus, adaptive_mesh };
const std::vector<Kind> dimension_order{Kind::mesh, Kind::torus}, adaptive{Kind::adaptive_mesh};

/// Routers of some size, their buffers of one packet or two.
FlitNetwork random_network(core::Random& random, std::int32_t k, std::int32_t n, Kind kind) {
  const bool wraps = kind == Kind::torus;
  const auto power = [&](std::uint64_t least, std::uint64_t count) {
    return static_cast<std::int32_t>(std::uint64_t{1} << (least + random.below(count)));
  };
  FlitNetwork network{.k = k,
                      .n = n,
                      .wraps = wraps,
                      .adaptive = kind == Kind::adaptive_mesh,
                      .channels = power(1, 3),
                      .packet = power(3, 3)};
  network.buffer = network.packet * power(0, 2);
  network.hop = wraps ? 4 : 3;
  // Where packets hold links a crossbar of one round of iSLIP leaves links idle that the engine's uses.
  if (network.adaptive) network.speedup = network.channels;
  return network;
}

/// Each node sends to another one, and to each one other.
std::vector<FlitMessage> random_permutation(core::Random& random, std::int32_t count, std::int32_t packets) {
  std::vector<std::int32_t> to(static_cast<std::size_t>(count));
  for (std::int32_t node = 0; node < count; ++node) to[static_cast<std::size_t>(node)] = node;
  random.shuffle(to);
  std::vector<FlitMessage> messages;
  for (std::int32_t node = 0; node < count; ++node)
    if (to[static_cast<std::size_t>(node)] != node)
      messages.push_back({node, to[static_cast<std::size_t>(node)], packets});
  return messages;
}

/// Each node sends packets to random others.
std::vector<FlitMessage> uniform_traffic(core::Random& random, std::int32_t count, std::int32_t packets) {
  std::vector<FlitMessage> messages;
  for (std::int32_t node = 0; node < count; ++node)
    for (std::int32_t i = 0; i < packets; ++i) {
      const auto step = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint64_t>(count) - 1));
      messages.push_back({node, (node + step) % count, 1});
    }
  return messages;
}

/// Those of the seeds from `first` on, the routers with a speed-up of their own if one is given. Flits of packets that
/// may go either way round a ring choose by chance: three times.
Errors errors_beside_flits(std::uint64_t first, std::uint64_t seeds, std::int32_t packets,
                           const std::vector<Kind>& kinds, std::optional<std::int32_t> speedup = {}) {
  Errors errors;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    core::Random random(seed, "packet/flits");
    for (const auto& [k, n] : {std::pair{8, 2}, {6, 2}, {5, 2}, {4, 3}})
      for (const auto kind : kinds)
        for (const bool uniform : {false, true}) {
          auto network = random_network(random, k, n, kind);
          network.speedup = speedup.value_or(network.speedup);
          const auto messages = uniform ? uniform_traffic(random, nodes(network), packets)
                                        : random_permutation(random, nodes(network), packets);
          double cycles = 0;
          const int times = network.wraps && k % 2 == 0 ? 3 : 1;
          for (int i = 0; i < times; ++i)
            cycles += static_cast<double>(test::last_flit_arrives(network, messages, random)) / times;
          errors.add(
              last_packet_arrives(network, messages), cycles,
              fmt::format("seed {}, {} {}^{}, {} traffic, {} channels of {} flits, packets of {}", seed,
                          network.wraps      ? "torus"
                          : network.adaptive ? "adaptive mesh"
                                             : "mesh",
                          k, n, uniform ? "uniform" : "permuted", network.channels, network.buffer, network.packet));
        }
  }
  return errors;
}

}  // namespace

TEST_CASE("packets arrive when flits do, on random traffic through random routers") {
  const auto seeds = test::is_sanitized ? 1U : 2U;
  for (const auto& kinds : {dimension_order, adaptive}) {
    const auto errors = errors_beside_flits(1, seeds, 64, kinds);
    CAPTURE(errors.worst_case);
    CHECK(errors.worst() < 0.20);
    CHECK(errors.mean() < 0.06);
  }
}

TEST_CASE("packets arrive when flits do where the crossbar takes one flit of an input at a time") {
  const auto errors = errors_beside_flits(1, 1, 64, dimension_order, 1);
  CAPTURE(errors.worst_case);
  CHECK(errors.worst() < 0.20);
  CHECK(errors.mean() < 0.06);
}

TEST_CASE("the same many times", "[.flits]") {
  for (const auto& kinds : {dimension_order, adaptive}) {
    const auto errors = errors_beside_flits(1000, 25, 128, kinds);
    WARN(fmt::format("{} cases {}: mean error {:.1f} %, {} of them beyond 10 % and {} beyond 15 %, worst {:.1f} %: {}",
                     errors.all.size(), kinds == adaptive ? "adaptive" : "in dimension order", 100 * errors.mean(),
                     errors.beyond(0.10), errors.beyond(0.15), 100 * errors.worst(), errors.worst_case));
    CHECK(errors.beyond(0.15) <= std::ptrdiff_t{kinds == adaptive ? 16 : 8});
    CHECK(errors.mean() < 0.06);
  }
  const auto errors = errors_beside_flits(1000, 25, 128, dimension_order, 1);
  WARN(
      fmt::format("{} cases with one flit of an input at a time: mean error {:.1f} %, {} of them beyond 10 % and {} "
                  "beyond 15 %, worst {:.1f} %: {}",
                  errors.all.size(), 100 * errors.mean(), errors.beyond(0.10), errors.beyond(0.15),
                  100 * errors.worst(), errors.worst_case));
  CHECK(errors.mean() < 0.08);
}

TEST_CASE("a packet alone takes its hops, and its flits once") {
  core::Random random(1, "packet/flits");
  const FlitNetwork network{.k = 8, .n = 2};
  CHECK(test::last_flit_arrives(network, {{0, 7, 1}}, random) == 5 + 7 * network.hop + network.packet);
  CHECK(test::last_flit_arrives(network, {{0, 63, 100}}, random) == 5 + 14 * network.hop + 100 * network.packet);
}

TEST_CASE("permutations end when BookSim says, by packets and by our flits") {
  const auto path = test::shared_data("fidelity/booksim.csv");
  if (path.empty()) return;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  Errors by_packets, by_flits;
  core::Random random(1, "packet/booksim");
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::string topology, pattern;
    FlitNetwork network;
    std::int32_t packets = 0;
    double cycles = 0;
    fields >> topology >> network.k >> network.n >> pattern >> network.packet >> packets >> cycles;
    network.wraps = topology == "torus";
    // As in the cases of one hop in each dimension, which have no contention.
    network.hop = network.wraps ? 4 : 3;
    std::vector<FlitMessage> messages;
    for (std::int32_t node = 0; node < nodes(network); ++node)
      if (const auto to = test::permuted(pattern, node, network.k, network.n); to != node)
        messages.push_back({node, to, packets});
    by_packets.add(last_packet_arrives(network, messages), cycles, line);
    by_flits.add(static_cast<double>(test::last_flit_arrives(network, messages, random)), cycles, line);
  }
  REQUIRE(by_packets.all.size() == 24);
  CAPTURE(by_packets.worst_case);
  CHECK(by_packets.worst() < 0.11);
  CHECK(by_packets.mean() < 0.03);
  CAPTURE(by_flits.worst_case);
  CHECK(by_flits.mean() < 0.03);
}
