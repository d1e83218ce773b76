// A machine that changes while jobs run on it: links fail, bandwidths and latencies change.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>

#include "core/random.hpp"
#include "netsim/fluid/max_min.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::Run;
using platforms::LinkId;

namespace {

constexpr const char* message = "0 send 1 0 1000000000 6\n1 recv 0 0 1000000000 6\n";  // 1 s at 1 GB/s

/// What the link needs for the message at full speed, if the machine changes at a time.
double least_time_of_links(const std::string& before, double at, const std::string& after) {
  const auto machine = platforms::make_machine(before), changed = platforms::make_machine(after);
  const auto trace = test::trace_of(message);
  netsim::Run request{machine, *trace, {0, 1}, {}, "fluid"};
  request.changes.changes.push_back({at, &changed});
  const auto result = netsim::run(request);
  CHECK(result.loads.max_seconds <= result.runtime * (1 + 1e-9));
  return result.loads.max_seconds;
}

/// Machines by their times.
struct History {
  explicit History(const std::vector<std::pair<double, std::string>>& platforms) {
    for (const auto& [time, platform] : platforms) {
      machines.push_back(std::make_unique<platforms::Machine>(platforms::make_machine(platform)));
      if (machines.size() > 1) changes.changes.push_back({time, machines.back().get()});
    }
  }
  std::vector<std::unique_ptr<platforms::Machine>> machines;
  netsim::MachineChanges changes;
};

/// One job on nodes 0 and 1, on machines by their times. Sends do not wait for their receives.
netsim::Result run(const History& history, const std::string& text) {
  const auto trace = test::trace_of(text);
  Run request{*history.machines[0], {{"a", *trace, {0, 1}, {.eager_threshold = 1 << 30}}}, "fluid"};
  request.changes = history.changes;
  return netsim::run(request);
}

std::uint64_t bytes_of(const netsim::Result& result, const platforms::Machine& machine, const std::string& name) {
  for (const auto& link : result.links)
    if (machine.link_name(link.link) == name) return link.bytes;
  return 0;
}

netsim::Mapping some(const std::vector<platforms::NodeId>& nodes, std::size_t first, std::size_t count) {
  netsim::Mapping mapping;
  for (std::size_t i = 0; i < count; ++i) mapping.add(nodes[first + i]);
  return mapping;
}

void check_sums(const netsim::JobResult& job, std::size_t number = 0) {
  const auto& path = job.critical_path;
  const double rounds = std::accumulate(job.rounds.begin(), job.rounds.end(), 0.0);
  CHECK(path.compute + path.latency + path.bandwidth + path.sharing == Approx(rounds).epsilon(1e-9));
  // Without what the critical path lost it would not be shorter than another one.
  double charged = job.changes;
  for (std::size_t other = 0; other < job.charges.size(); ++other) charged += other == number ? 0 : job.charges[other];
  CHECK(charged <= path.sharing * (1 + 1e-9) + 1e-15);
}

}  // namespace

TEST_CASE("bytes flow as the bandwidth lets them from now on") {
  const auto slower = run(History({{0, "mesh:4,bw=1GBps,lat=0s"}, {0.5, "mesh:4,bw=500MBps,lat=0s"}}), message);
  CHECK(*slower.jobs[0].runtime() == Approx(1.5).epsilon(1e-12));
  CHECK(slower.jobs[0].changes == Approx(0.5).epsilon(1e-12));
  CHECK(slower.jobs[0].charges == std::vector<double>{0});
  CHECK(slower.links[0].mean_utilization == Approx(1));
  check_sums(slower.jobs[0]);
  const auto faster = run(History({{0, "mesh:4,bw=1GBps,lat=0s"}, {0.5, "mesh:4,bw=2GBps,lat=0s"}}), message);
  CHECK(*faster.jobs[0].runtime() == Approx(0.75).epsilon(1e-12));
  CHECK(faster.jobs[0].critical_path.bandwidth == Approx(0.75).epsilon(1e-12));
  check_sums(faster.jobs[0]);
}

