// How far the fluid engine is from SimGrid.
//
//   fluid_exact [--cases 1000] [--seed 1] [--max-nodes 4096]
//
// compares the end of every flow of random sets that start at once, on random machines: here the two must agree.
//
//   fluid_exact TRACE...
//
// compares predicted times of traces on three machines by four mappings. Over a long run the order of simultaneous
// events is chaotic, so it shows beside that how far SimGrid is from itself: with its other setting of network/optim,
// and when all bandwidths change by 1e-9.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "core/isolate.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "netsim/network.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace {

using namespace toroid;
using platforms::NodeId;

struct Settings {
  int cases = 1000;
  std::uint64_t seed = 1;
  std::int32_t max_nodes = 4096;
  std::string engine = "fluid";
  std::vector<std::string> traces;
};

struct Flow {
  NodeId from, to;
  std::uint64_t bytes;
};

/// Starts all flows now and notes their ends.
class AllAtOnce final : public netsim::FlowClient {
 public:
  AllAtOnce(netsim::Network& network, const std::vector<Flow>& flows) : network_(network), ends_(flows.size()) {
    for (std::uint32_t i = 0; i < flows.size(); ++i)
      network.start_flow(flows[i].from, flows[i].to, flows[i].bytes, *this, i, netsim::Order::shared);
  }
  void flow_ended(std::uint32_t flow, const netsim::FlowEnd&) override {
    ends_[flow] = network_.clock().now().seconds();
  }
  const std::vector<double>& ends() const { return ends_; }

 private:
  netsim::Network& network_;
  std::vector<double> ends_;
};

std::vector<double> end_times(const platforms::Machine& machine, const std::vector<Flow>& flows,
                              const std::string& engine) {
  const auto bytes = core::run_isolated([&](std::uint64_t&) {
    netsim::Clock clock;
    const auto network = netsim::engines().make(engine, machine, clock);
    AllAtOnce client(*network, flows);
    clock.run();
    return std::string(reinterpret_cast<const char*>(client.ends().data()), flows.size() * sizeof(double));
  });
  std::vector<double> ends(flows.size());
  std::memcpy(ends.data(), bytes.data(), bytes.size());
  return ends;
}

/// A number from 1 to `largest`, small ones as likely as large ones.
std::int32_t spread(core::Random& random, std::int32_t largest) {
  return static_cast<std::int32_t>(std::pow(static_cast<double>(largest) + 0.99, random.unit()));
}

platforms::Machine random_machine(core::Random& random, std::int32_t max_nodes) {
  const std::size_t dimensions = 2 + random.below(4);
  const bool alike = random.below(2) == 0;
  std::vector<platforms::Dimension> grid;
  auto room = std::max(2, spread(random, max_nodes));
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto even = static_cast<std::int32_t>(std::pow(room, 1.0 / static_cast<double>(dimensions - d)) + 0.01);
    const auto extent = d == 0 ? std::max(2, even) : std::min(room, spread(random, 2 * even));
    room = std::max(1, room / extent);
    grid.push_back({extent, static_cast<platforms::Wrap>(random.below(3)),
                    alike ? 1e9 : 1e9 * (0.5 + 4 * random.unit()), 1e-7 * static_cast<double>(random.below(3))});
  }
  platforms::NodeParameters node;
  node.base_latency = 1e-6 * static_cast<double>(random.below(2));
  if (random.below(3) == 0) node.injection_bandwidth = 1e9 * (0.5 + 2 * random.unit());
  if (random.below(3) == 0) node.ejection_bandwidth = 1e9 * (0.5 + 2 * random.unit());
  return platforms::Machine({.name = "random", .dimensions = grid, .node = node});
}

/// Half of the sets have flows of one size, as in an exchange.
std::vector<Flow> random_flows(core::Random& random, const platforms::Machine& machine) {
  const auto nodes = static_cast<std::uint64_t>(machine.node_count());
  const auto count = static_cast<std::size_t>(spread(random, 400));
  const bool alike = random.below(2) == 0;
  std::vector<Flow> flows;
  while (flows.size() < count) {
    const auto from = NodeId(random.below(nodes)), to = NodeId(random.below(nodes));
    if (from != to) flows.push_back({from, to, alike ? 1000000 : 1 + random.below(4000000)});
  }
  return flows;
}

/// The columns of a distribution of sizes: median, 90 %, 99 %, 99.9 %, worst.
std::vector<std::string> distribution(std::vector<double> values) {
  for (auto& value : values) value = std::abs(value);
  std::sort(values.begin(), values.end());
  std::vector<std::string> cells;
  for (const double part : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto at = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size()))) - 1;
    cells.push_back(fmt::format("{:.2e}", values[at]));
  }
  return cells;
}

void add_distribution(core::Table& table, std::vector<std::string> row, const std::vector<double>& values) {
  for (auto& cell : distribution(values)) row.push_back(std::move(cell));
  table.add(std::move(row));
}

