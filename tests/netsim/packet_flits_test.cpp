// The packet engine beside two flit-level simulators: ours (flits.hpp) on random traffic, and
// BookSim2 where its times are at hand.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>

#include "tests/netsim/flit_cases.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::FlitKind;
using test::FlitMessage;
using test::FlitNetwork;

namespace {

double cycles_by_packets(const FlitNetwork& network, const std::vector<FlitMessage>& messages) {
  return test::cycles_by(test::packet_engine_of(network), network, messages);
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

const std::vector<FlitKind> dimension_order{FlitKind::mesh, FlitKind::torus}, adaptive{FlitKind::adaptive_mesh},
    adaptive_torus{FlitKind::adaptive_torus};

/// The mean of several draws of whose turn it is at first in the routers of flits: of no meaning, but with few channels
/// it may decide who waits for whom for ever after.
double mean_cycles_by_flits(FlitNetwork network, const std::vector<FlitMessage>& messages, core::Random& random,
                            core::Random& turns, int draws) {
  double sum = test::cycles_by_flits(network, messages, random);
  network.draws_turns = true;
  for (int i = 1; i < draws; ++i) sum += static_cast<double>(test::last_flit_arrives(network, messages, turns));
  return sum / draws;
}

/// The network seen in a mirror along some of its dimensions, where packets have the same ways, and other numbers.
std::vector<FlitMessage> mirrored(const FlitNetwork& network, std::vector<FlitMessage> messages, core::Random& random) {
  std::vector<std::int32_t> mirror(static_cast<std::size_t>(nodes(network)));
  std::iota(mirror.begin(), mirror.end(), 0);
  for (std::int32_t d = 0, stride = 1; d < network.n; ++d, stride *= network.k) {
    if (random.below(2) == 0) continue;
    for (auto& node : mirror) node += (network.k - 1 - 2 * (node / stride % network.k)) * stride;
  }
  for (auto& message : messages) {
    message.from = mirror[static_cast<std::size_t>(message.from)];
    message.to = mirror[static_cast<std::size_t>(message.to)];
  }
  return messages;
}

/// Those of the seeds from `first` on, the routers with a speed-up of their own if one is given. The engine has no
/// turns to draw, but what comes first by the numbers of nodes and links changes in a mirror: the mean of several,
/// beside the mean of flits. `single` gets the errors of the first of them.
Errors errors_beside_flits(std::uint64_t first, std::uint64_t seeds, std::int32_t packets, int draws,
                           const std::vector<FlitKind>& kinds, std::optional<std::int32_t> speedup = {},
                           Errors* single = nullptr) {
  Errors errors;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    core::Random random(seed, "packet/flits"), turns(seed, "packet/flits/turns"), mirrors(seed, "packet/flits/mirrors");
    for (const auto& [k, n] : {std::pair{8, 2}, {6, 2}, {5, 2}, {4, 3}})
      for (const auto kind : kinds)
        for (const bool uniform : {false, true}) {
          auto network = test::random_flit_network(random, k, n, kind);
          network.speedup = speedup.value_or(network.speedup);
          const auto messages = uniform ? test::uniform_traffic(random, nodes(network), packets)
                                        : test::random_permutation(random, nodes(network), packets);
          const double cycles = mean_cycles_by_flits(network, messages, random, turns, draws);
          const auto of =
              fmt::format("seed {}, {} {}^{}, {} traffic, {} channels of {} flits, packets of {}", seed,
                          std::string(network.adaptive ? "adaptive " : "") + (network.wraps ? "torus" : "mesh"), k, n,
                          uniform ? "uniform" : "permuted", network.channels, network.buffer, network.packet);
          double found = cycles_by_packets(network, messages);
          if (single != nullptr) single->add(found, cycles, of);
          for (int i = 1; i < draws; ++i) found += cycles_by_packets(network, mirrored(network, messages, mirrors));
          errors.add(found / draws, cycles, of);
        }
  }
  return errors;
}

}  // namespace

TEST_CASE("packets arrive when flits do, on random traffic through random routers", "[slow]") {
  const auto seeds = test::is_sanitized ? 1U : 2U;
  for (const auto& kinds : {dimension_order, adaptive}) {
    const auto errors = errors_beside_flits(1, seeds, 64, 1, kinds);
    CAPTURE(errors.worst_case);
    CHECK(errors.worst() < 0.20);
    CHECK(errors.mean() < 0.06);
  }
}

/// The errors of permutations on tori of two dimensions, with routers of eight channels of a packet.
Errors errors_of_permutations(const std::vector<std::pair<std::string, std::int32_t>>& patterns, std::int32_t speedup,
                              std::int32_t packets, int draws) {
  Errors errors;
  core::Random random(1, "packet/permutations"), turns(1, "packet/permutations/turns");
  for (const auto& [pattern, k] : patterns) {
    const FlitNetwork network{.k = k, .n = 2, .wraps = true, .speedup = speedup};
    std::vector<FlitMessage> messages;
    for (std::int32_t node = 0; node < nodes(network); ++node) {
      const auto to = pattern == "transpose" ? node / k + k * (node % k) : test::permuted(pattern, node, k, 2);
      if (to != node) messages.push_back({node, to, packets});
    }
    errors.add(cycles_by_packets(network, messages), mean_cycles_by_flits(network, messages, random, turns, draws),
               fmt::format("{} on {}^2, {} channels of an input at once", pattern, k, speedup));
  }
  return errors;
}

