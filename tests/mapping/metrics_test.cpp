#include "toroid/mapping/metrics.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::mapping {
namespace {

/// The metrics of a mapping and what the simulator reports for the same run.
void check_as_simulated(const std::string& platform, const workloads::Trace& trace, const std::string& mapper,
                        std::size_t per_node = 1, netsim::ReplayOptions options = {}) {
  INFO(platform << ", " << trace.ranks() << " ranks, " << mapper);
  const auto machine = platforms::make_machine(platform);
  std::vector<NodeId> slots;
  for (const NodeId node : all_nodes(machine)) slots.insert(slots.end(), per_node, node);
  const Traffic traffic(trace, options.collectives);
  const auto mapping = make_mapping(mapper, {machine, slots, traffic, 7});
  const auto m = measure(machine, mapping, traffic);
  const auto r = netsim::run({machine, trace, mapping, options, "fluid"});
  CHECK(m.network_messages == r.network_messages);
  CHECK(m.network_bytes == r.network_bytes);
  CHECK(m.hop_bytes == r.hop_bytes);
  CHECK(m.hops_per_byte() == r.hops_per_byte());
  CHECK(m.dilation_mean() == r.dilation_mean());
  CHECK(m.dilation_max == r.dilation_max);
  CHECK(m.loads.max_bytes == r.loads.max_bytes);
  CHECK(m.loads.mean_bytes() == r.loads.mean_bytes());
  CHECK(m.loads.links == r.loads.links);
  CHECK(m.loads.max_port_bytes == r.loads.max_port_bytes);
  CHECK(m.loads.max_seconds == r.loads.max_seconds);
}

TEST_CASE("The metrics of a mapping are those of its simulation") {
  for (const char* platform :
       {"mesh:4x5", "torus:4x4x2", "ring:5x4", "torus:16,injection=1GBps,ejection=2GBps", "mesh:4x4,ejection=1GBps"})
    for (const char* trace :
         {"stencil:grid=4x4,steps=2", "cg:class=S,ranks=16,iterations=1", "stencil:grid=3x2x2,steps=1,bytes=1MB"})
      for (const char* mapper : {"consecutive", "random"})
        check_as_simulated(platform, *workloads::open_trace(trace), mapper);
}

TEST_CASE("Collectives along the grid of their members are measured where these stand") {
  const auto trace = workloads::open_trace("sharded:mesh=16x2,all-gather=0/1MB,all-reduce=1MB/0");
  for (const char* mapper : {"consecutive", "random", "hilbert"}) check_as_simulated("torus:4x4x2", *trace, mapper);
}

TEST_CASE("Ranks that share a node send no messages over links") {
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  check_as_simulated("torus:2x2x2,cores=2", *trace, "random", 2);
  check_as_simulated("mesh:4,cores=4,injection=1GBps", *trace, "random", 4);
}

TEST_CASE("Neither the protocol of messages nor computation changes what links carry") {
  const auto trace = workloads::open_trace("stencil:grid=4x4,steps=2");
  for (const std::uint64_t threshold : {std::uint64_t{0}, std::uint64_t{1} << 40U}) {
    netsim::ReplayOptions options;
    options.eager_threshold = threshold;
    options.compute_scale = 1;
    check_as_simulated("mesh:4x4", *trace, "random", 1, options);
  }
}

TEST_CASE("Messages without bytes have dilation and load no link") {
  const auto trace = test::trace_of("0 send 2 0 0 6\n1 barrier\n2 recv 0 0 0 6\n0 barrier\n2 barrier\n");
  check_as_simulated("mesh:4", *trace, "consecutive");
}

TEST_CASE("Real traces are measured as they are simulated", "[slow]") {
  for (const char* name : {"cg.A.64", "ft.A.64", "mg.A.64"}) {
    const auto path = test::shared_data(std::string("traces/") + name + "/trace.ti.zst");
    if (path.empty()) return;
    check_as_simulated("torus:4x4x4", *workloads::open_trace(path), "random");
  }
}

TEST_CASE("On random traffic the metrics are what their definitions say") {
  core::Random random(3, "test/metrics");
  for (int round = 0; round < 30; ++round) {
    const auto machine = platforms::make_machine(round % 2 == 0 ? "torus:4x3x2" : "ring:3x2x4");
    const auto matrix = random_matrix(random, 10, 0.4);
    const Mapping mapping(random_slots(random, machine, 10, 2));
    const auto m = measure(machine, mapping, matrix);
    std::map<platforms::LinkId, std::uint64_t> links;
    std::uint64_t bytes = 0;
    for (const auto from : matrix.rows.ids())
      for (const auto& cell : matrix.rows[from]) {
        bytes += cell.bytes;
        machine.for_each_link(mapping[from], mapping[cell.to],
                              [&](platforms::LinkId link) { links[link] += cell.bytes; });
      }
    std::uint64_t sum = 0, most = 0;
    for (const auto& [link, load] : links) {
      sum += load;
      most = std::max(most, load);
    }
    CHECK(m.bytes == bytes);
    CHECK(m.hop_bytes == sum);  // no link of this machine is an injection link
    CHECK(m.loads.max_bytes == most);
    CHECK(m.loads.links == links.size());
    std::map<std::string_view, double> costs(m.costs.begin(), m.costs.end());
    CHECK(costs.at("classic") == cost_by_definition(matrix, machine, mapping, false));
    CHECK(costs.at("td") == cost_by_definition(matrix, machine, mapping, true));
    CHECK(costs.at("classic") == static_cast<double>(m.hop_bytes));
  }
}

TEST_CASE("Without messages all metrics are 0") {
  CommunicationMatrix matrix;
  matrix.rows.resize(3);
  const auto m = measure(platforms::make_machine("mesh:2x2"), {0, 1, 3}, matrix);
  CHECK(m.hop_bytes == 0);
  CHECK(m.hops_per_byte() == 0);
  CHECK(m.dilation_mean() == 0);
  CHECK(m.loads.mean_bytes() == 0);
}

}  // namespace
}  // namespace toroid::mapping
