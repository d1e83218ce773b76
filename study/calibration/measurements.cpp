#include "study/calibration/measurements.hpp"

#include "core/file.hpp"
#include "platforms/names.hpp"
#include "study/calibration/times.hpp"
#include "toroid/core/error.hpp"

namespace toroid::study {
namespace {

using platforms::Machine;
using platforms::NodeId;

struct NodePair {
  NodeId from, to;
};

constexpr std::array ping_pongs{BenchmarkColumns{"Latency (us)", 0, 1},  // osu_latency
                                BenchmarkColumns{"t[usec]", 0, 2}};      // IMB PingPong

NodeId node_of(std::string_view text, const Machine& machine, std::string_view what) {
  const auto nodes = platforms::nodes_called(machine, text, what);
  if (nodes.size() != 1) core::fail_input("{}: found '{}', expected one node such as 3 or n3", what, text);
  if (!machine.computes(nodes[0])) core::fail_input("{}: node {} of {} does not compute", what, text, machine.name());
  return nodes[0];
}

std::vector<Measurement> read(const std::string& path, const Machine& machine, const std::optional<NodePair>& pair) {
  std::vector<Measurement> all;
  const auto begin = [&](const std::vector<bool>& has) {
    if (has[0] != has[1])
      core::fail_input("found one of the columns from and to, expected both, or neither and FILE@FROM,TO");
    if (!has[0] && !pair)
      core::fail_input("expected the nodes that were measured behind the name of the file: {}@0,8", path);
    if (has[0] && pair)
      core::fail_input("the table has its nodes in it; expected the name of the file without @{},{}",
                       pair->from.value(), pair->to.value());
  };
  const auto take = [&](const TimedLine& line) {
    const auto from = pair ? pair->from : node_of(line.named[0], machine, "from");
    const auto to = pair ? pair->to : node_of(line.named[1], machine, "to");
    if (from == to) core::fail_input("both ends are node {}, expected a message over the network", from.value());
    all.push_back({from, to, line.bytes, line.seconds});
  };
  read_times(path, {{"from", "to"},
                    ping_pongs,
                    "a table with the columns from, to, bytes and one of s, ms, us, ns, or what osu_latency or "
                    "PingPong of IMB prints",
                    begin,
                    take});
  return all;
}

}  // namespace

std::vector<Measurement> read_measurements(const std::string& argument, const Machine& machine) {
  const auto at = argument.rfind('@');
  if (at == std::string::npos || core::is_file(argument)) return read(argument, machine, std::nullopt);
  const auto ends = core::split(std::string_view(argument).substr(at + 1), ',');
  if (ends.size() != 2) core::fail_input("'{}': expected two nodes behind the @, such as @0,8", argument);
  const auto end = [&](std::string_view text) { return node_of(text, machine, fmt::format("'{}'", argument)); };
  return read(argument.substr(0, at), machine, NodePair{end(ends[0]), end(ends[1])});
}

}  // namespace toroid::study
