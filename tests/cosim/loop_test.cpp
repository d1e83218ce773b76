// The loop over time: late answers, refusals, jobs that never fit, limits, demands that change.

#include "cosim/loop/loop.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/cosim/options.hpp"

namespace toroid::cosim {
namespace {

using jobs::Demand;

Options rejecting() {
  Options options;
  options.too_large = Options::TooLarge::reject;
  return options;
}

jobs::Job changing(std::int64_t number, double submitted, std::int32_t size, double run_time, Demand demand) {
  auto made = job(number, submitted, size, run_time);
  made.demand = demand;
  return made;
}

/// The lowest free nodes, some seconds after the question, and given back as late.
class LateAllocator final : public alloc::Allocator, netsim::TimerClient {
 public:
  LateAllocator(alloc::FreeNodes& free, netsim::Clock& clock, double delay)
      : free_(free), clock_(clock), delay_(delay) {}

  void allocate(const alloc::Request& request, alloc::Decided decided) override {
    later([this, nodes = request.nodes, decided] {
      if (nodes > free_.count()) return decided(std::nullopt);
      const auto found = free_.lowest(nodes);
      free_.take(found);
      decided(found);
    });
  }
  void release(std::int64_t, std::span<const NodeId> nodes) override {
    later([this, kept = Allocation(nodes.begin(), nodes.end())] { free_.give_back(kept); });
  }
  bool fits(const alloc::Request& request) const override {
    return request.nodes <= static_cast<std::int32_t>(free_.machine().compute_nodes().size());
  }

 private:
  void later(std::function<void()> action) {
    actions_.push_back(std::move(action));
    clock_.start_timer(Time(delay_), *this, static_cast<std::uint32_t>(actions_.size() - 1));
  }
  void timer_ended(std::uint32_t payload) override { actions_[payload](); }

  alloc::FreeNodes& free_;
  netsim::Clock& clock_;
  double delay_;
  std::vector<std::function<void()>> actions_;
};

std::map<std::int64_t, Ended> run_late(const std::vector<jobs::Job>& jobs, const std::string& scheduler, double delay,
                                       Options options = {}) {
  const auto machine = platforms::make_machine("mesh:4x4");
  netsim::Clock clock;
  Logged logged(clock);
  alloc::FreeNodes free(machine);
  LateAllocator allocator(free, clock, delay);
  const auto made = schedulers().make(scheduler);
  Records records;
  const ListedJobs listed(jobs);
  Loop({listed, *made, free, allocator, clock, logged, {&records}}, options).run();
  CHECK(free.count() == 16);
  return records.by_number;
}

TEST_CASE("An allocator may answer later, and give nodes back later") {
  // 2 waits for all nodes, which are back at 11, and gets them two seconds after it asks.
  const auto records = run_late({job(1, 0, 4, 7), job(2, 1, 16, 5), job(3, 30, 1, 1)}, "fcfs", 2);
  CHECK(records.at(1).started == 2);
  CHECK(records.at(1).ended == 9);
  CHECK(records.at(2).started == 13);
  CHECK(records.at(3).started == 32);
}

TEST_CASE("Every scheduler lives with late answers") {
  for (const auto& entry : schedulers().entries())
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO(entry.name << " " << seed);
      const auto jobs = random_jobs(seed, 200, 16);
      const auto records = run_late(jobs, std::string(entry.name), 0.75);
      REQUIRE(records.size() == jobs.size());
      for (const auto& job : jobs) {
        CHECK(records.at(job.number).started >= job.submitted + 0.75);
        CHECK(records.at(job.number).ended == records.at(job.number).started + job.run_time);
      }
    }
}

/// Only runs of nodes with consecutive numbers: refuses though enough nodes are free.
class RunsOnly final : public alloc::LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;
  bool counting_suffices() const override { return false; }
  int refusals = 0;

 private:
  std::optional<Allocation> find(const alloc::Request& request) override {
    Allocation run;
    for (const NodeId node : machine().compute_nodes()) {
      if (!free().is_free(node)) run.clear();
      if (free().is_free(node)) run.push_back(node);
      if (run.size() == static_cast<std::size_t>(request.nodes)) return run;
    }
    ++refusals;
    return std::nullopt;
  }
};

TEST_CASE("What an allocator refuses is asked for again when nodes have come free, and nothing hangs") {
  for (const auto& entry : schedulers().entries())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(entry.name << " " << seed);
      const auto machine = platforms::make_machine("mesh:4x4");
      netsim::Clock clock;
      Logged logged(clock);
      alloc::FreeNodes free(machine);
      RunsOnly allocator({free});
      const auto scheduler = schedulers().make(std::string(entry.name));
      Records records;
      const ListedJobs jobs(random_jobs(seed, 300, 16));
      Loop({jobs, *scheduler, free, allocator, clock, logged, {&records}}, {}).run();
      CHECK(records.by_number.size() == 300);
      CHECK(allocator.refusals > 0);
      CHECK(free.count() == 16);
    }
}

