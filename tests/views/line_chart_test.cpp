#include "views/line_chart.hpp"

#include <cmath>

#include "core/random.hpp"
#include "tests/views/pictures.hpp"
#include "views/axes.hpp"
#include "views/sweep_chart.hpp"

using namespace toroid;
using test::attribute;
using views::LineChart;

namespace {

/// The picture's labels at ticks of an axis, as value and place: those to the left of the plot, or those below it.
std::vector<std::pair<double, double>> ticks(const pugi::xml_node& root, bool left) {
  std::vector<std::pair<double, double>> found;
  for (const auto& text : test::elements(root, "text", ""))
    if (text.attribute("text-anchor").value() == std::string(left ? "end" : "middle") &&
        text.attribute("class").empty())
      found.emplace_back(std::stod(text.text().get()), attribute(text, left ? "y" : "x"));
  return found;
}

}  // namespace

TEST_CASE("points lie where the ticks of both axes say") {
  core::Random random(1, "lines");
  for (const double unit : {1e-3, 1.0, 1e5})
    for (const double base : {0.0, 3.0, 1000.0, -4.0}) {
      LineChart chart{"title", "subtitle", "x", "y", {{"a", {}}, {"b", {}}}};
      for (auto& line : chart.lines)
        for (int i = 0; i < 5; ++i)
          line.points.push_back({unit * (base + random.unit()), unit * (base + 2 * random.unit()), "tip"});
      const auto document = test::parsed(views::line_chart_svg(chart));
      const auto points = test::elements(document, "circle", "point");
      REQUIRE(points.size() == 10);
      CHECK(test::elements(document, "path", "line").size() == 2);
      const auto x = ticks(document, false), y = ticks(document, true);
      REQUIRE(x.size() >= 2);
      REQUIRE(y.size() >= 2);
      const auto value = [](const auto& axis, double place) {
        const auto& [first, at_first] = axis.front();
        const auto& [last, at_last] = axis.back();
        return first + (place - at_first) / (at_last - at_first) * (last - first);
      };
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& point = chart.lines[i / 5].points[i % 5];
        CHECK(value(x, attribute(points[i], "cx")) == Approx(point.x).margin(unit * 0.01));
        CHECK(value(y, attribute(points[i], "cy") + 4) == Approx(point.y).margin(unit * 0.01));  // text hangs lower
        CHECK(attribute(points[i], "cx") >= x.front().second - 0.01);
        CHECK(attribute(points[i], "cx") <= x.back().second + 0.01);
        CHECK(attribute(points[i], "cy") >= y.back().second - 4.01);
        CHECK(attribute(points[i], "cy") <= y.front().second - 3.99);
      }
    }
}

TEST_CASE("values that differ by rounding alone have an axis, too") {
  for (const double value : {0.7038873857413285, 1e12, -3.0, 0.0}) {
    const double next = std::nextafter(value, 10 * value + 1);
    const LineChart chart{"title", "subtitle", "x", "y", {{"a", {{value, 1, "tip"}, {next, 2, "tip"}}}}};
    const auto x = ticks(test::parsed(views::line_chart_svg(chart)), false);
    CHECK(x.size() >= 2);
    CHECK(x.size() < 30);
  }
}

TEST_CASE("a chart of one point, or of none, has axes all the same") {
  for (const std::vector<views::LinePoint>& points : {std::vector<views::LinePoint>{}, {{0, 0, ""}}, {{5, -3, ""}}}) {
    const auto document = test::parsed(views::line_chart_svg({"<title>", "", "x", "y", {{"a&b", points}}}));
    CHECK(test::elements(document, "circle", "point").size() == points.size());
    CHECK(ticks(document, true).size() >= 2);
  }
}

TEST_CASE("there are eight ticks at most") {
  core::Random random(2, "ticks");
  for (int i = 0; i < 1000; ++i) {
    const double span = std::pow(10, 20 * random.unit() - 10), step = views::tick_step(span);
    CHECK(span / step <= 7.001);
    CHECK(span / step >= 2.7);
  }
  CHECK(views::tick_label(0.30000000000000004, 0.1) == "0.3");
  CHECK(views::tick_label(-0.0, 1) == "0");
}

TEST_CASE("a sweep has a line for each allocator through a point for each of the jobs") {
  const auto entry = [](const char* jobs, const char* scheduler, const char* alloc, core::Json x, double y) {
    return core::Json{{"platform", "mesh:4x4"}, {"workload", jobs}, {"scheduler", scheduler},
                      {"alloc", alloc},         {"utilization", x}, {"mean_wait_s", y}};
  };
  core::Json sweep;
  sweep["summary"] = {entry("a", "easy", "mbs", 0.5, 1), entry("a", "easy", "curve", 0.6, 2),
                      entry("b", "easy", "mbs", 0.7, 3), entry("b", "easy", "curve", core::Json(), 4)};
  auto chart = views::sweep_chart(sweep, "utilization", "mean_wait_s");
  CHECK(chart.title == "mesh:4x4, easy");
  CHECK(chart.subtitle == "a, b");
  REQUIRE(chart.lines.size() == 2);
  CHECK(chart.lines[0].name == "mbs");
  REQUIRE(chart.lines[0].points.size() == 2);
  CHECK(chart.lines[0].points[1].x == 0.7);
  CHECK(chart.lines[0].points[1].y == 3);
  CHECK(chart.lines[1].points.size() == 1);  // the other run failed
  sweep["summary"].push_back(entry("a", "fcfs", "mbs", 0.4, 5));
  chart = views::sweep_chart(sweep, "utilization", "mean_wait_s");
  REQUIRE(chart.lines.size() == 3);
  CHECK(chart.lines[2].name == "mbs, fcfs");
}
