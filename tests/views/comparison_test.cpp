#include "views/studies/comparison_charts.hpp"

#include "tests/views/pictures.hpp"

using namespace toroid;
using test::attribute;
using views::StudyRuns;

namespace {

/// Adds three runs around a mean; of a mean of 0 they failed.
void add_runs(StudyRuns& study, const StudyRuns::Place& at, double mean) {
  for (const double factor : {0.5, 1.0, 1.5}) {
    if (mean == 0)
      study.failed.push_back(at);
    else
      study.runs.push_back({at, factor * mean});
  }
}

/// Two machines, one trace and two mappers; `means` are those of the mappers on the one machine, then on the other.
StudyRuns comparison(const std::vector<double>& means) {
  StudyRuns study;
  study.labels[StudyRuns::platform] = {"mesh:4", "torus:4"};
  study.labels[StudyRuns::trace] = {"cg"};
  study.labels[StudyRuns::collectives] = study.labels[StudyRuns::alloc] = {""};
  study.labels[StudyRuns::map] = {"random", "grasp"};
  study.labels[StudyRuns::engine] = {"fluid"};
  std::copy(std::begin(study.labels), std::end(study.labels), std::begin(study.names));
  study.is_of_communication = false;
  for (std::size_t i = 0; i < means.size(); ++i) add_runs(study, {i / 2, 0, 0, 0, i % 2, 0}, means[i]);
  return study;
}

std::string picture_of(const StudyRuns& study, const views::BarLengths& lengths = {}) {
  return bar_chart_svg(comparison_chart(study, lengths));
}

}  // namespace

TEST_CASE("bars are means over the best mean of the machine and trace") {
  const auto document = test::parsed(picture_of(comparison({3, 1, 4, 8})));
  const auto bars = test::elements(document, "rect", "bar");
  REQUIRE(bars.size() == 4);
  CHECK(attribute(bars[0], "height") == Approx(3 * attribute(bars[1], "height")).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(2 * attribute(bars[2], "height")).margin(0.05));
  CHECK(attribute(bars[1], "height") == attribute(bars[2], "height"));  // on one axis
  CHECK(bars[0].child("title").text().get() == std::string("random, cg, mesh:4: mean 3 s of 3 runs, 1.5 s to 4.5 s"));
}

TEST_CASE("bars are times where that is asked for") {
  const auto document = test::parsed(picture_of(comparison({3, 1, 4, 8}), {.absolute = true}));
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
  const auto text = picture_of(comparison({1, 30, 2, 3}), {.cut = 4});
  const auto document = test::parsed(text);
  const auto bars = test::elements(document, "rect", "bar");
  REQUIRE(bars.size() == 4);
  CHECK(attribute(bars[1], "height") == Approx(220));  // 30 times the other: cut
  CHECK(attribute(bars[0], "height") == Approx(220.0 / 4).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(1.5 * attribute(bars[2], "height")).margin(0.05));
  CHECK(test::elements(document, "path", "cut").size() == 1);
  CHECK_THAT(text, Catch::Contains("1 bar with a gap goes on beyond the axis, up to 30; it is without whiskers"));
  const auto whole = test::parsed(picture_of(comparison({1, 30, 2, 3})));
  CHECK(test::elements(whole, "path", "cut").empty());
}

TEST_CASE("failed runs are gaps, and said so") {
  const auto text = picture_of(comparison({3, 0, 0, 0}));
  const auto document = test::parsed(text);
  CHECK(test::elements(document, "rect", "bar").size() == 1);
  CHECK(test::elements(document, "text", "gap").size() == 3);
  CHECK_THAT(text, Catch::Contains("9 runs failed and are left out") && Catch::Contains("no run succeeded"));
  CHECK_THAT(picture_of(comparison({1, 1, 1, 1})), !Catch::Contains("failed"));
}

TEST_CASE("machines are compared by the best mapper of each") {
  const auto chart = comparison_chart(comparison({3, 1, 4, 8}), StudyRuns::platform);
  REQUIRE(chart.panels.size() == 1);
  const auto& bars = chart.panels[0].groups[0];
  REQUIRE(bars.size() == 2);
  CHECK(*bars[0].value == 1);
  CHECK(*bars[1].value == Approx(4));
}

TEST_CASE("Times without computation are called so") {
  auto times = comparison({3, 1, 4, 8});
  CHECK_THAT(picture_of(times), Catch::Contains("Run time by mapping"));
  times.is_of_communication = true;
  CHECK_THAT(picture_of(times), Catch::Contains("Communication time by mapping") &&
                                    Catch::Contains("mean communication time / best mean"));
}

TEST_CASE("Programs are bars of their times, in a unit that suits them") {
  auto times = comparison({});
  times.subject = StudyRuns::trace;
  for (auto* lists : {times.labels, times.names}) {
    lists[StudyRuns::platform] = {"mesh:4"};
    lists[StudyRuns::map] = {"random"};
    lists[StudyRuns::trace] = {"cg", "ft"};
  }
  for (const std::size_t trace : {0, 1}) add_runs(times, {0, trace, 0, 0, 0, 0}, trace == 0 ? 3e-6 : 6e-6);
  const auto picture = test::parsed(picture_of(times));
  const auto bars = test::elements(picture, "rect", "bar");
  REQUIRE(bars.size() == 2);
  CHECK(attribute(bars[1], "height") == Approx(2 * attribute(bars[0], "height")).margin(0.05));
  CHECK_THAT(picture_of(times), Catch::Contains("Run time by program") && Catch::Contains("mean run time [\u00b5s]"));

  times.equal_work = " for 4096 tokens";  // where programs train on different numbers of them
  CHECK_THAT(picture_of(times), Catch::Contains(" for 4096 tokens ["));
}

TEST_CASE("Each engine has a panel for each machine, over the best mean by that engine") {
  auto times = comparison({3, 1, 4, 8});
  for (auto* lists : {times.labels, times.names}) lists[StudyRuns::engine].emplace_back("packet");
  const std::vector<double> means{1, 2, 6, 0};
  for (std::size_t i = 0; i < means.size(); ++i) add_runs(times, {i / 2, 0, 0, 0, i % 2, 1}, means[i]);
  const auto text = picture_of(times);
  const auto picture = test::parsed(text);
  const auto bars = test::elements(picture, "rect", "bar");
  REQUIRE(bars.size() == 7);
  CHECK(attribute(bars[0], "height") == Approx(3 * attribute(bars[1], "height")).margin(0.05));
  CHECK(attribute(bars[3], "height") == Approx(2 * attribute(bars[2], "height")).margin(0.05));
  for (const char* title : {"mesh:4, fluid", "mesh:4, packet", "torus:4, fluid", "torus:4, packet", "3 runs failed"})
    CHECK_THAT(text, Catch::Contains(title));
}
