// Jobs whose run times the network decides.

#include "cosim/run_times/replayed.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "tests/cosim/streams.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::cosim {
namespace {

// Links of 1 GB/s without latency: a message of 1 MB takes 1 ms.
const std::string eight_nodes = "mesh:8,bw=1GBps,lat=0s";
const std::string message_trace = "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n";

/// Gives each job the nodes that stand here for it.
class Given final : public alloc::LocalAllocator {
 public:
  Given(const alloc::Site& site, std::map<std::int64_t, Allocation> nodes)
      : LocalAllocator(site), nodes_(std::move(nodes)) {}
  bool counting_suffices() const override { return false; }

 private:
  std::optional<Allocation> find(const alloc::Request& request) override {
    const auto found = nodes_.find(request.job);
    if (found == nodes_.end()) return {};
    for (const NodeId node : found->second)
      if (!free().is_free(node)) return {};
    return found->second;
  }
  std::map<std::int64_t, Allocation> nodes_;
};

struct Seen {
  double started = 0, ended = 0;
  End end = End::done;
  Work work;
};

class SeenJobs final : public Observer {
 public:
  void ended(const Record& record) override {
    const auto& work = record.work != nullptr ? *record.work : Work{};
    by_number[record.job.number] = {record.started.seconds(), record.ended.seconds(), record.end, work};
  }
  std::map<std::int64_t, Seen> by_number;
};

/// Rank r on the r-th node, so that a reader sees who sends over which link.
ProgramOptions in_order() {
  ProgramOptions how;
  how.map = "consecutive";
  return how;
}

/// Runs the jobs on the nodes given, or on the lowest free ones; at the end nothing is left anywhere.
std::map<std::int64_t, Seen> run(const std::string& platform, const jobs::Jobs& jobs,
                                 const std::vector<std::string>& programs,
                                 const std::map<std::int64_t, Allocation>& nodes = {}, const Options& options = {},
                                 ProgramOptions how = in_order()) {
  const auto machine = platforms::make_machine(platform);
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  alloc::FreeNodes free(machine);
  const alloc::Site site{free, network.get(), 1, &clock};
  const auto allocator =
      nodes.empty() ? alloc::allocators().make("consecutive", site) : std::make_unique<Given>(site, nodes);
  const auto scheduler = schedulers().make("fcfs");
  how.rules = programs;
  PlacedPrograms placed(how, machine, "fluid", 1);
  Replayed replayed(placed, *network);
  SeenJobs seen;
  std::optional<NodeFailures> failures;
  if (options.failures.mtbf > 0) failures.emplace(options.failures, std::vector<PlannedOutage>{}, machine, clock, 1);
  Loop({jobs, *scheduler, free, *allocator, clock, replayed, {&seen}, failures ? &*failures : nullptr}, options).run();
  if (!failures) CHECK(free.count() == machine.node_count());  // the others may be out
  CHECK(network->flows() == 0);
  CHECK(clock.timers() == 0);
  return seen.by_number;
}

TEST_CASE("Jobs on disjoint links run as alone, to the last bit") {
  const ListedJobs jobs({job(1, 0, 4, 0), job(2, 0, 4, 0), job(3, 0.0001, 8, 0)});
  const auto seen = run("torus:4x4", jobs, {"stencil:grid={size},steps=3,periodic=yes"},
                        {{1, {0, 1, 2, 3}}, {2, {4, 5, 6, 7}}, {3, {8, 9, 10, 11, 12, 13, 14, 15}}});
  REQUIRE(seen.size() == 3);
  for (const auto& [number, one] : seen) {
    CHECK(one.end == End::done);
    CHECK(one.work.alone > 0);
    if (number != 3) CHECK(one.ended - one.started == one.work.alone);
  }
  CHECK(seen.at(3).ended - seen.at(3).started == Approx(seen.at(3).work.alone).epsilon(1e-12));
}

TEST_CASE("Jobs that share a link slow each other down as computed by hand") {
  const test::Scratch scratch;
  const auto trace = scratch.write("message.ti", message_trace);
  // Both cross the link from 1 to 2, from 0 and from 0.5 ms on: 0.5 + 1 ms (the first has half of it left, at half the
  // rate), then the second has half a message left.
  const ListedJobs jobs({job(1, 0, 2, 0), job(2, 0.0005, 2, 0)});
  const auto seen = run(eight_nodes, jobs, {trace}, {{1, {0, 2}}, {2, {1, 3}}});
  CHECK(seen.at(1).ended == Approx(0.0015));
  CHECK(seen.at(2).ended == Approx(0.0020));
  CHECK(seen.at(1).work.alone == Approx(0.001));
  CHECK(seen.at(1).work.slowdown(0.0015) == Approx(1.5));
  CHECK(seen.at(2).work.critical_path->sharing == Approx(0.0005));
  CHECK(seen.at(1).work.max_link_load == 1'000'000);
  CHECK(seen.at(1).work.traffic.hop_bytes == 2'000'000);
}

TEST_CASE("A job tells the computation that its run leaves out") {
  // On cores of 1 Gf a step takes 2 ms: 5 steps, 3 rounds.
  const ListedJobs jobs({job(1, 0, 4, 0)});
  const std::vector<std::string> programs{"stencil:grid={size},steps=5,flops=2Mf rounds 3"};
  CHECK(run("mesh:8", jobs, programs).at(1).work.left_out == Approx(0.030));
  CHECK(run("mesh:8,speed=2Gf", jobs, programs).at(1).work.left_out == Approx(0.015));
  auto with = in_order();
  with.replay.compute_scale = 1;
  CHECK(run("mesh:8", jobs, programs, {}, {}, with).at(1).work.left_out == 0);
}

TEST_CASE("A job that is killed at its estimate leaves the links to others") {
  const test::Scratch scratch;
  const auto trace = scratch.write("message.ti", message_trace);
  Options options;
  options.kill = true;
  // The first is killed at 1 ms, when both have half a message left.
  const ListedJobs jobs({job(1, 0, 2, 0, 0.001), job(2, 0, 2, 0, 1), job(3, 0, 2, 0, 0.0005)});
  const auto seen = run(eight_nodes, jobs, {trace}, {{1, {0, 2}}, {2, {1, 3}}, {3, {6, 7}}}, options);
  CHECK(seen.at(1).end == End::killed);
  CHECK(seen.at(1).ended == 0.001);
  CHECK(seen.at(1).work.alone == 0);
  CHECK(seen.at(2).end == End::done);
  CHECK(seen.at(2).ended == Approx(0.0015));
  CHECK(seen.at(3).end == End::killed);
  CHECK(seen.at(3).ended == 0.0005);
  const auto machine = platforms::make_machine(eight_nodes);
  const ListedJobs no_estimate({job(1, 0, 2, 0, 0)});
  ScheduleRequest request{machine, no_estimate};
  request.options = options;
  request.times = ScheduleRequest::Times::replayed;
  request.programs.rules = std::vector{trace};
  CHECK_THAT(test::error_of([&] { check_jobs(request); }), Catch::Contains("job 1: its estimate is 0 s"));
}

TEST_CASE("A job that deadlocks among others fails alone, or the run") {
  const test::Scratch scratch;
  const auto trace = scratch.write("message.ti", message_trace);
  const auto deadlock = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const ListedJobs jobs({job(1, 0, 2, 0), job(2, 0, 2, 0), job(3, 0, 8, 0)});
  const std::vector<std::string> programs{trace + " if size=8", trace + " if name=1", deadlock};
  CHECK_THAT(test::message_of<core::SimulationError>([&] { run(eight_nodes, jobs, programs); }),
             Catch::StartsWith("job 2, " + deadlock + ": ") && Catch::Contains("deadlock"));
  Options options;
  options.failed_job = netsim::OnFailedJob::go_on;
  const auto seen = run(eight_nodes, jobs, programs, {}, options);
  CHECK(seen.at(1).end == End::done);
  CHECK(seen.at(2).end == End::failed);
  CHECK(seen.at(3).end == End::done);  // it waits for the nodes of the others
  CHECK(seen.at(3).started == Approx(0.001));
}

TEST_CASE("Jobs have ranks on the cores of a node, and mappers of their own") {
  const ListedJobs jobs({job(1, 0, 4, 0)});
  auto how = in_order();
  how.ranks_per_node = 2;
  const auto spread = run("torus:8,cores=2", jobs, {"stencil:grid=8,periodic=yes"}, {}, {}, how);
  CHECK(spread.at(1).end == End::done);
  how.map = "random";
  const auto random = run("torus:8,cores=2", jobs, {"stencil:grid=8,periodic=yes"}, {}, {}, how);
  CHECK(random.at(1).work.traffic.hop_bytes > spread.at(1).work.traffic.hop_bytes);
}

TEST_CASE("Thousands of jobs with kills and failures keep all nodes and messages") {
  const test::Scratch scratch;
  const auto deadlock = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  core::Random random(3, "tests/replayed");
  std::vector<jobs::Job> made;
  double now = 0;
  for (int number = 1; number <= test::tenth_if_sanitized(10'000); ++number) {
    now += random.unit() * 20e-6;
    made.push_back(job(number, now, 2 + static_cast<std::int32_t>(random.below(6)), 0, random.unit() * 200e-6));
  }
  const ListedJobs jobs(made);
  Options options;
  options.kill = true;
  options.failed_job = netsim::OnFailedJob::go_on;
  auto how = in_order();
  how.alone = false;
  const auto seen = run("torus:4x4", jobs,
                        {deadlock + " if size=2", "stencil:grid={size},steps=2,bytes=10000,flops=0f if size=3-5",
                         "stencil:grid={size},steps=4,bytes=2000,flops=0f"},
                        {}, options, how);
  REQUIRE(seen.size() == made.size());
  std::map<End, int> ends;
  for (const auto& one : made) {
    const auto& record = seen.at(one.number);
    ++ends[record.end];
    if (record.end == End::done) {
      const auto sent = workloads::communication_matrix(*workloads::open_trace(record.work.program), {});
      CHECK(record.work.traffic.messages == sent.total_messages());
      CHECK(record.work.traffic.bytes == sent.total_bytes());
    }
    if (record.end == End::killed) CHECK(record.ended - record.started == Approx(one.estimate).margin(1e-12));
    CHECK((one.size == 2) == (record.end == End::failed));
  }
  CHECK(ends[End::done] > 50);
  CHECK(ends[End::killed] > 50);
  CHECK(ends[End::failed] > 50);
}

TEST_CASE("Jobs that lose a node leave nothing on the network") {
  std::vector<jobs::Job> made;
  for (int number = 1; number <= 100; ++number) made.push_back(job(number, 0, 2 + number % 5, 0));
  Options options;
  options.failures = {0.5, 0.01, 0};
  const auto seen = run("torus:4x4", ListedJobs(made), {"stencil:grid={size},bytes=1MB rounds 12"}, {}, options);
  CHECK(std::count_if(seen.begin(), seen.end(), [](const auto& job) { return job.second.end == End::interrupted; }) >
        5);
}

}  // namespace
}  // namespace toroid::cosim
