// The speed of the fluid engine, beside SimGrid's in the same run where SimGrid ends in time.
//
//   fluid_speed [--all] [--only random|permutation|growth|saturation|replay] [TRACE...]
//
// Times are CPU seconds of one process. Run it on a core of its own.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>

#include "bench/measure.hpp"
#include "core/isolate.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "netsim/network.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace {

using namespace toroid;
using platforms::NodeId;

struct Settings {
  bool all = false;
  std::string only;
  std::vector<std::string> traces;
  bool wants(const char* part) const { return only.empty() || only == part; }
};

/// Every node always has `lanes` messages under way: when one ends, its node sends the next, until the total is spent.
class ClosedLoop final : public netsim::FlowClient {
 public:
  using Partner = std::function<NodeId(NodeId from, std::uint32_t lane, core::Random&)>;

  ClosedLoop(netsim::Network& network, std::uint64_t messages, std::uint32_t lanes, bool jitter, Partner partner)
      : network_(network), left_(messages), lanes_(lanes), jitter_(jitter), partner_(std::move(partner)) {
    const auto all = static_cast<std::uint32_t>(network.machine().node_count()) * lanes;
    for (std::uint32_t i = 0; i < all; ++i) send(i);
  }
  void flow_ended(std::uint32_t i, const netsim::FlowEnd&) override { send(i); }

 private:
  void send(std::uint32_t i) {
    if (left_ == 0) return;
    --left_;
    const auto from = NodeId(i / lanes_);
    const auto bytes = jitter_ ? 32768 + random_.below(65536) : 65536;
    network_.start_flow(from, partner_(from, i % lanes_, random_), bytes, *this, i);
  }

  netsim::Network& network_;
  std::uint64_t left_;
  std::uint32_t lanes_;
  bool jitter_;
  Partner partner_;
  core::Random random_{1, "fluid_speed"};
};

NodeId random_partner(const platforms::Machine& machine, NodeId from, core::Random& random) {
  const auto to = NodeId(random.below(static_cast<std::uint64_t>(machine.node_count() - 1)));
  return to < from ? to : to + 1;
}

NodeId neighbour(const platforms::Machine& machine, NodeId node, std::size_t d, bool forward) {
  return machine.first_node(machine.grid().neighbour(machine.router(node), d, forward));
}

/// A node at most two hops away in each dimension: as in a stencil, load and routes do not depend on the machine.
NodeId near_partner(const platforms::Machine& machine, NodeId from, core::Random& random) {
  const auto here = machine.router(from);
  auto there = here;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) {
    const auto offset = static_cast<int>(random.below(5)) - 2;
    for (int i = 0; i < std::abs(offset); ++i) there = machine.grid().neighbour(there, d, offset > 0);
  }
  return machine.first_node(there == here ? machine.grid().neighbour(here, 0, true) : there);
}

using Start = std::function<std::unique_ptr<netsim::FlowClient>(netsim::Network&)>;

/// What a run costs: CPU seconds, and units of netsim::CountsWork where the engine counts them.
struct Cost {
  double seconds = 0, work = 0;
};

/// Runs in a process of its own. The making of the network is not counted.
Cost run_cost(const platforms::Machine& machine, const std::string& engine, const Start& start) {
  const auto bytes = core::run_isolated([&](std::uint64_t&) {
    netsim::Clock clock;
    const auto network = netsim::engines().make(engine, machine, clock);
    const double before = bench::cpu_seconds();
    const auto client = start(*network);
    clock.run();
    const auto* counter = dynamic_cast<const netsim::CountsWork*>(network.get());
    const Cost cost{bench::cpu_seconds() - before, counter == nullptr ? 0 : counter->work()};
    return std::string(reinterpret_cast<const char*>(&cost), sizeof cost);
  });
  Cost cost;
  std::memcpy(&cost, bytes.data(), sizeof cost);
  return cost;
}

double run_seconds(const platforms::Machine& machine, const std::string& engine, const Start& start) {
  return run_cost(machine, engine, start).seconds;
}

Cost random_traffic(const platforms::Machine& machine, const std::string& engine, std::uint64_t messages) {
  return run_cost(machine, engine, [&](netsim::Network& network) {
    return std::make_unique<ClosedLoop>(network, messages, 1, false, [&](NodeId from, std::uint32_t, core::Random& r) {
      return random_partner(machine, from, r);
    });
  });
}

void add_speed(core::Table& table, const char* spec, const std::string& engine, std::uint64_t messages, double seconds,
               double others) {
  table.add({spec, engine, std::to_string(messages), fmt::format("{:.4f}", seconds),
             fmt::format("{:.0f}", static_cast<double>(messages) / seconds),
             others > 0 ? fmt::format("{:.1f}", others / seconds) : ""});
}

