#include <catch2/catch.hpp>

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
