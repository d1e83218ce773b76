// Advice on a job log against the sweeps that it is made of.

#include "study/advice/log_advice.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "study/advice/log_sample.hpp"
#include "tests/support/support.hpp"
#include "toroid/jobs/jobs.hpp"

namespace toroid::study {
namespace {

SweepSpec question() {
  SweepSpec spec;
  spec.platforms = {"mesh:8x8"};
  spec.jobs = {"derose:side=8,jobs=60,load=3,changing=0"};
  spec.schedulers = {"easy", "fcfs"};
  spec.allocators = {"random", "mc1x1", "submesh"};
  spec.repeats = 3;
  return spec;
}

}  // namespace

TEST_CASE("Advice on a log is its sweeps, and its costs add up to the response", "[slow]") {
  const LogQuestions questions{.exchanges = assumed_exchanges(), .shares = {0.2, 0.6}};
  const auto advice = advise(question(), questions, 2);
  REQUIRE(advice.assumed.size() == 6);
  for (const auto& runs : advice.assumed) {
    auto spec = question();
    spec.schedulers = {"easy"};
    spec.times = cosim::ScheduleSettings::Times::modelled;
    spec.programs.rules = questions.exchanges[runs.exchange].rules;
    spec.programs.communication = runs.share;
    const Sweep sweep(spec);
    const auto rows =
        run_sweep(sweep, *make_local_executor([&](std::size_t task) { return sweep.work(task); }, 2), nullptr);
    REQUIRE(rows.size() == 9);
    Sample responses;
    for (const auto& costs : runs.costs) {
      double response = 0, logged = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        response += rows[3 * costs.allocator + r].result["mean_response_s"].get<double>() / 3;
        logged += rows[3 * costs.allocator + r].result["mean_logged_run_time_s"].get<double>() / 3;
      }
      CHECK(costs.response == Approx(response));
      CHECK(costs.response == Approx(costs.wait + logged * (1 + costs.own + costs.neighbours)));
      responses.push_back(response);
    }
    const auto& standing = runs.standings[0];
    const double least = *std::ranges::min_element(responses);
    CHECK(responses[standing.least] == least);
    for (std::size_t a = 0; a < 3; ++a) CHECK(standing.over_least[a]->share == Approx(responses[a] / least - 1));
  }
  CHECK_FALSE(advice.over_stretches);
  CHECK(advice.schedulers.sweep->spec().schedulers.size() == 2);
  // Nodes drawn by lot cost the jobs more than boxes do, alone and beside each other.
  const auto& most = advice.assumed.back().costs;
  CHECK(most[0].own > most[2].own + 0.02);
  CHECK(most[0].neighbours > most[2].neighbours);
  CHECK(most[2].neighbours == Approx(0).margin(0.01));  // boxes meet nobody
}

TEST_CASE("An allocator is shown to have more where the interval says so, and unknown by one run of each") {
  auto spec = question();
  spec.schedulers = {"easy"};
  spec.repeats = 1;
  const auto once = advise(spec, {.shares = {0.5}}, 2);
  CHECK(once.schedulers.sweep == nullptr);
  for (std::size_t a = 0; a < 3; ++a)
    if (a != once.assumed[0].standings[0].least) CHECK_FALSE(once.assumed[0].standings[0].over_least[a]->interval);
  CHECK(once.never_more(0) == std::vector{once.assumed[0].standings[0].least});
  CHECK(verdict_lines(once)[0].second == "by response, one run of each: nothing is shown");
  spec.repeats = 6;
  const auto often = advise(spec, {.shares = {0.5}}, 2);
  const auto& standing = often.assumed[0].standings[0];
  for (std::size_t a = 0; a < 3; ++a) {
    const auto& more = *standing.over_least[a];
    if (a == standing.least) continue;
    REQUIRE(more.interval);
    CHECK(more.interval->low <= more.share);
    CHECK(more.interval->high >= more.share);
    const auto kept = often.never_more(0);
    CHECK((std::ranges::find(kept, a) == kept.end()) == more.is_shown());
  }
  CHECK(verdict_lines(often).size() == 4);
}

