#include "views/comparison.hpp"

#include "core/json.hpp"
#include "tests/views/pictures.hpp"
#include "views/comparison_charts.hpp"

using namespace toroid;
using core::Json;
using test::attribute;

namespace {

/// What `compare` would write of two machines, one trace and two mappers; `mean` 0 is a mapper whose runs failed.
Json comparison(const std::string& trace, const std::vector<double>& means) {
  Json document{{"manifest",
                 {{"toroid", "0"},
                  {"platforms", {"mesh:4", "torus:4"}},
                  {"traces", {trace}},
                  {"maps", {"random", "grasp"}},
                  {"repeat", 3},
                  {"engine", "fluid"},
                  {"alpha", 0.05}}},
                {"labels", {{"platforms", {"mesh:4", "torus:4"}}, {"traces", {trace}}, {"maps", {"random", "grasp"}}}},
                {"subject", "map"},
                {"computation", Json::array()},
                {"summary", Json::array()},
                {"statistics", Json::array()},
                {"correlations", Json::array()},
                {"machines", Json::array()},
                {"programs", nullptr},
                {"what_ifs", Json::array()},
                {"rows", Json::array()}};
  std::size_t next = 0;
  for (const char* platform : {"mesh:4", "torus:4"}) {
    for (const char* map : {"random", "grasp"}) {
      const double mean = means.at(next++);
      const auto times = [&](double factor) { return mean > 0 ? Json(factor * mean) : Json(); };
      document["summary"].push_back({{"platform", platform},
                                     {"trace", trace},
                                     {"map", map},
                                     {"runs", mean > 0 ? 3 : 0},
                                     {"failed", mean > 0 ? 0 : 3},
                                     {"best_s", times(0.5)},
                                     {"worst_s", times(1.5)},
                                     {"mean_s", times(1)},
                                     {"standard_deviation_s", times(0.1)},
                                     {"verification_deviation", nullptr},
                                     {"mean_normalized", times(1)},
                                     {"place", mean > 0 ? Json(next) : Json()},
                                     {"with_computation_s", nullptr},
                                     {"with_computation_normalized", nullptr}});
    }
    document["computation"].push_back({{"platform", platform},
                                       {"trace", trace},
                                       {"scale", 1.0},
                                       {"busiest_rank_s", 0.0},
                                       {"all_ranks_s", 0.0},
                                       {"left_out", false},
                                       {"gain_at_most", nullptr}});
    Json correlations = Json::array();
    correlations.push_back({{"metric", "hop_bytes"}, {"spearman", 0.75}, {"pearson", nullptr}});
    Json pairs = Json::array();
    pairs.push_back({{"map", "random"},
                     {"other", "grasp"},
                     {"test", "signed_rank"},
                     {"paired_by", "seed"},
                     {"pairs", 8},
                     {"p", 0.0001},
                     {"p_holm", 0.0002},
                     {"faster_share", 0.25},
                     {"conclusion", "slower"}});
    document["statistics"].push_back({{"platform", platform},
                                      {"trace", trace},
                                      {"verdict", "grasp is fastest"},
                                      {"lowest_mean", "grasp"},
                                      {"kruskal_wallis", nullptr},
                                      {"pairs", pairs},
                                      {"correlations", correlations}});
  }
  return document;
}

}  // namespace

TEST_CASE("bars are means over the best mean of the machine and trace") {
  const auto document = test::parsed(views::comparison_svg(comparison("cg", {3, 1, 4, 8})));
  const auto bars = test::elements(document, "rect", "bar");
  REQUIRE(bars.size() == 4);
  CHECK(attribute(bars[0], "height") == Approx(3 * attribute(bars[1], "height")).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(2 * attribute(bars[2], "height")).margin(0.05));
  CHECK(bars[0].child("title").text().get() == std::string("random, cg, mesh:4: mean 3 s of 3 runs, 1.5 s to 4.5 s"));
}

TEST_CASE("bars are times where that is asked for") {
  const auto document = test::parsed(views::comparison_svg(comparison("cg", {3, 1, 4, 8}), {.absolute = true}));
  const auto bars = test::elements(document, "rect", "bar");
  REQUIRE(bars.size() == 4);
  // Each machine has an axis of its own, from 0 to 5 s (of whiskers up to 4.5 s) and to 12 s.
  CHECK(attribute(bars[0], "height") == Approx(220.0 * 3 / 5).margin(0.05));
  CHECK(attribute(bars[1], "height") == Approx(220.0 * 1 / 5).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(220.0 * 8 / 12).margin(0.05));
  std::size_t names = 0;
  for (const auto& name : test::elements(document, "text", "axis-name"))
    names += name.text().get() == std::string("mean run time [s]") ? 1 : 0;
  CHECK(names == 2);
}

