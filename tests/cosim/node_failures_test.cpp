// Nodes that fail: how often, what becomes of the jobs on them, and what is given to nobody meanwhile.

#include "cosim/outages.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/cosim/streams.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::cosim {
namespace {

Options failing(double mtbf, double repair, std::int32_t requeues) {
  Options options;
  options.failures = {mtbf, repair, requeues};
  options.too_large = Options::TooLarge::reject;
  return options;
}

/// Checks all that must hold from event to event.
class Watch final : public Observer {
 public:
  void started(const Record& record) override { hold(record.id, record.nodes); }
  void resized(JobId id, std::span<const NodeId> nodes, const Time&) override { hold(id, nodes); }
  void ended(const Record& record) override {
    if (record.end == End::rejected) return;
    const auto last = by_job_.at(record.id);
    hold(record.id, {});
    auto& job = jobs[record.job.number];
    ++job.runs;
    REQUIRE_FALSE(job.is_over);
    job.is_over = !record.again;
    if (record.end == End::interrupted) {
      interrupted_.emplace_back(record.ended, last);
    } else if (record.end == End::done && record.job.demand == jobs::Demand::constant) {
      CHECK(record.run_time() == Approx(record.job.run_time).margin(1e-9));
    }
    submissions.insert({record.job.number, record.submitted.seconds()});
  }
  void node_out(NodeId node, const Time& now) override {
    REQUIRE_FALSE(held_.contains(node));
    REQUIRE(out_.insert(node).second);
    times_[now].insert(node);
    ++failures;
  }
  void node_back(NodeId node, const Time&) override { REQUIRE(out_.erase(node) == 1); }

  /// Each run that was interrupted ended as one of its nodes went out.
  void check_interruptions() const {
    for (const auto& [time, nodes] : interrupted_) {
      const auto& out = times_.at(time);
      CHECK(std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return out.contains(node); }));
    }
  }

  struct Job {
    int runs = 0;
    bool is_over = false;
  };
  std::map<std::int64_t, Job> jobs;
  std::set<std::pair<std::int64_t, double>> submissions;
  int failures = 0;

 private:
  void hold(JobId id, std::span<const NodeId> nodes) {
    for (const NodeId node : by_job_[id]) REQUIRE(held_.erase(node) == 1);
    by_job_[id].assign(nodes.begin(), nodes.end());
    for (const NodeId node : nodes) {
      REQUIRE_FALSE(out_.contains(node));
      REQUIRE(held_.insert(node).second);
    }
  }

  std::map<JobId, Allocation> by_job_;
  std::set<NodeId> held_, out_;
  std::map<Time, std::set<NodeId>> times_;
  std::vector<std::pair<Time, Allocation>> interrupted_;
};

void check_failing(const std::string& scheduler, const std::string& allocator, std::uint64_t seed) {
  CAPTURE(scheduler, allocator, seed);
  const auto jobs = random_jobs(seed, 150, allocator == "single-buddy" ? 8 : 16);
  const auto machine = platforms::make_machine("torus:4x2,nodes-per-router=2");
  Watch watch;
  const ListedJobs listed(jobs);
  ScheduleRequest asked{machine, listed, scheduler, allocator};
  asked.options = failing(600, 25, 3);
  asked.observers = {&watch};
  const auto totals = run_schedule(asked).totals;
  CHECK(watch.failures > 10);
  CHECK(totals.node_failures == static_cast<std::uint64_t>(watch.failures));
  CHECK(totals.interrupted > 5);
  CHECK(totals.jobs + totals.rejected + totals.lost == jobs.size());
  CHECK(watch.submissions.size() == watch.jobs.size());  // a job keeps the time of its first submission
  for (const auto& [number, job] : watch.jobs) {
    CHECK(job.is_over);
    CHECK(job.runs <= 4);
  }
  watch.check_interruptions();
}

void check_failing_with_all(std::uint64_t seed) {
  for (const std::string scheduler : {"fcfs", "easy", "easy:order=shortest", "conservative", "as-logged"})
    for (const std::string allocator : {"consecutive", "random", "curve", "mbs", "mc1x1", "submesh", "frame-sliding",
                                        "single-buddy", "curve:block=2"})
      check_failing(scheduler, allocator, seed);
}

