// The speed of engines where messages alone are simulated: of fluid beside SimGrid, and where links are full; of
// packet, its memory, and what a second thread brings.

#include <malloc.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <optional>

#include "bench/speed/parts.hpp"
#include "core/isolate.hpp"
#include "core/random.hpp"
#include "netsim/network.hpp"

namespace toroid::bench {
namespace {

using platforms::NodeId;

/// Every node always has a message of so many bytes under way: when one ends, `next` says to whom its node sends then,
/// if to anybody.
class ClosedLoop final : public netsim::FlowClient {
 public:
  using Next = std::function<std::optional<NodeId>(NodeId from, core::Random& random)>;

  ClosedLoop(netsim::Network& network, std::uint64_t bytes, Next next)
      : network_(network), bytes_(bytes), next_(std::move(next)) {
    for (const NodeId node : network.machine().compute_nodes()) send(node);
  }
  void flow_ended(std::uint32_t node, const netsim::FlowEnd&) override { send(NodeId(node)); }

 private:
  void send(NodeId from) {
    if (const auto to = next_(from, random_))
      network_.start_flow(from, *to, bytes_, *this, static_cast<std::uint32_t>(from.value()));
  }

  netsim::Network& network_;
  std::uint64_t bytes_;
  Next next_;
  core::Random random_{1, "closed loop"};
};

/// What a run costs: CPU seconds, and units of netsim::CountsWork where the engine counts them.
struct Cost {
  double seconds = 0, work = 0;
};

/// Every node always has 64 KiB under way to a random node, in a process of its own. The making of the network is not
/// counted.
Cost random_traffic(const platforms::Machine& machine, const std::string& engine, std::uint64_t messages) {
  const auto bytes = core::run_isolated([&](std::uint64_t&) {
    netsim::Clock clock;
    const auto network = netsim::engines().make(engine, machine, clock);
    const double before = cpu_seconds();
    auto left = messages;
    ClosedLoop loop(*network, 65536, [&](NodeId from, core::Random& random) -> std::optional<NodeId> {
      if (left == 0) return std::nullopt;
      --left;
      const auto to = NodeId(random.below(static_cast<std::uint64_t>(machine.node_count() - 1)));
      return to < from ? to : to + 1;
    });
    clock.run();
    const auto* counter = dynamic_cast<const netsim::CountsWork*>(network.get());
    const Cost cost{cpu_seconds() - before, counter == nullptr ? 0 : counter->work()};
    return std::string(reinterpret_cast<const char*>(&cost), sizeof cost);
  });
  Cost cost;
  std::memcpy(&cost, bytes.data(), sizeof cost);
  return cost;
}

constexpr std::uint64_t message_bytes = 16384, packet_bytes = 256;

/// Memory that was asked for and not given back, in bytes.
double allocated() {
  return static_cast<double>(::mallinfo2().uordblks + ::mallinfo2().hblkhd);
}

struct Loop {
  double million_hops, cpu_s, clock_s, ns_a_unit, bytes_per_router;
};

/// Nodes send until there were so many packet hops, and two messages for each node: on large machines that is more.
/// They send to random nodes, so that buffers are full, or always to the one opposite, where fewer packets meet.
Loop send(const platforms::Machine& machine, const std::string& engine, bool opposite, double least) {
  const double before = allocated();
  netsim::Clock clock;
  const auto network = netsim::engines().make(engine, machine, clock);
  const auto nodes = machine.compute_nodes();
  double hops = 0;
  std::size_t messages = 0;
  const double start = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  ClosedLoop loop(*network, message_bytes, [&](NodeId from, core::Random& random) -> std::optional<NodeId> {
    if (hops > least && messages >= 2 * nodes.size()) return std::nullopt;
    ++messages;
    const auto to = opposite ? nodes[nodes.size() - 1 - from.index()] : nodes[random.below(nodes.size())];
    hops += static_cast<double>(machine.hops(from, to)) * message_bytes / packet_bytes;
    return to;
  });
  clock.run();
  const double seconds = cpu_seconds() - start;
  const double work = dynamic_cast<const netsim::CountsWork&>(*network).work();
  return {hops / 1e6, seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          1e9 * seconds / work, (allocated() - before) / static_cast<double>(nodes.size())};
}

}  // namespace

void measure_random(const SpeedOptions& o) {
  core::Table table({"machine", "simgrid, messages per second", "fluid, messages per second", "ratio"});
  for (const char* spec : o.of(std::array{"mesh:16x16", "mesh:32x32"})) {
    const auto machine = platforms::make_machine(spec);
    const auto speed = [&](const std::string& engine, std::uint64_t messages) {
      return static_cast<double>(messages) / random_traffic(machine, engine, messages).seconds;
    };
    const double simgrid = speed("simgrid", o.small ? 400 : 4000), fluid = speed("fluid", 4000);
    table.add(
        {spec, fmt::format("{:.0f}", simgrid), fmt::format("{:.0f}", fluid), fmt::format("{:.0f}", fluid / simgrid)});
  }
  print(table);
}

/// On a larger machine each message has more links, and a start or an end of one moves the rates of more others.
void measure_saturation(const SpeedOptions& o) {
  core::Table table({"machine", "us per message", "ns per unit of work", "with tolerance=0.1%", "with tolerance=0.3%"});
  for (const char* spec : o.of(std::array{"torus:16x16", "torus:32x32", "torus:64x64"})) {
    const auto machine = platforms::make_machine(spec);
    const auto messages = machine.node_count() * 8;
    std::vector<std::string> row{spec};
    for (const char* tolerance : {"0%", "0.1%", "0.3%"}) {
      const auto cost =
          random_traffic(machine, fmt::format("fluid:tolerance={}", tolerance), static_cast<std::uint64_t>(messages));
      row.push_back(fmt::format("{:.1f}", 1e6 * cost.seconds / messages));
      if (row.size() == 2) row.push_back(fmt::format("{:.1f}", 1e9 * cost.seconds / cost.work));
    }
    table.add(row);
  }
  print(table);
}

void measure_packets(const SpeedOptions& o) {
  core::Table table({"nodes", "random, million packet hops per CPU second", "opposite", "random, adaptive",
                     "opposite, adaptive", "ns per unit of work", "bytes per router"});
  for (const char* spec : o.of(std::array{"torus:8x8", "torus:16x16x16", "torus:32x32x32"})) {
    const auto machine = platforms::make_machine(spec);
    std::vector<std::string> row{std::to_string(machine.node_count())};
    std::vector<Loop> loops;
    for (const char* engine : {"packet", "packet:routing=adaptive"})
      for (const bool opposite : {false, true}) {
        loops.push_back(send(machine, engine, opposite, o.small ? 1e4 : 2e7));
        row.push_back(fmt::format("{:.1f}", loops.back().million_hops / loops.back().cpu_s));
      }
    row.push_back(fmt::format("{:.1f}", loops[0].ns_a_unit));
    row.push_back(fmt::format("{:.0f}", std::ranges::max(loops, {}, &Loop::bytes_per_router).bytes_per_router));
    table.add(row);
  }
  print(table);
}

/// Times are those of a clock. Where two threads had less than two processors, others had the rest.
void measure_threads(const SpeedOptions& o) {
  core::Table table({"nodes", "threads=2, times as fast", "processors that two threads had"});
  for (const char* spec : o.of(std::array{"torus:32x16x16", "torus:32x32x32"})) {
    const auto machine = platforms::make_machine(spec);
    const auto one = send(machine, "packet:threads=1", false, o.small ? 1e4 : 2e7);
    const auto two = send(machine, "packet:threads=2", false, o.small ? 1e4 : 2e7);
    table.add({std::to_string(machine.node_count()), fmt::format("{:.2f}", one.clock_s / two.clock_s),
               fmt::format("{:.2f}", two.cpu_s / two.clock_s)});
  }
  print(table);
}

}  // namespace toroid::bench
