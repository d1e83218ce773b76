// How fast the packet engine is, and what it holds: hops of packets per second and memory per router, over machine
// size. Every node always has a message under way: to a random node, so that buffers are full, or always to the one
// opposite, which is less of a tangle.

#include <malloc.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "netsim/network.hpp"

using namespace toroid;
using platforms::NodeId;

namespace {

constexpr std::uint64_t message_bytes = 16384, packet_bytes = 256;

/// Every node sends a message whenever its last one has arrived, until a number of packet hops, and until there were
/// two messages for each node: on large machines that is more.
class ClosedLoop final : public netsim::FlowClient {
 public:
  ClosedLoop(netsim::Network& network, bool opposite, std::uint64_t hops)
      : network_(network), opposite_(opposite), least_(hops) {
    for (const NodeId node : network.machine().compute_nodes()) send(node);
  }
  void flow_ended(std::uint32_t node, const netsim::FlowEnd&) override { send(NodeId(node)); }
  std::uint64_t hops() const { return hops_; }

 private:
  void send(NodeId from) {
    const auto nodes = network_.machine().compute_nodes();
    const auto to =
        opposite_ ? nodes[nodes.size() - 1 - from.index() % nodes.size()] : nodes[random_.below(nodes.size())];
    const auto hops = static_cast<std::uint64_t>(network_.machine().hops(from, to)) * (message_bytes / packet_bytes);
    if (hops_ > least_ && messages_ >= 2 * nodes.size()) return;
    hops_ += hops;
    ++messages_;
    network_.start_flow(from, to, message_bytes, *this, static_cast<std::uint32_t>(from.value()));
  }

  netsim::Network& network_;
  bool opposite_;
  std::uint64_t least_, hops_ = 0, messages_ = 0;
  core::Random random_{1, "packet_speed"};
};

/// Memory that was asked for and not given back, in bytes.
double allocated() {
  const auto memory = ::mallinfo2();
  return static_cast<double>(memory.uordblks + memory.hblkhd);
}

void add_row(core::Table& table, const std::string& spec, const std::string& engine, bool opposite,
             double million_hops) {
  const auto machine = platforms::make_machine(spec);
  const double before = allocated();
  netsim::Clock clock;
  const auto network = netsim::engines().make(engine, machine, clock);
  const double made = allocated();
  const double start = bench::cpu_seconds();
  ClosedLoop loop(*network, opposite, static_cast<std::uint64_t>(1e6 * million_hops));
  clock.run();
  const double seconds = bench::cpu_seconds() - start;
  const auto routers = static_cast<double>(machine.compute_nodes().size());
  table.add({spec, engine, fmt::format("{:.1f}", static_cast<double>(loop.hops()) / 1e6),
             fmt::format("{:.2f}", seconds), fmt::format("{:.1f}", static_cast<double>(loop.hops()) / seconds / 1e6),
             fmt::format("{:.0f}", (made - before) / routers),
             fmt::format("{:.0f}", (allocated() - before) / routers)});
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Speed and memory of the packet engine");
  std::vector<std::string> specs{"torus:8x8", "torus:16x16x16", "torus:32x32x32"};
  std::vector<std::string> engines{"packet", "packet:routing=adaptive"};
  double million_hops = 20;
  bool opposite = false;
  app.add_option("MACHINE", specs)->capture_default_str();
  app.add_option("--engine", engines)->capture_default_str();
  app.add_option("--million-hops", million_hops, "of packets, on each machine, at least")->capture_default_str();
  app.add_flag("--opposite", opposite, "each node sends to the one with its number counted from the last node on");
  CLI11_PARSE(app, argc, argv);

  core::Table table(
      {"machine", "engine", "million hops", "CPU s", "million/s", "B/router, empty", "B/router, at the end"});
  for (const auto& spec : specs)
    for (const auto& engine : engines) add_row(table, spec, engine, opposite, million_hops);
  fmt::print("{}", table.text());
}