TEST_CASE("Nobody holds a node that is out, and jobs on it end and come again") {
  check_failing_with_all(17);
}

TEST_CASE("nodes that fail: hundreds of streams", "[.fuzz][slow]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) check_failing_with_all(seed);
}

/// For how long how many nodes were not out.
class UpTime final : public Observer {
 public:
  explicit UpTime(int nodes) : up_(nodes) {}
  void node_out(NodeId, const Time& now) override { change(-1, now); }
  void node_back(NodeId, const Time& now) override { change(1, now); }
  void settled(const Time& now) override { change(0, now); }
  double node_seconds = 0;

 private:
  void change(int nodes, const Time& now) {
    node_seconds += up_ * (now - last_).seconds();
    last_ = now;
    up_ += nodes;
  }
  int up_;
  Time last_;
};

TEST_CASE("Jobs that grow, and jobs that are killed, lose nodes as well") {
  auto jobs = random_jobs(5, 200, 16);
  for (auto& job : jobs) job.demand = job.number % 2 == 0 ? jobs::Demand::constant : jobs::Demand::pyramid;
  const auto machine = platforms::make_machine("mesh:4x4");
  const ListedJobs listed(jobs);
  for (const std::string scheduler : {"easy", "conservative"})
    for (const bool dynamic : {false, true}) {
      CAPTURE(scheduler, dynamic);
      Watch watch;
      ScheduleRequest request{machine, listed, scheduler, "consecutive"};
      request.options = failing(600, 25, 2);
      request.options.dynamic = dynamic;
      request.options.kill = true;
      request.options.estimates = Options::Estimates::factor;
      request.options.factor = 0.9;
      request.observers = {&watch};
      const auto totals = run_schedule(request).totals;
      CHECK(totals.interrupted > 5);
      CHECK(totals.killed > 5);
      CHECK(totals.jobs + totals.rejected + totals.lost == jobs.size());
      watch.check_interruptions();
    }
}

TEST_CASE("Conservative plans are made anew in the order of the queue when a node fails") {
  const auto scheduler = schedulers().make("conservative");
  const Time start;
  scheduler->submitted({1, 3, start, Time(100), start});
  REQUIRE(scheduler->next({start, 4})->job == 1);
  scheduler->started(1, 3, start);
  scheduler->submitted({2, 4, start, Time(50), start});                                       // at 100
  for (JobId id = 3; id <= 8; ++id) scheduler->submitted({id, 1, start, Time(1000), start});  // after that
  REQUIRE_FALSE(scheduler->next({start, 1}));
  scheduler->node_out(0, Time(10), Time(200));  // now 2 can start at 200 at the earliest
  REQUIRE_FALSE(scheduler->next({Time(10), 0}));
  scheduler->ended(1, Time(100));
  scheduler->freed();
  REQUIRE_FALSE(scheduler->next({Time(100), 3}));
  scheduler->ended(HolderId(NodeId(0)), Time(200));
  scheduler->freed();
  CHECK(scheduler->next({Time(200), 4})->job == 2);
}

TEST_CASE("A job that comes again waits no more than it must, and a machine without jobs may fail for years") {
  const auto machine = platforms::make_machine("mesh:4x4");
  auto late = job(1, 0, 4, 500);
  late.wait = 1e5;  // as its log has it
  const ListedJobs jobs({late, job(2, 3e7, 16, 50)});
  Records records;
  ScheduleRequest request{machine, jobs, "as-logged", "consecutive"};
  request.options = failing(1000, 60, 1000);
  request.observers = {&records};
  const auto totals = run_schedule(request).totals;
  CHECK(totals.jobs == 2);
  CHECK(totals.interrupted > 0);
  CHECK(totals.node_failures > 100'000);
  CHECK(records.by_number.at(1).ended < 1.5e5);
}

TEST_CASE("Nodes fail as often as they should") {
  const auto machine = platforms::make_machine("mesh:8x8");
  const ListedJobs jobs({job(1, 0, 1, 2e5)});
  double failures = 0, node_seconds = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    UpTime up(64);
    ScheduleRequest request{machine, jobs, "fcfs", "consecutive"};
    request.seed = seed;
    request.options = failing(1e5, 2e4, 1'000'000);
    request.observers = {&up};
    failures += static_cast<double>(run_schedule(request).totals.node_failures);
    node_seconds += up.node_seconds;
  }
  const double expected = node_seconds / 1e5;
  CHECK(expected > 2000);
  CHECK(std::abs(failures - expected) < 4 * std::sqrt(expected));
}

