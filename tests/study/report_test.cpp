#include "toroid/study/report.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "study/opinions.hpp"
#include "tests/study/measures.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/text.hpp"

using namespace toroid;
using study::Comparison;
using study::ComparisonSpec;
using study::Row;

namespace {

ComparisonSpec spec_of(study::Names names, std::size_t repeats) {
  ComparisonSpec spec;
  spec.platforms.assign(names.platforms.begin(), names.platforms.end());
  spec.traces.assign(names.traces.begin(), names.traces.end());
  spec.maps = core::choices_of<mapping::MapperChoice>(names.maps);
  spec.labels = names;
  spec.repeats = repeats;
  return spec;
}

/// Rows as if the runs had taken these times, in their order; below zero is a run that failed. All proxies are twice
/// the time.
std::vector<Row> rows_of(const Comparison& comparison, const std::vector<double>& times) {
  std::vector<Row> rows;
  for (const auto& run : comparison.runs()) {
    Row row{run};
    const double time = times.at(rows.size());
    if (time < 0)
      row.error = "deadlock";
    else
      row.measures = test::measures(time, {{"hop_bytes", static_cast<std::uint64_t>(2 * time)},
                                           {"hops_per_byte", 2 * time},
                                           {"links_used", std::uint64_t{7}}});
    rows.push_back(row);
  }
  REQUIRE(rows.size() == times.size());
  return rows;
}

}  // namespace

TEST_CASE("rows are judged by machine and trace, and correlated with their proxies") {
  const Comparison comparison(
      spec_of({{"mesh:2x2"}, {"stencil:grid=2x2", "stencil:grid=4"}, {"random", "consecutive"}}, 4));
  auto rows = rows_of(comparison, {2, 3, 4, 5, 1, 20, 30, 40, -1, 50});
  for (std::size_t i = 0; i < 5; ++i)
    test::proxy(*rows[i].measures, "hop_bytes") = static_cast<std::uint64_t>(100 - 10 * rows[i].measures->runtime);
  rows[4].verified_runtime = 0.5;
  const auto report = study::make_report(comparison, rows, 0.05);
  REQUIRE(report.groups.size() == 4);
  CHECK(report.groups[0].normalized == Approx(3.5));
  CHECK(report.groups[0].best == 0);
  CHECK(report.groups[1].off_reference == Approx(1));
  CHECK(report.groups[2].failed == 1);
  CHECK(report.groups[2].normalized == Approx(1));
  REQUIRE(report.cases.size() == 2);
  CHECK(report.cases[0].mappers.lowest_mean == 1);
  CHECK(report.cases[1].mappers.lowest_mean == 0);
  CHECK(report.cases[0].correlations[0].spearman == Approx(-1));  // hop-bytes
  CHECK(report.cases[1].correlations[0].pearson == Approx(1));
  CHECK_FALSE(report.cases[0].correlations.back().spearman);  // the links used are the same everywhere
  CHECK(report.correlations[0].count == 2);
  CHECK(report.correlations[0].spearman_median == Approx(0).margin(1e-12));
  CHECK(report.correlations[0].spearman_lowest == Approx(-1));
  CHECK(report.correlations.back().count == 0);
  CHECK(report.others.empty());
}

TEST_CASE("with one mapper machines are judged, with the same mappings on both") {
  const Comparison comparison(spec_of({{"mesh:4", "torus:4"}, {"stencil:grid=4"}, {"random"}}, 6));
  const std::vector<double> times{9, 2, 9.2, 9.3, 3, 5, 8, 1.1, 8.2, 8.3, 2.1, 4.3};
  const auto rows = rows_of(comparison, times);
  const auto report = study::make_report(comparison, rows, 0.05);
  REQUIRE(report.others.size() == 1);
  CHECK_THAT(report.others[0].verdict,
             Catch::StartsWith(
                 "torus:4 is fastest (mean communication time 5.333 s); better than mesh:4 (p=0.031, paired by seed)"));
  const auto json = study::report_json(comparison, report);
  CHECK(json["machines"][0]["lowest_mean"] == "torus:4");
  CHECK(json["subject"] == "platform");
  CHECK(json["summary"][0]["mean_normalized"] == Approx(6.25 / (32.0 / 6)));  // over the other machine's
  CHECK(json["summary"][0]["place"] == 2);
  CHECK(json["summary"][1]["place"] == 1);
  const auto& pair = json["machines"][0]["pairs"][0];
  CHECK(pair["platform"] == "mesh:4");
  CHECK(pair["test"] == "signed_rank");
  CHECK(pair["paired_by"] == "seed");
  CHECK(pair["pairs"] == 6);
  CHECK(pair["p"] == Approx(2.0 / 64));
  CHECK(pair["difference_s"] == Approx(5.5 / 6));
  CHECK(pair["difference_interval_s"][0] > 0);
  // A run that failed on one machine leaves its repetition out on both.
  auto fewer = times;
  fewer[1] = -1;
  const auto without = study::make_report(comparison, rows_of(comparison, fewer), 0.05);
  CHECK(without.others[0].pairs[0].difference.pairs == 5);
}

