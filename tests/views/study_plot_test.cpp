// Plots of studies: what is read, against the files; what is drawn, against the numbers.

#include "views/studies/study_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/views/pictures.hpp"
#include "toroid/core/error.hpp"
#include "views/charts/charts.hpp"
#include "views/charts/labels.hpp"

using namespace toroid;
using views::StudyRuns;

namespace {

/// A study of two mappers on one machine.
StudyRuns small_study() {
  StudyRuns study;
  study.labels[StudyRuns::platform] = {"mesh"};
  study.labels[StudyRuns::trace] = {"cg"};
  study.labels[StudyRuns::collectives] = study.labels[StudyRuns::alloc] = {""};
  study.labels[StudyRuns::map] = {"fast", "slow", "alike", "constant"};
  study.labels[StudyRuns::engine] = {"fluid"};
  const std::vector<std::vector<double>> times{{1, 2, 3, 4, 5, 6}, {20, 24, 30}, {1, 3, 7}, {9}};
  for (std::size_t map = 0; map < times.size(); ++map)
    for (const double time : times[map])
      study.runs.push_back({{0, 0, 0, 0, map, 0}, time * 1e-3, {{"hop_bytes", 1e6 * time}, {"hops_per_byte", time}}});
  study.pairs = {{0, 0, 0, 1, 0.0004, "faster"},
                 {0, 0, 0, 2, 0.7, "not distinguishable"},
                 {0, 0, 3, 0, {}, "slower"},
                 {0, 0, 1, 2, 0.02, "slower"}};
  return study;
}

/// Where a point is drawn.
std::pair<double, double> place_of(const pugi::xml_node& point) {
  const std::regex numbers(R"(translate\(([-0-9.]+) ([-0-9.]+)\).*)");
  std::smatch found;
  const std::string transform = point.attribute("transform").value();
  REQUIRE(std::regex_match(transform, found, numbers));
  return {std::stod(found[1]), std::stod(found[2])};
}

std::vector<std::string> texts_of(const pugi::xml_node& root, const std::string& style) {
  std::vector<std::string> all;
  for (const auto& text : test::elements(root, "text", style))
    for (const auto& child : text.children())
      if (child.type() == pugi::node_pcdata) all.emplace_back(child.value());
  return all;
}

/// Whether y is a line over x, to a hundredth of the widest distance of y.
void check_on_a_line(const std::vector<std::pair<double, double>>& points) {
  REQUIRE(points.size() > 2);
  const auto [low, high] = std::ranges::minmax(points);
  const double slope = (high.second - low.second) / (high.first - low.first);
  for (const auto& [x, y] : points)
    CHECK(y == Approx(low.second + slope * (x - low.first)).margin(0.01 * std::abs(high.second - low.second)));
}

}  // namespace

TEST_CASE("Each run has its point, as far along the axis as it takes") {
  const auto study = small_study();
  for (const bool absolute : {false, true}) {
    const auto root = test::parsed(views::study_plot_svg(study, {.absolute = absolute}));
    const auto points = test::elements(root, "path", "point");
    REQUIRE(points.size() == study.runs.size() + study.contenders());  // and a key beside each name
    std::vector<std::pair<double, double>> times;
    for (std::size_t i = 0; i < study.runs.size(); ++i)
      times.emplace_back(study.runs[i].runtime, place_of(points[i]).first);
    check_on_a_line(times);
    CHECK(test::elements(root, "path", "box").size() == 1);  // six runs; the others are too few
    const auto names = texts_of(root, "muted");
    CHECK(std::ranges::count(names, absolute ? "run time [ms]" : "run time / best mean") == 1);
  }
  const auto strips = test::parsed(views::study_plot_svg(study, {.boxes = false}));
  CHECK(test::elements(strips, "path", "box").empty());
}

TEST_CASE("On a logarithmic axis equal ratios are equal distances, and ticks are 1, 2 or 5 times powers of ten") {
  const auto ticks = [](double lowest, double highest) {
    std::vector<std::string> labels;
    views::Axis::logarithmic(lowest, highest).for_each_tick([&](double, const std::string& label) {
      labels.push_back(label);
    });
    return labels;
  };
  CHECK(ticks(3, 70) == std::vector<std::string>{"2", "5", "10", "20", "50", "100"});
  CHECK(ticks(1, 1e6) == std::vector<std::string>{"1", "10", "100", "1000", "10000", "100000", "1000000"});
  CHECK(ticks(0.03, 0.2) == std::vector<std::string>{"0.02", "0.05", "0.1", "0.2"});
  CHECK(ticks(7, 7) == std::vector<std::string>{"5", "10"});
  core::Random random(1, "axes");
  for (int round = 0; round < 200; ++round) {
    const double lowest = std::pow(10, static_cast<double>(random.below(12000)) / 1000 - 6),
                 highest = lowest * (1 + static_cast<double>(random.below(1000000)) / 100);
    auto axis = views::Axis::logarithmic(lowest, highest);
    axis.lay(0, 100);
    CHECK(axis.place(lowest) > -1e-6);
    CHECK(axis.place(highest) < 100 + 1e-6);
    const double middle = axis.place(std::sqrt(lowest * highest));
    CHECK(middle == Approx((axis.place(lowest) + axis.place(highest)) / 2).margin(1e-6));
    CHECK((axis.place(highest) - axis.place(lowest) > 15 || highest < 1.6 * lowest));  // the axis is used
  }
}

