// Samples of iterations as a user meets them.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

using namespace toroid;
using test::check_fails;
using test::json_of;
using test::run_toroid;

namespace {

/// Four ranks that compute 1 to 3 ms in each of so many iterations, and wait for each other.
std::string varied(const test::Scratch& scratch, int iterations) {
  core::Random random(9, "varied");
  std::string text;
  for (int i = 0; i < iterations; ++i)
    for (int rank = 0; rank < 4; ++rank)
      text += fmt::format("{0} compute {1}\n{0} allreduce 100000 0\n", rank, 1'000'000 + random.below(2'000'000));
  return scratch.write("varied.ti", text);
}

}  // namespace

TEST_CASE("A run by a sample says that it is an estimate, and how well the time is known") {
  const test::Scratch scratch;
  const auto command = "simulate mesh:2x2 " + varied(scratch, 800) + " --engine fluid --compute trace --repeats ";
  const auto text = run_toroid(command + "sample").out;
  CHECK_THAT(text, Catch::Matches("run time       [0-9.]+ s \\+- [0-9.]+ ms\n[^]*"));
  CHECK_THAT(text, Catch::Contains(" of 800 iterations are simulated, in ") &&
                       Catch::Contains("95 % confidence; 1 % wanted") &&
                       Catch::Contains("estimates      the run time"));
  const auto whole = json_of(command + "off"), sample = json_of(command + "sample:1%");
  CHECK(whole["sampled"].is_null());
  const auto& s = sample["sampled"];
  CHECK(s["iterations"] == 800);
  CHECK(s["left_out"] > 300);
  CHECK(s["wanted"] == 0.01);
  CHECK(s["whole_because"].is_null());
  const double off = sample["runtime_s"].get<double>() - whole["runtime_s"].get<double>();
  CHECK(std::abs(off) <= s["runtime_half_width_s"].get<double>());
  CHECK(sample["messages"] == whole["messages"]);
  CHECK(sample["max_link_load_bytes"] == whole["max_link_load_bytes"]);
  CHECK(sample["utilization_window_s"].is_null());
  CHECK(sample["repeated"][0]["kind"] == "sampled");
  CHECK(sample["repeated"][0]["period"].is_null());
  CHECK(sample["manifest"]["repeats"] == "sample:1%");
  // Too few iterations for an interval that narrow: nothing is estimated, and the run says so.
  const auto all = run_toroid(command + "sample:0.05%").out;
  CHECK_THAT(all, Catch::Contains("sampled        no, all is simulated: for an interval that narrow"));
  CHECK_THAT(all, !Catch::Contains("+-"));
}

TEST_CASE("compare does not tell apart what is within the intervals of samples") {
  const test::Scratch scratch;
  const auto trace = varied(scratch, 800);
  const auto command =
      "compare mesh:2x2 torus:2x2 --trace " + trace + " --map consecutive --compute trace --no-verify --repeats ";
  const auto sample = json_of(command + "sample:2%"), exact = json_of(command + "exact");
  CHECK(sample["rows"][0]["runtime_half_width_s"].get<double>() > 0);
  CHECK(!exact["rows"][0].contains("runtime_half_width_s"));
  CHECK_THAT(run_toroid(command + "sample:2%").out, Catch::Contains("estimates from samples of iterations"));
  // A torus of two by two has twice the links; the collective hardly gains by it.
  CHECK_THAT(sample["machines"][0]["verdict"].get<std::string>(),
             Catch::Contains("not distinguishable") && Catch::Contains("sampled, means known to"));
  const auto csv = run_toroid(command + "sample:2% --csv -").out;
  CHECK_THAT(csv, Catch::Contains("runtime_half_width_s"));
}

TEST_CASE("Samples are refused where they cannot be right") {
  const std::string one = "simulate mesh:2x2 stencil:grid=2x2,steps=100 --engine fluid --repeats sample";
  for (const std::string option :
       {"--html a", "--columns a", "--explain", "--critical-path-csv a", "--perfetto a", "--at '1us:set bandwidth=x2'"})
    check_fails(one + " " + option, 2, "--repeats: found sample, expected exact or off");
  check_fails("simulate mesh:4x4 --job stencil:grid=2x2 --job stencil:grid=2x2,name=b --repeats sample:5%", 2,
              "--repeats: found sample:5%, expected exact or off, as jobs share the network");
  check_fails("advise mesh:2x2 stencil:grid=2x2 --repeats sample", 2, "--repeats: found sample, expected exact or off");
  check_fails("simulate mesh:2x2 stencil:grid=2x2 --repeats sample:1", 2,
              "--repeats: found 'sample:1', expected exact, off, sample, or sample:W%");
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", "1 0 -1 100 4 -1 -1 4 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  check_fails("schedule mesh:4x4 " + log + " --times replayed --program 'stencil:grid=2x2' --repeats sample", 2,
              "--repeats: found sample, expected exact or off, as the jobs of a schedule share the network");
}

TEST_CASE("Runs beside a sample are whole, and the summary says so") {
  const test::Scratch scratch;
  const auto sampled =
      "simulate mesh:2x2 " + varied(scratch, 800) + " --engine fluid --compute trace --repeats sample:1%";
  const std::string said =
      "the run above is a sample; those it is compared with, and those on drawn machines, are whole";
  CHECK_THAT(test::run_toroid(sampled + " --uncertainty 2 --set latency=x0.5..x2").out, Catch::Contains(said));
  CHECK_THAT(test::run_toroid(sampled + " --verify").out, Catch::Contains(said));
  CHECK_THAT(test::run_toroid(sampled).out, !Catch::Contains(said));
}