TEST_CASE("with one mapper allocators are judged, by machine and trace, beside the same busy nodes") {
  auto spec = spec_of({{"mesh:4x4"}, {"stencil:grid=2x2", "stencil:grid=4"}, {"consecutive"}, {"lowest", "curve"}}, 6);
  spec.placements = {{.alloc = "consecutive", .busy = "random:0.5"}, {.alloc = "curve", .busy = "random:0.5"}};
  const Comparison comparison(spec);
  REQUIRE(comparison.runs().size() == 2 * 2 * 6);
  std::vector<double> times{9, 2, 9.2, 9.3, 3, 5, 8, 1.1, 8.2, 8.3, 2.1, 4.3};
  times.insert(times.end(), 12, 1);
  const auto rows = rows_of(comparison, times);
  const auto report = study::make_report(comparison, rows, 0.05);
  REQUIRE(report.others.size() == 2);
  CHECK_THAT(report.others[0].verdict,
             Catch::StartsWith(
                 "curve is fastest (mean communication time 5.333 s); better than lowest (p=0.031, paired by seed)"));
  CHECK(report.others[1].pairs[0].conclusion == "not distinguishable");
  CHECK(report.others[1].pairs[0].difference.equal_share == 1);
  const auto json = study::report_json(comparison, report);
  CHECK(json["subject"] == "alloc");
  CHECK(json["labels"]["allocs"] == core::Json({"lowest", "curve"}));
  CHECK(json["allocators"][1]["trace"] == "stencil:grid=4");
  CHECK(json["allocators"][0]["pairs"][0]["alloc"] == "consecutive");
  CHECK(json["allocators"][0]["pairs"][0]["other"] == "curve");
  CHECK(json["summary"][0]["mean_normalized"] == Approx(6.25 / (32.0 / 6)));  // over the other allocator's
  CHECK(json["summary"][1]["alloc"] == "curve");
  CHECK(json["summary"][1]["place"] == 1);
  CHECK(json["rows"][6]["alloc"] == "curve");
  CHECK(json["rows"][11]["seed"] == 6);
  CHECK(json["statistics"].size() == 4);
  CHECK(json["computation"].size() == 2);  // which is that of a trace on a machine, whatever the nodes
}

TEST_CASE("what an allocator draws is drawn for each repetition where several are compared, and once for one") {
  auto spec = spec_of({{"mesh:4x4"}, {"stencil:grid=4"}, {"consecutive", "random"}}, 5);
  const auto runs = [&](std::vector<cosim::Placement> placements) {
    spec.placements = std::move(placements);
    return Comparison(spec).runs().size();
  };
  CHECK(runs({{.alloc = "random", .busy = "random:0.5"}}) == 1 + 5);
  CHECK(runs({{.alloc = "consecutive"}, {.alloc = "random"}}) == (1 + 5) + (5 + 5));
  CHECK(runs({{.alloc = "consecutive", .busy = "0-3"}, {.alloc = "random:seed=3"}}) == 2 * (1 + 5));
  CHECK(runs({{.alloc = "consecutive", .busy = "random:0.5"}, {.alloc = "curve"}}) == (5 + 5) + (1 + 5));
  const auto log = "schedule:jobs=(derose:side=4,jobs=9),at=2s";
  CHECK(runs({{.alloc = "consecutive", .busy = log}, {.alloc = "curve"}}) == (5 + 5) + (1 + 5));
}

