// Outages in schedules: of each day, of links, and the same jobs with and without them.

#include <catch2/catch.hpp>
#include <algorithm>
#include <map>
#include <sstream>

#include "core/csv.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::run_toroid;

namespace {

constexpr double day = 86400;

/// Ten days of jobs from a midnight of UTC-8 on: about eight a day, each of 4 nodes, at all times of day.
std::string ten_days() {
  std::string log = "; UnixStartTime: 115200\n; TimeZone: -28800\n";  // 1970-01-02 00:00 there
  for (int number = 1; number <= 80; ++number)
    log += fmt::format("{} {} -1 {} 4 -1 -1 4 {} -1 1 -1 -1 -1 -1 -1 -1 -1\n", number, number * 10'700 - 10'000,
                       20'000 + 977 * (number % 13), 50'000);
  return log;
}

/// The values of a column by the numbers of jobs.
std::map<int, double> column(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const auto names = core::csv_fields(line);
  const auto of = [&](const std::string& wanted) {
    return static_cast<std::size_t>(std::ranges::find(names, wanted) - names.begin());
  };
  std::map<int, double> values;
  while (std::getline(lines, line)) {
    const auto cells = core::csv_fields(line);
    if (cells[of("final_state")] == "COMPLETED_SUCCESSFULLY") values[std::stoi(cells[0])] = std::stod(cells[of(name)]);
  }
  return values;
}

}  // namespace

TEST_CASE("A time of day is one of each day of the log, by its own clock, up to the next day") {
  const test::Scratch scratch;
  const auto log = scratch.write("ten.swf", ten_days());
  const auto events = [&](const std::string& at) {
    const auto run = run_toroid("schedule mesh:4x4 " + log + " --at '" + at + "' --json -");
    CHECK(run.exit_code == 0);
    return core::Json::parse(run.out)["events"];
  };
  const auto morning = events("10:00:fail-node 3 until 14:00");
  REQUIRE(morning.size() == 10);  // the last job comes after 10:00 of the tenth day
  for (std::size_t i = 0; i < morning.size(); ++i) {
    CHECK(morning[i]["time_s"] == 10 * 3600 + day * static_cast<double>(i));
    CHECK(morning[i]["until_s"] == 14 * 3600 + day * static_cast<double>(i));
  }
  const auto night = events("22:30:reserve-node 3 until 02:00");
  CHECK(night[0]["time_s"] == 700);  // the first job comes in the night that is on already
  CHECK(night[0]["until_s"] == 2 * 3600);
  CHECK(night[1]["time_s"] == 22.5 * 3600);
  CHECK(night[1]["until_s"] == 26 * 3600);
  const auto fault = [&](const std::string& jobs, const std::string& at) {
    const auto run = run_toroid("schedule mesh:4x4 " + jobs + " --at '" + at + "'");
    CHECK(run.exit_code == 2);
    return run.err;
  };
  CHECK_THAT(fault(log, "10:00:fail-node 3"), Catch::Contains("until: found '', expected a time of day such as 14:00"));
  CHECK_THAT(fault(log, "10:00:fail-node 3 until 14h"), Catch::Contains("found '14h', expected a time of day"));
  CHECK_THAT(fault("derose:side=4,jobs=3", "10:00:fail-node 3 until 14:00"),
             Catch::Contains("the log does not say when it began"));
  CHECK_THAT(fault(log + ":until=1h", "10:00:fail-node 3 until 14:00"),
             Catch::Contains("time: found none between the first submission of a job and the last"));
}

TEST_CASE("With and without: the interval is over days, by the jobs that are submitted on each") {
  const test::Scratch scratch;
  const auto log = scratch.write("ten.swf", ten_days()), html = scratch.path("page.html");
  const std::string at = " --at '10:00:fail-node 0-11 until 20:00'";
  const auto run = run_toroid("schedule mesh:4x4 " + log + at + " --and-without --json - --html " + html);
  REQUIRE(run.exit_code == 0);
  const auto sweep = core::Json::parse(run.out);
  REQUIRE(sweep["rows"].size() == 2);
  CHECK(sweep["rows"][0]["events"] == "without events");
  CHECK(sweep["rows"][1]["events"] == "with events");
  const auto alone = [&](const std::string& options) {
    return column(run_toroid("schedule mesh:4x4 " + log + options + " --jobs-csv -").out, "turnaround_time");
  };
  const auto with = alone(at), without = alone("");
  CHECK(with.size() == 80);
  std::map<int, std::vector<double>> by_day;
  for (const auto& [number, response] : with)
    by_day[static_cast<int>((number * 10'700 - 10'000) / day)].push_back(response - without.at(number));
  double sum = 0;
  for (const auto& [number, differences] : by_day) {
    CHECK(differences.size() >= 4);
    for (const double one : differences) sum += one / static_cast<double>(differences.size());
  }
  const auto& difference = sweep["trade_offs"][0]["pairs"][0]["differences"]["mean_response_s"];
  CHECK(difference["pairs"] == by_day.size());
  CHECK(difference["mean"].get<double>() == Approx(-sum / static_cast<double>(by_day.size())));
  CHECK(sum > 0);
  CHECK_THAT(run_toroid("schedule mesh:4x4 " + log + at + " --and-without").out,
             Catch::Contains("intervals tell of its days") && Catch::Contains("with events instead of without events"));
  CHECK_THAT(test::content(html), Catch::Contains("with events instead of without events: "));
}

