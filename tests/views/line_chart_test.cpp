#include "views/charts/charts.hpp"

#include <cmath>
#include <cstdio>
#include <set>

#include "core/random.hpp"
#include "tests/views/pictures.hpp"
#include "views/charts/labels.hpp"
#include "views/studies/sweep_chart.hpp"

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

/// Where the points of lines are drawn, not those of the legend.
std::vector<std::pair<double, double>> points_of(const pugi::xml_node& root, std::size_t legend) {
  std::vector<std::pair<double, double>> places;
  for (const auto& point : test::elements(root, "path", "point")) {
    double x = 0, y = 0;
    REQUIRE(std::sscanf(point.attribute("transform").value(), "translate(%lf %lf)", &x, &y) == 2);
    places.emplace_back(x, y);
  }
  places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(legend));
  return places;
}

/// What is at a place of an axis, by its first and last tick.
double value_at(const std::vector<std::pair<double, double>>& axis, double place) {
  const auto& [first, at_first] = axis.front();
  const auto& [last, at_last] = axis.back();
  return first + (place - at_first) / (at_last - at_first) * (last - first);
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
      const auto points = points_of(document, 2);
      REQUIRE(points.size() == 10);
      CHECK(test::elements(document, "path", "line").size() == 4);  // two in the legend
      const auto x = ticks(document, false), y = ticks(document, true);
      REQUIRE(x.size() >= 2);
      REQUIRE(y.size() >= 2);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& point = chart.lines[i / 5].points[i % 5];
        const auto [at_x, at_y] = points[i];
        CHECK(value_at(x, at_x) == Approx(point.x).margin(unit * 0.01));
        CHECK(value_at(y, at_y + 4) == Approx(point.y).margin(unit * 0.01));  // text hangs lower
        CHECK(at_x >= x.front().second - 0.01);
        CHECK(at_x <= x.back().second + 0.01);
        CHECK(at_y >= y.back().second - 4.01);
        CHECK(at_y <= y.front().second - 3.99);
      }
    }
}

TEST_CASE("error bars reach from end to end, and axes hold them") {
  const LineChart chart{
      "title", "", "x", "y", {{"a", {{1, 10, "tip", views::Span{0.8, 1.3}, views::Span{6, 15}}, {2, 12, "tip"}}}},
      "a note"};
  const auto document = test::parsed(views::line_chart_svg(chart));
  const auto x = ticks(document, false), y = ticks(document, true);
  const auto bars = test::elements(document, "path", "error");
  REQUIRE(bars.size() == 2);
  // The last stroke is the bar itself, those before it are its caps.
  double from = 0, to = 0, at = 0;
  const auto last_stroke = [](const pugi::xml_node& bar) {
    const std::string d = bar.attribute("d").value();
    return d.substr(d.rfind('M'));
  };
  REQUIRE(std::sscanf(last_stroke(bars[0]).c_str(), "M%lf %lfV%lf", &at, &from, &to) == 3);
  CHECK(value_at(x, at) == Approx(1).margin(0.01));
  CHECK(value_at(y, from + 4) == Approx(6).margin(0.05));
  CHECK(value_at(y, to + 4) == Approx(15).margin(0.05));
  REQUIRE(std::sscanf(last_stroke(bars[1]).c_str(), "M%lf %lfH%lf", &from, &at, &to) == 3);
  CHECK(value_at(x, from) == Approx(0.8).margin(0.01));
  CHECK(value_at(x, to) == Approx(1.3).margin(0.01));
  CHECK(value_at(y, at + 4) == Approx(10).margin(0.05));
  CHECK(y.back().first >= 15);
  CHECK_THAT(views::line_chart_svg(chart), Catch::Contains("a note"));
}

TEST_CASE("labels of ticks are within the picture, however long they are") {
  for (const double value : {3.0, 1e7, 123456789012.0, -1e12}) {
    const LineChart chart{
        "title", "", "x", "y", {{"a", {{value, value, "tip"}, {value + 0.001 * std::abs(value), 2 * value, "tip"}}}}};
    const auto document = test::parsed(views::line_chart_svg(chart));
    const double width = attribute(document.child("svg"), "width");
    for (const auto& text : test::elements(document, "text")) {
      const std::string anchor = text.attribute("text-anchor").value();
      if (anchor.empty() || !text.attribute("transform").empty()) continue;
      const double length = views::text_width(text.text().get(), 12), at = attribute(text, "x");
      INFO(text.text().get());
      CHECK(at - (anchor == "end" ? length : length / 2) >= 16 + 8);  // the title of the axis stands to the left
      CHECK((anchor == "end" ? at : at + length / 2) <= width);
    }
  }
}

