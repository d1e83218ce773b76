// Packets never wait for each other in a circle: random traffic, always as much as the nodes can send, on every kind of
// machine, with as few channels as the engine takes and buffers of one packet. If it came to a stop nothing would
// happen any more, with messages under way.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "core/random.hpp"
#include "netsim/network.hpp"

using namespace toroid;
using platforms::NodeId;

namespace {

constexpr std::uint64_t packet_bytes = 64;

struct FabricOptions {
  const char *machine, *engine;
};

/// A channel, or one for each of the two classes of a ring; adaptive packets have one more. A bubble needs room for two
/// packets on a ring.
constexpr FabricOptions kinds[] = {
    {"mesh:6x6", "vcs=1"},
    {"mesh:6x6", "vcs=2,routing=adaptive"},
    {"mesh:3x3x3,nodes-per-router=2,ejection=1GBps", "vcs=1,inject=1"},
    {"mesh:3x3x3,nodes-per-router=2,injection=1GBps", "vcs=2,routing=adaptive,inject=1"},
    {"mesh:3x3x3,nodes-per-router=2,injection=1GBps,ejection=1GBps", "vcs=2,routing=adaptive,crossbar=1"},
    {"mesh:5x5,bw=1GBps/3GBps,fail-link=6-7,fail-router=17", "vcs=1"},
    {"mesh:5x5,bw=1GBps/3GBps,fail-link=6-7,fail-router=17", "vcs=2,routing=adaptive"},
    {"torus:8", "vcs=2"},
    {"torus:8x4", "vcs=2,arbitration=age"},
    {"torus:8x4", "vcs=2,rings=bubble"},
    {"torus:8x4,ejection=1GBps", "vcs=2,crossbar=1"},
    {"torus:8x4", "vcs=3,routing=adaptive"},
    {"torus:4x4x4", "vcs=2,ties=split"},
    {"torus:4x4x4", "vcs=3,routing=adaptive,arbitration=age"},
    {"torus:4x4x4", "vcs=2,routing=adaptive,rings=bubble,buffer=128"},
    {"torus:4x4x4", "vcs=3,routing=adaptive,ties=split"},
    {"torus:8x4", "vcs=2,routing=adaptive,ties=split,rings=bubble,buffer=128"},
    {"torus:8x4x2", "vcs=2,routing=longest-first,ties=split,rings=bubble,buffer=128"},
    {"torus:4x8", "vcs=3,routing=longest-first"},
    {"torus:4x8,fail-link=(0-1 9-10 20-24)", "vcs=2,routing=longest-first,rings=bubble,ties=split,buffer=128"},
    {"torus:3x3,nodes-per-router=33", "vcs=3,routing=adaptive"},
    {"torus:4x4,links=3", "vcs=2"},
    {"torus:4x4,links=3", "vcs=3,routing=adaptive"},
    {"torus:4x4,links=3,injection=1GBps", "vcs=3,routing=adaptive,crossbar=1"},
    {"torus:5x5,fail-link=6-7,fail-node=18", "vcs=2"},
    {"torus:5x5,fail-link=6-7,fail-router=18", "vcs=3,routing=adaptive"},
    {"torus:4x4x4,fail-link=(0-1 21-22 5>6),fail-router=42", "vcs=3,routing=adaptive,ties=split"},
    {"torus:4x4x4,fail-link=(0-1 21-22),fail-router=42", "vcs=2,ties=split"},
    {"torus:4x4x4,fail-link=(0-1 21-22),fail-router=42", "vcs=1,rings=bubble,buffer=128"},
    {"torus:8x4,fail-link=(0-1 9-10 20-28)", "vcs=2,routing=adaptive,rings=bubble,ties=split,buffer=128"},
    {"torus:8x4,fail-link=(0-1 9-10 20-28)", "vcs=2,routing=adaptive,rings=bubble,buffer=128,crossbar=1"},
    {"ring:9", "vcs=2"},
    {"ring:5x5", "vcs=2"},
    {"ring:5x5", "vcs=2,rings=bubble"},
    {"ring:5x5", "vcs=3,routing=adaptive"},
};

/// Each node always has four messages of up to eight packets on their way to random other nodes, until so many packets
/// are sent.
class EndlessTraffic final : public netsim::FlowClient {
 public:
  EndlessTraffic(const FabricOptions& kind, std::uint64_t packets)
      : machine_(platforms::make_machine(kind.machine)),
        network_(
            netsim::engines().make(fmt::format("packet:packet={},{}", packet_bytes, kind.engine), machine_, clock_)),
        left_(packets) {
    for (int i = 0; i < 4; ++i)
      for (const NodeId node : machine_.compute_nodes()) send(node);
  }

  void flow_ended(std::uint32_t node, const netsim::FlowEnd&) override {
    ++arrived_;
    send(NodeId(node));
  }

  /// How many messages have not arrived when nothing happens any more.
  std::uint64_t stuck() {
    clock_.run();
    return sent_ - arrived_;
  }
  std::uint64_t left() const { return left_; }

 private:
  void send(NodeId from) {
    if (left_ == 0) return;
    const auto nodes = machine_.compute_nodes();
    auto to = nodes[random_.below(nodes.size() - 1)];
    if (to == from) to = nodes.back();
    const auto bytes = random_.below(8 * packet_bytes + 1);
    left_ -= std::min(left_, std::max<std::uint64_t>(1, (bytes + packet_bytes - 1) / packet_bytes));
    ++sent_;
    network_->start_flow(from, to, bytes, *this, static_cast<std::uint32_t>(from.value()), netsim::Order::shared);
  }

  platforms::Machine machine_;
  netsim::Clock clock_;
  std::unique_ptr<netsim::Network> network_;
  std::uint64_t left_, sent_ = 0, arrived_ = 0;
  core::Random random_{82, "packet/blocking"};
};

void check_all(std::uint64_t packets) {
  for (const auto& kind : kinds) {
    CAPTURE(kind.machine, kind.engine);
    EndlessTraffic traffic(kind, packets);
    CHECK(traffic.stuck() == 0);
    CHECK(traffic.left() == 0);
  }
}

}  // namespace

TEST_CASE("thousands of packets with buffers of one packet do not block each other, on any kind of machine") {
  check_all(10'000);
}

/// Run it by its tag; a few minutes.
TEST_CASE("a million packets neither", "[.million]") {
  check_all(1'000'000);
}