TEST_CASE("A job is given up after so many runs, and what they held was of no use") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const ListedJobs jobs({job(1, 5, 16, 1e6)});
  ScheduleRequest request{machine, jobs, "easy", "consecutive"};
  request.options = failing(1000, 10, 3);
  const auto totals = run_schedule(request).totals;
  CHECK(totals.jobs == 0);
  CHECK(totals.interrupted == 4);
  CHECK(totals.lost == 1);
  CHECK(totals.utilization() == 0);
  CHECK(totals.allocated() > 0);
}

TEST_CASE("A job that failing nodes never let start ends the run") {
  const auto machine = platforms::make_machine("mesh:8x8");
  const ListedJobs jobs({job(1, 0, 1, 10), job(2, 1, 64, 10)});
  ScheduleRequest request{machine, jobs, "fcfs", "consecutive"};
  request.options = failing(1000, 10000, 1'000'000);
  CHECK_THAT(test::message_of<core::SimulationError>([&] { run_schedule(request); }),
             Catch::Contains("nodes failed 100000 times while jobs waited and none ran"));
}

TEST_CASE("Programs on nodes that fail end and come again") {
  using Times = ScheduleRequest::Times;
  const auto machine = platforms::make_machine("torus:4x4");
  std::vector<jobs::Job> made;
  const int count = test::tenth_if_sanitized(50);
  for (int number = 1; number <= count; ++number) made.push_back(job(number, 0, 2 + number % 5, 0));
  const ListedJobs jobs(made);
  for (const auto times : {Times::replayed, Times::epochs}) {
    CAPTURE(times);
    ScheduleRequest request{machine, jobs, "easy", "random"};
    request.times = times;
    request.programs.rules = {"stencil:grid={size},bytes=1MB rounds 12"};
    request.options = failing(0.5, 0.01, 2);
    const auto totals = run_schedule(request).totals;
    CHECK(totals.interrupted > count / 5);
    CHECK(totals.jobs + totals.lost == count);
    CHECK(totals.killed == 0);
    CHECK(run_schedule(request).totals.last_end == totals.last_end);
  }
}

TEST_CASE("Allocators with books of their own have no failing nodes") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const ListedJobs jobs({job(1, 0, 1, 10)});
  ScheduleRequest request{machine, jobs, "fcfs", "leak"};
  request.options = failing(1000, 10, 0);
  CHECK_THAT(test::error_of([&] { run_schedule(request); }), Catch::StartsWith("allocator 'leak'"));
}

/// The jobs' starts and ends, and how often one was interrupted, of a run with outages.
struct OfOutages final : Observer {
  void ended(const Record& record) override {
    if (record.end == End::interrupted)
      ++interrupted;
    else
      times[record.job.number] = {record.started.seconds(), record.ended.seconds()};
  }
  void node_out(NodeId, const Time& now) override { ++out[now.seconds()]; }
  void node_back(NodeId, const Time& now) override { ++back[now.seconds()]; }
  std::map<std::int64_t, std::pair<double, double>> times;
  std::map<double, int> out, back;
  int interrupted = 0;
};

OfOutages with_outages(const std::vector<jobs::Job>& made, const std::vector<std::string>& texts,
                       const std::string& scheduler = "fcfs", double mtbf = 0) {
  const auto machine = platforms::make_machine("mesh:4x2x2");
  const ListedJobs jobs(made);
  OfOutages seen;
  ScheduleRequest request{machine, jobs, scheduler, "consecutive"};
  request.options = failing(mtbf, 5, 10);
  for (const auto& text : texts) request.options.failures.outages.push_back(read_outage(text));
  request.observers = {&seen};
  run_schedule(request);
  return seen;
}