void measure_random() {
  fmt::print("\nRandom traffic: every node always has 64 KiB under way to a random node\n");
  struct Case {
    const char* spec;
    std::uint64_t messages, more;
  };
  core::Table table({"machine", "engine", "messages", "CPU s", "messages/s", "times simgrid"});
  for (const auto& [spec, messages, more] : {Case{"mesh:16x16", 4000, 100000}, {"mesh:32x32", 4000, 20000}}) {
    const auto machine = platforms::make_machine(spec);
    const double simgrid = random_traffic(machine, "simgrid", messages).seconds;
    add_speed(table, spec, "simgrid", messages, simgrid, 0);
    add_speed(table, spec, "fluid", messages, random_traffic(machine, "fluid", messages).seconds, simgrid);
    add_speed(table, spec, "fluid", more, random_traffic(machine, "fluid", more).seconds, 0);
  }
  fmt::print("{}", table.text());
}

double permutation_round(const platforms::Machine& machine, const std::string& engine) {
  core::IdVector<NodeId, NodeId> to;
  for (const NodeId node : machine.nodes()) to.add(node);
  core::Random random(1, "fluid_speed/permutation");
  random.shuffle(to.elements());
  struct Quiet final : netsim::FlowClient {
    void flow_ended(std::uint32_t, const netsim::FlowEnd&) override {}
  };
  return run_seconds(machine, engine, [&](netsim::Network& network) {
    auto client = std::make_unique<Quiet>();
    for (const NodeId from : machine.nodes()) network.start_flow(from, to[from], 1000000, *client, 0);
    return client;
  });
}

void measure_permutation(bool all) {
  fmt::print("\nOne round of a random permutation, 1 MB messages\n");
  core::Table table({"machine", "engine", "messages", "CPU s", "messages/s", "times simgrid"});
  for (const char* spec : {"torus:8x8x8", "torus:16x16x16"}) {
    const auto machine = platforms::make_machine(spec);
    const auto messages = static_cast<std::uint64_t>(machine.node_count());
    const bool has_simgrid = all || messages <= 512;
    const double simgrid = has_simgrid ? permutation_round(machine, "simgrid") : 0;
    if (has_simgrid) add_speed(table, spec, "simgrid", messages, simgrid, 0);
    add_speed(table, spec, "fluid", messages, permutation_round(machine, "fluid"), simgrid);
  }
  fmt::print("{}", table.text());
}

double local_traffic(const platforms::Machine& machine, std::uint64_t messages, bool exchange) {
  const auto directions = static_cast<std::uint32_t>(2 * machine.grid().dimension_count());
  return run_seconds(machine, "fluid", [&](netsim::Network& network) {
    return std::make_unique<ClosedLoop>(network, messages, exchange ? directions : 1, true,
                                        [&, exchange](NodeId from, std::uint32_t lane, core::Random& random) {
                                          return exchange ? neighbour(machine, from, lane / 2, lane % 2 == 0)
                                                          : near_partner(machine, from, random);
                                        });
  });
}

void measure_growth() {
  fmt::print(
      "\nGrowth at fixed local load, 32 to 96 KiB: with 6 neighbours at once over an injection limit,\n"
      "and with a random node at most two hops away in each dimension\n");
  core::Table table({"traffic", "machine", "messages", "CPU s", "us per message", "times the first"});
  for (const bool exchange : {true, false}) {
    double first = 0;
    for (const char* spec : {"torus:8x8x8", "torus:16x16x16", "torus:32x32x32"}) {
      const auto machine = platforms::make_machine(std::string(spec) + (exchange ? ",injection=4GBps" : ""));
      const auto messages = static_cast<std::uint64_t>(machine.node_count()) * (exchange ? 18 : 8);
      const double seconds = local_traffic(machine, messages, exchange);
      const double each = 1e6 * seconds / static_cast<double>(messages);
      if (first == 0) first = each;
      table.add({exchange ? "neighbours" : "two hops", spec, std::to_string(messages), fmt::format("{:.2f}", seconds),
                 fmt::format("{:.2f}", each), fmt::format("{:.2f}", each / first)});
    }
  }
  fmt::print("{}", table.text());
}