TEST_CASE("an allocator that has no nodes for a job fails by itself; alone it ends the study") {
  auto spec = spec_of({{"mesh:4x4"}, {"stencil:grid=2x2"}, {"consecutive"}}, 1);
  const std::string every_other = "1,3,4,6,9,11,12,14";  // no 2x2 is free
  spec.placements = {{.alloc = "submesh", .busy = every_other}};
  CHECK_THROWS_WITH(Comparison(spec), Catch::Contains("allocator 'submesh' has no 4 nodes"));
  spec.placements.push_back({.alloc = "curve", .busy = every_other});
  const Comparison comparison(spec);
  REQUIRE(comparison.runs().size() == 2);
  CHECK_THROWS_WITH(comparison.work(0), Catch::Contains("allocator 'submesh' has no 4 nodes"));
  CHECK(core::parse_json(comparison.work(1))["runtime_s"] > 0);
}

TEST_CASE("mappers share lots where one is, or begins with, the other") {
  const std::vector<std::string> maps{"random",      "refine:base=random",   "grasp",        "grasp:cost=td", "tabu",
                                      "consecutive", "anneal:base=(random)", "random:seed=3"};
  const Comparison comparison(spec_of({{"mesh:2x2"}, {"stencil:grid=4"}, maps}, 8));
  std::vector<double> times;
  for (std::size_t i = 0; i < comparison.runs().size(); ++i) times.push_back(1 + static_cast<double>((7 * i) % 5));
  const auto contest = study::make_report(comparison, rows_of(comparison, times), 0.05).cases[0].mappers;
  const auto test_of = [&](std::size_t one, std::size_t other) {
    for (const auto& pair : contest.pairs)
      if (pair.one == one && pair.other == other) return std::string(pair.difference.test);
    return std::string("none");
  };
  CHECK(test_of(0, 1) == "signed_rank");   // refine begins with the random mapping of the same seed
  CHECK(test_of(1, 6) == "signed_rank");   // and so does anneal
  CHECK(test_of(2, 3) == "signed_rank");   // the same search with the same lots
  CHECK(test_of(0, 2) == "mann_whitney");  // nothing in common
  CHECK(test_of(2, 4) == "mann_whitney");
  CHECK(test_of(0, 5) == "sign");
  CHECK(test_of(0, 7) == "sign");
  CHECK(test_of(5, 7).empty());
}

TEST_CASE("what-ifs are told beside the machine that they change") {
  auto spec = spec_of({{"mesh:4", "torus:4"}, {"stencil:grid=4", "stencil:grid=2x2"}, {"consecutive"}}, 1);
  spec.baselines = {0, 0};
  const Comparison comparison(spec);
  const auto rows = rows_of(comparison, {2, 10, 3, -1});
  const auto report = study::make_report(comparison, rows, 0.05);
  REQUIRE(report.changes.size() == 2);
  CHECK(report.changes[0].group == 2);
  CHECK(report.changes[0].baseline == 0);
  CHECK(report.changes[0].relative == Approx(0.5));
  CHECK(report.changes[1].baseline == 1);
  CHECK_FALSE(report.changes[1].relative);
}

namespace {

/// A program of two ranks that computes; `timed` or `counted`: then its computation is not left out.
std::string program(const test::Scratch& scratch, const std::string& name, const std::string& how) {
  const auto kind = how.empty() ? "" : "computation " + how + "\n";
  return scratch.write(name, "toroid trace 4\nranks 2\n" + kind + "rank 0\nc5\nrank 1\nc5\nend\n");
}

}  // namespace

