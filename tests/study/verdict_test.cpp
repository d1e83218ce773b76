#include "study/verdict.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "study/comparison.hpp"
#include "study/statistics.hpp"

using namespace toroid;
using core::Json;
using study::Sample;

namespace {

/// Rows of one mapper; no seed for one that draws no lots. A time below zero is a run that failed.
void add_rows(Json& rows, const std::string& trace, const std::string& map, const Sample& times, bool draws = true) {
  for (std::size_t r = 0; r < times.size(); ++r) {
    const bool failed = times[r] < 0;
    Json row{{"platform", "mesh:4"},
             {"trace", trace},
             {"map", map},
             {"repetition", r},
             {"seed", draws ? Json(r) : Json()},
             {"runtime_s", failed ? Json() : Json(times[r])}};
    for (const char* metric : study::metrics) row[metric] = failed ? Json() : Json(2 * times[r]);
    rows.push_back(row);
  }
}

std::string verdict_of(const Json& rows, double alpha = 0.05) {
  return study::statistics_of(rows, alpha)[0]["verdict"];
}

const Sample fast{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
const Sample near{1.05, 1.15, 1.25, 1.35, 1.45, 1.55, 1.65, 1.75};
const Sample slow{2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7};

}  // namespace

TEST_CASE("a verdict names what differs and what does not") {
  Json rows = Json::array();
  add_rows(rows, "t", "random", slow);
  add_rows(rows, "t", "grasp", fast);
  add_rows(rows, "t", "other", near);
  add_rows(rows, "t", "consecutive", {3}, false);
  const double p_close = study::mann_whitney(fast, near);
  CHECK(verdict_of(rows) ==
        fmt::format("grasp has the lowest mean (1.35 s); better than random (p<0.001), consecutive (p=0.023); "
                    "not distinguishable from other (p={:.2g}); 8 runs each",
                    p_close));
  const auto one = study::statistics_of(rows, 0.05)[0];
  CHECK(one["lowest_mean"] == "grasp");
  CHECK(one["kruskal_wallis"]["maps"] == Json{"random", "grasp", "other"});
  CHECK(one["kruskal_wallis"]["h"] == study::kruskal_wallis({slow, fast, near}).h);
  REQUIRE(one["pairs"].size() == 6);
  CHECK(one["pairs"][0]["map"] == "random");
  CHECK(one["pairs"][0]["conclusion"] == "slower");
  CHECK(one["pairs"][0]["faster_share"] == 0);
  CHECK(one["pairs"][0]["p_holm"] == Approx(3 * one["pairs"][0]["p"].get<double>()));
  CHECK(one["pairs"][2]["test"] == "sign");
  CHECK(one["pairs"][2]["p_holm"] == Approx(3 * 2.0 / 256));  // three mappers against the constant
}

TEST_CASE("a stricter level takes a verdict back") {
  Json rows = Json::array();
  add_rows(rows, "t", "grasp", fast);
  add_rows(rows, "t", "random", slow);
  CHECK_THAT(verdict_of(rows, 0.05), Catch::Contains("grasp is fastest (mean 1.35 s); better than random"));
  CHECK_THAT(verdict_of(rows, 0.0001), Catch::Contains("too few runs to tell it from random"));
}

TEST_CASE("few runs are said to be few, and how many could show a difference") {
  Json rows = Json::array();
  add_rows(rows, "t", "grasp", {1, 1.1, 1.2});
  add_rows(rows, "t", "random", {9, 9.1, 9.2});
  CHECK(verdict_of(rows) ==
        "grasp has the lowest mean (1.1 s); too few runs to tell it from random: at least 4 needed; "
        "3 runs each");
  Json more = Json::array();
  add_rows(more, "t", "grasp", {1, 1.1, 1.2, 1.3});
  add_rows(more, "t", "random", {9, 9.1, 9.2, 9.3});
  CHECK_THAT(verdict_of(more), Catch::StartsWith("grasp is fastest"));
}

TEST_CASE("mappers that draw no lots are compared as they are") {
  Json rows = Json::array();
  add_rows(rows, "t", "consecutive", {2}, false);
  add_rows(rows, "t", "a.map", {1}, false);
  add_rows(rows, "t", "b.map", {1}, false);
  const auto one = study::statistics_of(rows, 0.05)[0];
  CHECK(one["verdict"] == "a.map has the lowest mean (1 s); better than consecutive; equal to b.map");
  CHECK(one["kruskal_wallis"].is_null());
  CHECK(one["pairs"][0]["p"].is_null());
}

TEST_CASE("the lowest mean may belong to a mapper that is mostly slower") {
  Json rows = Json::array();
  Sample typical(20, 0), outliers(20, 0);
  for (std::size_t i = 0; i < 20; ++i) {
    const double step = 0.001 * static_cast<double>(i);
    outliers[i] = i < 2 ? 100 : 1 + step;  // mostly the faster one, but for two runs
    typical[i] = 2 + step;
  }
  add_rows(rows, "t", "outliers", outliers);
  add_rows(rows, "t", "typical", typical);
  CHECK_THAT(verdict_of(rows), Catch::StartsWith("typical has the lowest mean") &&
                                   Catch::Contains("mostly slower than outliers (p<0.001)"));
}

TEST_CASE("mappers that do not differ are seldom said to differ") {
  core::Random random(1, "no difference");
  constexpr int studies = 500;
  int wrong = 0;
  for (int i = 0; i < studies; ++i) {
    Json rows = Json::array();
    for (const char* map : {"a", "b", "c", "d"}) {
      Sample times;
      for (int r = 0; r < 8; ++r) times.push_back(1 + random.unit());
      add_rows(rows, "t", map, times);
    }
    const auto statistics = study::statistics_of(rows, 0.05);
    const auto& pairs = statistics[0]["pairs"];
    wrong += std::any_of(pairs.begin(), pairs.end(), [](const Json& pair) {
      return pair["conclusion"] == "faster" || pair["conclusion"] == "slower";
    });
  }
  CHECK(wrong <= 0.05 * studies);
}

TEST_CASE("failed runs are left out and told") {
  Json rows = Json::array();
  add_rows(rows, "t", "grasp", {1, -1, 1.2});
  add_rows(rows, "t", "random", {-1, -1, -1});
  add_rows(rows, "u", "grasp", {-1});
  const auto all = study::statistics_of(rows, 0.05);
  REQUIRE(all.size() == 2);
  CHECK(all[0]["verdict"] ==
        "nothing to compare grasp with (mean 1.1 s); 2 runs each; 1 of 3 runs of grasp failed; random failed");
  CHECK(all[0]["pairs"].empty());
  CHECK(all[1]["verdict"] == "all runs failed");
  CHECK(all[1]["lowest_mean"].is_null());
}

TEST_CASE("correlations of proxies, for each trace and over all") {
  Json rows = Json::array();
  add_rows(rows, "t", "random", slow);
  add_rows(rows, "u", "random", slow);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]["links_used"] = 7;
    if (i < slow.size()) rows[i]["hop_bytes"] = -rows[i]["runtime_s"].get<double>();
  }
  const auto statistics = study::statistics_of(rows, 0.05);
  CHECK(statistics[0]["correlations"][0]["spearman"] == Approx(-1));
  CHECK(statistics[1]["correlations"][0]["pearson"] == Approx(1));
  CHECK(statistics[0]["correlations"].back()["spearman"].is_null());  // links_used is the same everywhere
  const auto overall = study::correlations_of(statistics);
  CHECK(overall[0]["metric"] == "hop_bytes");
  CHECK(overall[0]["count"] == 2);
  CHECK(overall[0]["spearman_median"] == Approx(0).margin(1e-12));
  CHECK(overall[0]["spearman_lowest"] == Approx(-1));
  CHECK(overall[0]["spearman_highest"] == Approx(1));
  CHECK(overall.back()["count"] == 0);
  CHECK(overall.back()["spearman_median"].is_null());
}