TEST_CASE("A job that can never fit ends the run, or is rejected and counted") {
  const ListedJobs jobs({job(1, 0, 4, 10), job(2, 1, 17, 10), job(3, 2, 16, 10)});
  CHECK(test::error_of([&] { run_jobs("mesh:4x4", jobs, "easy"); }) ==
        "job 2: its 17 nodes never fit on mesh:4x4, where 16 are free at the beginning; LOG:per-node=CORES if the log "
        "counts cores, --too-large reject leaves such jobs out");
  for (const auto& entry : schedulers().entries()) {
    const auto records = run_jobs("mesh:4x4", jobs, std::string(entry.name), rejecting());
    CHECK(records.at(2).end == End::rejected);
    CHECK(records.at(3).started == 10);
  }
}

/// Never finds nodes for an odd number.
class EvenOnly final : public alloc::LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;
  bool counting_suffices() const override { return false; }

 private:
  std::optional<Allocation> find(const alloc::Request& request) override {
    return request.nodes % 2 == 0 ? std::optional(free().lowest(request.nodes)) : std::nullopt;
  }
};

TEST_CASE("What is refused although all nodes are free never fits") {
  for (const auto& entry : schedulers().entries()) {
    const auto machine = platforms::make_machine("mesh:4x4");
    netsim::Clock clock;
    Logged logged(clock);
    alloc::FreeNodes free(machine);
    EvenOnly allocator({free});
    const auto scheduler = schedulers().make(std::string(entry.name));
    Records records;
    const ListedJobs jobs({job(1, 0, 4, 10), job(2, 1, 3, 10), job(3, 2, 16, 10), job(4, 50, 5, 10)});
    Loop({jobs, *scheduler, free, allocator, clock, logged, {&records}}, rejecting()).run();
    INFO(entry.name);
    CHECK(records.by_number.size() == 4);
    CHECK(records.by_number.at(2).end == End::rejected);
    CHECK(records.by_number.at(4).end == End::rejected);
    CHECK(records.by_number.at(3).end == End::done);
  }
}

/// Takes the question and never answers.
class Silent final : public alloc::Allocator {
 public:
  void allocate(const alloc::Request&, alloc::Decided) override {}
  void release(std::int64_t, std::span<const NodeId>) override {}
  bool fits(const alloc::Request&) const override { return true; }
};

TEST_CASE("Jobs that nobody starts are an error, not a hang") {
  const auto machine = platforms::make_machine("mesh:4x4");
  netsim::Clock clock;
  Logged logged(clock);
  alloc::FreeNodes free(machine);
  Silent allocator;
  const auto scheduler = schedulers().make("fcfs");
  const ListedJobs jobs({job(7, 0, 4, 10), job(8, 1, 3, 10)});
  Loop loop({jobs, *scheduler, free, allocator, clock, logged, {}}, {});
  CHECK(test::message_of<core::SimulationError>([&] { loop.run(); }) ==
        "2 jobs wait for ever, the first of them is job 7: 16 of 16 nodes are free");
}

TEST_CASE("Jobs are killed at their estimate where that is wanted") {
  const ListedJobs jobs({job(1, 0, 16, 100, 30), job(2, 1, 16, 10, 10), job(3, 2, 16, 10)});
  Options kill;
  kill.kill = true;
  const auto killed = run_jobs("mesh:4x4", jobs, "easy", kill);
  CHECK(killed.at(1).ended == 30);
  CHECK(killed.at(1).end == End::killed);
  CHECK(killed.at(2).ended == 40);
  CHECK(killed.at(2).end == End::done);
  CHECK(killed.at(3).end == End::done);
  CHECK(run_jobs("mesh:4x4", jobs, "easy").at(1).ended == 100);
}

TEST_CASE("Estimates are those of the log, exact, or a factor of the run time") {
  const ListedJobs jobs({job(1, 0, 10, 10, 25), job(2, 1, 16, 10), job(3, 2, 6, 5, 4)});
  const auto known = [&](const std::string& estimates) {
    Options options;
    read_estimates(estimates, options);
    std::vector<double> all;
    for (const auto& [number, record] : run_jobs("mesh:4x4", jobs, "easy", options)) all.push_back(record.estimate);
    return all;
  };
  CHECK(known("log") == std::vector<double>{25, 20, 5});
  CHECK(known("exact") == std::vector<double>{10, 10, 5});
  CHECK(known("x4") == std::vector<double>{40, 40, 20});
  CHECK(known("x0.5") == std::vector<double>{10, 10, 5});
  Options options;
  for (const std::string wrong : {"", "x", "x0", "x-1", "xnan", "2", "logs"})
    CHECK_THROWS_WITH(read_estimates(wrong, options), Catch::Contains("expected log, exact, or a factor"));
}

