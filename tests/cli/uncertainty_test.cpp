// Runs on machines that are drawn from intervals: simulate and compare with --uncertainty.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "tests/support/support.hpp"

using namespace toroid;
using core::Json;
using test::check_fails;
using test::content;
using test::json_of;
using test::run_toroid;

namespace {

constexpr double megabyte = 1e6;

/// One message of a megabyte from rank 0 to rank 1.
std::string one_message(const test::Scratch& scratch) {
  return scratch.write("one.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
}

std::vector<double> column(const Json& rows, const std::string& name) {
  std::vector<double> values;
  for (const auto& row : rows) values.push_back(row["values"][name]);
  std::sort(values.begin(), values.end());
  return values;
}

/// The run on neighbours of a line, whose base latency is 1 us and whose hop takes 100 ns.
std::string run_of(const std::string& trace, const std::string& bandwidth, const std::string& more = "") {
  return fmt::format("simulate mesh:2,base=1us,bandwidth={} {} --engine fluid {}", bandwidth, trace, more);
}

}  // namespace

TEST_CASE("a message alone takes latency and bytes over the bandwidth that was drawn, and so do median and interval") {
  const test::Scratch scratch;
  const auto trace = one_message(scratch);
  const auto u = json_of(run_of(trace, "1..3GBps", "--uncertainty 21"))["uncertainty"];
  CHECK(u["draws"] == 21);
  REQUIRE(u["runs"].size() == 21);
  for (const auto& run : u["runs"])
    CHECK(run["runtime_s"].get<double>() ==
          Approx(1.1e-6 + megabyte / run["values"]["bandwidth"].get<double>()).epsilon(1e-6));
  // Of 21 values the quantiles of 5, 50 and 95 % are the 2nd, the 11th and the 20th; the fastest link is the shortest
  // time.
  const auto bandwidths = column(u["runs"], "bandwidth");
  CHECK(u["median_s"].get<double>() == Approx(1.1e-6 + megabyte / bandwidths[10]).epsilon(1e-6));
  CHECK(u["interval_s"][0].get<double>() == Approx(1.1e-6 + megabyte / bandwidths[19]).epsilon(1e-6));
  CHECK(u["interval_s"][1].get<double>() == Approx(1.1e-6 + megabyte / bandwidths[1]).epsilon(1e-6));
  CHECK(u["influences"][0]["rank_correlation"] == -1);
}

TEST_CASE("the property that the time depends on leads the table") {
  const test::Scratch scratch;
  const auto out =
      run_toroid(run_of(one_message(scratch), "1..3GBps", "--set loopback-latency=1..2us --uncertainty 40"));
  CHECK(out.exit_code == 0);
  const auto line = [&](const char* text) { return out.out.find(text); };
  CHECK(line("\nbandwidth") < line("\nloopback-latency"));
  CHECK_THAT(out.out, Catch::Contains("40 machines drawn from the intervals of bandwidth, loopback-latency") &&
                          Catch::Contains("-1.00") && Catch::Contains("chance alone"));
}

TEST_CASE("an interval of no width gives the plain run on every machine") {
  const test::Scratch scratch;
  const auto trace = one_message(scratch);
  auto plain = json_of(run_of(trace, "2GBps")), drawn = json_of(run_of(trace, "2..2GBps", "--uncertainty 3"));
  for (const auto& run : drawn["uncertainty"]["runs"]) CHECK(run["runtime_s"] == plain["runtime_s"]);
  CHECK(drawn["uncertainty"]["median_s"] == plain["runtime_s"]);
  CHECK(drawn["uncertainty"]["influences"][0]["rank_correlation"].is_null());
  drawn.erase("uncertainty");
  for (auto* json : {&plain, &drawn}) json->erase("manifest");
  CHECK(plain == drawn);
}

TEST_CASE("what changes in the middle of a run is the machine that was drawn") {
  const test::Scratch scratch;
  const auto trace = one_message(scratch);
  const auto runs = [&](const std::string& events) {
    return json_of(run_of(trace, "1..3GBps", "--uncertainty 20 " + events))["uncertainty"]["runs"];
  };
  const auto without = runs(""), unchanged = runs("--at '1ns:set latency=x1'"),
             halved = runs("--at '100us:set bandwidth=x0.5'");
  for (std::size_t draw = 0; draw < 20; ++draw) {
    CHECK(unchanged[draw]["runtime_s"].get<double>() == Approx(without[draw]["runtime_s"].get<double>()).epsilon(1e-9));
    // From 1.1 us on bytes flow, after 100 us at half the bandwidth.
    const double bandwidth = halved[draw]["values"]["bandwidth"], flowed = 98.9e-6 * bandwidth;
    CHECK(halved[draw]["runtime_s"].get<double>() ==
          Approx(100e-6 + 2 * (megabyte - flowed) / bandwidth).epsilon(1e-6));
  }
}

TEST_CASE("a wider interval has a wider spread of times around that of the narrower one") {
  const test::Scratch scratch;
  const auto trace = one_message(scratch);
  Json inner;
  for (const char* interval : {"1.9..2.1GBps", "1.5..2.5GBps", "1..3GBps"}) {
    const auto u = json_of(run_of(trace, interval, "--uncertainty 30"))["uncertainty"];
    if (!inner.is_null()) {
      CHECK(u["interval_s"][0] < inner["interval_s"][0]);
      CHECK(u["interval_s"][1] > inner["interval_s"][1]);
    }
    inner = u;
  }
}

TEST_CASE("the number of workers does not change what is drawn, nor how it runs") {
  const std::string run =
      "simulate mesh:4x4,bandwidth=1..2GBps,router.vcs=2..8 stencil:grid=4x4 --engine packet --uncertainty 8 --json - ";
  CHECK(run_toroid(run + "--workers 1").out == run_toroid(run + "--workers 3").out);
  const std::string study =
      "compare mesh:4x4,bandwidth=1..2GBps --trace stencil:grid=4x4 --map random consecutive --repeat 2 --no-verify "
      "--uncertainty 5 --json - ";
  CHECK(run_toroid(study + "--workers 1").out == run_toroid(study + "--workers 3").out);
}

TEST_CASE("where messages share links the engine's deviation widens the interval, and only there") {
  const test::Scratch scratch;
  // Two senders to one node: half of the time each message waits for the other's bytes.
  const auto trace = scratch.write("two.ti",
                                   "0 send 2 0 1000000 6\n1 send 2 0 1000000 6\n2 irecv 0 0 1000000 6\n"
                                   "2 irecv 1 0 1000000 6\n2 waitall 2\n");
  for (const char* engine : {"fluid", "packet"}) {
    CAPTURE(engine);
    const auto run = [&](const std::string& of, const std::string& machine) {
      return json_of(fmt::format("simulate mesh:3,base=1us,{} {} --engine {} --uncertainty 10", machine, of,
                                 engine))["uncertainty"];
    };
    const auto alone = run(one_message(scratch), "bandwidth=1..2GBps");
    const auto& first = alone["runs"][0];
    CHECK(first["deviating_s"].get<double>() < 0.002 * first["runtime_s"].get<double>());
    if (std::string_view(engine) == "fluid") {  // packets of one message wait for each other's ends, a little
      CHECK(first["deviating_s"] == 0);
      CHECK(alone["interval_s"] == alone["machines_interval_s"]);
    }
    const auto shared = run(trace, "bandwidth=1..1GBps,ejection=1GBps");
    const double time = shared["median_s"];
    CHECK(shared["machines_interval_s"] == Json{time, time});
    CHECK(shared["runs"][0]["deviating_s"].get<double>() == Approx(time));
    // Five of a hundred products are beyond each end.
    const auto& told = shared["engine_deviation"];
    CHECK(told["engine"] == engine);
    std::vector<double> products;
    for (const double program : told["programs"])
      for (const double placement : told["placements"]) products.push_back(program * placement);
    std::sort(products.begin(), products.end());
    REQUIRE(products.size() == 100);
    CHECK(shared["interval_s"][0].get<double>() == Approx(time * (products[4] + products[5]) / 2));
    CHECK(shared["interval_s"][1].get<double>() == Approx(time * (products[94] + products[95]) / 2));
  }
}

TEST_CASE("intervals and --uncertainty need each other") {
  const test::Scratch scratch;
  const auto trace = one_message(scratch);
  check_fails(run_of(trace, "1..3GBps"), 2, "--uncertainty N");
  check_fails(run_of(trace, "1GBps", "--uncertainty 5"), 2, "no interval to draw from");
  check_fails("compare mesh:2 --trace " + trace + " --map consecutive random --uncertainty 5", 2,
              "no interval to draw from");
  check_fails("compare mesh:2,bandwidth=1..2GBps --trace " + trace + " --map consecutive random", 2, "--uncertainty N");
  check_fails("map mesh:2,bandwidth=1..2GBps " + trace, 2, "--uncertainty N");
  check_fails(run_of(trace, "1..3GBps", "--uncertainty 0"), 2, "--uncertainty");
  check_fails("simulate mesh:2,bandwidth=1..2GBps --job " + trace + " --uncertainty 5", 2, "--uncertainty");
  check_fails(run_of(trace, "1GBps", "--draws-csv x.csv"), 2, "--uncertainty N");
  // With a best estimate both are there: a value, and what it may be.
  CHECK(json_of(run_of(trace, "1..2..3GBps"))["runtime_s"] == json_of(run_of(trace, "2GBps"))["runtime_s"]);
  CHECK(json_of(run_of(trace, "1..2..3GBps", "--uncertainty 5"))["runtime_s"] ==
        json_of(run_of(trace, "2GBps"))["runtime_s"]);
}

TEST_CASE("draws are written as a table") {
  const test::Scratch scratch;
  const auto path = scratch.path("draws.csv");
  const auto r = run_toroid(run_of(one_message(scratch), "1..3GBps", "--uncertainty 4 --draws-csv " + path));
  CHECK(r.exit_code == 0);
  const auto text = content(path);
  CHECK_THAT(text, Catch::StartsWith("draw,runtime_s,deviating_s,bandwidth\n0,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
}

namespace {

/// Two ranks of a plane, beside each other along x or along y: which is faster depends on the links alone.
struct Sides {
  test::Scratch scratch;
  std::string x = scratch.write("x.map", "0\n1\n"), y = scratch.write("y.map", "0\n2\n");

  std::string study(const std::string& more) const {
    return fmt::format(
        "compare mesh:2x2,x.bandwidth=1GBps,y.bandwidth=0.5..1.3GBps --trace {} --map {} {} --no-verify {}",
        one_message(scratch), x, y, more);
  }
};

}  // namespace

TEST_CASE("a verdict holds on the machines where it is right") {
  const Sides sides;
  const auto json = json_of(sides.study("--uncertainty 25"));
  const auto& u = json["uncertainty"];
  std::set<double> drawn;
  for (const auto& row : u["rows"]) drawn.insert(row["values"]["y.bandwidth"].get<double>());
  REQUIRE(drawn.size() == 25);  // the same machines for both
  REQUIRE(u["rows"].size() == 50);
  const auto slower = std::count_if(drawn.begin(), drawn.end(), [](double y) { return y < 1e9; });
  REQUIRE(slower > 0);
  REQUIRE(slower < 25);
  CHECK(json["statistics"][0]["lowest_mean"] == sides.x);  // where y has 0.9 GB/s
  REQUIRE(u["verdicts"].size() == 1);
  CHECK(u["verdicts"][0]["holds_on"] == slower);
  CHECK(u["verdicts"][0]["otherwise"][0]["draws"] == 25 - slower);
  REQUIRE(u["gains"].size() == 1);
  const auto& gain = u["gains"][0];
  CHECK(gain["map"] == sides.x);
  CHECK(gain["other"] == sides.y);
  CHECK(gain["faster_on"] == slower);
  const double median = *std::next(drawn.begin(), 12);
  const double latency = 1e-7;
  CHECK(gain["median"].get<double>() ==
        Approx((latency + megabyte / median) / (latency + megabyte / 1e9)).epsilon(1e-6));
}

TEST_CASE("gains over a baseline are told on the drawn machines, too") {
  const Sides sides;
  const auto plain = json_of(sides.study("--uncertainty 25"))["uncertainty"]["gains"][0];
  const auto over = json_of(sides.study("--uncertainty 25 --baseline " + sides.x))["uncertainty"]["gains"][0];
  CHECK(over["map"] == sides.y);
  CHECK(over["median"].get<double>() == Approx(1 / plain["median"].get<double>()));
  CHECK(over["interval"][0].get<double>() == Approx(1 / plain["interval"][1].get<double>()).epsilon(0.01));
}

TEST_CASE("the table of a study has the draws, a study goes on, and grows by draws") {
  const Sides sides;
  const auto csv = sides.scratch.path("study.csv");
  const auto whole = json_of(sides.study("--uncertainty 6"));
  REQUIRE(run_toroid(sides.study("--uncertainty 4 --csv " + csv)).exit_code == 0);
  const auto text = content(csv);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 2 + 2 * 4);
  CHECK_THAT(text.substr(0, text.find('\n')), Catch::EndsWith("engine,draw,y.bandwidth"));
  const auto journal = csv + ".journal";
  const auto lines = [&] {
    const auto all = content(journal);
    return std::count(all.begin(), all.end(), '\n');
  };
  const auto before = lines();
  const auto grown = run_toroid(sides.study("--uncertainty 6 --csv " + csv + " --json -"));
  CHECK(lines() == before + 2 * 2);
  CHECK(Json::parse(grown.out)["uncertainty"]["rows"] == whole["uncertainty"]["rows"]);
  // A picture of the study shows the runs of the machine as it is best known.
  const auto json = sides.scratch.write("study.json", grown.out);
  CHECK(run_toroid("plot " + json + " --svg " + sides.scratch.path("plot.svg")).exit_code == 0);
}

TEST_CASE("parts of a study on drawn machines make the whole") {
  const Sides sides;
  const auto study = sides.study("--uncertainty 3");
  const auto parts = std::pair(sides.scratch.path("p1"), sides.scratch.path("p2"));
  REQUIRE(run_toroid(study + " --part 1/2 -o " + parts.first).exit_code == 0);
  REQUIRE(run_toroid(study + " --part 2/2 -o " + parts.second).exit_code == 0);
  const auto merged = json_of("merge " + parts.first + " " + parts.second);
  CHECK(merged["uncertainty"] == json_of(study)["uncertainty"]);
}

TEST_CASE("intervals of drawn routers stand beside flit-level runs") {
  const auto data = test::shared_data("fidelity/flits.csv");
  if (data.empty()) return;
  if (test::run_script("command -v python3").exit_code != 0) {
    WARN("skipped: there is no python3");
    return;
  }
  const auto r =
      test::run_script(fmt::format("PATH=\"$(dirname \"$toroid\"):$PATH\" python3 '{}/tools/tables/interval_coverage' "
                                   "\"$(dirname '{}')\" 20 tornado",
                                   test::source_folder(), data));
  INFO(r.err);
  CHECK(r.exit_code == 0);
  const auto all = r.out.find("| all | ");
  REQUIRE(all != std::string::npos);
  std::istringstream row(r.out.substr(all));
  std::string bar, width, percent;
  int runs = 0, by_machines = 0, inside = 0;
  row >> bar >> width >> bar >> runs >> bar >> by_machines >> bar >> width >> percent >> bar >> inside;
  CHECK(runs == 5);
  CHECK(by_machines >= 3);
  CHECK(inside >= 4);  // adaptive packets on torus:4x4x4 do not meet, and flits take 3 % longer
}

TEST_CASE("intervals that the engine does not take decide nothing: told, and refused where there are no others") {
  const auto ignored = "router.buffer changes no time by fluid; packet takes it";
  const auto study = [](const std::string& bandwidth) {
    return "compare mesh:2," + bandwidth +
           "router.buffer=1..2KiB --trace stencil:grid=2 --map random consecutive --no-verify --uncertainty 9 ";
  };
  const auto run = [](const std::string& bandwidth) {
    return "simulate mesh:2," + bandwidth + "router.buffer=1..2KiB stencil:grid=2 --engine fluid --uncertainty 9 ";
  };
  for (const auto& command : {study(""), run("")}) check_fails(command, 2, ignored);
  for (const auto& command : {study("bandwidth=1..2GBps,"), run("bandwidth=1..2GBps,")}) {
    CAPTURE(command);
    const auto json = json_of(command);
    CHECK_THAT(json["remarks"][0].get<std::string>(), Catch::Contains(ignored));
    const auto& u = json["uncertainty"];
    const auto& influences = u.contains("times") ? u["times"][0]["influences"] : u["influences"];
    REQUIRE(influences.size() == 1);
    CHECK(influences[0]["property"] == "bandwidth");
    CHECK_THAT(run_toroid(command).out, Catch::Contains(ignored));
  }
}