TEST_CASE("with one machine and one mapper programs are judged, and their times with computation") {
  const test::Scratch scratch;
  const auto idle = scratch.write("idle", "toroid trace 4\nranks 2\nrank 0\nrank 1\nend\n");
  auto spec = spec_of({{"mesh:4"}, {"stencil:grid=4", "stencil:grid=2x2", idle}, {"random"}}, 2);
  spec.gains_over = 0;
  const Comparison comparison(spec);
  auto rows = rows_of(comparison, {1, 2, 3, 4, 5, 6});
  rows[0].with_computation = 20;
  rows[2].with_computation = 10;
  const auto report = study::make_report(comparison, rows, 0.05);
  REQUIRE(report.others.size() == 1);
  CHECK_THAT(report.others[0].verdict,
             Catch::StartsWith("stencil:grid=4 has the lowest mean communication time (1.5 s)") &&
                 Catch::Contains("that of " + idle + " is the shortest (5 s, stencil:grid=4 20 s)"));
  // What computes nothing is whole by itself: its median run takes 5 s.
  CHECK(report.groups[2].with_computation == 5);
  CHECK(report.groups[0].whole_normalized == Approx(4));
  CHECK(report.groups[1].normalized == Approx(3.5 / 1.5));
  REQUIRE(report.others[0].gains.size() == 2);
  CHECK(*report.others[0].gains[0].speedup_of_whole == Approx(2));
  const auto json = study::report_json(comparison, report);
  CHECK(json["programs"]["gains"][1]["trace"] == idle);
  CHECK(json["programs"]["gains"][1]["other"] == "stencil:grid=4");
  CHECK(json["programs"]["gains"][1]["pairs"] == 2);
  CHECK(json["statistics"][0]["gains"].empty());  // of the one mapper
}

TEST_CASE("programs of which some leave computation out are not compared") {
  const test::Scratch scratch;
  const auto timed = program(scratch, "timed", "timed"), modelled = program(scratch, "modelled", "");
  const Comparison comparison(spec_of({{"mesh:4"}, {timed, modelled}, {"random"}}, 2));
  const auto rows = rows_of(comparison, {1, 2, 3, 4});
  const auto report = study::make_report(comparison, rows, 0.05);
  CHECK_THAT(report.others[0].verdict, Catch::StartsWith("not compared: the times of " + modelled +
                                                         " leave out computation, which those of " + timed));
  CHECK(report.others[0].pairs.empty());
  CHECK_FALSE(report.groups[0].normalized);
  CHECK(study::report_json(comparison, report)["summary"][0]["mean_normalized"].is_null());
}

TEST_CASE("a baseline is named as it was given, or by a label that one alone has") {
  auto spec = spec_of({{"mesh:4", "torus:4"}, {"stencil:grid=4"}, {"random"}}, 1);
  spec.labels.platforms = {"torus:4", "mine"};
  CHECK(study::contender_named(spec, "torus:4", "--baseline") == 1);  // the name, not the label of the other
  CHECK(study::contender_named(spec, "mine", "--baseline") == 1);
  CHECK_THROWS_WITH(study::contender_named(spec, "random", "--baseline"),
                    "--baseline: found 'random', expected one of the machines: torus:4, mine");
  spec.labels.platforms = {"mine", "mine"};
  CHECK_THROWS_WITH(study::contender_named(spec, "mine", "--baseline"),
                    "--baseline: two machines are called 'mine'; expected the name of one: mesh:4, torus:4");
  spec.platforms.pop_back();
  CHECK_THROWS_WITH(study::contender_named(spec, "random", "--baseline"),
                    "--baseline random: expected several mappers, allocators, collectives, machines or traces to "
                    "compare, found one of each");
}

TEST_CASE("notes on gains are those that apply") {
  auto spec = spec_of({{"mesh:2x2"}, {"stencil:grid=4"}, {"random", "consecutive", "grasp"}}, 6);
  spec.gains_over = 0;
  const Comparison comparison(spec);
  const auto notes_of = [&](const std::vector<double>& times) {
    const auto rows = rows_of(comparison, times);
    return core::join(study::notes_on_gains(comparison, study::make_report(comparison, rows, 0.05)), "\n");
  };
  const auto apart = notes_of({10, 11, 12, 13, 14, 15, 9, 1, 2, 3, 4, 5, 6});
  CHECK_THAT(apart, Catch::Contains("(95 %): ") && Catch::Contains("each by itself with up to 97.5 %") &&
                        Catch::Contains("up to 2 comparisons with random at once") &&
                        Catch::Contains("too few runs for one") && !Catch::Contains("equal runs") &&
                        !Catch::Contains("to show it") && !Catch::Contains("certain") && !Catch::Contains("failed"));
  CHECK_THAT(notes_of({10, 11, 12, 13, 14, 15, 10, 1, 2, 3, 4, 5, 6}),
             Catch::Contains("equal runs: ") && Catch::Contains("to show it: "));
  CHECK_THAT(
      notes_of({10, 11, 12, 13, 14, 15, -1, 1, 2, 3, 4, 5, 6}),
      Catch::Contains("all runs of consecutive failed on mesh:2x2 with stencil:grid=4") && !Catch::Contains("at once"));
  CHECK(notes_of({-1, -1, -1, -1, -1, -1, 9, 1, 2, 3, 4, 5, 6}) ==
        "all runs of random failed on mesh:2x2 with stencil:grid=4, so that nothing gains over them there");
}