TEST_CASE("Draws that are all the same run show nothing") {
  const test::Scratch scratch;
  std::string log = "size,submitted_s,run_time_s\n";
  for (int i = 0; i < 40; ++i) log += fmt::format("{},{},{}\n", 2 + i % 13, i * 10, 100 + 7 * (i % 17));
  auto spec = question();
  spec.schedulers = {"easy"};
  spec.allocators = {"curve", "mc1x1"};
  spec.jobs = {scratch.write("log.csv", log)};
  const auto standing_with = [&](double share) {
    return advise(spec, {.exchanges = {assumed_exchanges()[0]}, .shares = {share}}, 2).assumed[0].standings[0];
  };
  const auto alike = standing_with(1);  // each job communicates all of its time
  REQUIRE(alike.over_least[1 - alike.least]->share > 0);
  CHECK_FALSE(alike.over_least[1 - alike.least]->interval);
  const auto drawn = standing_with(0.5);
  CHECK(drawn.over_least[1 - drawn.least]->interval);
}

TEST_CASE("Advice on a log does not depend on the number of workers") {
  const LogQuestions questions{.shares = {0.3}};
  CHECK(log_advice_json(advise(question(), questions, 1)) == log_advice_json(advise(question(), questions, 4)));
}

TEST_CASE("Logs of months have intervals over stretches of them") {
  const test::Scratch scratch;
  std::string log = "size,submitted_s,run_time_s\n";
  for (int i = 0; i < 400; ++i) log += fmt::format("{},{},{}\n", 2 + i % 13, i * 20000, 40000 + 700 * (i % 17));
  auto spec = question();
  spec.schedulers = {"easy"};
  spec.jobs = {scratch.write("log.csv", log)};
  const auto advice = advise(spec, {.shares = {0.5}}, 2);
  CHECK(advice.over_stretches);
  CHECK(log_advice_json(advice)["intervals_over"] == "stretches");
  // Of some tens of jobs, stretches have too few: intervals are over draws then, and advice says so.
  log = "size,submitted_s,run_time_s\n";
  for (int i = 0; i < 60; ++i) log += fmt::format("{},{},{}\n", 2 + i % 13, i * 100000, 40000 + 700 * (i % 17));
  spec.jobs = {scratch.write("few.csv", log)};
  CHECK(log_advice_json(advise(spec, {.shares = {0.5}}, 2))["intervals_over"] == "draws");
}

TEST_CASE("Over stretches the least is the one that is so in a typical stretch, whatever the seconds of one are") {
  const test::Scratch scratch;
  // Jobs of 17 nodes meet no other box, and need one of 3x6: of these two can run at once, of shells three. In the last
  // stretch they come all together.
  std::string log = "size,submitted_s,run_time_s\n";
  for (int i = 0; i < 248; ++i) log += fmt::format("12,{},20000\n", i * 40000);
  for (int i = 0; i < 8; ++i) log += "17,9920000,900000\n";
  auto spec = question();
  spec.schedulers = {"fcfs"};
  spec.allocators = {"submesh", "mc1x1"};
  spec.repeats = 2;
  spec.jobs = {scratch.write("log.csv", log)};
  const auto advice = advise(spec, {.exchanges = {assumed_exchanges()[0]}, .shares = {0.5}}, 2);
  REQUIRE(advice.over_stretches);
  const auto& standing = advice.assumed[0].standings[0];
  const auto& costs = advice.assumed[0].costs;
  CHECK(standing.lowest_mean == (costs[0].response < costs[1].response ? 0 : 1));
  CHECK(standing.lowest_mean == 1);
  CHECK(standing.least == 0);
  REQUIRE(standing.over_least[1]->interval);
  CHECK(standing.over_least[1]->share > 0);
  const auto lines = verdict_lines(advice);
  CHECK_THAT(std::ranges::find(lines, "response", [](const auto& line) { return line.first; })->second,
             Catch::Contains("submesh is lowest in a typical stretch; mc1x1 has the lowest mean, as one stretch may"));
}

