#include "netsim/result_json.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/isolate.hpp"
#include "netsim/run.hpp"
#include "platforms/load.hpp"
#include "tests/support/support.hpp"
#include "workloads/trace.hpp"

using namespace toroid;

namespace {

struct Program {
  platforms::Machine machine = platforms::make_machine("torus:4x4,lat=1us");
  std::unique_ptr<workloads::Trace> trace = workloads::open_trace("cg:ranks=16,steps=8");

  netsim::RunRequest request(const std::string& engine) const {
    netsim::RunRequest request{machine, *trace, {}, {}, engine, false};
    for (platforms::NodeId node = 0; node < 16; ++node) request.placement.push_back(node);
    return request;
  }
  std::string text(const netsim::Result& result) const {
    return netsim::result_json(machine, result).dump() + netsim::settings_json(result).dump();
  }
};

}  // namespace

TEST_CASE("a result comes out of another process as it was") {
  const Program program;
  auto request = program.request("fluid");
  request.profile = true;
  const auto result = netsim::run(request);
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
    request.options.progress = [&](std::uint64_t operations) { told = operations; };
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
  CHECK(result.mean_link_load() * static_cast<double>(result.links.size()) == Approx(static_cast<double>(sum)));
  CHECK(netsim::Result{}.hops_per_byte() == 0);
  CHECK(netsim::Result{}.bottlenecks().empty());
}

TEST_CASE("a long run counts its operations as it goes") {
  const auto machine = platforms::make_machine("mesh:4");
  const auto trace = workloads::open_trace("stencil:grid=4,steps=200");
  netsim::RunRequest request{machine, *trace, {0, 1, 2, 3}, {}, "fluid", false};
  std::vector<std::uint64_t> told;
  request.options.progress = [&](std::uint64_t operations) { told.push_back(operations); };
  netsim::run_in_process(request);
  REQUIRE(told.size() > 2);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.back() <= trace->operation_count());
  CHECK(trace->operation_count() - told.back() < 256);
}