TEST_CASE("permutations on tori end when flits do", "[slow]") {
  std::vector<std::pair<std::string, std::int32_t>> patterns{
      {"tornado", 7}, {"tornado", 8}, {"bitcomp", 8}, {"transpose", 8}};
  if (!test::is_sanitized) patterns.emplace_back("tornado", 16);  // where passing packets wait for those of nodes
  const auto errors = errors_of_permutations(patterns, 8, 64, 2);
  CAPTURE(errors.worst_case);
  CHECK(errors.worst() < 0.07);
  CHECK(errors.mean() < 0.035);
}

TEST_CASE("packets that go any shortest way on tori arrive when flits do", "[slow]") {
  const auto errors = errors_beside_flits(1, test::is_sanitized ? 1U : 2U, 64, 1, adaptive_torus);
  CAPTURE(errors.worst_case);
  CHECK(errors.worst() < 0.20);
  CHECK(errors.mean() < 0.06);
}

/// Each node sends a packet to each other one, to the next first, and all that again and again.
std::vector<FlitMessage> all_to_all(std::int32_t nodes, int rounds) {
  std::vector<FlitMessage> messages;
  for (std::int32_t node = 0; node < nodes; ++node)
    for (int round = 0; round < rounds; ++round)
      for (std::int32_t step = 1; step < nodes; ++step) messages.push_back({node, (node + step) % nodes, 1});
  return messages;
}

TEST_CASE(
    "adaptive routes collapse on long links with short buffers, of flits as of packets, unless the oldest goes first",
    "[slow]") {
  FlitNetwork network{.k = 6, .n = 2, .buffer = 16, .packet = 16, .hop = 62, .speedup = 8};
  const auto messages = all_to_all(nodes(network), 8);
  core::Random random(1, "packet/flits");
  const auto flits = [&] { return static_cast<double>(test::last_flit_arrives(network, messages, random)); };
  const double in_order = flits(), packets_in_order = cycles_by_packets(network, messages);
  network.adaptive = true;
  CHECK(flits() > 1.5 * in_order);
  CHECK(cycles_by_packets(network, messages) > 1.5 * packets_in_order);
  network.oldest_first = true;
  CHECK(flits() < 1.1 * in_order);
  CHECK(cycles_by_packets(network, messages) < 1.1 * packets_in_order);
}

TEST_CASE("packets arrive when flits do where the crossbar takes one flit of an input at a time", "[slow]") {
  const auto errors = errors_beside_flits(1, 1, 64, 1, dimension_order, 1);
  CAPTURE(errors.worst_case);
  CHECK(errors.worst() < 0.20);
  CHECK(errors.mean() < 0.06);
}

TEST_CASE("the same many times", "[.flits]") {
  const auto tell = [](const Errors& errors, const std::string& which) {
    WARN(fmt::format("{} cases {}: mean error {:.1f} %, {} of them beyond 10 % and {} beyond 15 %, worst {:.1f} %: {}",
                     errors.all.size(), which, 100 * errors.mean(), errors.beyond(0.10), errors.beyond(0.15),
                     100 * errors.worst(), errors.worst_case));
  };
  const auto measured = [&](const std::vector<FlitKind>& kinds, const std::string& which,
                            std::optional<std::int32_t> speedup = {}, int draws = 3) {
    Errors single;
    const auto errors = errors_beside_flits(1000, 25, 128, draws, kinds, speedup, &single);
    tell(errors, which);
    tell(single, which + ", single runs of packets");
    return errors;
  };
  const auto on_tori = measured(adaptive_torus, "adaptive on tori", {}, 12);  // where chance decides more
  CHECK(on_tori.mean() < 0.04);
  CHECK(on_tori.worst() < 0.20);
  for (const auto& kinds : {dimension_order, adaptive}) {
    const auto errors = measured(kinds, kinds == adaptive ? "adaptive on meshes" : "in dimension order");
    CHECK(errors.beyond(0.15) <= 8);
    CHECK(errors.worst() < 0.25);
    CHECK(errors.mean() < 0.045);
  }
  std::vector<std::pair<std::string, std::int32_t>> patterns{{"tornado", 7}, {"transpose", 7}};
  for (const auto* pattern : {"tornado", "bitrev", "transpose", "shuffle", "bitcomp"})
    for (const std::int32_t k : {8, 16}) patterns.emplace_back(pattern, k);
  for (const std::int32_t speedup : {2, 8}) {
    const auto of_patterns = errors_of_permutations(patterns, speedup, 128, 3);
    tell(of_patterns, fmt::format("of permutations on tori, with {} channels of an input at once", speedup));
    CHECK(of_patterns.mean() < 0.025);
    CHECK(of_patterns.worst() < 0.06);
  }
  const auto errors = measured(dimension_order, "with one flit of an input at a time", 1);
  CHECK(errors.mean() < 0.06);
  CHECK(errors.worst() < 0.35);
}

