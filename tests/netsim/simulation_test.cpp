// Several jobs on one network: how they share it, come, end, are killed, fail, and leave nothing behind.

#include "netsim/simulation.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>

#include "core/isolate.hpp"
#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/compact_trace.hpp"

using namespace toroid;
using netsim::Network;
using netsim::ReplayOutcome;
using netsim::Simulation;
using netsim::Time;

namespace {

using Numbers = std::vector<double>;

/// Runs `scenario` with a network of that engine in a process of its own; returns the numbers it returns.
Numbers with_network(const std::string& engine, const std::string& platform,
                     const std::function<Numbers(Network&)>& scenario) {
  netsim::load(engine);  // here, once, rather than in each process
  const auto bytes = core::run_isolated([&](std::uint64_t&) {
    const auto machine = platforms::make_machine(platform);
    netsim::Clock clock;
    const auto network = netsim::engines().make(engine, machine, clock);
    const auto numbers = scenario(*network);
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
  });
  Numbers numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

/// Within a scenario, which is in another process, checks would not be counted; what is thrown comes out.
void must(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error("it must be that " + what);
}

void must_say(const std::string& text, const std::vector<std::string>& parts) {
  for (const auto& part : parts) must(text.find(part) != std::string::npos, "'" + part + "' is said in: " + text);
}

/// A simulation that keeps how its jobs ended.
struct Jobs {
  using JobId = Simulation::JobId;
  explicit Jobs(Network& network, netsim::OnFailedJob on_failure = netsim::OnFailedJob::stop)
      : simulation(network, on_failure) {
    simulation.on_end([this](Simulation::JobEnd end) {
      const auto id = end.job;
      must(ends.emplace(id, std::move(end)).second, "a job ends once");
      reaction(id);
    });
  }
  JobId add(netsim::Job job) { return simulation.add(std::move(job)); }
  void kill(JobId job, const Time& time) { simulation.kill(job, time); }
  void run() { simulation.run(); }
  double runtime(JobId job) const { return ends.at(job).report.runtime; }
  double started(JobId job) const { return ends.at(job).report.start.seconds(); }
  double how(JobId job) const { return static_cast<double>(ends.at(job).how); }
  Simulation simulation;
  std::map<JobId, Simulation::JobEnd> ends;
  std::function<void(JobId)> reaction = [](JobId) {};
};

double number(ReplayOutcome how) {
  return static_cast<double>(how);
}

double now(Network& network) {
  return network.clock().now().seconds();
}

/// What a network that is left by all must not have: flows, timers, links in use.
double left_over(Network& network) {
  double left = static_cast<double>(network.flows() + network.clock().timers());
  for (const platforms::LinkId link : network.machine().links())
    left += network.usage().load(link, network.clock().now() + Time(1)).busy -
            network.usage().load(link, network.clock().now()).busy;
  return left;
}

constexpr const char* line_without_latency = "mesh:4,bw=1GBps,lat=0s";
constexpr const char* transfer = "0 send 1 0 1000000000 6\n1 recv 0 0 1 6\n";  // 1 s when alone
constexpr const char* deadlock =
    "0 send 1 0 500000000 6\n0 recv 1 7 8 6\n1 recv 0 0 8 6\n1 recv 0 7 8 6\n";  // at 0.5 s
constexpr const char* unmatched = "0 send 1 3 8 6\n1 sleep 1\n";

}  // namespace

TEST_CASE("jobs share links while both run, and start when they are told to") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    const auto first = jobs.add({trace.get(), {0, 2}});
    const auto second = jobs.add({trace.get(), {1, 3}, {}, Time(0.5)});
    jobs.run();
    return {jobs.runtime(first), jobs.started(second), jobs.runtime(second), left_over(network)};
  });
  // Alone until 0.5 s, then each has half of the link between nodes 1 and 2: the first ends at 1.5 s, when the second
  // has half of its bytes left.
  CHECK(times[0] == Approx(1.5).epsilon(1e-9));
  CHECK(times[1] == Approx(0.5).epsilon(1e-12));
  CHECK(times[2] == Approx(1.5).epsilon(1e-9));
  CHECK(times[3] == 0);
}