TEST_CASE("Events that the machine cannot have are refused before any run, with and without them") {
  const test::Scratch scratch;
  const auto command = "schedule mesh:4x4 " + scratch.write("ten.swf", ten_days()) + " --and-without --at ";
  for (const std::string events : {"'10:00:fail-router x=9 until 20:00'", "'5h:fail-node 16 until 6h'"}) {
    const auto run = run_toroid(command + events);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(std::ranges::count(run.err, '\n') == 1);
  }
}

TEST_CASE("A reservation that touches no job costs nothing") {
  const test::Scratch scratch;
  const auto log = scratch.write("ten.swf", ten_days());
  for (const std::string scheduler : {"easy", "conservative", "priority"}) {
    const auto run = run_toroid("schedule mesh:4x4 " + log + ":first=30 --alloc mc1x1 --scheduler " + scheduler +
                                " --at '300d:reserve-node 0-15 until 301d' --and-without --json -");
    const auto rows = core::Json::parse(run.out)["rows"];
    CHECK(rows[0]["mean_wait_s"] == rows[1]["mean_wait_s"]);
    CHECK(rows[0]["mean_response_s"] == rows[1]["mean_response_s"]);
  }
}

TEST_CASE("Links fail and come back: a job takes as much longer as its messages share the links that are left") {
  const test::Scratch scratch;
  const auto log = scratch.write("one.swf", "1 0 -1 10 4 -1 -1 4 30 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto makespan = [&](const std::string& options) {
    const auto run = run_toroid("schedule torus:4 " + log + " --json - " + options);
    CHECK(run.err == "");
    return core::Json::parse(run.out)["makespan_s"].get<double>();
  };
  // Neighbours on a line of the ring exchange messages, each over a link of its own. Without one of these its messages
  // go the other way round, and share each link with others: a second takes two.
  const std::string model =
      "--times modelled --communication 1 --map consecutive --reference consecutive --program "
      "'stencil:grid=4,bytes=100MB' ";
  CHECK(makespan(model) == Approx(10));
  CHECK(makespan(model + "--at '5s:fail-link n0-n1'") == Approx(5 + 2 * 5));
  CHECK(makespan(model + "--at '5s:fail-link n0-n1 until 9s'") == Approx(9 + 3));
  CHECK(makespan(model + "--at '20s:fail-link n0-n1'") == Approx(10));
  CHECK(makespan(model + "--at '5s:fail-link n3-n0'") == Approx(10));  // which none of them crosses
  // The same in the replay of a single job, which simulate knows, too.
  const std::string program = "stencil:grid=4,bytes=1MB,steps=40", at = " --at '20ms:fail-link n0-n1'";
  const auto simulated = core::Json::parse(
      run_toroid("simulate torus:4 " + program + " --engine fluid --map consecutive --json -" + at).out)["runtime_s"];
  const std::string replay = "--times replayed --map consecutive --program '" + program + "'";
  CHECK(makespan(replay + at) == Approx(simulated.get<double>()));
  CHECK(makespan(replay + at) > makespan(replay) + 1e-3);
  for (const auto& [options, fault] : std::vector<std::pair<std::string, std::string>>{
           {"--at '5s:fail-link n0-n1'", "expected --times replayed or modelled"},
           {model + "--at '5s:fail-link n0-n2'", "--at '5s:fail-link n0-n2'"},
           {"--times epochs --program 'stencil:grid=4' --at '5s:fail-link n0-n1'", "--times replayed or modelled"},
           {replay + " --engine packet --at '5s:fail-link n0-n1'", "fluid"}}) {
    const auto run = run_toroid("schedule torus:4 " + log + " " + options);
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Catch::Contains(fault));
  }
}
