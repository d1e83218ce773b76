#include "study/sweep.hpp"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "study/statistics.hpp"
#include "tests/support/support.hpp"

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
    const auto machine = platforms::make_machine(sweep.spec().platforms[r.platform]);
    const auto jobs = workloads::open_jobs(sweep.spec().jobs[0], workloads::Reading::strict, 1 + r.repetition);
    cosim::ScheduleRequest request{machine, *jobs, sweep.spec().schedulers[r.scheduler],
                                   sweep.spec().allocators[r.allocator]};
    request.seed = 1 + r.repetition;
    CHECK(rows[i].result == cosim::result_json(cosim::run_schedule(request)));
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
  std::string log, table = "size,submitted_s,run_s,program\n";
  for (int i = 1; i <= 50; ++i) {
    log += fmt::format("{0} {0} -1 10 2 -1 -1 2 -1 -1 1 1 1 -1 1 -1 -1 -1\n", i);
    table += fmt::format("2,{},10,stencil:grid=2\n", i);
  }
  auto spec = small();
  spec.jobs = {scratch.write("log.swf", log)};
  {
    Openings openings(spec.jobs[0]);
    const Sweep sweep(spec);
    // The format is recognized by a look at the file, once for each other format.
    const auto looks = openings.count();
    CHECK(looks <= static_cast<int>(workloads::job_formats().entries().size()));
    for (std::size_t run = 0; run < 5; ++run) {
      CAPTURE(run);
      sweep.work(run);
      CHECK(openings.count() == 1);
    }
  }
  spec.jobs = {scratch.write("log.csv", table)};
  spec.times = cosim::ScheduleRequest::Times::replayed;
  Openings openings(spec.jobs[0]);
  const Sweep sweep(spec);
  openings.count();
  sweep.work(0);
  CHECK(openings.count() == 0);  // such a log is in memory
}

TEST_CASE("What a sweep reads is listed by log and machine, programs that logs name included") {
  const test::Scratch scratch;
  const auto trace = scratch.write("t.ti", "0 init\n0 finalize\n1 init\n1 finalize\n");
  const auto other = scratch.write("other.ti", "0 init\n0 finalize\n");
  const auto map = scratch.write("r.map", "0\n1\n");
  auto spec = small();
  spec.jobs = {scratch.write("a.csv", "size,submitted_s,program\n2,0," + trace + "\n"),
               scratch.write("b.csv", "size,submitted_s\n2,0\n")};
  spec.times = cosim::ScheduleRequest::Times::replayed;
  // Whichever is drawn by the seed of a run.
  spec.programs.rules = {trace, other + " weight 0.000001"};
  spec.programs.map = map;
  const core::Inputs all;
  const Sweep sweep(spec);
  const auto names = [](const std::vector<core::Inputs::File>& files) {
    std::vector<std::string> paths;
    for (const auto& file : files) paths.push_back(file.path);
    return paths;
  };
  REQUIRE(sweep.inputs().size() == 2);
  CHECK(names(sweep.inputs()[0].files) == std::vector{spec.jobs[0], trace});
  CHECK(names(sweep.inputs()[1].files) == std::vector{spec.jobs[1], trace, other});
  CHECK(hashes_of_others(sweep.inputs()) == core::Json{core::sha256_of_file(map)});
  for (const auto& row : run(sweep)) CHECK(row.error.empty());
}

SweepRow row(std::size_t allocator, std::size_t repetition, double hops) {
  return {{0, 0, 0, allocator, repetition}, {{"avg_sum_pairwise_hops", hops}}, {}};
}

TEST_CASE("The best allocator is that of the least hops, the others differ from it or not") {
  std::vector<SweepRow> rows;
  for (std::size_t r = 0; r < 5; ++r) rows.push_back(row(0, r, 100 + static_cast<double>(r)));
  for (std::size_t r = 0; r < 5; ++r) rows.push_back(row(1, r, 50 + static_cast<double>(r)));
  for (std::size_t r = 0; r < 5; ++r) rows.push_back(row(2, r, 50.5 + static_cast<double>(r)));
  rows.push_back(row(3, 0, 200));
  const auto groups = sweep_groups(rows, "avg_sum_pairwise_hops");
  REQUIRE(groups.size() == 4);
  CHECK(groups[1].is_best);
  CHECK_FALSE(groups[1].p);
  CHECK(groups[1].mean("avg_sum_pairwise_hops") == 52);
  // 2 / C(10, 5) for those that do not overlap, times the tests that Holm counts.
  const auto expected = holm(
      std::vector<double>{2.0 / 252, mann_whitney({50, 51, 52, 53, 54}, {50.5, 51.5, 52.5, 53.5, 54.5}), 2.0 / 32});
  CHECK(*groups[0].p == Approx(expected[0]));
  CHECK(*groups[2].p == Approx(expected[1]));
  CHECK(*groups[3].p == Approx(expected[2]));
  CHECK(*groups[2].p > 0.5);
}

TEST_CASE("Sweeps refuse what they cannot run before anything runs") {
  const auto message = [](auto change) {
    auto spec = small();
    change(spec);
    return test::message_of<core::InputError>([&] { Sweep{spec}; });
  };
  CHECK_THAT(message([](auto& s) { s.schedulers = {"none"}; }), Catch::Contains("unknown scheduler"));
  CHECK_THAT(message([](auto& s) { s.allocators = {"none"}; }), Catch::Contains("unknown allocator"));
  CHECK_THAT(message([](auto& s) { s.jobs = {"none.swf"}; }), Catch::Contains("no such file"));
  CHECK_THAT(message([](auto& s) { s.platforms = {"mesh"}; }), Catch::Contains("mesh"));
  CHECK_THAT(message([](auto& s) { s.jobs = {"derose", "derose"}; }), Catch::Contains("given twice"));
}

}  // namespace
}  // namespace toroid::study