TEST_CASE("Demands go from phase to phase by one node") {
  for (const auto demand : {Demand::increasing, Demand::decreasing, Demand::pyramid})
    for (std::int32_t size = 1; size <= 9; ++size) {
      std::int32_t sum = 0, most = 0;
      const auto count = phases(demand, size);
      for (std::int32_t phase = 0; phase < count; ++phase) {
        const auto wanted = demanded(demand, size, phase);
        if (phase > 0) CHECK(std::abs(wanted - demanded(demand, size, phase - 1)) <= 1);
        sum += wanted;
        most = std::max(most, wanted);
      }
      CHECK(most == size);
      CHECK(demanded(demand, size, 0) == (demand == Demand::decreasing ? size : 1));
      CHECK(demanded(demand, size, count - 1) == (demand == Demand::increasing ? size : 1));
      CHECK(mean_demand(demand, size) == static_cast<double>(sum) / count);
    }
}

/// How many nodes each job holds, from time to time.
class Held final : public Observer {
 public:
  void started(const Record& record) override { note(record.id, record.nodes.size(), record.started); }
  void resized(JobId id, std::span<const NodeId> nodes, const Time& now) override { note(id, nodes.size(), now); }
  std::map<JobId, std::vector<std::pair<double, std::size_t>>> steps;

 private:
  void note(JobId id, std::size_t nodes, const Time& now) { steps[id].emplace_back(now.seconds(), nodes); }
};

TEST_CASE("A job whose demand changes holds what it wants, or its most all along") {
  const std::vector<jobs::Job> jobs{changing(1, 0, 4, 16, Demand::pyramid)};
  Held held;
  Options dynamic;
  dynamic.dynamic = true;
  const auto grown = run_jobs("mesh:4x4", ListedJobs(jobs), "fcfs", dynamic, "consecutive", {&held});
  using Steps = std::vector<std::pair<double, std::size_t>>;
  CHECK(held.steps.at(1) == Steps{{0, 1}, {2, 2}, {4, 3}, {6, 4}, {10, 3}, {12, 2}, {14, 1}});
  CHECK(grown.at(1).ended == 16);
  CHECK(grown.at(1).node_seconds == 2 * (1 + 2 + 3 + 4 + 4 + 3 + 2 + 1));
  CHECK(grown.at(1).nodes.size() == 4);
  const auto fixed = run_jobs("mesh:4x4", ListedJobs(jobs), "fcfs");
  CHECK(fixed.at(1).ended == 16);
  CHECK(fixed.at(1).node_seconds == 64);
}

TEST_CASE("A job that cannot grow takes longer") {
  // 1 wants 1, 2, 3 and 4 nodes for 10 s each, with 2 there are until 2 ends.
  Options dynamic;
  dynamic.dynamic = true;
  const ListedJobs jobs({changing(1, 0, 4, 40, Demand::increasing), job(2, 0, 14, 36)});
  const auto records = run_jobs("mesh:4x4", jobs, "fcfs", dynamic);
  // Third phase: 3 wanted, 2 held, so 15 s from 20 to 35; fourth: 4 wanted at 35, still 2: 20 s.
  CHECK(records.at(1).ended == 55);
  CHECK(records.at(1).node_seconds == 10 + 20 + 30 + 40);
  CHECK(records.at(2).started == 0);
}

TEST_CASE("Storms of growing and shrinking jobs neither lose nodes nor hold any twice") {
  Options dynamic;
  dynamic.dynamic = true;
  for (const auto& entry : schedulers().entries())
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO(entry.name << " " << seed);
      auto jobs = random_jobs(seed, 150, 16);
      core::Random random(seed, "tests/demands");
      for (auto& job : jobs) job.demand = static_cast<Demand>(random.below(4));
      for (const std::string allocator : {"consecutive", "random", "submesh", "curve:block=2x2"})
        CHECK(run_jobs("mesh:4x4", ListedJobs(jobs), std::string(entry.name), dynamic, allocator).size() == 150);
      CHECK(run_late(jobs, std::string(entry.name), 0.5, dynamic).size() == 150);
    }
}

