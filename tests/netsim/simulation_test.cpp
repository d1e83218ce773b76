// Several jobs on one network.

#include "netsim/simulation.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "core/isolate.hpp"
#include "core/random.hpp"
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
    const auto network = netsim::engines().make(engine, machine);
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
  // Alone until 0.5 s, then each has half of the link between nodes 1 and 2: the first ends at 1.5 s, when the second
  // has half of its bytes left.
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

namespace {

/// Jobs on random nodes, of which some start later, some share nodes and some are killed; each that ends may start
/// another or have one killed at once. Per job: start and runtime (0: killed). Then the time of the last end, and per
/// link the seconds in use and whether it still is, which would make them more the later one asks.
std::vector<double> random_jobs(Network& network, std::uint64_t seed,
                                const std::vector<const workloads::Trace*>& traces) {
  core::Random random(seed, "simulation/jobs");
  const auto time = [&] { return 1e-4 * random.unit(); };
  Simulation simulation(network);
  std::vector<Simulation::JobId> jobs;
  const auto add = [&](double start) {
    const auto& trace = *traces[random.below(traces.size())];
    std::vector<platforms::NodeId> placement;
    for (workloads::Rank rank = 0; rank < trace.ranks(); ++rank)
      placement.push_back(
          static_cast<platforms::NodeId>(random.below(static_cast<std::uint64_t>(network.machine().node_count()))));
    jobs.push_back(simulation.add({&trace, placement, {.compute_scale = 1, .eager_threshold = 2000}, start}));
  };
  const auto any_job = [&] { return jobs[random.below(jobs.size())]; };
  for (auto left = 2 + random.below(4); left > 0; --left) add(random.below(2) == 0 ? 0 : time());
  for (auto left = random.below(4); left > 0; --left) simulation.kill(any_job(), time());
  simulation.on_end([&](Simulation::JobId) {
    if (random.below(3) == 0) simulation.kill(any_job(), network.now());
    if (jobs.size() < 9 && random.below(2) == 0) add(network.now() + (random.below(2) == 0 ? 0 : time()));
  });
  simulation.run();
  std::vector<double> numbers;
  for (const auto job : jobs) {
    numbers.push_back(simulation.report(job).start);
    numbers.push_back(simulation.report(job).runtime);
  }
  numbers.push_back(network.now());
  for (platforms::LinkId link = 0; link < network.machine().link_count(); ++link) {
    numbers.push_back(network.usage().load(link, network.now()).busy);
    numbers.push_back(network.usage().load(link, network.now() + 1).busy - numbers.back());
  }
  return numbers;
}

}  // namespace

TEST_CASE("jobs that come, end and are killed at random take the same times with both engines and free all links") {
  const auto stencil = workloads::open_trace("stencil:grid=2x3,steps=4,bytes=5kB,flops=10kf");
  const auto cg = workloads::open_trace("cg:ranks=4,steps=2");
  const std::vector<const workloads::Trace*> traces{stencil.get(), cg.get()};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string platform =
        seed % 2 == 0 ? "torus:3x3,bw=1GBps,lat=1us" : "mesh:4,bw=1GBps,lat=300ns,injection=1GBps";
    const auto run = [&](const std::string& engine) {
      return with_network(engine, platform, [&](Network& network) { return random_jobs(network, seed, traces); });
    };
    const auto fluid = run("fluid"), simgrid = run("simgrid");
    CAPTURE(seed);
    REQUIRE(fluid.size() == simgrid.size());
    const auto links = platforms::make_machine(platform).link_count();
    for (std::size_t i = 0; i < fluid.size(); ++i) CHECK(fluid[i] == Approx(simgrid[i]).epsilon(1e-8).margin(1e-13));
    for (auto i = fluid.size() - 2 * static_cast<std::size_t>(links); i < fluid.size(); i += 2)
      CHECK(fluid[i + 1] == 0);
  }
}
