// What commands say of computation: that a time is of communication alone, what that hides, and what was measured.

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

using namespace toroid;
using test::json_of;
using test::run_toroid;

namespace {

/// Rank 0 computes 6 ms at 1 Gf and rank 1 2 ms, then rank 0 sends 1 MB to rank 1, which is 1 ms of the link.
std::string trace_of(const test::Scratch& scratch) {
  return scratch.write("t.ti", "0 compute 6e6\n0 send 1 0 1000000 6\n1 compute 2e6\n1 recv 0 0 1000000 6\n");
}

}  // namespace

TEST_CASE("A time without computation is called communication time, beside what is left out and what it hides") {
  const test::Scratch scratch;
  const auto command = "simulate mesh:2,bw=1GBps,lat=0s " + trace_of(scratch) + " --engine fluid";
  const auto r = run_toroid(command);
  CHECK_THAT(r.out, Catch::StartsWith("communication time 1 ms\n") &&
                        Catch::Contains(
                            "left out       6 ms by the busiest rank, 8 ms by all ranks together, on cores of 1Gf, "
                            "the default of 'speed'; --compute trace includes it\n") &&
                        Catch::Contains("of the whole   a mapping can gain 14.3 % at most"));
  const auto json = json_of(command);
  CHECK(json["computation"] == core::Json{{"kind", "modelled"},
                                          {"scale", 0.0},
                                          {"core_speed", 1e9},
                                          {"busiest_rank_s", 0.006},
                                          {"all_ranks_s", 0.008},
                                          {"left_out", true},
                                          {"gain_at_most", 0.001 / 0.007}});
  CHECK(json["manifest"]["compute"] == "default");
  CHECK(json["manifest"]["compute_used"] == "none");
  const auto whole = run_toroid(command + " --compute trace --set speed=2Gf");
  CHECK_THAT(whole.out, Catch::StartsWith("run time       4 ms\n") &&
                            Catch::Contains("computation    3 ms by the busiest rank, 4 ms by all ranks together, on "
                                            "cores of 2Gf\n") &&
                            !Catch::Contains("left out"));
  CHECK_THAT(run_toroid(command + " --compute x0.5").out,
             Catch::StartsWith("run time       4 ms\n") && Catch::Contains("; all of it times 0.5\n"));
  // Where no rank computes nothing is said.
  const auto none = run_toroid("simulate mesh:2 stencil:grid=2,flops=0f");
  CHECK_THAT(none.out, Catch::StartsWith("run time") && !Catch::Contains("computation    "));
}

TEST_CASE("What was measured is included by default") {
  const test::Scratch scratch;
  const auto trace = scratch.write("own", "toroid trace 4\nranks 1\ncomputation timed\nrank 0\nc5000000\nend\n");
  const auto command = "simulate mesh:1,speed=64Gf " + trace + " --engine fluid";
  CHECK_THAT(run_toroid(command).out,
             Catch::StartsWith("run time       5 ms\n") &&
                 Catch::Contains("computation    5 ms by the busiest rank, 5 ms by all ranks together, as measured\n"));
  CHECK(json_of(command)["manifest"]["compute_used"] == "trace");
  CHECK_THAT(run_toroid(command + " --compute none").out, Catch::StartsWith("communication time 0 s\n"));
}

TEST_CASE("Jobs say what they compute") {
  const test::Scratch scratch;
  const auto r = run_toroid("simulate mesh:4 --job " + trace_of(scratch) + ",name=a --job '(stencil:grid=2,flops=0f)'");
  CHECK_THAT(r.out, Catch::Contains("a leaves out computation: 6 ms by the busiest rank, 8 ms by all ranks together") &&
                        !Catch::Contains("stencil:grid=2,flops=0f leaves"));
}

