#include "tests/netsim/flit_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "netsim/network.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::test {
namespace {

/// Sends all messages at once, those of a node one after another, and hears when the last one arrives.
class AllAtOnce final : public netsim::FlowClient, netsim::TimerClient {
 public:
  AllAtOnce(netsim::Network& network, const std::vector<FlitMessage>& messages, std::int32_t packet)
      : network_(network), messages_(messages), packet_(packet) {
    for (std::uint32_t i = 0; i < messages.size(); ++i) network.clock().start_timer(netsim::Time(0.0), *this, i);
  }
  void timer_ended(std::uint32_t i) override {
    const auto& [from, to, packets] = messages_[i];
    network_.start_flow(platforms::NodeId(from), platforms::NodeId(to), static_cast<std::uint64_t>(packets * packet_),
                        *this, i, netsim::Order::node);
  }
  void flow_ended(std::uint32_t, const netsim::FlowEnd&) override { last_ = network_.clock().now().seconds(); }
  double last() const { return last_; }

 private:
  netsim::Network& network_;
  const std::vector<FlitMessage>& messages_;
  std::int32_t packet_;
  double last_ = 0;
};

}  // namespace

std::int32_t nodes(const FlitNetwork& network) {
  std::int32_t count = 1;
  for (std::int32_t d = 0; d < network.n; ++d) count *= network.k;
  return count;
}

FlitNetwork random_flit_network(core::Random& random, std::int32_t k, std::int32_t n, FlitKind kind) {
  const bool wraps = kind == FlitKind::torus || kind == FlitKind::adaptive_torus;
  const auto power = [&](std::uint64_t least, std::uint64_t count) {
    return static_cast<std::int32_t>(std::uint64_t{1} << (least + random.below(count)));
  };
  FlitNetwork network{.k = k,
                      .n = n,
                      .wraps = wraps,
                      .adaptive = kind == FlitKind::adaptive_mesh || kind == FlitKind::adaptive_torus,
                      .channels = power(1, 3),
                      .packet = power(3, 3)};
  network.buffer = network.packet * power(0, 2);
  network.hop = wraps ? 4 : 3;
  if (network.adaptive && wraps) network.channels = std::max(network.channels, 3);
  // Where packets hold links a crossbar of one round of iSLIP leaves links idle that the engine's uses.
  if (network.adaptive) network.speedup = network.channels;
  return network;
}

std::vector<FlitMessage> random_permutation(core::Random& random, std::int32_t nodes, std::int32_t packets) {
  std::vector<std::int32_t> to;
  for (std::int32_t node = 0; node < nodes; ++node) to.push_back(node);
  random.shuffle(to);
  std::vector<FlitMessage> messages;
  for (std::int32_t node = 0; node < nodes; ++node)
    if (const auto other = to[static_cast<std::size_t>(node)]; other != node)
      messages.push_back({node, other, packets});
  return messages;
}

std::vector<FlitMessage> uniform_traffic(core::Random& random, std::int32_t nodes, std::int32_t packets) {
  std::vector<FlitMessage> messages;
  for (std::int32_t node = 0; node < nodes; ++node)
    for (std::int32_t i = 0; i < packets; ++i) {
      const auto step = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint64_t>(nodes) - 1));
      messages.push_back({node, (node + step) % nodes, 1});
    }
  return messages;
}

double cycles_by_flits(const FlitNetwork& network, const std::vector<FlitMessage>& messages, core::Random& random) {
  const int times = network.wraps && network.k % 2 == 0 ? 3 : 1;
  double sum = 0;
  for (int i = 0; i < times; ++i) sum += static_cast<double>(last_flit_arrives(network, messages, random));
  return sum / times;
}

std::string packet_engine_of(const FlitNetwork& network) {
  return fmt::format("packet:packet={},vcs={},buffer={},crossbar={},ties=split{}{}", network.packet, network.channels,
                     network.buffer, network.speedup, network.adaptive ? ",routing=adaptive" : "",
                     network.oldest_first ? ",arbitration=age" : "");
}

double cycles_by(const std::string& engine, const FlitNetwork& network, const std::vector<FlitMessage>& messages) {
  std::string shape = std::to_string(network.k);
  for (std::int32_t d = 1; d < network.n; ++d) shape += "x" + std::to_string(network.k);
  const auto machine = platforms::make_machine(
      fmt::format("{}:{},bw=1GBps,injection=1GBps,ejection=1GBps,base=5ns,lat={}ns",  // 5 cycles at the nodes
                  network.wraps ? "torus" : "mesh", shape, network.hop));
  netsim::Clock clock;
  const netsim::EngineChoice choice(engine);
  const auto made = choice.thing()(machine, clock, choice.arguments());
  const AllAtOnce sent(*made, messages, network.packet);
  clock.run();
  return 1e9 * sent.last();
}

}  // namespace toroid::test
