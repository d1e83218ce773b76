// Several jobs on one network.

#include "netsim/simulation.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "core/isolate.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using netsim::Network;
using netsim::Simulation;

namespace {

/// Runs `scenario` with a network of that engine in a process of its own; returns the numbers it returns.
std::vector<double> with_network(const std::string& engine, const std::string& platform,
                                 const std::function<std::vector<double>(Network&)>& scenario) {
  const auto bytes = core::run_isolated([&](std::uint64_t&) {
    const auto machine = platforms::make_machine(platform);
    const auto spec = core::Spec::parse(engine);
    const auto network = netsim::engines().find(spec).make(machine, spec);
    const auto numbers = scenario(*network);
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  });
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

constexpr const char* line = "mesh:4,bw=1GBps,lat=0s";
constexpr const char* transfer = "0 send 1 0 1000000000 6\n1 recv 0 0 1 6\n";  // 1 s when alone

}  // namespace

TEST_CASE("jobs share links while both run, and start when they are told to") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line, [&](Network& network) -> std::vector<double> {
    Simulation simulation(network);
    const auto first = simulation.add({trace.get(), {0, 2}});
    const auto second = simulation.add({trace.get(), {1, 3}, {}, 0.5});
    simulation.run();
    return {simulation.report(first).runtime, simulation.report(second).start, simulation.report(second).runtime};
  });
  // Alone until 0.5, then half the link between nodes 1 and 2: the first ends at 1.5, the second half an hour's share
  // later.
  CHECK(times[0] == Approx(1.5).epsilon(1e-9));
  CHECK(times[1] == Approx(0.5).epsilon(1e-12));
  CHECK(times[2] == Approx(1.5).epsilon(1e-9));
}

TEST_CASE("a killed job leaves nothing behind in the network") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line, [&](Network& network) -> std::vector<double> {
    Simulation simulation(network);
    const auto first = simulation.add({trace.get(), {0, 2}});
    const auto neighbour = simulation.add({trace.get(), {1, 3}});
    simulation.kill(neighbour, 0.5);
    simulation.run();
    return {simulation.report(first).runtime, network.now()};
  });
  // Half the link until 0.5 s, all of it afterwards.
  CHECK(times[0] == Approx(1.25).epsilon(1e-9));
  CHECK(times[1] == Approx(1.25).epsilon(1e-9));
}

TEST_CASE("a job that computes can be killed, too") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of("0 compute 5e9\n");
  const auto times = with_network(engine, line, [&](Network& network) -> std::vector<double> {
    Simulation simulation(network);
    netsim::ReplayOptions options;
    options.compute_scale = 1;
    const auto job = simulation.add({trace.get(), {0}, options});
    simulation.kill(job, 1);
    simulation.run();
    return {network.now()};
  });
  CHECK(times[0] == Approx(1).epsilon(1e-12));
}

TEST_CASE("a job may be added when another ends") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line, [&](Network& network) -> std::vector<double> {
    Simulation simulation(network);
    Simulation::JobId second = 0;
    const auto first = simulation.add({trace.get(), {0, 2}});
    simulation.on_end([&](Simulation::JobId ended) {
      if (ended == first) second = simulation.add({trace.get(), {1, 3}, {}, network.now()});
    });
    simulation.run();
    return {simulation.report(second).start, simulation.report(second).runtime};
  });
  CHECK(times[0] == Approx(1).epsilon(1e-9));
  CHECK(times[1] == Approx(1).epsilon(1e-9));
}

TEST_CASE("a kill at the moment when a message ends") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line, [&](Network& network) -> std::vector<double> {
    Simulation simulation(network);
    const auto first = simulation.add({trace.get(), {0, 1}});
    const auto second = simulation.add({trace.get(), {2, 3}});
    simulation.on_end(
        [&](Simulation::JobId ended) { simulation.kill(ended == first ? second : first, network.now()); });
    simulation.run();
    return {network.now()};
  });
  CHECK(times[0] == Approx(1).epsilon(1e-9));
}

TEST_CASE("a job may be killed twice, and before it starts") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line, [&](Network& network) -> std::vector<double> {
    Simulation simulation(network);
    const auto first = simulation.add({trace.get(), {0, 2}});
    const auto neighbour = simulation.add({trace.get(), {1, 3}});
    const auto late = simulation.add({trace.get(), {1, 3}, {}, 0.6});
    simulation.kill(neighbour, 0.5);
    simulation.kill(neighbour, 0.75);
    simulation.kill(late, 0.55);
    simulation.run();
    return {simulation.report(first).runtime, simulation.report(late).runtime};
  });
  CHECK(times[0] == Approx(1.25).epsilon(1e-9));
  CHECK(times[1] == 0);
}
