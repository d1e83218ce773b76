#include "study/report.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace toroid;
using study::Comparison;
using study::ComparisonSpec;
using study::Row;

namespace {

ComparisonSpec spec_of(study::Names names, std::size_t repeats) {
  ComparisonSpec spec;
  spec.platforms = names.platforms;
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
      row.measures = study::Measures{.runtime = time,
                                     .hop_bytes = static_cast<std::uint64_t>(2 * time),
                                     .hops_per_byte = 2 * time,
                                     .links_used = 7};
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
    rows[i].measures->hop_bytes = static_cast<std::uint64_t>(100 - 10 * rows[i].measures->runtime);
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
  CHECK(report.machines.empty());
}

TEST_CASE("with one mapper machines are judged, with the same mappings on both") {
  const Comparison comparison(spec_of({{"mesh:4", "torus:4"}, {"stencil:grid=4"}, {"random"}}, 6));
  const std::vector<double> times{9, 2, 9.2, 9.3, 3, 5, 8, 1.1, 8.2, 8.3, 2.1, 4.3};
  const auto report = study::make_report(comparison, rows_of(comparison, times), 0.05);
  REQUIRE(report.machines.size() == 1);
  CHECK_THAT(report.machines[0].verdict,
             Catch::StartsWith(
                 "torus:4 is fastest (mean communication time 5.333 s); better than mesh:4 (p=0.031, paired by seed)"));
  const auto json = study::report_json(comparison, rows_of(comparison, times), report);
  CHECK(json["machines"][0]["lowest_mean"] == "torus:4");
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
  CHECK(without.machines[0].pairs[0].difference.pairs == 5);
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

TEST_CASE("measures come back from JSON as they were") {
  const study::Measures measures{.runtime = 0.1, .hop_bytes = 1ULL << 60U, .hops_per_byte = 1.0 / 3, .links_used = 3};
  CHECK(study::measures_from(core::Json::parse(study::measures_json(measures).dump())) == measures);
  CHECK_FALSE(study::measures_from({{"runtime_s", 1}}));
  CHECK_FALSE(study::measures_from(7));
}
