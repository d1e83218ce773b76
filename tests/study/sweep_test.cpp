#include "toroid/study/sweep.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "study/job_segments.hpp"
#include "study/tasks/journal.hpp"
#include "study/trade_offs.hpp"
#include "tests/support/support.hpp"
#include "toroid/jobs/jobs.hpp"
#include "toroid/study/statistics/statistics.hpp"

namespace toroid::study {
namespace {

SweepSpec small() {
  SweepSpec spec;
  spec.platforms = {"mesh:8x8", "torus:8x8"};
  spec.jobs = {"derose:side=8,jobs=50"};
  spec.schedulers = {"fcfs", "easy"};
  spec.allocators = {"consecutive", "random"};
  spec.repeats = 3;
  return spec;
}

std::vector<SweepRow> run(const Sweep& sweep, Journal* journal = nullptr) {
  const auto executor = make_local_executor([&](std::size_t task) { return sweep.work(task); }, 2);
  return run_sweep(sweep, *executor, journal);
}

TEST_CASE("A sweep runs everything with everything, what draws lots several times") {
  auto spec = small();
  CHECK(Sweep(spec).runs().size() == 2 * 2 * 2 * 3);
  spec.jobs = {"derose:side=8,jobs=50,seed=7"};
  CHECK(Sweep(spec).runs().size() == 2 * 2 * (1 + 3));
  spec.allocators = {"random:seed=1"};
  CHECK(Sweep(spec).runs().size() == 2 * 2);
}

TEST_CASE("A run of a sweep is the same run by itself") {
  const Sweep sweep(small());
  const auto rows = run(sweep);
  REQUIRE(rows.size() == sweep.runs().size());
  for (std::size_t i = 0; i < rows.size(); i += 5) {
    const auto& r = rows[i].run;
    const auto machine = sweep.spec().platforms[r.platform].machine();
    const auto jobs = jobs::open_jobs(sweep.spec().jobs[0], jobs::Reading::strict, 1 + r.repetition);
    cosim::ScheduleRequest request{machine, *jobs, sweep.spec().schedulers[r.scheduler],
                                   sweep.spec().allocators[r.alloc]};
    request.seed = 1 + r.repetition;
    CHECK(rows[i].result == cosim::result_json(cosim::run_schedule(request)));
  }
}

TEST_CASE("Segments of jobs are whole numbers of jobs, whatever a journal says") {
  const auto machine = platforms::make_machine("mesh:2x2");
  const auto jobs = jobs::open_jobs(small().jobs[0], jobs::Reading::strict, 1);
  auto json = SegmentRecorder(machine, *jobs, false).segments().json();
  CHECK(JobSegments::of(json).jobs.size() == JobSegments::most);
  for (const auto& count : {core::Json(1e308), core::Json(1.5), core::Json(-1), core::Json("1")}) {
    json["jobs"][3] = count;
    CHECK(test::error_of([&] { JobSegments::of(json); }) == "found a segment of no whole number of jobs");
  }
}

TEST_CASE("A sweep goes on where its journal ends, and knows a log that has changed") {
  const test::Scratch scratch;
  auto spec = small();
  const auto journal_path = scratch.path("j");
  const Journal::Head head{{{"x", 1}}, core::Json::object()};
  std::vector<SweepRow> first;
  {
    Journal journal(journal_path, head);
    first = run(Sweep(spec), &journal);
  }
  spec.repeats = 4;
  const Sweep larger(spec);
  Journal journal(journal_path, head);
  std::size_t known = 0;
  for (const auto& r : larger.runs()) known += journal.find(larger.name(r)) != nullptr ? 1U : 0U;
  CHECK(known == first.size());
  for (const auto& row : run(larger, &journal))
    if (row.run.repetition < 3)
      for (const auto& before : first)
        if (larger.name(before.run) == larger.name(row.run)) CHECK(before.result == row.result);
}

/// Counts how often a file is opened, by whichever process.
class Openings {
 public:
  explicit Openings(const std::string& path) : watch_(::inotify_init1(IN_NONBLOCK)) {
    REQUIRE(::inotify_add_watch(watch_, path.c_str(), IN_OPEN | IN_CLOSE) >= 0);
  }
  ~Openings() { ::close(watch_); }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;