TEST_CASE("a killed job leaves nothing behind in the network") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    const auto first = jobs.add({trace.get(), {0, 2}});
    const auto neighbour = jobs.add({trace.get(), {1, 3}});
    jobs.kill(neighbour, Time(0.5));
    jobs.run();
    const auto& machine = network.machine();
    const auto last_link = machine.grid().link(machine.router(2), 0, true);
    return {jobs.runtime(first),     now(network),       jobs.how(neighbour),
            jobs.runtime(neighbour), left_over(network), double(network.usage().load(last_link, Time(2)).bytes)};
  });
  // Half the link until 0.5 s, all of it afterwards.
  CHECK(times[0] == Approx(1.25).epsilon(1e-9));
  CHECK(times[1] == Approx(1.25).epsilon(1e-9));
  CHECK(times[2] == number(ReplayOutcome::killed));
  CHECK(times[3] == Approx(0.5).epsilon(1e-12));
  CHECK(times[4] == 0);
  CHECK(times[5] == Approx(0.25e9).epsilon(1e-6));  // what had flowed is on the links
}

TEST_CASE("a job that computes can be killed, too") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of("0 compute 5e9\n");
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    jobs.kill(jobs.add({trace.get(), {0}, {.compute_scale = 1}}), Time(1));
    jobs.run();
    return {now(network), left_over(network)};
  });
  CHECK(times == Numbers{1, 0});
}

TEST_CASE("a kill that comes too late costs no time: its timer goes with the job") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    const auto job = jobs.add({trace.get(), {0, 2}});
    jobs.kill(job, Time(1000));
    jobs.reaction = [&](Simulation::JobId ended) { jobs.kill(ended, Time(2000)); };
    jobs.run();
    return {now(network), jobs.how(job), left_over(network)};
  });
  CHECK(times[0] == Approx(1).epsilon(1e-9));
  CHECK(times[1] == number(ReplayOutcome::done));
  CHECK(times[2] == 0);
}

TEST_CASE("a job may be added when another ends, and starts in that instant") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    Simulation::JobId second = 0;
    const auto first = jobs.add({trace.get(), {0, 2}});
    jobs.reaction = [&](Simulation::JobId ended) {
      if (ended == first) second = jobs.add({trace.get(), {1, 3}, {}, network.clock().now()});
    };
    jobs.run();
    return {jobs.started(second), jobs.runtime(first), jobs.runtime(second)};
  });
  CHECK(times[0] == times[1]);
  CHECK(times[1] == Approx(1).epsilon(1e-9));
  CHECK(times[2] == Approx(1).epsilon(1e-9));
}

TEST_CASE("a job may be killed twice, and before it starts") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    const auto first = jobs.add({trace.get(), {0, 2}});
    const auto neighbour = jobs.add({trace.get(), {1, 3}});
    const auto late = jobs.add({trace.get(), {1, 3}, {}, Time(0.6)});
    jobs.kill(neighbour, Time(0.75));
    jobs.kill(neighbour, Time(0.5));
    jobs.kill(neighbour, Time(0.6));
    jobs.kill(late, Time(0.55));
    jobs.run();
    const auto& ranks = jobs.ends.at(late).report.ranks;
    must(ranks.size() == 2 && ranks[1].node == platforms::NodeId(3), "a job that did not start tells of its ranks");
    return {jobs.runtime(first), jobs.runtime(neighbour), jobs.how(late), jobs.runtime(late), left_over(network)};
  });
  CHECK(times[0] == Approx(1.25).epsilon(1e-9));
  CHECK(times[1] == 0.5);
  CHECK(times[2] == number(ReplayOutcome::killed));
  CHECK(times[3] == 0);
  CHECK(times[4] == 0);
}

TEST_CASE("a kill in the instant of the end comes first if it was asked for before, and the job has not ended twice") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    const auto first = jobs.add({trace.get(), {0, 2}});
    const auto other = jobs.add({trace.get(), {3, 1}});  // the other way round: ends in the same instant
    jobs.kill(first, Time(1));
    jobs.reaction = [&](Simulation::JobId) { jobs.kill(other, network.clock().now()); };
    jobs.run();
    return {jobs.how(first), jobs.how(other), now(network), static_cast<double>(jobs.ends.size()), left_over(network)};
  });
  CHECK(times[0] == number(ReplayOutcome::killed));
  CHECK(times[1] == number(ReplayOutcome::killed));
  CHECK(times[2] == Approx(1).epsilon(1e-9));
  CHECK(times[3] == 2);
  CHECK(times[4] == 0);
}