TEST_CASE("An outage ends the jobs on its nodes, and others get these when it is over") {
  for (const std::string scheduler : {"fcfs", "easy", "conservative"}) {
    CAPTURE(scheduler);
    // 16 nodes; the plane z=1 has the upper eight. Job 1 has the lower, 2 the upper; 3 wants 8 at 20 s.
    const auto seen = with_outages({job(1, 0, 8, 100), job(2, 0, 8, 100), job(3, 20, 8, 10)},
                                   {"10s:fail-router z=1 until 40s"}, scheduler);
    CHECK(seen.interrupted == 1);
    CHECK(seen.out.at(10) == 8);
    CHECK(seen.back.at(40) == 8);
    CHECK(seen.times.at(1) == std::pair(0.0, 100.0));
    // Job 2 is queued again at 10 s, before job 3, and starts when the plane is back.
    CHECK(seen.times.at(2) == std::pair(40.0, 140.0));
    CHECK(seen.times.at(3) == std::pair(100.0, 110.0));
  }
}

TEST_CASE("Nodes of outages that overlap come back with the last, and those of an endless one never") {
  for (const std::string scheduler : {"fcfs", "easy", "conservative"}) {
    CAPTURE(scheduler);
    const auto seen = with_outages({job(1, 0, 16, 1), job(2, 5, 16, 10), job(3, 5, 12, 10)},
                                   {"2s:fail-node 0-3 until 20s", "10s:fail-node 2-5 until 30s"}, scheduler);
    CHECK(seen.out.at(2) == 4);
    CHECK(seen.out.at(10) == 2);  // 2 and 3 are out already
    CHECK(seen.back.at(20) == 2);
    CHECK(seen.back.at(30) == 4);
    // Job 3 may last 20 s by its estimate: the gap until the first outage is over is too short to go before job 2.
    CHECK(seen.interrupted == 0);
    CHECK(seen.times.at(2) == std::pair(30.0, 40.0));
    CHECK(seen.times.at(3) == std::pair(40.0, 50.0));
  }
  // Two that overlap when the first job comes.
  for (const std::string scheduler : {"fcfs", "easy", "conservative"}) {
    CAPTURE(scheduler);
    const auto seen =
        with_outages({job(1, 5, 16, 10)}, {"0s:fail-node 0-3 until 20s", "1s:fail-node 2-5 until 30s"}, scheduler);
    CHECK(seen.out.at(5) == 6);
    CHECK(seen.times.at(1) == std::pair(30.0, 40.0));
  }
  CHECK_THROWS_WITH(with_outages({job(1, 0, 4, 10), job(2, 1, 16, 1)}, {"5s:fail-node 15"}),
                    Catch::Contains("wait for ever"));
  CHECK(with_outages({job(1, 0, 4, 10), job(2, 6, 15, 1)}, {"5s:fail-node 15"}).times.at(2) == std::pair(10.0, 11.0));
}

TEST_CASE("An outage that has begun when the first job comes keeps its nodes from it") {
  for (const std::string scheduler : {"fcfs", "easy", "conservative"})
    for (const std::string begin : {"0s", "3s", "7s"}) {
      CAPTURE(scheduler, begin);
      // The first job comes at 7 s, and would have the nodes from 0 on.
      const auto seen =
          with_outages({job(1, 7, 4, 10), job(2, 7, 16, 10)}, {begin + ":fail-node 0-3 until 20s"}, scheduler);
      CHECK(seen.interrupted == 0);
      CHECK(seen.out.at(7) == 4);
      CHECK(seen.times.at(1) == std::pair(7.0, 17.0));
      CHECK(seen.times.at(2) == std::pair(20.0, 30.0));
    }
  // One that is over by then is none.
  const auto over = with_outages({job(1, 7, 16, 10)}, {"0s:fail-node 0-3 until 7s"});
  CHECK(over.out.empty());
  CHECK(over.times.at(1) == std::pair(7.0, 17.0));
}