TEST_CASE("notes on engines tell what changes places, what is shown of it, and what failed") {
  auto spec = spec_of({{"mesh:2x2"}, {"stencil:grid=4"}, {"random", "consecutive", "grasp"}}, 6);
  spec.opinions = core::choices_of<netsim::EngineChoice>({"packet"});
  const Comparison comparison(spec);
  const auto first = rows_of(comparison, {10, 11, 12, 13, 14, 15, 9, 1, 2, 3, 4, 5, 6});
  const auto report = study::make_report(comparison, first, 0.01);
  const auto notes_of = [&](const std::vector<double>& times) {
    const std::vector opinions{study::make_report(comparison, rows_of(comparison, times), 0.01)};
    return std::pair(core::join(study::notes_on_engines(comparison, report, opinions), "\n"),
                     study::report_json(comparison, report, opinions)["statistics"][0]["exchanges"]);
  };
  CHECK(notes_of({20, 21, 22, 23, 24, 25, 9, 1, 2, 3, 4, 5, 6}).first ==
        "all engines put the mappers in the same order of means");
  const auto [shown, exchanges] = notes_of({1, 2, 3, 4, 5, 6, 29, 30, 31, 32, 33, 34, 35});
  CHECK_THAT(shown, Catch::StartsWith("grasp is faster than random by fluid, and slower by packet, on mesh:2x2 with "
                                      "stencil:grid=4\n") &&
                        Catch::Contains("depends on how the network works"));
  REQUIRE(exchanges.size() == 3);
  CHECK(exchanges[1] ==
        core::Json{
            {"engine", "packet"}, {"map", "grasp"}, {"other", "random"}, {"shown", true}, {"shown_by_engine", true}});
  const auto by_chance = notes_of({5, 6, 7, 8, 9, 10, 10.1, 6, 7, 8, 9, 10, 11}).first;
  CHECK_THAT(by_chance,
             Catch::Contains("grasp has the lower mean than random by fluid, and the higher one by packet") &&
                 Catch::Contains("the runs of packet do not show which is faster") &&
                 !Catch::Contains("depends on how"));
  CHECK_THAT(notes_of({-1, -1, -1, -1, -1, -1, 9, 1, 2, 3, 4, 5, 6}).first,
             Catch::StartsWith("all runs of random by packet failed on mesh:2x2") &&
                 Catch::EndsWith("all engines put the mappers that ran in the same order of means"));
}

TEST_CASE("measures come back from JSON as they were") {
  const auto measures = test::measures(
      0.1, {{"hop_bytes", std::uint64_t{1} << 60U}, {"hops_per_byte", 1.0 / 3}, {"links_used", std::uint64_t{3}}});
  CHECK(study::measures_from(core::Json::parse(study::measures_json(measures).dump())) == measures);
  CHECK_FALSE(study::measures_from({{"runtime_s", 1}}));
  CHECK_FALSE(study::measures_from(7));
}

TEST_CASE("gains after failed repetitions are of the pairs that are left") {
  auto spec = spec_of({{"mesh:4", "torus:4"}, {"stencil:grid=4"}, {"random"}}, 8);
  spec.gains_over = 0;
  const Comparison comparison(spec);
  // The baseline takes twice as long with each seed; runs 0 and 5 failed, one on each machine.
  const auto rows = rows_of(comparison, {-1, 2, 4, 6, 8, 10, 12, 14, 7, 1, 2, 3, 4, -1, 6, 7});
  const auto report = study::make_report(comparison, rows, 0.05);
  const auto gain = study::report_json(comparison, report)["machines"][0]["gains"][0];
  CHECK(gain["runs"] == 7);
  CHECK(gain["baseline_runs"] == 7);
  CHECK(gain["pairs"] == 6);
  CHECK(gain["p"].get<double>() == Approx(2.0 / 64));
  CHECK(gain["speedup"].get<double>() == Approx(2));
  CHECK(gain["speedup_interval"][0].get<double>() == Approx(2));
  CHECK(gain["speedup_interval"][1].get<double>() == Approx(2));
}