TEST_CASE("Times on a logarithmic axis, in both kinds of plots; never of a run that takes none") {
  auto study = small_study();
  const auto picture = test::parsed(views::study_plot_svg(study, {.log_scale = true}));
  std::vector<std::pair<double, double>> places;
  const auto points = test::elements(picture, "path", "point");
  for (const auto& run : study.runs) places.emplace_back(std::log(run.runtime), 0);
  std::vector<double> drawn;
  for (const auto& point : points)
    if (std::string(point.attribute("transform").value()).find("scale(0.45)") != std::string::npos)
      drawn.push_back(place_of(point).first);
  REQUIRE(drawn.size() == study.runs.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) places[i].second = drawn[i];
  check_on_a_line(places);
  const auto scatter = test::parsed(views::study_plot_svg(study, {.log_scale = true, .against = {"hop_bytes"}}));
  for (const auto* one : {&picture, &scatter}) {
    const auto notes = texts_of(*one, "muted");
    CHECK(std::ranges::count(notes, "Times stand on a logarithmic axis") == 1);
  }
  study.runs[0].runtime = 0;
  CHECK_THAT(test::error_of([&] { views::study_plot_svg(study, {.log_scale = true}); }),
             Catch::Contains("--log: found a run that takes no time"));
}

TEST_CASE("A box reaches from quartile to quartile") {
  const auto root = test::parsed(views::study_plot_svg(small_study(), {.absolute = true}));
  const auto points = test::elements(root, "path", "point");
  const auto place = [&](double ms) {  // from the points at 1 ms and 6 ms
    const double first = place_of(points[0]).first, sixth = place_of(points[5]).first;
    return first + (ms - 1) / 5 * (sixth - first);
  };
  const std::string path = test::elements(root, "path", "box").at(0).attribute("d").value();
  double left = 0, right = 0;
  REQUIRE(std::sscanf(path.c_str(), "M%lf %*fH%lf", &left, &right) == 2);
  CHECK(left == Approx(place(2.25)).margin(0.05));
  CHECK(right == Approx(place(4.75)).margin(0.05));
}

TEST_CASE("Marks say what the tests say of those beside the lowest mean, or beside the baseline") {
  auto study = small_study();
  const auto marks = [&] { return texts_of(test::parsed(views::study_plot_svg(study, {})), "mark"); };
  CHECK(marks() == std::vector<std::string>{"***", "ns", "\u2260"});
  study.pairs = {{0, 0, 0, 1, 0.04, "faster"}, {0, 0, 2, 1, 0.009, "faster"}};  // `slow` is the baseline
  CHECK(marks() == std::vector<std::string>{"*", "**"});
  study.pairs = {{0, 0, 0, 1, 1.0, "too few runs"}, {0, 0, 2, 0, 1.0, "equal"}};
  CHECK(marks() == std::vector<std::string>{"few", "="});
  study.pairs.clear();
  const auto root = test::parsed(views::study_plot_svg(study, {}));
  CHECK(test::elements(root, "path", "bracket").empty());
}

TEST_CASE("Against a metric each run is a point, and all runs are told apart by shape, too") {
  const auto study = small_study();
  const auto root = test::parsed(views::study_plot_svg(study, {.against = {"hop_bytes", "hops_per_byte"}}));
  const auto points = test::elements(root, "path", "point");
  const auto keys = study.contenders(), runs = study.runs.size();
  REQUIRE(points.size() == keys + 2 * runs);
  // The metrics of this study are the times, in another unit.
  for (const std::size_t panel : {0, 1}) {
    std::vector<std::pair<double, double>> places;
    for (std::size_t i = 0; i < runs; ++i) places.push_back(place_of(points[keys + panel * runs + i]));
    check_on_a_line(places);
  }
  std::set<std::string> shapes, colours;
  for (std::size_t i = 0; i < keys; ++i) {
    shapes.insert(points[i].attribute("d").value());
    colours.insert(points[i].attribute("class").value());
  }
  CHECK(shapes.size() == keys);
  CHECK(colours.size() == keys);
  const auto names = texts_of(root, "muted");
  CHECK(std::ranges::count(names, "hop-bytes [MB]") == 1);
  for (const double width : {40.0, 85.0, 130.0}) {
    const auto narrow = test::parsed(
        views::study_plot_svg(study, {.against = {"hop_bytes", "hops_per_byte", "hop_bytes"}, .width_mm = width}));
    std::map<double, std::map<double, double>> labels;  // by line, from where to where
    for (const auto& group : test::elements(narrow, "g", "ticks"))
      for (const auto& text : group.children("text")) {
        const double half = text.attribute("text-anchor").value() == std::string("end")
                                ? 0
                                : 0.5 * views::text_width(text.text().get(), 9.5);
        if (half > 0)
          labels[test::attribute(text, "y")][test::attribute(text, "x") - half] = test::attribute(text, "x") + half;
      }
    CHECK(labels.size() == (width < 60 ? 3 : width < 100 ? 2 : 1));
    for (const auto& [y, line] : labels) {
      double end = -10;
      for (const auto& [from, to] : line) {
        CHECK(from >= end);
        end = to;
      }
    }
  }
  CHECK_THROWS_WITH(views::study_plot_svg(study, {.against = {"luck"}}),
                    "--against luck: expected a number of the runs: hop_bytes, hops_per_byte");
}