TEST_CASE("an axis breaks where that is asked for, and the picture says how far bars go on") {
  const auto text = views::comparison_svg(comparison("cg", {1, 30, 2, 3}), {.cut = 4});
  const auto document = test::parsed(text);
  const auto bars = test::elements(document, "rect", "bar");
  REQUIRE(bars.size() == 4);
  CHECK(attribute(bars[1], "height") == Approx(220));  // 30 times the other: cut
  CHECK(attribute(bars[0], "height") == Approx(220.0 / 4).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(1.5 * attribute(bars[2], "height")).margin(0.05));
  CHECK(test::elements(document, "path", "cut").size() == 1);
  CHECK_THAT(text, Catch::Contains("1 bar with a gap goes on beyond the axis, up to 30; it is without whiskers"));
  const auto whole = test::parsed(views::comparison_svg(comparison("cg", {1, 30, 2, 3})));
  CHECK(test::elements(whole, "path", "cut").empty());
}

TEST_CASE("failed runs are gaps, and said so") {
  const auto text = views::comparison_svg(comparison("cg", {3, 0, 0, 0}));
  const auto document = test::parsed(text);
  CHECK(test::elements(document, "rect", "bar").size() == 1);
  CHECK(test::elements(document, "text", "gap").size() == 3);
  CHECK_THAT(text, Catch::Contains("9 runs failed and are left out") && Catch::Contains("no run succeeded"));
  CHECK_THAT(views::comparison_svg(comparison("cg", {1, 1, 1, 1})), !Catch::Contains("failed"));
}

TEST_CASE("the page is whole: picture, verdicts, tables, and nothing from elsewhere") {
  const auto text = views::comparison_html(comparison("cg", {3, 1, 4, 8}));
  const auto document = test::parsed(text);
  CHECK(document.select_nodes("//svg").size() == 2);  // by mapping and by machine
  CHECK(document.select_nodes("//table").size() == 6);
  for (const char* expected : {"grasp is fastest", "hop_bytes", "&lt; 0.001", "25 %", "signed_rank"})
    CHECK_THAT(text, Catch::Contains(expected));
  for (const char* foreign : {"<script", "src=", "href=", "url(", "@import"})
    CHECK_THAT(text, !Catch::Contains(foreign));
  CHECK(text == views::comparison_html(comparison("cg", {3, 1, 4, 8})));
}

TEST_CASE("machines are compared by the best mapper of each") {
  const auto text = views::comparison_html(comparison("cg", {3, 1, 4, 8}));
  const auto picture = text.substr(text.rfind("<svg"));
  const auto document = test::parsed(picture.substr(0, picture.find("</svg>") + 6));
  const auto bars = test::elements(document, "rect", "bar");
  REQUIRE(bars.size() == 2);
  CHECK(attribute(bars[1], "height") == Approx(4 * attribute(bars[0], "height")).margin(0.05));
}

TEST_CASE("a page of hostile names and failed runs is well-formed") {
  const std::string hostile = "<script>\"&'</script>";
  const auto document = test::parsed(views::comparison_html(comparison(hostile, {0, 0, 0, 0})));
  CHECK(document.select_nodes("//script").empty());
  CHECK(document.select_node("//td[2]").node().text().get() == hostile);
}

TEST_CASE("Times without computation are called so, beside those with it") {
  auto document = comparison("cg", {3, 1, 4, 8});
  CHECK_THAT(views::comparison_svg(document), Catch::Contains("Run time by mapping"));
  CHECK_THAT(views::comparison_html(document),
             Catch::Contains("Predicted run times") && !Catch::Contains("with computation"));
  for (auto& one : document["computation"]) {
    one["left_out"] = true;
    one["busiest_rank_s"] = 36.0;
    one["gain_at_most"] = 0.1;
  }
  document["summary"][0]["with_computation_s"] = 37.5;
  document["summary"][0]["with_computation_normalized"] = 1.031;
  CHECK_THAT(views::comparison_svg(document), Catch::Contains("Communication time by mapping") &&
                                                  Catch::Contains("mean communication time / best mean"));
  CHECK_THAT(views::comparison_html(document), Catch::Contains("communication times (computation is left out)") &&
                                                   Catch::Contains("with computation") && Catch::Contains("37.5 s") &&
                                                   Catch::Contains("1.031") && Catch::Contains("10.0 %"));
}