TEST_CASE("of two jobs that end together on the same two nodes, the first to hear may end the other") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    const netsim::ReplayOptions at_once{.order = netsim::Order::shared};
    const auto first = jobs.add({trace.get(), {0, 2}, at_once});
    const auto other = jobs.add({trace.get(), {0, 2}, at_once});
    // Which of them hears first is the engine's affair.
    jobs.reaction = [&](Simulation::JobId ended) { jobs.kill(ended == first ? other : first, network.clock().now()); };
    jobs.run();
    return {jobs.how(first), jobs.how(other), now(network), static_cast<double>(jobs.ends.size()), left_over(network)};
  });
  CHECK(times[0] + times[1] == number(ReplayOutcome::done) + number(ReplayOutcome::killed));
  CHECK(times[2] == Approx(2).epsilon(1e-9));  // half of the link for each
  CHECK(times[3] == 2);
  CHECK(times[4] == 0);
}

TEST_CASE("a deadlock is noticed when its job has nothing under way, whatever others do") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto good = test::trace_of(transfer), bad = test::trace_of(deadlock);
  SECTION("the others go on, with the network to themselves") {
    const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
      Jobs jobs(network, netsim::OnFailedJob::go_on);
      const auto first = jobs.add({good.get(), {0, 2}});
      const auto second = jobs.add({bad.get(), {1, 3}});
      jobs.run();
      must_say(jobs.ends.at(second).complaint, {"deadlock: 2 of 2 ranks", "trace.ti:2"});
      return {jobs.how(first), jobs.runtime(first), jobs.how(second), jobs.runtime(second), left_over(network)};
    });
    CHECK(times[0] == number(ReplayOutcome::done));
    CHECK(times[1] == Approx(1.5).epsilon(1e-9));  // half of the link for 1 s
    CHECK(times[2] == number(ReplayOutcome::failed));
    CHECK(times[3] == Approx(1).epsilon(1e-9));
    CHECK(times[4] == 0);
  }
  SECTION("or all stops there") {
    const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
      Jobs jobs(network);
      jobs.add({good.get(), {0, 2}});
      jobs.add({bad.get(), {3, 1}});
      std::string text;
      try {
        jobs.run();
      } catch (const core::SimulationError& error) {
        text = error.what();
      }
      must_say(text, {"deadlock: 2 of 2 ranks", "trace.ti:2"});
      return {now(network), static_cast<double>(jobs.ends.size())};
    });
    CHECK(times[0] == Approx(0.5).epsilon(1e-9));
    CHECK(times[1] == 0);
  }
}

TEST_CASE("unmatched messages and waits for nothing fail one job, too, and may do so at its very start") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto good = test::trace_of(transfer), lost = test::trace_of(unmatched);
  const auto alone = test::trace_of("0 recv 0 0 8 6\n");
  workloads::CompactTrace none(2);
  none.add(0, {.kind = workloads::OpKind::wait, .request = 7});
  none.finish();
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network, netsim::OnFailedJob::go_on);
    const auto first = jobs.add({good.get(), {0, 2}});
    const auto in_flight = jobs.add({lost.get(), {1, 3}});
    const auto arrived = jobs.add({lost.get(), {1, 3}, {.compute_scale = 1}});
    const auto waits = jobs.add({&none, {1, 3}});
    const auto at_once = jobs.add({alone.get(), {1}});
    jobs.run();
    for (const auto job : {in_flight, arrived})
      must_say(jobs.ends.at(job).complaint, {"unmatched message", "trace.ti:1"});
    must_say(jobs.ends.at(waits).complaint, {"asks for request 7, which no operation before it gave"});
    must_say(jobs.ends.at(at_once).complaint, {"deadlock: 1 of 1 ranks"});
    must(jobs.runtime(in_flight) == 0, "a job ends with its last rank");
    must(jobs.runtime(arrived) == 1, "a job ends with its last rank");
    return {jobs.how(first), jobs.how(in_flight), jobs.how(arrived),
            jobs.how(waits), jobs.how(at_once),   left_over(network)};
  });
  const auto failed = number(ReplayOutcome::failed);
  CHECK(times == Numbers{number(ReplayOutcome::done), failed, failed, failed, failed, 0});
}