TEST_CASE("Runs that failed are told below a plot") {
  auto study = small_study();
  CHECK_THAT(views::study_plot_svg(study, {}), !Catch::Contains("failed"));
  study.failed.push_back({0, 0, 0, 0, 3, 0});
  CHECK_THAT(views::study_plot_svg(study, {}), Catch::Contains("1 run failed and is left out"));
  study.failed.push_back({0, 0, 0, 0, 3, 0});
  CHECK_THAT(views::study_plot_svg(study, {}), Catch::Contains("2 runs failed and are left out"));
}

TEST_CASE("Relative times of all panels stand on one axis; engines stand one below the other where they have no room") {
  auto study = small_study();
  study.labels[StudyRuns::trace] = {"cg", "mg"};
  study.labels[StudyRuns::engine] = {"fluid", "packet:vcs=16,buffer=64KiB"};
  study.pairs.clear();
  const auto runs = study.runs;
  for (const std::size_t trace : {0, 1})
    for (const std::size_t engine : {0, 1})
      for (auto run : runs) {
        if (trace + engine == 0) continue;
        run.of[StudyRuns::trace] = trace;
        run.of[StudyRuns::engine] = engine;
        run.runtime *= trace == 1 ? 0.001 : 1;
        study.runs.push_back(run);
      }
  const auto ticks = [&](bool absolute, double width) {
    const auto svg = test::parsed(views::study_plot_svg(study, {.absolute = absolute, .width_mm = width}));
    std::vector<std::string> all;
    for (const auto& group : test::elements(svg, "g", "ticks")) {
      all.emplace_back();
      for (const auto& text : group.children("text")) all.back() += std::string(text.text().get()) + " ";
    }
    return std::pair(all, texts_of(svg, ""));
  };
  for (const double width : {80.0, 300.0}) {
    const auto [relative, texts] = ticks(false, width);
    REQUIRE(relative.size() == 4);
    for (const auto& one : relative) CHECK(one == relative[0]);
    const auto has = [&](const std::string& text) { return std::ranges::find(texts, text) != texts.end(); };
    CHECK(std::ranges::any_of(texts, [](const std::string& text) {
            return text.starts_with("cg") && text.ends_with(", packet:vcs=16,buffer=64KiB");
          }) == (width < 100));
    CHECK(has("packet:vcs=16,buffer=64KiB") == (width > 100));
  }
  study.runs.front().runtime *= 10;
  const auto absolute = ticks(true, 80).first;
  CHECK(absolute[0] == absolute[1]);  // engines, whatever the width
}

TEST_CASE("The JSON of a comparison has its runs, tests and correlations") {
  const test::Scratch scratch;
  const auto json = scratch.path("s.json");
  REQUIRE(test::run_toroid("compare mesh:4x4 torus:4x4 --trace stencil:grid=4x4 cg:class=S,ranks=16,iterations=1 --map "
                           "consecutive random --repeat 6 --engines fluid packet --no-verify --json " +
                           json)
              .exit_code == 0);
  const auto study = views::read_study(json);
  CHECK(study.runs.size() == 56);  // two engines, four cases, one and six runs
  const auto rows = core::parse_json(test::content(json)).at("rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(study.runs[i].runtime == rows[i].at("runtime_s"));
    CHECK(study.runs[i].metrics.at("hop_bytes") == rows[i].at("hop_bytes"));
  }
  CHECK(study.panels() == 4);
  CHECK(study.name_of_panel(1) == "cg:class=S,ranks=16,iterations=1 on mesh:4x4");
  CHECK(study.subject == StudyRuns::map);
  CHECK(study.pairs.size() == 8);
  CHECK(study.is_of_communication);
  // Each panel of each engine has its rank correlation with each of eight metrics, unless that does not vary.
  CHECK(study.correlations.size() > 16);
}

