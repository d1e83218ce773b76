#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/support.hpp"

using namespace toroid;
using test::run_toroid;

namespace {
const std::string two_jobs =
    "1 0 5 10 4 -1 -1 4 20 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 60 -1 30 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
}

TEST_CASE("jobs info counts what is in a log") {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", two_jobs + "3 70 -1 30 -1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto json = core::Json::parse(run_toroid("jobs info --json - " + path).out);
  CHECK(json["jobs"] == 2);
  CHECK(json["without_size"] == 1);
  CHECK(json["work_s"] == 70);
  CHECK(json["size_max"] == 4);
  CHECK(json["with_wait"] == 1);
  CHECK(json["last_submission_s"] == 60);
  CHECK_THAT(run_toroid("jobs info " + path).out,
             Catch::Contains("jobs         2\n") && Catch::Contains("without a size"));
}

TEST_CASE("jobs convert filters and scales, and writes SWF and Batsim's JSON") {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", two_jobs);
  for (const std::string name : {"out.swf", "out.json", "out.swf.zst", "out.csv.gz"}) {
    REQUIRE(run_toroid("jobs convert " + path + ":sizes=1,arrivals=2 -o " + scratch.path(name)).exit_code == 0);
    const auto json = core::Json::parse(run_toroid("jobs info --json - " + scratch.path(name)).out);
    CHECK(json["jobs"] == 1);
    CHECK(json["first_submission_s"] == 120);
  }
  const auto batsim = core::Json::parse(test::content(scratch.path("out.json")));
  CHECK(batsim["jobs"][0]["res"] == 1);
  CHECK(batsim["nb_res"] == 1);
}

TEST_CASE("jobs says what is wrong with a log, or leaves it out") {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf", two_jobs + "3 4\n");
  test::check_fails("jobs info " + path, 2, path + ":3: found 2 fields, expected the 18 of a job in SWF");
  CHECK(core::Json::parse(run_toroid("jobs info --lenient --json - " + path).out)["malformed"] == 1);
  test::check_fails("jobs info nowhere", 2, "no such file and no such job stream");
  test::check_fails("jobs convert " + path + " -o " + path, 2, path);
  test::check_fails("jobs convert derose -o " + scratch.path("x.swf"), 2, "expected a constant one");
  test::check_fails("jobs convert walker --format dat -o " + scratch.path("x"), 2, "unknown format of job logs 'dat'");
}

TEST_CASE("jobs convert writes nothing where the format cannot say what jobs have") {
  const test::Scratch scratch;
  const auto path = scratch.write("a.csv",
                                  "name,size,submitted_s,run_time_s,wait_s,nodes\nrun,1,0,5,0,\nrun.1,1,0,5,0,n1\n"
                                  "a|b,1,0,5,0,\n");
  const auto convert = "jobs convert " + path;
  test::check_fails(convert + " -o " + scratch.path("a.sacct"), 2, "job run.1: its name has a bar, a dot");
  test::check_fails(convert + " -o " + scratch.path("a.swf"), 2,
                    "job run: the format swf cannot say what is known of jobs: name, nodes; JOBS:without=name/nodes");
  CHECK_FALSE(std::filesystem::exists(scratch.path("a.sacct")));
  CHECK_FALSE(std::filesystem::exists(scratch.path("a.swf")));
  CHECK(run_toroid(convert + ":without=name/nodes -o " + scratch.path("a.swf")).exit_code == 0);
  CHECK(run_toroid(convert + ":without=name/nodes -o " + scratch.path("a.sacct")).exit_code == 0);
  CHECK(core::Json::parse(run_toroid("jobs info --json - " + scratch.path("a.sacct")).out)["jobs"] == 3);
}

TEST_CASE("jobs and schedule tell what a log has besides, and follow dependencies if they are to") {
  const test::Scratch scratch;
  const auto path = scratch.write("log.swf",
                                  "1 0 0 10 4 -1 -1 4 20 -1 1 -1 -1 -1 -1 -1 -1 -1 9 9\n"
                                  "2 5 0 30 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 1 7\n");
  const std::string wide = "fields behind the 18 of SWF, in 1 lines\n";
  CHECK_THAT(run_toroid("jobs info " + path).out,
             Catch::Contains("ignored      " + wide) &&
                 Catch::Contains("ignored      preceding jobs and think times of 1 jobs (JOBS:dependencies=yes"));
  CHECK_THAT(run_toroid("jobs convert " + path + " -o " + scratch.path("copy.swf")).err,
             Catch::Contains("toroid: left out " + wide));
  const auto schedule = "schedule mesh:4 " + path;
  CHECK_THAT(run_toroid(schedule).out,
             Catch::Contains("ignored        " + wide) && Catch::Contains("makespan       40 s"));
  CHECK_THAT(run_toroid(schedule + ":dependencies=yes").out,
             !Catch::Contains("preceding") && Catch::Contains("makespan       47 s"));
  const auto json = core::Json::parse(run_toroid("jobs info --json - " + path + ":dependencies=yes").out);
  CHECK(json["wide_lines"] == 1);
  CHECK(json["preceded"] == 1);
  CHECK(json["dependent"] == 1);
}
