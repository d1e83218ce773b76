#include "toroid/netsim/result_json.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/isolate.hpp"
#include "tests/support/support.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;

namespace {

struct Program {
  platforms::Machine machine = platforms::make_machine("torus:4x4,lat=1us");
  std::unique_ptr<workloads::Trace> trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");

  netsim::Run request(const std::string& engine) const {
    netsim::Run request{machine, *trace, {}, {}, engine};
    for (platforms::NodeId node = 0; node < 16; ++node) request.job().mapping.add(node);
    return request;
  }
  std::string text(const netsim::Result& result) const {
    return netsim::result_json(machine, result).dump() + netsim::settings_json(result.engine_settings).dump();
  }
};

}  // namespace

TEST_CASE("a result comes out of another process as it was") {
  const Program program;
  const auto result = netsim::run(program.request("fluid"));
  CHECK(program.text(netsim::unpacked(netsim::packed(result))) == program.text(result));
  const auto bytes =
      core::run_isolated([&](std::uint64_t&) { return netsim::packed(netsim::run(program.request("fluid"))); });
  CHECK(program.text(netsim::unpacked(bytes)) == program.text(netsim::run(program.request("fluid"))));
}

TEST_CASE("an engine that may be made once has a process of its own, others have not") {
  const Program program;
  for (const bool own : {true, false}) {
    auto request = program.request(own ? "simgrid" : "fluid");
    std::uint64_t told = 0;  // what another process counts stays there
    request.job().options.progress = [&](std::uint64_t operations) { told = operations; };
    const auto first = program.text(netsim::run(request));
    CHECK(program.text(netsim::run(request)) == first);
    CHECK((told == 0) == own);
  }
}

TEST_CASE("the busiest links come first, ten at most, and what ratios are of") {
  const Program program;
  const auto result = netsim::run(program.request("fluid"));
  const auto busiest = result.bottlenecks();
  REQUIRE(busiest.size() == 10);
  for (const auto& link : result.links) {
    const bool listed = std::any_of(busiest.begin(), busiest.end(), [&](const auto& b) { return b.link == link.link; });
    CHECK((listed || link.mean_utilization <= busiest.back().mean_utilization));
  }
  std::uint64_t sum = 0;
  for (const auto& link : result.links) sum += link.bytes;
  CHECK(sum == result.hop_bytes);  // no envelope, no injection links
  CHECK(result.loads.mean_bytes() * static_cast<double>(result.links.size()) == Approx(static_cast<double>(sum)));
  CHECK(netsim::Result{}.hops_per_byte() == 0);
  CHECK(netsim::Result{}.bottlenecks().empty());
}

namespace {

/// Its number by hand: x runs fastest.
int router_at(const core::Json& at, const std::vector<int>& extents) {
  int router = 0, stride = 1;
  for (std::size_t d = 0; d < extents.size(); stride *= extents[d++]) router += stride * at[d].get<int>();
  return router;
}

/// A row of the table of links beside what the shape of the torus and its bandwidths say.
void check_link(const core::Json& link, const std::vector<int>& extents) {
  const auto name_of = [&](const core::Json& at) { return "r" + std::to_string(router_at(at, extents)); };
  const auto from = link["from"].get<std::string>(), to = link["to"].get<std::string>();
  INFO(link.dump());
  if (link["kind"] != "link") {  // two nodes on each router, in order
    const bool out = link["kind"] == "injection";
    const auto node = out ? from : to;
    CHECK((out ? to : from) == name_of(link["from_at"]));
    CHECK(link["from_at"] == link["to_at"]);
    CHECK(std::stoi(node.substr(1)) / 2 == router_at(link["from_at"], extents));
    CHECK(link["name"] == node + (out ? " injection" : " ejection"));
    CHECK(link["bandwidth_bytes_per_s"] == (out ? 3e9 : 5e9));
    CHECK(link["dimension"] == "");
    CHECK(link["direction"] == "");
    return;
  }
  const auto dimension = link["dimension"].get<std::string>(), direction = link["direction"].get<std::string>();
  const std::size_t d = dimension == "x" ? 0 : 1;
  auto beyond = link["from_at"];
  beyond[d] = (beyond[d].get<int>() + (direction == "+" ? 1 : extents[d] - 1)) % extents[d];
  CHECK(link["to_at"] == beyond);
  CHECK(from == name_of(link["from_at"]));
  CHECK(to == name_of(link["to_at"]));
  CHECK(link["name"] == from + " -> " + to + " (" + direction + dimension + ")");
  CHECK(link["bandwidth_bytes_per_s"] == (dimension == "x" ? 1e9 : 2e9));
  CHECK(link["latency_s"] == (dimension == "x" ? 1e-6 : 2e-6));
}

}  // namespace

TEST_CASE("links say what they are, and by their names they fail") {
  const std::string platform =
      "torus:4x2,nodes=2,injection=3GBps,ejection=5GBps,x.bandwidth=1GBps,y.bandwidth=2GBps,x.latency=1us,"
      "y.latency=2us";
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  const auto run = [&](const std::string& machine) { return test::simulate(machine, *trace, {}, {}, "fluid"); };
  const auto whole = run(platform);
  std::set<std::string> kinds;
  for (const auto& link : whole["links"]) {
    check_link(link, {4, 2});
    kinds.insert(link["kind"].get<std::string>());
    if (link["kind"] != "link") continue;
    const auto broken = run(platforms::with_properties(platform, {{"fail-link", link["name"].get<std::string>()}}));
    CHECK(broken["network_bytes"] == whole["network_bytes"]);
    for (const auto& other : broken["links"]) CHECK(other["link"] != link["link"]);
  }
  CHECK(kinds == std::set<std::string>{"ejection", "injection", "link"});
  // The busiest are rows of the same table.
  for (const auto& busy : whole["bottleneck_links"])
    CHECK(std::count(whole["links"].begin(), whole["links"].end(), busy) == 1);
}

TEST_CASE("a long run counts its operations as it goes") {
  const auto machine = platforms::make_machine("mesh:4");
  const auto trace = workloads::open_trace("stencil:grid=4,steps=200");
  netsim::Run request{machine, *trace, {0, 1, 2, 3}, {.repeats = netsim::Repeats::off}, "fluid", false};
  std::vector<std::uint64_t> told;
  request.job().options.progress = [&](std::uint64_t operations) { told.push_back(operations); };
  netsim::run_in_process(request);
  REQUIRE(told.size() > 2);
  CHECK(std::is_sorted(told.begin(), told.end()));
  const auto all = workloads::summarize(*trace).operations;
  CHECK(told.back() <= all);
  CHECK(all - told.back() < 256);
}