TEST_CASE("twenty lines look different, in the picture and in the legend") {
  LineChart chart{"title", "", "x", "y", {}};
  for (int i = 0; i < 20; ++i) chart.lines.push_back({"line " + std::to_string(i), {{1.0 * i, 1, "tip"}}});
  const auto document = test::parsed(views::line_chart_svg(chart));
  const auto points = test::elements(document, "path", "point");
  REQUIRE(points.size() == 40);
  std::set<std::pair<std::string, std::string>> looks, shapes_of_colour;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto look = [](const pugi::xml_node& point) {
      return std::pair<std::string, std::string>(point.attribute("class").value(), point.attribute("d").value());
    };
    CHECK(look(points[i]) == look(points[20 + i]));
    looks.insert(look(points[i]));
    shapes_of_colour.emplace(look(points[i]).first.substr(0, 8), look(points[i]).second);  // "point sN"
  }
  CHECK(looks.size() == 20);
  CHECK(shapes_of_colour.size() == 20);  // a colour that comes again has another shape
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
    CHECK(points_of(document, 1).size() == points.size());
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
  CHECK(views::tick_label(1e308, 2e307) == "1e+308");
  CHECK(views::tick_label(1.2e15, 2e14) == "1.2e+15");
  CHECK(views::tick_label(-3e-20, 1e-20) == "-3e-20");
  CHECK(views::tick_label(123456e7, 1e7) == "1234560000000");
}

namespace {

/// A contender of a sweep; all its runs failed if it has no `x`.
views::SweptContender contender(const char* jobs, const char* scheduler, const char* alloc, std::optional<double> x,
                                double y, std::optional<views::Span> interval = {}) {
  views::SweptContender one{"mesh:4x4", jobs, scheduler, alloc, {}, {}};
  if (x) one.means = {{"utilization", {*x, {}}}, {"mean_wait_s", {y, interval}}};
  return one;
}

}  // namespace

TEST_CASE("a sweep has a line for each allocator through a point for each of the jobs, from left to right") {
  views::SweptContenders sweep;
  sweep = {contender("log:arrivals=1", "easy", "mbs", 0.7, 1),
           contender("log:arrivals=1", "easy", "curve", 0.6, 2, views::Span{1.5, 2.5}),
           contender("log:arrivals=0.5", "easy", "mbs", 0.5, 3),
           contender("log:arrivals=0.5", "easy", "curve", std::nullopt, 4)};
  auto chart = views::sweep_chart(sweep, "utilization", "mean_wait_s");
  CHECK(chart.title == "mesh:4x4, easy");
  CHECK(chart.subtitle == "log; arrivals=1, 0.5");
  CHECK(chart.x_axis == "utilization of the machine [%]");
  CHECK(chart.y_axis == "mean wait [s]");
  REQUIRE(chart.lines.size() == 2);
  CHECK(chart.lines[0].name == "mbs");
  REQUIRE(chart.lines[0].points.size() == 2);
  CHECK(chart.lines[0].points[0].x == Approx(50));
  CHECK(chart.lines[0].points[0].y == 3);
  CHECK(chart.lines[0].points[1].x == Approx(70));
  CHECK_FALSE(chart.lines[0].points[1].y_bar);
  REQUIRE(chart.lines[1].points.size() == 1);  // the other run failed
  REQUIRE(chart.lines[1].points[0].y_bar);
  CHECK(chart.lines[1].points[0].y_bar->high == 2.5);
  CHECK_THAT(chart.lines[1].points[0].tooltip, Catch::Contains("mean_wait_s 2 (1.5 to 2.5)"));
  CHECK_THAT(chart.note, Catch::Contains("95 % confidence interval"));
  sweep.push_back(contender("log:arrivals=1", "fcfs", "mbs", 0.4, 5));
  chart = views::sweep_chart(sweep, "utilization", "mean_wait_s");
  REQUIRE(chart.lines.size() == 3);
  CHECK(chart.lines[2].name == "mbs, fcfs");
}