TEST_CASE("messages have the latencies of the time when they set out") {
  const auto r = run(History({{0, "mesh:4,lat=1s"}, {0.5, "mesh:4,lat=3s"}}),
                     "0 send 1 0 0 6\n0 recv 1 0 0 6\n1 recv 0 0 0 6\n1 send 0 0 0 6\n");
  CHECK(*r.jobs[0].runtime() == Approx(4));
}

TEST_CASE("a message on a link that fails starts again over a detour, with what is left of it") {
  const History history({{0, "torus:4,bw=1GBps,lat=100ms"}, {0.5, "torus:4,bw=1GBps,lat=100ms,fail-link=n0-n1"}});
  const auto r = run(history, message);
  // 0.4 GB have arrived after 0.5 s; three hops of latency and 0.6 s for the rest.
  CHECK(*r.jobs[0].runtime() == Approx(1.4).epsilon(1e-9));
  CHECK(r.jobs[0].changes == Approx(0.3).epsilon(1e-9));
  check_sums(r.jobs[0]);
  CHECK(bytes_of(r, *history.machines[0], "n0 -> n1 (+x)") == 400'000'000);
  CHECK(bytes_of(r, *history.machines[0], "n3 -> n2 (-x)") == 600'000'000);
  CHECK(r.jobs[0].bytes == 1'000'000'000);
}

TEST_CASE("a message that arrives in the instant of the failure has arrived") {
  History history({{0, "torus:4,bw=1GBps,lat=0s"}, {1, "torus:4,bw=1GBps,lat=0s,fail-link=n0-n1"}});
  for (const auto policy : {netsim::OnLinkFailure::reroute, netsim::OnLinkFailure::fail}) {
    history.changes.on_link_failure = policy;
    const auto r = run(history, message);
    CHECK(*r.jobs[0].runtime() == Approx(1).epsilon(1e-12));
    CHECK(r.links.size() == 1);
  }
}

TEST_CASE("those behind it in line wait until it has gone its way") {
  const History history({{0, "torus:4,bw=1GBps,lat=0s"}, {0.5, "torus:4,bw=1GBps,lat=0s,fail-link=n0-n1"}});
  const auto r = run(history,
                     "0 isend 1 0 1000000000 6\n0 send 1 1 1000000000 6\n0 wait 0 1 0\n"
                     "1 recv 0 0 1000000000 6\n1 recv 0 1 1000000000 6\n");
  CHECK(*r.jobs[0].runtime() == Approx(2).epsilon(1e-9));
  CHECK(r.jobs[0].critical_path.bandwidth == Approx(2).epsilon(1e-9));  // the rank's own, all at full speed
  CHECK(r.jobs[0].critical_path.sharing == Approx(0).margin(1e-9));
  CHECK(bytes_of(r, *history.machines[0], "n0 -> n1 (+x)") == 500'000'000);
  CHECK(bytes_of(r, *history.machines[0], "n3 -> n2 (-x)") == 1'500'000'000);
  check_sums(r.jobs[0]);
}

TEST_CASE("a job that loses a message fails, if that is wanted, and the others go on") {
  History history({{0, "torus:4,bw=1GBps,lat=0s"}, {0.5, "torus:4,bw=1GBps,lat=0s,fail-link=n0-n1"}});
  history.changes.on_link_failure = netsim::OnLinkFailure::fail;
  const auto trace = test::trace_of(message);
  Run request{*history.machines[0], {{"a", *trace, {0, 1}}, {"b", *trace, {2, 3}}}, "fluid"};
  request.changes = history.changes;
  CHECK_THAT(test::message_of<core::SimulationError>([&] { netsim::run(request); }),
             Catch::StartsWith("job 'a': lost message: ") &&
                 Catch::EndsWith("rank 0 sends 1000000000 bytes to rank 1 over n0 -> n1 (+x), which fails"));
  request.on_failure = netsim::OnFailedJob::go_on;
  const auto r = netsim::run(request);
  CHECK(r.jobs[0].how == netsim::JobOutcome::failed);
  CHECK(r.jobs[0].end == 0.5);
  CHECK(*r.jobs[1].runtime() == Approx(1).epsilon(1e-9));
}

TEST_CASE("a job that loses two messages at once fails once") {
  History history({{0, "torus:6,bw=1GBps,lat=0s"}, {0.5, "torus:6,bw=1GBps,lat=0s,fail-link=n1-n2"}});
  history.changes.on_link_failure = netsim::OnLinkFailure::fail;
  const auto trace = test::trace_of(
      "0 send 2 0 1000000000 6\n1 send 2 0 1000000000 6\n2 recv 0 0 1000000000 6\n2 recv 1 0 1000000000 6\n");
  Run request{*history.machines[0], {{"a", *trace, {0, 1, 2}}}, "fluid"};
  request.changes = history.changes;
  request.on_failure = netsim::OnFailedJob::go_on;
  const auto r = netsim::run(request);
  CHECK(r.jobs[0].how == netsim::JobOutcome::failed);
  CHECK(r.jobs[0].end == 0.5);
}

TEST_CASE("a change in which nothing changes, or that comes too late, changes nothing") {
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  netsim::Mapping mapping;
  for (const auto node : core::ids<platforms::NodeId>(16)) mapping.add(node);
  const History history({{0, "torus:4x4"}, {1e-4, "torus:4x4"}, {1e6, "mesh:4x4"}});
  Run request{*history.machines[0], {{"a", *trace, mapping}}, "fluid"};
  const auto plain = netsim::run(request);
  request.changes = history.changes;
  const auto changed = netsim::run(request);
  CHECK(changed.jobs[0].rounds == plain.jobs[0].rounds);
  CHECK(changed.jobs[0].end == plain.jobs[0].end);
}

TEST_CASE("neighbours are charged for what they take, changes for the rest") {
  // Two share a link of 1 GB/s, then of 0.5 GB/s from 1 s on.
  const History history({{0, "mesh:4,bw=1GBps,lat=0s"}, {1, "mesh:4,bw=500MBps,lat=0s"}});
  const auto trace = test::trace_of(message);
  Run request{*history.machines[0], {{"a", *trace, {0, 2}}, {"b", *trace, {1, 3}}}, "fluid"};
  request.changes = history.changes;
  const auto r = netsim::run(request);
  // Half of it in 1 s, half of which a neighbour took; the rest at a quarter of 1 GB/s: in 2 s, half of which likewise.
  for (std::size_t job : {0, 1}) {
    CHECK(*r.jobs[job].runtime() == Approx(3).epsilon(1e-9));
    CHECK(r.jobs[job].charges[1 - job] == Approx(1.5).epsilon(1e-9));
    CHECK(r.jobs[job].changes == Approx(0.5).epsilon(1e-9));
    check_sums(r.jobs[job], job);
  }
}

TEST_CASE("programs go on, and books stay right, whatever fails and changes") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    core::Random random(seed, "changes");
    std::string platform = "torus:5x6,injection=2GBps";
    std::vector<std::pair<double, std::string>> platforms{{0, platform}};
    for (int change = 1; change <= 6; ++change) {
      const auto at = random.below(30);
      platform += change % 2 == 0 ? fmt::format(",{}.bandwidth=x{}", "xy"[at % 2], at % 3 == 0 ? 2 : 0.5)
                                  : fmt::format(",fail-link=n{}-n{}", at, at % 5 == 4 ? at - 4 : at + 1);
      platforms.emplace_back(2e-5 * change * static_cast<double>(1 + random.below(2)) + 1e-7 * change, platform);
    }
    std::sort(platforms.begin(), platforms.end());
    const History history(platforms);
    std::vector<platforms::NodeId> nodes(history.machines[0]->nodes().begin(), history.machines[0]->nodes().end());
    random.shuffle(nodes);
    const auto cg = workloads::open_trace("cg:class=S,ranks=16,iterations=1"),
               stencil = workloads::open_trace("stencil:grid=3x4");
    Run request{
        *history.machines[0], {{"cg", *cg, some(nodes, 0, 16)}, {"stencil", *stencil, some(nodes, 16, 12)}}, "fluid"};
    const auto before = netsim::run(request);
    request.changes = history.changes;
    const auto r = netsim::run(request);
    for (std::size_t job : {0, 1}) {
      CHECK(r.jobs[job].how == netsim::JobOutcome::done);
      CHECK(r.jobs[job].bytes == before.jobs[job].bytes);
      check_sums(r.jobs[job], job);
    }
    std::uint64_t on_links = 0, of_jobs = 0;
    for (const auto& link : r.links) {
      on_links += link.bytes;
      CHECK(link.mean_utilization <= 1 + 1e-9);
    }
    for (const auto& load : r.job_loads) of_jobs += load.bytes;
    CHECK(on_links == of_jobs);
  }
}