TEST_CASE("The assumption in the middle is that of the middle share, with the last exchange, in any order") {
  auto spec = question();
  spec.allocators = {"mc1x1"};
  spec.schedulers = {"easy"};
  spec.repeats = 1;
  const auto advice =
      advise(spec, {.exchanges = {assumed_exchanges()[2], assumed_exchanges()[0]}, .shares = {0.5, 0.1, 0.3}}, 2);
  CHECK(advice.middle().share == 0.3);
  CHECK(advice.middle().exchange == 1);
  CHECK_THROWS_WITH(advise(spec, {.shares = {0.5, 0.1, 0.5}}, 2), Catch::Contains("--shares: found 0.5 twice"));
}

TEST_CASE("A sample of a log has the first of so many weeks, one after the other") {
  constexpr int day = 86400;
  core::Random random(3, "log");
  const test::Scratch scratch;
  std::string log = "size,submitted_s,run_time_s,preceding\n";
  std::vector<int> times;
  for (int time = 5 * day; time < 100 * day; time += 1 + static_cast<int>(random.below(day))) {
    times.push_back(time);
    // Every third job waits for the one before, and every seventh of the others for the first of all.
    const auto number = static_cast<int>(times.size());
    log += fmt::format("1,{},10,{}\n", time, number % 3 == 0 ? number - 1 : number % 7 == 0 ? 1 : -1);
  }
  const jobs::JobsSource source(scratch.write("log.csv", log) + ":dependencies=yes");
  for (const int every : {2, 3, 5}) {
    const auto some = sampled(source, static_cast<std::size_t>(every), jobs::Reading::strict, 1);
    const auto jobs = some.open();
    const auto stream = jobs->open();
    jobs::Job job;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const int week = (times[i] - times[0]) / (7 * day);
      if (week % every != 0) continue;
      REQUIRE(stream->next(job));
      CHECK(job.number == static_cast<std::int64_t>(i + 1));
      CHECK(job.submitted == times[i] - (week - week / every) * 7 * day);
      const bool is_before = i > 0 && (times[i - 1] - times[0]) / (7 * day) == week;
      const bool is_third = i % 3 == 2;
      CHECK(job.after == (is_third && is_before                  ? static_cast<std::int64_t>(i)
                          : !is_third && i % 7 == 6 && week == 0 ? 1
                                                                 : -1));
    }
    CHECK_FALSE(stream->next(job));
    CHECK(some.text() == source.text());
  }
}

TEST_CASE("All weeks of a log are judged where that takes no minute, and three at least") {
  auto spec = question();
  spec.repeats = 1;
  const auto every = [&](std::uint64_t jobs, double mean_size, std::size_t weeks) {
    return weeks_to_one(spec, {.jobs = jobs, .mean_size = mean_size}, weeks, 20);
  };
  CHECK(every(20000, 8, 30) == 1);   // 40 s
  CHECK(every(20000, 34, 30) == 2);  // 92 s
  CHECK(every(20000, 98, 30) == 5);  // 220 s
  CHECK(every(200000, 98, 30) == 14);
  CHECK(every(200000, 98, 6) == 2);
  CHECK(every(200000, 98, 5) == 1);
  spec.repeats = 2;
  CHECK(every(20000, 8, 30) == 2);  // 80 s
  spec.repeats = 1;
  spec.schedulers = {"easy"};
  CHECK(advise(spec, {.shares = {0.5}, .may_sample = true}, 1).every == 1);
  spec.schedulers = {"easy", "as-logged"};
  CHECK(every(200000, 98, 30) == 1);
  spec.schedulers = {"easy"};
  CHECK(every(200000, 98, 30) == 14);
  for (const auto* allocator : {"as-logged", "preferred-shape:otherwise=as-logged"}) {
    spec.allocators = {"mc1x1", allocator};
    CHECK(every(200000, 98, 30) == 1);
  }
}

