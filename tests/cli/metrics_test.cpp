// Every row of netsim::metrics() and cosim::schedule_metrics() reaches the outputs.

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/csv.hpp"
#include "tests/support/support.hpp"
#include "toroid/cosim/schedule_metrics.hpp"
#include "toroid/netsim/results/metrics.hpp"

using namespace toroid;
using core::Json;
using netsim::Metric;
using test::run_toroid;

namespace {

/// Whether a result has the metric as a whole or a real number, as its row gives it.
bool has(const Json& result, const Metric& metric) {
  const auto name = std::string(metric.name);
  const bool is_real = std::holds_alternative<double>(metric.of({}, {}));
  return result.contains(name) && result[name].is_number() && result[name].is_number_float() == is_real;
}

}  // namespace

TEST_CASE("each metric is in the results of runs and of mappings, and in the list of fields") {
  const auto run = test::json_of("simulate mesh:4x4 stencil:grid=4x4 --engine fluid");
  const auto mapping = test::json_of("map mesh:4x4 stencil:grid=4x4");
  const auto jobs = test::json_of("simulate mesh:4x4 --job stencil:grid=2x2 --job stencil:grid=2x2 --engine fluid");
  const auto fields = test::json_of("list fields")["fields"]["entries"];
  const auto is_listed = [&](const std::string& object, const Metric& metric, const std::string& type) {
    return std::ranges::any_of(fields, [&](const Json& field) {
      return field["kind"] == object && field["name"] == metric.name && field["type"] == type;
    });
  };
  REQUIRE(netsim::metrics().size() > 10);
  for (const auto& metric : netsim::metrics()) {
    INFO(metric.name);
    CHECK(has(run, metric));
    CHECK(has(mapping, metric));
    if (!metric.is_of_links()) CHECK(has(jobs["jobs"][0], metric));
    CHECK(is_listed(metric.is_of_links() ? "loads" : "traffic", metric, std::string(metric.type)));
  }
  for (const auto& proxy : netsim::proxies()) CHECK(is_listed("measures", proxy, std::string(proxy.type) + " or null"));
}

TEST_CASE("each proxy is in the rows, the correlations and the pictures of a comparison") {
  const test::Scratch scratch;
  const auto csv = scratch.path("rows.csv"), json = scratch.path("study.json");
  REQUIRE(run_toroid("compare mesh:4x4 --trace stencil:grid=4x4 --map random consecutive --repeat 3 --no-verify "
                     "--engine fluid --csv " +
                     csv + " --json " + json)
              .exit_code == 0);
  const auto study = core::parse_json(test::content(json));
  const auto text = test::content(csv);
  const auto header = core::csv_fields(text.substr(0, text.find('\n')));
  const auto page = run_toroid(
                        "compare mesh:4x4 --trace stencil:grid=4x4 --map random consecutive --repeat 3 "
                        "--no-verify --engine fluid --html -")
                        .out;
  std::size_t p = 0;
  for (const auto& metric : netsim::metrics()) {
    INFO(metric.name);
    const bool is_proxy = metric.use != Metric::Use::result;
    CHECK(has(study["rows"][0], metric) == is_proxy);
    CHECK((std::ranges::count(header, metric.name) == 1) == is_proxy);
    if (!is_proxy) continue;
    CHECK(study["correlations"][p++]["metric"] == metric.name);
    CHECK_THAT(page, Catch::Contains(std::string(metric.name)));
    const auto svg = scratch.path("plot.svg");
    REQUIRE(run_toroid("plot " + json + " --against " + std::string(metric.name) + " --svg " + svg).exit_code == 0);
    CHECK_THAT(test::content(svg), Catch::Contains(std::string(metric.in_words)));
  }
  CHECK(p == study["correlations"].size());
}

TEST_CASE("each metric of schedules is in the summary, the tests, the pictures and the list of fields") {
  const test::Scratch scratch;
  const std::string command = "schedule mesh:8x8 derose:side=8,jobs=60 --alloc consecutive random --repeat 3 ";
  const auto sweep = test::json_of(command);
  const auto table = run_toroid(command).out;
  const auto fields = test::json_of("list fields")["fields"]["entries"];
  const auto& criteria = sweep["trade_offs"][0]["criteria"];
  for (const auto& metric : cosim::schedule_metrics()) {
    const std::string name(metric.name);
    INFO(name);
    CHECK(sweep["rows"][0].contains(name));
    CHECK(sweep["summary"][0].contains(name));
    CHECK(sweep["summary"][0]["intervals"].contains(name));
    CHECK(sweep["trade_offs"][0]["pairs"][0]["differences"].contains(name));
    CHECK((std::ranges::count(criteria, core::Json(metric.name)) == 1) == metric.criterion.is_in(false));
    CHECK((table.find(" " + std::string(metric.title)) < table.find('\n')) == metric.column.is_in(false));
    CHECK(std::ranges::any_of(
        fields, [&](const Json& field) { return field["kind"] == "contender" && field["name"] == name; }));
    const auto svg = scratch.path("sweep.svg");
    REQUIRE(run_toroid(command + "--axes " + name + ",mean_wait_s --svg " + svg).exit_code == 0);
    CHECK_THAT(test::content(svg), Catch::Contains(std::string(metric.in_words)));
  }
}
