#include "views/charts/charts.hpp"

#include "core/random.hpp"
#include "tests/views/pictures.hpp"

using namespace toroid;
using test::attribute;
using views::Bar;
using views::BarChart;

namespace {

BarChart chart_of(std::vector<std::vector<Bar>> groups) {
  BarChart chart{"title", "subtitle", "times", {}, {}, {}, "nothing there", ""};
  for (std::size_t g = 0; g < groups.size(); ++g) chart.groups.push_back("g" + std::to_string(g));
  for (std::size_t s = 0; !groups.empty() && s < groups[0].size(); ++s) chart.series.push_back("s" + std::to_string(s));
  chart.panels.push_back({"panel", std::move(groups)});
  return chart;
}

/// No bar leaves the picture or touches another one of its panel.
void check_apart(const pugi::xml_node& root) {
  const auto bars = test::elements(root, "rect", "bar");
  for (std::size_t i = 0; i < bars.size(); ++i) {
    CHECK(attribute(bars[i], "x") >= 0);
    CHECK(attribute(bars[i], "y") >= 0);
    CHECK(attribute(bars[i], "x") + attribute(bars[i], "width") <= attribute(root.child("svg"), "width"));
    CHECK(attribute(bars[i], "y") + attribute(bars[i], "height") <= attribute(root.child("svg"), "height"));
    if (i > 0 && attribute(bars[i], "x") > attribute(bars[i - 1], "x"))
      CHECK(attribute(bars[i], "x") >= attribute(bars[i - 1], "x") + attribute(bars[i - 1], "width"));
  }
}

}  // namespace

TEST_CASE("a bar is as high as its value, from the axis") {
  core::Random random(1, "bars");
  for (const double unit : {1e-6, 1.0, 1e5}) {
    std::vector<std::vector<Bar>> groups(3);
    std::vector<double> values;
    for (auto& group : groups)
      for (int s = 0; s < 4; ++s) {
        values.push_back(unit * (1 + 9 * random.unit()));
        group.push_back({values.back(), values.back(), values.back(), "tip"});
      }
    const auto document = test::parsed(views::bar_chart_svg(chart_of(groups)));
    const auto bars = test::elements(document, "rect", "bar");
    const auto axis = test::elements(document, "line", "axis");
    REQUIRE(bars.size() == values.size());
    REQUIRE(axis.size() == 1);
    const double scale = attribute(bars[0], "height") / values[0];
    for (std::size_t i = 0; i < bars.size(); ++i) {
      CHECK(attribute(bars[i], "height") == Approx(scale * values[i]).margin(0.02));
      CHECK(attribute(bars[i], "y") + attribute(bars[i], "height") == Approx(attribute(axis[0], "y1")).margin(0.011));
      CHECK(bars[i].child("title").text().get() == std::string("tip"));
    }
    CHECK(test::elements(document, "path", "whisker").empty());
    check_apart(document);
  }
}

TEST_CASE("ticks are round numbers, and the axis reaches the highest whisker") {
  for (const double highest : {0.03, 1.0, 1.04, 7.0, 12.0, 999.0}) {
    const auto document = test::parsed(views::bar_chart_svg(chart_of({{{highest / 2, 0, highest, ""}}})));
    const auto whiskers = test::elements(document, "path", "whisker");
    REQUIRE(whiskers.size() == 1);
    double top = INFINITY;
    std::vector<double> labels;
    for (const auto& line : test::elements(document, "line", "grid")) top = std::min(top, attribute(line, "y1"));
    for (const auto& text : test::elements(document, "text"))
      if (text.attribute("text-anchor").value() == std::string("end")) labels.push_back(std::stod(text.text().get()));
    // The path is M left low H right M left high ...
    const std::string path = whiskers[0].attribute("d").value();
    const double whisker_top = std::stod(path.substr(path.rfind('V') + 1));
    CHECK(whisker_top >= top - 0.01);
    REQUIRE(labels.size() >= 3);
    CHECK(labels.front() == 0);
    CHECK(labels.back() >= highest * (1 - 1e-9));
    CHECK(labels.back() <= 1.7 * highest);
    for (std::size_t i = 1; i < labels.size(); ++i) CHECK(labels[i] - labels[i - 1] == Approx(labels[1]));
  }
}

TEST_CASE("a missing value is a gap, and is said to be one") {
  const auto document = test::parsed(views::bar_chart_svg(chart_of({{{1.0, 1, 1, ""}, {std::nullopt, 0, 0, "died"}}})));
  CHECK(test::elements(document, "rect", "bar").size() == 1);
  const auto gaps = test::elements(document, "text", "gap");
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0].child("title").text().get() == std::string("died"));
  CHECK_THAT(views::bar_chart_svg(chart_of({{{std::nullopt, 0, 0, ""}}})), Catch::Contains("nothing there"));
  CHECK_THAT(views::bar_chart_svg(chart_of({{{1.0, 1, 1, ""}}})), !Catch::Contains("nothing there"));
}

TEST_CASE("no data, zeros and one value are pictures, too") {
  test::parsed(views::bar_chart_svg(BarChart{}));
  test::parsed(views::bar_chart_svg(chart_of({})));
  const auto zero = test::parsed(views::bar_chart_svg(chart_of({{{0.0, 0, 0, ""}}})));
  CHECK(attribute(test::elements(zero, "rect", "bar").at(0), "height") == 0);
}

TEST_CASE("many bars and long names stay apart and within the picture") {
  for (const std::size_t series : {1U, 10U, 25U})
    for (const std::size_t groups : {1U, 7U, 30U}) {
      auto chart = chart_of(std::vector<std::vector<Bar>>(groups, std::vector<Bar>(series, {1.0, 0.5, 2, ""})));
      for (auto& name : chart.groups) name += std::string(60, 'x');
      for (auto& name : chart.series) name += std::string(90, 'y');
      chart.panels.push_back(chart.panels[0]);
      const auto document = test::parsed(views::bar_chart_svg(chart));
      const double width = attribute(document.child("svg"), "width");
      check_apart(document);
      CHECK(test::elements(document, "rect", "bar").size() == 2 * series * groups);
      for (const auto& text : test::elements(document, "text")) {
        const bool from_left = !text.attribute("text-anchor");
        if (from_left)
          CHECK(attribute(text, "x") + 7 * static_cast<double>(std::string(text.last_child().value()).size()) <= width);
      }
    }
}

TEST_CASE("hostile names are harmless") {
  auto chart = chart_of({{{1.0, 1, 1, "]]><script>alert(1)</script>"}}});
  chart.title = chart.groups[0] = chart.series[0] = chart.panels[0].title = "</text><script>&\xff\x01\"'";
  const auto text = views::bar_chart_svg(chart);
  const auto document = test::parsed(text);
  CHECK(test::elements(document, "script").empty());
}