// What packets cannot know, in the smallest cases that were left of random ones when messages were taken away. A node
// is its place on a network of 5x5.
FlitMessage message(std::int32_t from_x, std::int32_t from_y, std::int32_t to_x, std::int32_t to_y) {
  return {from_x + 5 * from_y, to_x + 5 * to_y, 128};
}

TEST_CASE("packets hold a link that flits share by turns") {
  // The first two share the only channel of a link; then the first shares a link with the third, and the second is at
  // its goal. By turns, the first takes 32 cycles for its 16 flits, and the second comes out in 16 more: 128 packets of
  // the third take 48 cycles for two, 3,072 in all, and 64 of each of the others take 32 cycles for two afterwards. As
  // packets, the third has the link while the second comes out: 32 cycles for one of each.
  const FlitNetwork network{.k = 5, .n = 2, .wraps = true, .channels = 2, .buffer = 16, .packet = 16, .hop = 4};
  const std::vector messages{message(1, 2, 4, 4), message(3, 2, 4, 3), message(1, 3, 4, 0)};
  core::Random random(1, "packet/flits");
  CHECK(static_cast<double>(test::last_flit_arrives(network, messages, random)) ==
        Approx(3072 + 64 * 32).epsilon(0.01));
  CHECK(cycles_by_packets(network, messages) == Approx(128 * 32).epsilon(0.01));
}

TEST_CASE("a cycle of a credit decides where a buffer holds just what is under way") {
  // The first shares its second link with the last, which shares the one before with the second: of two messages each,
  // with one channel, so that 2,048 cycles would do. In a loop of 4 cycles to and 4 fro a link carries the 8 flits of
  // the channel; the credits of flits come back a cycle earlier.
  const std::vector messages{message(1, 3, 1, 1), message(2, 3, 0, 2), message(3, 3, 1, 2)};
  core::Random random(1, "packet/flits");
  FlitNetwork network{.k = 5, .n = 2, .wraps = true, .channels = 2, .buffer = 8, .packet = 8, .hop = 4};
  CHECK(static_cast<double>(test::last_flit_arrives(network, messages, random)) == Approx(2048).epsilon(0.02));
  CHECK(cycles_by_packets(network, messages) > 1.2 * 2048);
  network.hop = 3;
  CHECK(static_cast<double>(test::last_flit_arrives(network, messages, random)) == Approx(2048).epsilon(0.02));
  CHECK(cycles_by_packets(network, messages) == Approx(2048).epsilon(0.02));
}

TEST_CASE("with few channels it may decide about everything whose turn it is at first") {
  // Each of the links is of two messages, so that 2,048 cycles would do.
  FlitNetwork network{.k = 5, .n = 2, .channels = 2, .buffer = 16, .packet = 8, .hop = 3};
  const std::vector messages{message(0, 1, 2, 2), message(1, 1, 3, 3), message(2, 1, 2, 4), message(2, 2, 2, 3)};
  core::Random random(1, "packet/flits");
  std::vector<std::int64_t> all{test::last_flit_arrives(network, messages, random)};
  network.draws_turns = true;
  for (int i = 0; i < 12; ++i) all.push_back(test::last_flit_arrives(network, messages, random));
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  CHECK(*least >= 2048);
  CHECK(static_cast<double>(*most) > 1.2 * static_cast<double>(*least));
  const double by_packets = cycles_by_packets(network, messages);
  CHECK((by_packets >= 2048 && by_packets < static_cast<double>(*most)));
}

TEST_CASE("a packet alone takes its hops, and its flits once") {
  core::Random random(1, "packet/flits");
  const FlitNetwork network{.k = 8, .n = 2};
  CHECK(test::last_flit_arrives(network, {{0, 7, 1}}, random) == 5 + 7 * network.hop + network.packet);
  CHECK(test::last_flit_arrives(network, {{0, 63, 100}}, random) == 5 + 14 * network.hop + 100 * network.packet);
}

TEST_CASE("permutations end when BookSim says, by packets and by our flits", "[slow]") {
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
    by_packets.add(cycles_by_packets(network, messages), cycles, line);
    by_flits.add(static_cast<double>(test::last_flit_arrives(network, messages, random)), cycles, line);
  }
  REQUIRE(by_packets.all.size() == 24);
  CAPTURE(by_packets.worst_case);
  CHECK(by_packets.worst() < 0.11);
  CHECK(by_packets.mean() < 0.03);
  CAPTURE(by_flits.worst_case);
  CHECK(by_flits.mean() < 0.03);
}