TEST_CASE("rates after changes of capacities are those of a solver that never knew others") {
  core::Random random(3, "capacities");
  for (int round = 0; round < 200; ++round) {
    const auto links = 2 + static_cast<int>(random.below(8));
    core::IdVector<LinkId, double> capacities;
    for (int link = 0; link < links; ++link) capacities.add(1 + static_cast<double>(random.below(100)));
    netsim::MaxMin solver(capacities);
    std::vector<std::pair<netsim::MaxMin::ClassId, std::uint32_t>> classes;
    for (int i = 0; i < 12; ++i) {
      std::vector<LinkId> route;
      for (const auto link : capacities.ids())
        if (random.below(3) == 0) route.push_back(link);
      if (route.empty()) route.push_back(LinkId(random.below(static_cast<std::uint64_t>(links))));
      classes.emplace_back(solver.add(route), 1 + static_cast<std::uint32_t>(random.below(3)));
      solver.set_weight(classes.back().first, classes.back().second);
      if (i % 2 == 0) solver.solve();
      for (const auto link : capacities.ids())
        if (random.below(4) == 0)
          solver.set_capacity(link, capacities[link] = 1 + static_cast<double>(random.below(100)));
    }
    solver.solve();
    netsim::MaxMin fresh(capacities);
    for (const auto& [id, weight] : classes) fresh.set_weight(fresh.add(solver.route(id)), weight);
    fresh.solve();
    for (std::size_t i = 0; i < classes.size(); ++i)
      CHECK(solver.rate(classes[i].first) == Approx(fresh.rate(static_cast<std::uint32_t>(i))).epsilon(1e-9));
  }
}

TEST_CASE("engines that cannot change their machine say so") {
  const History history({{0, "mesh:4"}, {1, "mesh:4,bw=2GBps"}});
  for (const std::string engine : {"simgrid", "packet", "packet:vcs=2"})
    CHECK(test::error_of([&] { netsim::check_engine_for(history.changes, engine); }) ==
          "engine '" + engine + "' cannot change the machine while jobs run; expected fluid");
  netsim::check_engine_for(history.changes, "fluid");
  netsim::check_engine_for({}, "packet");
}

TEST_CASE("What a link needs for its bytes counts the bandwidths that it had meanwhile") {
  const std::string fast = "mesh:2,bw=1GBps,lat=0s", slow = "mesh:2,bw=250MBps,lat=0s";
  CHECK(least_time_of_links(fast, 0.5, slow) == Approx(0.5 + 2));  // half of the bytes at a quarter of the speed
  CHECK(least_time_of_links(slow, 2, fast) == Approx(2 + 0.5));
  CHECK(least_time_of_links(fast, 10, slow) == Approx(1));  // the run had ended
}