TEST_CASE("Gains, places and notes stand on the page as the JSON has them") {
  auto document = comparison("cg", {3, 1, 4, 8});
  document["manifest"]["baseline"] = "random";
  for (auto& one : document["statistics"])
    one["gains"] = {{{"map", "grasp"},
                     {"other", "random"},
                     {"runs", 9},
                     {"baseline_runs", 7},
                     {"pairs", nullptr},
                     {"speedup", 1.5},
                     {"speedup_interval", {1.25, 1.75}},
                     {"speedup_with_computation", nullptr},
                     {"test", "mann_whitney"},
                     {"p_holm", 0.25},
                     {"conclusion", "not distinguishable"},
                     {"runs_to_show", 1000001}}};
  document["gain_notes"] = {"a note on gains"};
  auto other = document;
  other["engine"] = "packet";
  other["summary"][0]["mean_s"] = 77.0;
  document["opinions"] = {other};
  document["engine_notes"] = {"a note on engines"};
  for (auto& one : document["statistics"]) one["holds_under"] = {{"packet", "no: random is faster"}};
  const auto text = views::comparison_html(document);
  test::parsed(text);
  for (const char* expected :
       {"Gain over random", "times as fast as random", "95 % interval", "<td class=\"number\">1.500</td>",
        "1.250 to 1.750", "more than 1000000", "a note on gains", "Means by engine", "77 s", "1, 1",
        "a note on engines", "holds under packet", "no: random is faster"})
    CHECK_THAT(text, Catch::Contains(expected));
}

TEST_CASE("Programs are bars of their times, in a unit that suits them") {
  auto document = comparison("cg", {3e-6, 1, 4, 8});
  document["subject"] = "trace";
  document["manifest"]["platforms"] = document["labels"]["platforms"] = {"mesh:4"};
  document["manifest"]["maps"] = document["labels"]["maps"] = {"random"};
  document["manifest"]["traces"] = document["labels"]["traces"] = {"cg", "ft"};
  auto second = document["summary"][0];
  second["trace"] = "ft";
  for (const char* time : {"best_s", "mean_s", "worst_s"}) second[time] = 2 * second[time].get<double>();
  document["summary"] = {document["summary"][0], second};
  for (const char* list : {"statistics", "computation"}) document[list].erase(1);
  document["programs"] = {{"platform", "mesh:4"}, {"verdict", "cg is fastest"}, {"kruskal_wallis", nullptr}};
  const auto picture = test::parsed(views::comparison_svg(document));
  const auto bars = test::elements(picture, "rect", "bar");
  REQUIRE(bars.size() == 2);
  CHECK(attribute(bars[1], "height") == Approx(2 * attribute(bars[0], "height")).margin(0.05));
  CHECK_THAT(views::comparison_svg(document),
             Catch::Contains("Run time by program") && Catch::Contains("mean run time [\u00b5s]"));
  CHECK_THAT(views::comparison_html(document), Catch::Contains("cg is fastest") && Catch::Contains("Two programs are"));
  CHECK_THAT(views::comparison_html(document), !Catch::Contains("MFU"));

  // Trainings on different numbers of tokens are drawn for as many.
  const auto plain = views::programs_chart(document).panels[0].groups[0];
  document["programs"]["tokens"] = 4096;
  document["programs"]["time_factors"] = {{document["summary"][0]["trace"], 2}, {second["trace"], 1}};
  const auto scaled = views::programs_chart(document).panels[0].groups[0];
  CHECK(*scaled[0].value / *scaled[1].value == Approx(2 * *plain[0].value / *plain[1].value));
  CHECK_THAT(views::comparison_svg(document), Catch::Contains(" for 4096 tokens ["));
  document["summary"][0]["training"] = {{"tokens", 2048}, {"tokens_per_second", 100}, {"mfu", 0.25}};
  document["summary"][0]["exposed_s"] = {{"tensor", 0.5}};
  CHECK_THAT(views::comparison_html(document),
             Catch::Contains("wait for tensor") && Catch::Contains("25.0 %") && Catch::Contains("500 ms"));
}

TEST_CASE("Each engine has a panel for each machine, over the best mean by that engine") {
  auto document = comparison("cg", {3, 1, 4, 8});
  auto other = comparison("cg", {1, 2, 6, 0});
  other["engine"] = "packet";
  document["opinions"] = {other};
  const auto text = views::comparison_svg(document);
  const auto picture = test::parsed(text);
  const auto bars = test::elements(picture, "rect", "bar");
  REQUIRE(bars.size() == 7);
  CHECK(attribute(bars[0], "height") == Approx(3 * attribute(bars[1], "height")).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(2 * attribute(bars[2], "height")).margin(0.05));
  for (const char* title : {"mesh:4, fluid", "mesh:4, packet", "torus:4, fluid", "torus:4, packet", "3 runs failed"})
    CHECK_THAT(text, Catch::Contains(title));
}