/// Positive where more was found.
double difference(double found, double expected) {
  return (found - expected) / expected;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void compare_sets(const Settings& s) {
  core::Random random(s.seed, "fluid_exact");
  std::vector<double> differences, worst_of_case;
  std::int32_t largest = 0;
  for (int c = 0; c < s.cases; ++c) {
    const auto machine = random_machine(random, s.max_nodes);
    const auto flows = random_flows(random, machine);
    const auto found = end_times(machine, flows, s.engine), expected = end_times(machine, flows, "simgrid");
    worst_of_case.push_back(0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      differences.push_back(difference(found[f], expected[f]));
      worst_of_case.back() = std::max(worst_of_case.back(), std::abs(differences.back()));
    }
    largest = std::max(largest, machine.node_count());
  }
  fmt::print("{} cases, {} flows, machines of up to {} nodes; end of flow, {} against simgrid:\n", s.cases,
             differences.size(), largest, s.engine);
  core::Table table({"relative difference", "median", "90 %", "99 %", "99.9 %", "worst"});
  add_distribution(table, {"of each flow"}, differences);
  add_distribution(table, {"worst of each case"}, worst_of_case);
  fmt::print("{}", table.text());
}

platforms::Machine with_bandwidths_times(const platforms::Machine& machine, double factor) {
  auto description = machine.description();
  for (auto& dimension : description.dimensions) dimension.bandwidth *= factor;
  return platforms::Machine(description);
}

double predicted(const platforms::Machine& machine, const workloads::Trace& trace, const netsim::Mapping& mapping,
                 const std::string& engine) {
  return netsim::run({machine, trace, mapping, {.repeats = netsim::Repeats::off}, engine}).runtime;
}

/// The relative differences to simgrid in all cases.
struct Differences {
  std::vector<double> ours, full, nudged;
};

void compare_case(const Settings& s, const std::string& label, const workloads::Trace& trace,
                  const std::string& machine_spec, const std::string& mapping_spec, core::Table& table,
                  Differences& all) {
  const auto machine = platforms::make_machine(machine_spec);
  const auto slots = mapping::all_nodes(machine);
  const mapping::Traffic traffic(trace, {});
  const auto mapping = mapping::make_mapping(mapping_spec, {machine, slots, traffic, s.seed});
  const double expected = predicted(machine, trace, mapping, "simgrid");
  all.ours.push_back(difference(predicted(machine, trace, mapping, s.engine), expected));
  all.full.push_back(difference(predicted(machine, trace, mapping, "simgrid:optim=full"), expected));
  all.nudged.push_back(
      difference(predicted(with_bandwidths_times(machine, 1 + 1e-9), trace, mapping, "simgrid"), expected));
  table.add({label, machine_spec, mapping_spec, fmt::format("{:.6g}", expected),
             fmt::format("{:+.2e}", all.ours.back()), fmt::format("{:+.2e}", all.full.back()),
             fmt::format("{:+.2e}", all.nudged.back())});
}

void compare_traces(const Settings& s) {
  fmt::print(
      "Predicted times, relative difference to simgrid. Two columns say how far simgrid is from itself: with its other "
      "\nsetting of network/optim, and with all bandwidths times 1 + 1e-9.\n");
  core::Table table({"trace", "machine", "mapping", "simgrid s", s.engine, "optim=full", "nudged"});
  Differences all;
  for (const auto& path : s.traces) {
    const auto trace = workloads::open_trace(path);
    const auto name = std::filesystem::path(path).parent_path().filename().string();
    for (const char* machine : {"mesh:8x8", "torus:8x8", "mesh:4x4x4"})
      for (const char* mapping : {"consecutive", "random", "grasp:cost=classic", "grasp:cost=td"})
        compare_case(s, name.empty() ? path : name, *trace, machine, mapping, table, all);
  }
  fmt::print("{}\n", table.text());
  core::Table summary({"relative difference", "mean", "median size", "90 %", "99 %", "99.9 %", "worst"});
  for (const auto& [name, values] : {std::pair(s.engine, all.ours), {"optim=full", all.full}, {"nudged", all.nudged}})
    add_distribution(summary, {name, fmt::format("{:+.2e}", mean(values))}, values);
  fmt::print("{}", summary.text());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"the fluid engine against SimGrid: random sets of flows, or the predicted times of traces"};
  Settings s;
  app.add_option("--cases", s.cases, "random sets of flows")->capture_default_str();
  app.add_option("--seed", s.seed)->capture_default_str();
  app.add_option("--max-nodes", s.max_nodes, "largest random machine")->capture_default_str();
  app.add_option("--engine", s.engine, "engine held against simgrid")->capture_default_str();
  app.add_option("TRACE", s.traces);
  CLI11_PARSE(app, argc, argv);
  try {
    if (s.traces.empty())
      compare_sets(s);
    else
      compare_traces(s);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fluid_exact: {}\n", error.what());
    return 1;
  }
}