TEST_CASE("No jobs at all are no error") {
  CHECK(run_jobs("mesh:4x4", ListedJobs({}), "easy").empty());
}

TEST_CASE("Nodes that a log names are judged before anything runs, or their jobs are rejected") {
  const auto machine = platforms::make_machine("torus:8");
  auto first = job(1, 0, 2, 10), second = job(2, 5, 1, 10);
  first.nodes = "n3,5";
  second.nodes = "9";
  const ListedJobs jobs({first, second});
  Records records;
  ScheduleRequest request{machine, jobs, "fcfs", "as-logged"};
  request.observers = {&records};
  CHECK(test::error_of([&] { run_schedule(request); }) ==
        "job 2: its nodes in the log: node 9 does not exist; torus:8 has nodes 0 to 7");
  CHECK(records.by_number.empty());
  request.options = rejecting();
  run_schedule(request);
  CHECK(records.by_number.at(1).nodes == Allocation{3, 5});
  CHECK(records.by_number.at(2).end == End::rejected);
}

TEST_CASE("Nodes that a log names are taken where a job has no box, and not missed where it has one") {
  const auto machine = platforms::make_machine("mesh:4x4");
  auto boxed = job(1, 0, 4, 10), other = job(2, 0, 9, 10);  // beside a box of 2x2 in a corner there is none of 3x3
  other.nodes = "2,3,6,7,8,9,10,11,12";
  Records records;
  const ListedJobs jobs({boxed, other});
  ScheduleRequest request{machine, jobs, "fcfs", "preferred-shape:otherwise=as-logged"};
  request.observers = {&records};
  run_schedule(request);
  CHECK(records.by_number.at(1).nodes == Allocation{0, 1, 4, 5});
  CHECK(records.by_number.at(2).nodes == Allocation{2, 3, 6, 7, 8, 9, 10, 11, 12});
}

TEST_CASE("A job whose demand grows gets the nodes of its log if they are as many as it wants first") {
  const auto machine = platforms::make_machine("torus:8");
  auto growing = job(1, 0, 4, 10);
  growing.demand = Demand::increasing;
  growing.nodes = "2,3,4,6";
  const ListedJobs jobs({growing});
  ScheduleRequest request{machine, jobs, "fcfs", "as-logged"};
  request.options.dynamic = true;
  CHECK_THAT(test::error_of([&] { run_schedule(request); }), Catch::Contains("The log names 4 nodes, expected 1"));
}

TEST_CASE("A job that depends on another one is submitted when that has ended, think time later") {
  const auto after = [](jobs::Job made, std::int64_t preceding, double think) {
    made.after = preceding;
    made.notes.think_time = think;
    return made;
  };
  // In the log job 2 came at 50, when job 1 had long ended; job 3 at 60, and job 4 while its predecessor ran.
  const std::vector<jobs::Job> jobs{job(1, 0, 4, 20), after(job(4, 5, 4, 8), 1, -1), after(job(2, 50, 4, 10), 1, 7),
                                    after(job(3, 60, 4, 5), 2, 100), job(5, 70, 16, 10)};
  const auto records = run_jobs("mesh:4x4", ListedJobs(jobs), "fcfs");
  CHECK(records.size() == 5);
  CHECK(records.at(4).submitted == 20);
  CHECK(records.at(4).started == 20);
  CHECK(records.at(2).submitted == 27);
  CHECK(records.at(2).ended == 37);
  CHECK(records.at(3).submitted == 137);
  CHECK(records.at(3).ended == 142);
  CHECK(records.at(5).started == 70);
  // What is rejected has ended, too.
  const auto rejected =
      run_jobs("mesh:4x4", ListedJobs({job(1, 3, 17, 20), after(job(2, 9, 4, 8), 1, 2)}), "easy", rejecting());
  CHECK(rejected.at(1).end == End::rejected);
  CHECK(rejected.at(2).submitted == 5);
}

TEST_CASE("Dependent jobs of any log come when their predecessor has ended, and never before") {
  core::Random random(3, "dependencies");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto jobs = random_jobs(seed, 60, 16);
    for (auto& made : jobs)
      if (made.number > 1 && random.below(2) == 0) {
        made.after = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(made.number) - 1));
        made.notes.think_time = static_cast<double>(random.below(30));
      }
    const auto records = run_jobs("mesh:4x4", ListedJobs(jobs), seed % 2 == 0 ? "easy" : "fcfs");
    REQUIRE(records.size() == jobs.size());
    for (const auto& made : jobs)
      CHECK(records.at(made.number).submitted ==
            (made.after < 0 ? made.submitted : records.at(made.after).ended + made.notes.think_time));
  }
}

}  // namespace
}  // namespace toroid::cosim