TEST_CASE("A comparison has the gain of communication and that of the whole side by side") {
  const std::string study = "compare mesh:4x4 --trace minighost:ranks=16,steps=2 --map consecutive random --repeat 5";
  const auto r = run_toroid(study + " --no-verify");
  CHECK_THAT(r.out, Catch::Contains("mean/best  whole [ms]  whole/best") && Catch::Contains("left out") &&
                        Catch::Contains("% at most") && Catch::Contains("mean communication time") &&
                        Catch::Contains("correlation with communication time"));
  const auto json = json_of(study + " --no-verify");
  REQUIRE(json["summary"].size() == 2);
  std::vector<double> wholes;
  for (const auto& line : json["summary"]) {
    // The median run of a mapper again, as simulate does it.
    std::vector<const core::Json*> runs;
    for (const auto& row : json["rows"])
      if (row["map"] == line["map"]) runs.push_back(&row);
    std::sort(runs.begin(), runs.end(), [](auto* a, auto* b) { return (*a)["runtime_s"] < (*b)["runtime_s"]; });
    const auto& median = *runs[(runs.size() - 1) / 2];
    std::string command = "simulate mesh:4x4 minighost:ranks=16,steps=2 --engine fluid --compute trace --map ";
    command += line["map"].get<std::string>();
    if (!median["seed"].is_null()) command += " --seed " + median["seed"].dump();
    CHECK(json_of(command)["runtime_s"] == line["with_computation_s"]);
    CHECK(median["with_computation_s"] == line["with_computation_s"]);
    wholes.push_back(line["with_computation_s"]);
  }
  CHECK(json["summary"][1]["with_computation_normalized"].get<double>() == Approx(wholes[1] / wholes[0]));
  CHECK(json["computation"][0]["left_out"] == true);
  CHECK(json["computation"][0]["gain_at_most"].get<double>() > 1 - wholes[0] / wholes[1]);
  CHECK(json["manifest"]["compute_used"] == core::Json{"none"});
  // With computation there is one time of each run.
  const auto whole = run_toroid(study + " --compute trace --no-verify");
  CHECK_THAT(whole.out, !Catch::Contains("whole/best") && Catch::Contains("included") &&
                            Catch::Contains("correlation with run time"));
}

TEST_CASE("A study that goes on does not compute again what it knows with computation") {
  const test::Scratch scratch;
  const auto study =
      "compare mesh:2x2 --trace stencil:grid=2x2 --map random --repeat 3 --no-verify --csv " + scratch.path("o.csv");
  REQUIRE(run_toroid(study).exit_code == 0);
  const auto journal = test::content(scratch.path("o.csv.journal")), rows = test::content(scratch.path("o.csv"));
  CHECK(std::count(journal.begin(), journal.end(), '\n') == 1 + 3 + 1);
  REQUIRE(run_toroid(study).exit_code == 0);
  CHECK(test::content(scratch.path("o.csv.journal")) == journal);
  CHECK(test::content(scratch.path("o.csv")) == rows);
}

TEST_CASE("What a what-if changes of the whole stands beside what it changes of communication") {
  const auto json = json_of(
      "compare mesh:4 --trace stencil:grid=4,bytes=1MB,flops=100Mf --map consecutive --what-if bandwidth=x2 "
      "--no-verify");
  const auto& change = json["what_ifs"][0];
  CHECK(change["relative_change"].get<double>() < -0.4);
  CHECK(change["with_computation_change"].get<double>() > -0.1);
  CHECK(change["with_computation_change"].get<double>() < 0);
}

TEST_CASE("A schedule says what computation its jobs leave out") {
  const std::string jobs = "schedule mesh:8x8 derose:side=8,jobs=10 --times replayed --program stencil:grid={box}";
  const auto line = Catch::Contains("left out       10 ms of computation by the busiest rank of a job, on average");
  CHECK_THAT(run_toroid(jobs).out, line);
  CHECK_THAT(run_toroid(jobs + " --alloc mc1x1 --alloc consecutive").out, line);
  CHECK_THAT(run_toroid(jobs + " --compute trace").out, !Catch::Contains("left out"));
  CHECK_THAT(run_toroid("schedule mesh:8x8 derose:side=8,jobs=10").out, !Catch::Contains("left out"));
  CHECK(json_of(jobs)["mean_computation_left_out_s"].get<double>() == Approx(0.01));
}