TEST_CASE("An outage of very many nodes, while jobs wait, is no endless run of failures") {
  const auto machine = platforms::make_machine("mesh:400x400");
  const ListedJobs jobs({job(1, 0, 160'000, 10)});
  OfOutages seen;
  ScheduleRequest request{machine, jobs, "fcfs", "consecutive"};
  request.options.failures.outages.push_back(read_outage("0s:fail-router (0-398,*) until 1h"));
  request.observers = {&seen};
  run_schedule(request);
  CHECK(seen.out.at(0) == 399 * 400);
  CHECK(seen.times.at(1) == std::pair(3600.0, 3610.0));
}

TEST_CASE("Nodes that fail at random within an endless outage stay out, and the others go on") {
  std::vector<jobs::Job> made;
  for (int number = 1; number <= 200; ++number) made.push_back(job(number, number, 1 + number % 7, 5));
  const auto seen = with_outages(made, {"0s:fail-node 0-7"}, "easy", 60);
  int out = 0, back = 0;
  for (const auto& [time, nodes] : seen.out) out += nodes;
  for (const auto& [time, nodes] : seen.back) back += nodes;
  CHECK(out > 30);
  CHECK(out - back >= 8);
  CHECK(seen.times.size() == 200);
}

TEST_CASE("Outages are told with whether there were jobs then") {
  const auto machine = platforms::make_machine("mesh:4x2x2");
  const ListedJobs jobs({job(1, 100, 4, 10)});
  ScheduleRequest request{machine, jobs, "fcfs", "consecutive"};
  for (const auto* text : {"0s:fail-node 15 until 100s", "0s:fail-node 15 until 101s", "110s:fail-router z=1",
                           "111s:fail-node 3 until 2h"})
    request.options.failures.outages.push_back(read_outage(text));
  const auto json = result_json(run_schedule(request));
  std::vector<bool> in_time;
  for (const auto& event : json["events"]) in_time.push_back(event["in_time"]);
  CHECK(in_time == std::vector{false, true, true, false});
  CHECK(json["events"][2] ==
        core::Json({{"time_s", 110.0}, {"until_s", core::Json()}, {"event", "fail-router z=1"}, {"in_time", true}}));
  CHECK(json["events"][3]["until_s"] == 7200);
}

TEST_CASE("Outages beside failures at random keep all nodes") {
  std::vector<jobs::Job> made;
  for (int number = 1; number <= 200; ++number) made.push_back(job(number, number, 1 + number % 7, 5));
  const auto seen =
      with_outages(made, {"50s:fail-router (0-1,*,*) until 90s", "60s:fail-node 0-15 until 70s"}, "easy", 60);
  int out = 0, back = 0;
  for (const auto& [time, nodes] : seen.out) out += nodes;
  for (const auto& [time, nodes] : seen.back) back += nodes;
  CHECK(out > 30);
  CHECK(back <= out);
  CHECK(out - back <= 16);
  CHECK(seen.times.size() == 200);
  for (const auto& [number, time] : seen.times) CHECK((time.first >= 70 || time.second <= 60));
}

TEST_CASE("What is no outage says so") {
  const auto message = [](const std::string& text) {
    return test::error_of([&] { with_outages({job(1, 0, 4, 10)}, {text}); });
  };
  CHECK_THAT(
      message("10s"),
      Catch::Contains("--at '10s': expected TIME:fail-router ROUTERS, TIME:fail-node NODES, TIME:fail-link LINKS, "
                      "TIME:reserve-router"));
  CHECK_THAT(message("10:fail-node 3"), Catch::Contains("has no unit"));
  CHECK_THAT(message("10s:fail-line n1-n2"),
             Catch::Contains("found 'fail-line', expected fail-router, fail-node, fail-link, reserve-router or "
                             "reserve-node"));
  CHECK_THAT(message("10s:reserve-router r99 until 20s"),
             Catch::Contains("reserve-router: the machine has no router r99"));
  CHECK_THAT(message("10s:fail-router"), Catch::Contains("found nothing after it"));
  CHECK_THAT(message("10s:fail-router z=2"), Catch::Contains("z, which has the coordinates 0 to 1"));
  CHECK_THAT(message("10s:fail-router r99"), Catch::Contains("no router r99"));
  CHECK_THAT(message("10s:fail-node 99"), Catch::Contains("node 99 does not exist"));
  CHECK_THAT(message("10s:fail-node 3 until 5s"), Catch::Contains("not after the beginning"));
  CHECK_THAT(message("10s:fail-node 3 until 9999999d"), Catch::Contains("expected a time within 1e+11 s, or no until"));
  CHECK_THAT(message("2024-05-01T10:00:fail-node 3"), Catch::Contains("does not say when it began"));
}

}  // namespace
}  // namespace toroid::cosim