TEST_CASE("A sample passes over weeks without jobs") {
  constexpr int week = 7 * 86400;
  const test::Scratch scratch;
  std::string log = "size,submitted_s,run_time_s\n";
  for (const int start : {0, 3, 4, 90, 200, 203})
    log += fmt::format("1,{},10\n1,{},10\n", start * week, start * week + 5);
  const jobs::JobsSource source(scratch.write("log.csv", log));
  CHECK(busy_weeks(*source.open()) == 6);
  const auto jobs = sampled(source, 2, jobs::Reading::strict, 1).open();
  const auto stream = jobs->open();
  jobs::Job job;
  for (const int expected : {0, 5, week, week + 5, 2 * week, 2 * week + 5}) {
    REQUIRE(stream->next(job));
    CHECK(job.submitted == expected);
  }
  CHECK_FALSE(stream->next(job));
}

TEST_CASE("Where no job sends anything, allocators cost the jobs nothing but waiting") {
  auto spec = question();
  spec.schedulers = {"easy"};
  spec.jobs = {"derose:side=8,jobs=60,changing=0,sizes=1"};
  const auto advice = advise(spec, {.shares = {0.5}}, 2);
  for (const auto& costs : advice.assumed[0].costs) {
    CHECK(costs.own == 0);
    CHECK(costs.neighbours == 0);
    CHECK(costs.response > 0);
  }
}

TEST_CASE("Where the queue is long at the end of the log, the advice says so") {
  const test::Scratch scratch;
  const auto advice_on = [&](int gap) {
    std::string log = "size,submitted_s,run_time_s\n";
    for (int job = 0; job < 40; ++job) log += fmt::format("4,{},120\n", job * gap);
    auto spec = question();
    spec.platforms = {"mesh:2x2"};
    spec.schedulers = {"fcfs"};
    spec.allocators = {"mc1x1", "consecutive"};
    spec.jobs = {scratch.write(fmt::format("log{}.csv", gap), log)};
    return advise(spec, {.shares = {0.3}}, 2);
  };
  // Each has the machine for 120 s: the last ends at 4,800 s, or 120 s after its submission.
  const auto late = advice_on(60), in_time = advice_on(130);
  for (const auto& costs : late.assumed[0].costs) CHECK(costs.behind == Approx(40 * 120 - 39 * 60));
  for (const auto& costs : in_time.assumed[0].costs) CHECK(costs.behind == 0);
  const auto said = [](const LogAdvice& advice) {
    return std::ranges::count(verdict_lines(advice), "behind", [](const auto& line) { return line.first; });
  };
  CHECK(said(late) == 2);
  CHECK(said(in_time) == 0);
}

TEST_CASE("An allocator that cannot run a log is told, and the others are judged") {
  const test::Scratch scratch;
  auto spec = question();
  spec.platforms = {"mesh:8x8,fail-node=0"};  // no box of 60 is left
  spec.jobs = {scratch.write("log.csv", "size,submitted_s,run_time_s\n60,0,10\n4,5,10\n3,6,10\n")};
  const auto advice = advise(spec, {.shares = {0.3}}, 2);
  CHECK(advice.assumed[0].costs[2].error.find("mesh:8x8") != std::string::npos);
  CHECK_FALSE(advice.assumed[0].standings[0].over_least[2]);
  CHECK(advice.assumed[0].costs[0].error.empty());
  spec.allocators = {"submesh"};
  CHECK_THROWS_AS(advise(spec, {}, 2), core::SimulationError);
}

}  // namespace toroid::study