  /// Since it was last asked. Equal events in a row would be told as one: ends stand between beginnings.
  int count() {
    int count = 0;
    std::array<inotify_event, 1024> events{};
    for (ssize_t got = 0; (got = ::read(watch_, events.data(), sizeof events)) > 0;)
      for (std::size_t i = 0; i < static_cast<std::size_t>(got) / sizeof(inotify_event); ++i)
        if ((events[i].mask & IN_OPEN) != 0) ++count;
    return count;
  }

 private:
  int watch_;
};

TEST_CASE("A sweep reads a log once at its beginning and once for each run") {
  const test::Scratch scratch;
  std::string log, table = "size,submitted_s,run_time_s,program\n";
  for (int i = 1; i <= 50; ++i) {
    log += fmt::format("{0} {0} -1 10 2 -1 -1 2 -1 -1 1 1 1 -1 1 -1 -1 -1\n", i);
    table += fmt::format("2,{},10,stencil:grid=2\n", i);
  }
  auto spec = small();
  spec.jobs = {scratch.write("log.swf", log)};
  {
    Openings openings(spec.jobs[0].text());
    const Sweep sweep(spec);
    // The format is recognized by a look at the file, once for each other format.
    const auto looks = openings.count();
    CHECK(looks <= static_cast<int>(jobs::job_formats().entries().size()));
    for (std::size_t run = 0; run < 5; ++run) {
      CAPTURE(run);
      sweep.work(run);
      CHECK(openings.count() == 1);
    }
  }
  spec.jobs = {scratch.write("log.csv", table)};
  spec.times = cosim::ScheduleRequest::Times::replayed;
  Openings openings(spec.jobs[0].text());
  const Sweep sweep(spec);
  openings.count();
  sweep.work(0);
  CHECK(openings.count() == 0);  // such a log is in memory
}

TEST_CASE("What a sweep reads is listed by log and machine, programs that logs name included") {
  const test::Scratch scratch;
  const auto trace = scratch.write("t.ti", "0 init\n0 finalize\n1 init\n1 finalize\n");
  const auto own = scratch.write("own.ti", "0 init\n0 finalize\n1 init\n1 finalize\n");
  const auto other = scratch.write("other.ti", "0 init\n0 finalize\n");
  const auto map = scratch.write("r.map", "0\n1\n");
  auto spec = small();
  spec.jobs = {scratch.write("a.csv", "size,submitted_s,program\n2,0," + own + "\n2,1,\n"),
               scratch.write("b.csv", "size,submitted_s\n2,0\n")};
  spec.times = cosim::ScheduleRequest::Times::replayed;
  spec.allocators = {"consecutive"};  // which has the nodes of the mapping
  // Whichever is drawn by the seed of a run.
  spec.programs.rules = {trace, other + " weight 0.000001"};
  spec.maps = {map};
  const core::Inputs all;
  const Sweep sweep(spec);
  const auto names = [](const std::vector<core::Inputs::File>& files) {
    std::vector<std::string> paths;
    for (const auto& file : files) paths.push_back(file.path);
    return paths;
  };
  REQUIRE(sweep.inputs().size() == 2);
  CHECK(names(sweep.inputs()[0].files) == std::vector{spec.jobs[0].text(), own, trace, other});
  CHECK(names(sweep.inputs()[1].files) == std::vector{spec.jobs[1].text(), trace, other});
  CHECK(hashes_of_others(sweep.inputs()) == core::Json::array({core::sha256_of_file(map)}));
  for (const auto& row : run(sweep)) CHECK(row.error.empty());
}

TEST_CASE("Programs that are drawn, and mapped, by the seed are lots that allocators share") {
  auto spec = small();
  spec.jobs = {"derose:side=8,jobs=50,seed=7"};
  spec.allocators = {"consecutive"};
  spec.times = cosim::ScheduleRequest::Times::replayed;
  spec.programs.rules = {"stencil:grid={size} weight 2"};
  CHECK(Sweep(spec).runs().size() == 2 * 2);
  spec.maps = {"random"};
  CHECK(Sweep(spec).runs().size() == 2 * 2 * 3);
  spec.maps = {"consecutive"};
  spec.programs.rules = {"stencil:grid={size} weight 2", "broadcasts:ranks={size} weight 1"};
  CHECK(Sweep(spec).runs().size() == 2 * 2 * 3);
  CHECK(Sweep(spec).shares_lots(0));
}

TEST_CASE("Mappers are contenders as allocators are, and one that draws lots shares them with no other") {
  auto spec = small();
  spec.jobs = {"derose:side=8,jobs=20,seed=7"};
  spec.platforms = {"mesh:8x8"};
  spec.schedulers = {"easy"};
  spec.allocators = {"consecutive", "curve"};
  spec.times = cosim::ScheduleRequest::Times::replayed;
  spec.programs.rules = {"stencil:grid={size},bytes=1MB"};
  spec.maps = {"consecutive", "random"};
  const Sweep sweep(spec);
  CHECK(sweep.runs().size() == 2 * (1 + 3));
  CHECK_FALSE(sweep.shares_lots(0));
  const auto rows = run(sweep);
  const auto groups = sweep_groups(sweep, rows);
  REQUIRE(groups.size() == 4);
  for (std::size_t a = 0; a < 2; ++a) {
    CHECK(groups[2 * a].mean("makespan_s") < groups[2 * a + 1].mean("makespan_s"));
    CHECK(groups[2 * a].rows.size() == 1);
    CHECK(groups[2 * a + 1].rows.size() == 3);
  }
  spec.maps = {"random", "random"};
  CHECK_THROWS_WITH(Sweep(spec), Catch::Contains("'random' is given twice"));
}

TEST_CASE("Epochs draw lots of their own, which allocators do not share: repetitions differ by them", "[slow]") {
  SweepSpec spec;
  spec.platforms = {"redstorm-cabinet"};
  spec.jobs = {"walker:first=12,seed=1"};
  spec.schedulers = {"fcfs"};
  spec.allocators = {"curve:run=long", "consecutive"};
  spec.repeats = 3;
  spec.times = cosim::ScheduleRequest::Times::epochs;
  spec.programs.rules = {"broadcasts:ranks={size},rounds=1,bytes=64KiB,flops=0f rounds 500"};
  spec.programs.alone = false;
  const Sweep sweep(spec);
  REQUIRE(sweep.runs().size() == 6);
  CHECK_FALSE(sweep.shares_lots(0));
  CHECK(sweep.paired_by(sweep.runs()[0]).empty());
  std::set<double> makespans;
  const auto rows = run(sweep);
  for (std::size_t r = 0; r < 3; ++r) {
    makespans.insert(rows[r].result["makespan_s"].get<double>());
    CHECK(rows[r].result["makespan_s"].get<double>() ==
          Approx(rows[0].result["makespan_s"].get<double>()).epsilon(0.1));
  }
  CHECK(makespans.size() == 3);
  spec.times = cosim::ScheduleRequest::Times::replayed;
  CHECK(Sweep(spec).runs().size() == 2);
}

/// The jobs of one run, one by one: what the segments are made of, kept here as it comes.
struct EachJob final : cosim::Observer {
  void ended(const cosim::Record& record) override {
    const auto number = static_cast<std::size_t>(record.job.number);
    if (number > hops.size()) {
      hops.resize(number);
      waits.resize(number);
    }
    hops[number - 1] = alloc::Measure(*machine).sum_pairwise_hops(record.nodes);
    waits[number - 1] = record.wait();
  }
  const platforms::Machine* machine = nullptr;
  Sample hops, waits;
};

TEST_CASE("Runs of one log are compared by their jobs, in segments") {
  const std::vector<alloc::AllocatorChoice> allocators{"consecutive", "submesh"};
  SweepSpec spec;
  spec.platforms = {"mesh:8x8"};
  spec.jobs = {"derose:side=8,jobs=640,load=3,seed=1,changing=0"};
  spec.schedulers = {"easy"};
  spec.allocators = allocators;
  spec.repeats = 8;
  const Sweep sweep(spec);
  const auto rows = run(sweep);
  REQUIRE(rows.size() == 2);
  const auto machine = platforms::make_machine("mesh:8x8");
  const auto jobs = jobs::open_jobs(spec.jobs[0]);
  std::vector<EachJob> by_job(2);
  for (std::size_t a = 0; a < 2; ++a) {
    by_job[a].machine = &machine;
    cosim::ScheduleRequest request{machine, *jobs, "easy", allocators[a]};
    request.observers = {&by_job[a]};
    run_schedule(request);
    REQUIRE(by_job[a].hops.size() == 640);
    // 20 jobs in each of 32 segments, in the order of their submission.
    Sample sums(32, 0.0);
    for (std::size_t i = 0; i < 640; ++i) sums[i / 20] += by_job[a].waits[i];
    const auto& segments = rows[a].segments;
    CHECK(segments.jobs == std::vector<std::size_t>(32, 20));
    for (std::size_t k = 0; k < 32; ++k) CHECK(segments.sums.at("mean_wait_s")[k] == Approx(sums[k]));
  }
  const auto groups = sweep_groups(sweep, rows);
  const auto found = trade_offs(sweep, groups);
  REQUIRE(found.size() == 1);
  const auto pair = found[0].between(0, 1);
  CHECK(pair.relation == Contrast::Relation::untold);
  const auto& hops = pair.differences.at("avg_sum_pairwise_hops");
  CHECK(hops.paired_by == "job");
  CHECK(hops.mean == Approx(mean(by_job[0].hops) - mean(by_job[1].hops)));
  CHECK(pair.differences.at("mean_wait_s").mean == Approx(mean(by_job[0].waits) - mean(by_job[1].waits)));
  CHECK(pair.differences.count("mean_bounded_slowdown") == 1);
  CHECK(pair.differences.count("makespan_s") == 0);  // a log has one
  CHECK(sweep.paired_by(rows[0].run) == "job");
  // Where other jobs ran there are no pairs.
  auto others = rows;
  --others[0].segments.jobs[5];
  CHECK(trade_offs(sweep, sweep_groups(sweep, others))[0].contrasts[0].differences.empty());
}

TEST_CASE("A job that a failing node ended counts where it was submitted first") {
  SweepSpec spec;
  spec.platforms = {"mesh:8x8"};
  spec.jobs = {"derose:side=8,jobs=320,seed=3"};
  spec.schedulers = {"easy"};
  spec.allocators = {"consecutive"};
  spec.options.failures = {180, 36, 1000};
  const auto rows = run(Sweep(spec));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].result["interrupted"].get<int>() > 10);
  CHECK(rows[0].segments.jobs == std::vector<std::size_t>(32, 10));
}

TEST_CASE("Sweeps refuse what they cannot run before anything runs") {
  const auto message = [](auto change) {
    return test::error_of([&] {
      auto spec = small();
      change(spec);
      Sweep{spec};
    });
  };
  CHECK_THAT(message([](auto& s) { s.schedulers = {"none"}; }), Catch::Contains("unknown scheduler"));
  CHECK_THAT(message([](auto& s) { s.allocators = {"none"}; }), Catch::Contains("unknown allocator"));
  CHECK_THAT(message([](auto& s) { s.jobs = {"none.swf"}; }), Catch::Contains("no such file"));
  CHECK_THAT(message([](auto& s) { s.platforms = {"mesh"}; }), Catch::Contains("mesh"));
  CHECK_THAT(message([](auto& s) { s.jobs = {"derose", "derose"}; }), Catch::Contains("given twice"));
}

}  // namespace
}  // namespace toroid::study