TEST_CASE("Machines and programs are compared, too") {
  const test::Scratch scratch;
  const auto json = scratch.path("s.json");
  REQUIRE(test::run_toroid("compare mesh:4x4 torus:4x4 --trace stencil:grid=4x4 --map random --repeat 5 --engine fluid "
                           "--no-verify --json " +
                           json)
              .exit_code == 0);
  const auto machines = views::read_study(json);
  CHECK(machines.subject == StudyRuns::platform);
  CHECK(machines.panels() == 1);
  CHECK(machines.pairs.size() == 1);
  REQUIRE(test::run_toroid("compare mesh:4x4 --trace stencil:grid=4 stencil:grid=2x2 --alloc curve mc1x1 --busy "
                           "random:0.5 --repeat 5 --engine fluid --no-verify --json " +
                           json)
              .exit_code == 0);
  const auto allocators = views::read_study(json);
  CHECK(allocators.subject == StudyRuns::alloc);
  CHECK(allocators.labels[StudyRuns::alloc] == std::vector<std::string>{"curve", "mc1x1"});
  CHECK(allocators.panels() == 2);
  CHECK(allocators.name_of_panel(1) == "stencil:grid=2x2 on mesh:4x4");
  CHECK(allocators.runs.size() == 20);
  CHECK(allocators.panel_of(allocators.runs.back()) == 1);
  CHECK(allocators.pairs.size() == 2);
  REQUIRE(test::run_toroid("compare mesh:4x4 --trace stencil:grid=4x4 cg:class=S,ranks=16,iterations=1 --map random "
                           "--repeat 5 --engine fluid --no-verify --json " +
                           json)
              .exit_code == 0);
  const auto programs = views::read_study(json);
  CHECK(programs.subject == StudyRuns::trace);
  // Programs have times of their own, not shares of the best.
  CHECK(std::ranges::count(texts_of(test::parsed(views::study_plot_svg(programs, {})), "muted"),
                           "communication time [\u00b5s]") == 1);
}

namespace {

/// The name of a file with a comparison of two mappers.
std::string study_of_one_machine(const test::Scratch& scratch) {
  auto file = scratch.path("one.json");
  REQUIRE(test::run_toroid("compare mesh:2x2 --trace stencil:grid=2x2 --map consecutive random --engine fluid "
                           "--no-verify --json " +
                           file)
              .exit_code == 0);
  return file;
}

}  // namespace

TEST_CASE("What is no study is refused in one line, and nothing is written") {
  const test::Scratch scratch;
  const auto svg = scratch.path("p.svg");
  const std::string expected = "expected results of toroid compare: the file of --json";
  const auto refused = [&](const std::string& content, const std::string& what) {
    test::check_fails("plot " + scratch.write("study", content) + " --svg " + svg, 2, what);
    CHECK_FALSE(std::filesystem::exists(svg));
  };
  refused("", expected);
  refused("{\"runtime_s\": 1}", expected);
  refused("{\"manifest\": ", "study: found no JSON in line 2, " + expected);
  refused("{\"manifest\": 1e999}", "study: found a number beyond 1.8e308, " + expected);
  refused("{\"manifest\": {}}", "study: found another document (key 'platforms' not found), " + expected);
  refused("platform,trace,map,engine,runtime_s\n", "study: found no JSON in line 1, " + expected);
  const auto study = study_of_one_machine(scratch);
  test::check_fails("plot " + study, 2, "expected --svg FILE, --pdf FILE or both");
  test::check_fails("plot " + study + " --width 3 --svg " + svg, 2, "expected a number from 40 to 400");
}

TEST_CASE("A PDF is as wide as it should be, and has the same bytes each time") {
  const test::Scratch scratch;
  const auto study = study_of_one_machine(scratch);
  const auto pdf = scratch.path("p.pdf");
  const auto command = "plot " + study + " --pdf " + pdf;
  const auto complaint = scratch.path("complaint");
  CHECK(std::system(("PATH=/nowhere " + test::toroid_command() + " " + command + " 2>" + complaint).c_str()) != 0);
  CHECK_THAT(test::content(complaint), Catch::Contains("a PDF needs the program rsvg-convert, which is not installed"));
  CHECK_FALSE(std::filesystem::exists(pdf));
  if (std::system("command -v rsvg-convert >/dev/null") != 0) {
    WARN("skipped: there is no rsvg-convert");
    return;
  }
  REQUIRE(test::run_toroid(command).exit_code == 0);
  const auto first = test::content(pdf);
  CHECK(first.starts_with("%PDF"));
  REQUIRE(test::run_toroid(command).exit_code == 0);
  CHECK(test::content(pdf) == first);
}