TEST_CASE("jobs that end within their start, one after another in one instant") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto nothing = test::trace_of("0 compute 1\n1 compute 1\n");
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    int left = 1000;
    jobs.reaction = [&](Simulation::JobId) {
      if (--left > 0) jobs.add({nothing.get(), {0, 1}, {}, network.clock().now()});
    };
    jobs.add({nothing.get(), {0, 1}, {}, Time(3)});
    jobs.run();
    return {now(network), static_cast<double>(jobs.ends.size()), left_over(network)};
  });
  CHECK(times == Numbers{3, 1000, 0});
}

TEST_CASE("a simulation that goes while jobs wait and run leaves nothing behind") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto trace = test::trace_of(transfer);
  const auto numbers = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    {
      Jobs jobs(network);
      const auto first = jobs.add({trace.get(), {0, 2}});
      jobs.kill(first, Time(50));
      jobs.add({trace.get(), {1, 3}, {}, Time(0.5)});
      jobs.add({trace.get(), {1, 3}, {}, Time(60)});
      jobs.reaction = [&](Simulation::JobId) { network.clock().stop(); };
      jobs.run();
      must(jobs.ends.size() == 1 && jobs.simulation.jobs() == 2, "one job has ended");
    }
    const auto left = left_over(network);
    network.clock().run();
    return {left, now(network)};
  });
  CHECK(numbers[0] == 0);
  CHECK(numbers[1] == Approx(1.5).epsilon(1e-9));
}

TEST_CASE("a program takes the same time whenever it starts, to the last bit") {
  const auto trace = workloads::open_trace("stencil:grid=4x4,steps=5,bytes=10kB,flops=100kf");
  const auto runtime = [&](const std::string& engine, double start) {
    return with_network(engine, "mesh:4x4,bw=1.7GBps,lat=130ns", [&](Network& network) -> Numbers {
      Jobs jobs(network);
      netsim::Mapping mapping;
      for (int rank = 0; rank < 16; ++rank) mapping.add(platforms::NodeId((7 * rank) % 16));
      const auto job = jobs.add({trace.get(), mapping, {.compute_scale = 1}, Time(start)});
      jobs.run();
      return {jobs.runtime(job)};
    })[0];
  };
  for (const std::string engine : {"fluid", "simgrid"}) {
    const double at_once = runtime(engine, 0);
    CHECK(at_once > 1e-4);
    for (const double start : {1e-7, 0.3, 1e7, 6e7 + 0.1}) CHECK(runtime(engine, start) == at_once);
  }
}

namespace {

/// Jobs on random nodes, of which some start later, some share nodes, some fail and some are killed; each that ends may
/// start another or have one killed at once. Per job: how it ended, start and runtime. Then the time of the last end,
/// what is left over, and per link the seconds in use.
Numbers random_jobs(Network& network, std::uint64_t seed, const std::vector<const workloads::Trace*>& traces) {
  core::Random random(seed, "simulation/jobs");
  const auto time = [&] { return Time(1e-4 * random.unit()); };
  Jobs simulation(network, netsim::OnFailedJob::go_on);
  std::vector<Simulation::JobId> jobs;
  const auto add = [&](const Time& start) {
    const auto& trace = *traces[random.below(traces.size())];
    const auto nodes = static_cast<std::uint64_t>(network.machine().node_count());
    netsim::Mapping mapping;
    while (mapping.size() < static_cast<std::size_t>(trace.ranks()))
      mapping.add(platforms::NodeId(random.below(nodes)));
    jobs.push_back(simulation.add(
        {&trace, mapping, {.compute_scale = 1, .eager_threshold = 2000, .order = netsim::Order::shared}, start}));
  };
  const auto any_job = [&] { return jobs[random.below(jobs.size())]; };
  for (auto left = 2 + random.below(4); left > 0; --left) add(random.below(2) == 0 ? Time() : time());
  for (auto left = random.below(4); left > 0; --left) simulation.kill(any_job(), time());
  simulation.reaction = [&](Simulation::JobId) {
    if (random.below(3) == 0) simulation.kill(any_job(), network.clock().now());
    if (jobs.size() < 9 && random.below(2) == 0) add(network.clock().now() + (random.below(2) == 0 ? Time() : time()));
  };
  simulation.run();
  Numbers numbers;
  for (const auto job : jobs) {
    numbers.push_back(simulation.how(job));
    numbers.push_back(simulation.started(job));
    numbers.push_back(simulation.runtime(job));
  }
  must(simulation.simulation.jobs() == 0, "all jobs have ended");
  numbers.push_back(left_over(network));
  numbers.push_back(now(network));
  for (const platforms::LinkId link : network.machine().links())
    numbers.push_back(network.usage().load(link, network.clock().now()).busy);
  return numbers;
}

}  // namespace