TEST_CASE("a sweep of one log is drawn as bars, with whiskers where there are several runs") {
  views::SweptContenders sweep;
  sweep = {contender("log", "easy", "mbs", 0.7, 1, views::Span{0.5, 1.5}), contender("log", "easy", "curve", 0.6, 2),
           contender("log", "fcfs", "mbs", 0.5, 3), contender("log", "fcfs", "curve", std::nullopt, 4)};
  const auto bars = views::sweep_bars(sweep, {"utilization", "mean_wait_s"});
  CHECK(bars.groups == std::vector<std::string>{"easy", "fcfs"});
  CHECK(bars.series == std::vector<std::string>{"mbs", "curve"});
  REQUIRE(bars.panels.size() == 2);
  CHECK(bars.panels[0].title == "utilization of the machine [%]");
  CHECK(bars.panels[0].groups[0][0].value == Approx(70));
  CHECK_FALSE(bars.panels[0].groups[1][1].value);  // all its runs failed
  CHECK(bars.panels[1].title == "mean wait [s]");
  CHECK(bars.panels[1].groups[0][0].low == 0.5);
  CHECK(bars.panels[1].groups[0][0].high == 1.5);
  CHECK(bars.panels[1].groups[0][1].low == bars.panels[1].groups[0][1].high);
  CHECK(bars.panels[1].groups[1][0].value == 3);
  CHECK_THAT(views::sweep_svg(sweep, "utilization", "mean_wait_s"), Catch::Contains("Whiskers"));
  sweep.push_back(contender("other", "easy", "mbs", 0.4, 5));
  CHECK_THAT(views::sweep_svg(sweep, "utilization", "mean_wait_s"), !Catch::Contains("Whiskers"));

  const views::SweptContenders one{contender("log", "easy", "mbs", 0.7, 1), contender("log", "fcfs", "mbs", 0.7, 1)};
  CHECK(views::sweep_bars(one, {"utilization"}).series == std::vector<std::string>{"easy", "fcfs"});
}

TEST_CASE("what is common to the jobs of a sweep is said once") {
  const auto subtitle = [](const std::vector<const char*>& jobs) {
    views::SweptContenders sweep;
    for (const char* one : jobs) sweep.push_back(contender(one, "easy", "mbs", 0.7, 1));
    return views::sweep_chart(sweep, "utilization", "mean_wait_s").subtitle;
  };
  CHECK(subtitle({"derose"}) == "derose");
  CHECK(subtitle({"derose:side=8", "derose:side=8,arrivals=0.8", "derose:side=8,arrivals=0.6"}) ==
        "derose:side=8; as it is, arrivals=0.8, 0.6");
  CHECK(subtitle({"a.swf:arrivals=1.2", "a.swf:arrivals=1.25", "a.swf:first=7,arrivals=1"}) ==
        "a.swf; arrivals=1.2, 1.25, first=7,arrivals=1");
  CHECK(subtitle({"a.swf", "ab.swf"}) == "a.swf, ab.swf");
  CHECK(subtitle({"derose:side=8", "derose:side=80"}) == "derose; side=8, 80");
}

TEST_CASE("times of a sweep are in a unit that suits them") {
  for (const auto& [seconds, axis, drawn] : {std::tuple{2e-5, "mean wait [\u00b5s]", 20.0},
                                             {0.2, "mean wait [ms]", 200.0},
                                             {50.0, "mean wait [s]", 50.0},
                                             {36000.0, "mean wait [h]", 10.0},
                                             {864000.0, "mean wait [days]", 10.0}}) {
    views::SweptContenders sweep;
    sweep = {contender("a", "easy", "mbs", 0.7, seconds, views::Span{0, 2 * seconds})};
    const auto chart = views::sweep_chart(sweep, "utilization", "mean_wait_s");
    CHECK(chart.y_axis == axis);
    CHECK(chart.lines[0].points[0].y == Approx(drawn));
    CHECK(chart.lines[0].points[0].y_bar->high == Approx(2 * drawn));
  }
}