/// On a larger machine each message has more links, and a start or an end of one moves the rates of more others.
void measure_saturation() {
  fmt::print("\nGrowth where links are full: every node always has 64 KiB under way to a random node\n");
  core::Table table({"machine", "engine", "messages", "CPU s", "us per message", "times the first", "of fluid's",
                     "work per message", "times the first", "ns per unit of work"});
  std::map<std::string, Cost> first;
  for (const char* spec : {"torus:16x16", "torus:32x32", "torus:64x64"}) {
    const auto machine = platforms::make_machine(spec);
    const auto messages = static_cast<double>(machine.node_count() * 8);
    double exact = 0;
    for (const std::string engine : {"fluid", "fluid:tolerance=0.1%", "fluid:tolerance=0.3%"}) {
      auto cost = random_traffic(machine, engine, static_cast<std::uint64_t>(messages));
      if (exact == 0) exact = cost.seconds;
      const double share = cost.seconds / exact;
      cost = {cost.seconds / messages, cost.work / messages};
      const auto& least = first.try_emplace(engine, cost).first->second;
      table.add({spec, engine, fmt::format("{:.0f}", messages), fmt::format("{:.2f}", cost.seconds * messages),
                 fmt::format("{:.1f}", 1e6 * cost.seconds), fmt::format("{:.1f}", cost.seconds / least.seconds),
                 fmt::format("{:.2f}", share), fmt::format("{:.0f}", cost.work),
                 fmt::format("{:.1f}", cost.work / least.work), fmt::format("{:.1f}", 1e9 * cost.seconds / cost.work)});
    }
  }
  fmt::print("{}", table.text());
}

netsim::Mapping mapping_of(const workloads::Trace& trace, const platforms::Machine& machine, bool shuffled) {
  std::vector<NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
  core::Random random(1, "fluid_speed/placement");
  if (shuffled) random.shuffle(nodes);
  nodes.resize(static_cast<std::size_t>(trace.ranks()));
  return netsim::Mapping(nodes);
}

int replay(const workloads::Trace& trace, const platforms::Machine& machine, bool shuffled, const std::string& engine) {
  netsim::run({machine, trace, mapping_of(trace, machine, shuffled), {.repeats = netsim::Repeats::off}, engine});
  return 0;
}

/// Consecutive placement is the easy case: short routes and ranks in step, so that many messages end at one time.
void measure_replay(const std::string& path, bool shuffled, core::Table& table) {
  const auto trace = workloads::open_trace(path);
  const auto machine = platforms::make_machine("torus:8x8");
  const auto result =
      netsim::run({machine, *trace, mapping_of(*trace, machine, shuffled), {.repeats = netsim::Repeats::off}, "fluid"});
  const auto messages = result.messages;
  const auto count = static_cast<double>(messages);
  const auto idle = bench::measure([] { return 0; });  // this process with the trace in it
  const auto name = std::filesystem::path(path).parent_path().filename().string();
  double simgrid = 0;
  for (const std::string engine : {"simgrid", "fluid"}) {
    const auto loaded = bench::measure([&] { return replay(*trace, machine, shuffled, engine); });
    const auto whole = bench::measure([&] { return replay(*workloads::open_trace(path), machine, shuffled, engine); });
    if (engine == "simgrid") simgrid = loaded.cpu_s;
    table.add({name.empty() ? path : name, shuffled ? "random" : "consecutive", engine, std::to_string(messages),
               fmt::format("{:.2f}", loaded.cpu_s), fmt::format("{:.0f}", count / loaded.cpu_s),
               fmt::format("{:.0f}", count / whole.cpu_s), fmt::format("{:.1f}", simgrid / loaded.cpu_s),
               fmt::format("{:.1f}", 1024 * (loaded.memory_mb - idle.memory_mb) / trace->ranks()),
               fmt::format("{:.1f}", static_cast<double>(trace->memory_bytes()) / count)});
  }
}

void measure_replays(const std::vector<std::string>& traces) {
  fmt::print("\nReplay on torus:8x8, no computation\n");
  core::Table table({"trace", "mapping", "engine", "messages", "CPU s", "messages/s", "with loading", "times simgrid",
                     "KB/rank", "trace B/message"});
  for (const auto& path : traces)
    for (const bool shuffled : {false, true}) measure_replay(path, shuffled, table);
  fmt::print("{}", table.text());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"speed of the fluid engine beside SimGrid's"};
  Settings s;
  app.add_flag("--all", s.all, "simgrid too where it takes minutes");
  app.add_option("--only", s.only, "random, permutation, growth, saturation or replay");
  app.add_option("TRACE", s.traces, "replayed by both engines");
  CLI11_PARSE(app, argc, argv);
  try {
    if (s.wants("random")) measure_random();
    if (s.wants("permutation")) measure_permutation(s.all);
    if (s.wants("growth")) measure_growth();
    if (s.wants("saturation")) measure_saturation();
    if (s.wants("replay") && !s.traces.empty()) measure_replays(s.traces);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fluid_speed: {}\n", error.what());
    return 1;
  }
}