TEST_CASE("jobs that come, end, fail and are killed at random take the same times with both engines and free all") {
  const auto stencil = workloads::open_trace("stencil:grid=2x3,steps=4,bytes=5kB,flops=10kf");
  const auto broadcasts = workloads::open_trace("broadcasts:ranks=4,rounds=2,bytes=14kB");
  const auto stuck = test::trace_of("0 send 1 0 9000 6\n0 recv 1 7 8 6\n1 recv 0 0 8 6\n1 recv 0 7 8 6\n");
  const auto lost = test::trace_of("0 send 1 3 800 6\n1 sleep 2e-5\n");
  const std::vector<const workloads::Trace*> traces{stencil.get(),    stencil.get(), broadcasts.get(),
                                                    broadcasts.get(), stuck.get(),   lost.get()};
  std::map<double, int> ends;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string platform =
        seed % 2 == 0 ? "torus:3x3,bw=1GBps,lat=1us" : "mesh:4,bw=1GBps,lat=300ns,injection=1GBps";
    const auto run = [&](const std::string& engine) {
      return with_network(engine, platform, [&](Network& network) { return random_jobs(network, seed, traces); });
    };
    const auto fluid = run("fluid"), simgrid = run("simgrid");
    CAPTURE(seed);
    REQUIRE(fluid.size() == simgrid.size());
    for (std::size_t i = 0; i < fluid.size(); ++i) CHECK(fluid[i] == Approx(simgrid[i]).epsilon(1e-8).margin(1e-13));
    const auto links = static_cast<std::size_t>(platforms::make_machine(platform).link_count());
    CHECK(fluid[fluid.size() - links - 2] == 0);
    CHECK(simgrid[simgrid.size() - links - 2] == 0);
    for (std::size_t i = 0; i + links + 2 < fluid.size(); i += 3) ++ends[fluid[i]];
  }
  for (const ReplayOutcome how : {ReplayOutcome::done, ReplayOutcome::killed, ReplayOutcome::failed})
    CHECK(ends[number(how)] > 10);
}

TEST_CASE("jobs on the same two nodes are in one line_without_latency, and who is killed lets the others go on") {
  const std::string engine = GENERATE("simgrid", "fluid");
  const auto order = GENERATE(netsim::Order::pair, netsim::Order::node);
  const auto trace = test::trace_of(transfer);
  const auto times = with_network(engine, line_without_latency, [&](Network& network) -> Numbers {
    Jobs jobs(network);
    netsim::ReplayOptions options;
    options.order = order;
    const auto add = [&](double start) { return jobs.add({trace.get(), {0, 2}, options, Time(start)}); };
    const auto first = add(0), killed_in_line = add(0.1), third = add(0.2), killed_on_its_way = add(0.3),
               last = add(0.4);
    jobs.kill(killed_in_line, Time(0.5));
    jobs.kill(killed_on_its_way, Time(2.25));
    jobs.run();
    return {jobs.runtime(first), jobs.runtime(third), jobs.runtime(last), now(network), left_over(network)};
  });
  CHECK(times[0] == Approx(1).epsilon(1e-9));
  CHECK(times[1] == Approx(1.8).epsilon(1e-9));   // from 1 to 2
  CHECK(times[2] == Approx(2.85).epsilon(1e-9));  // from 2.25 on
  CHECK(times[3] == Approx(3.25).epsilon(1e-9));
  CHECK(times[4] == 0);
}
