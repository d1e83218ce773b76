#include "views/machines/schedule_drawings.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"

namespace toroid::views {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The boxes of the shape with this tooltip.
std::size_t boxes(const std::string& svg, const std::string& tooltip) {
  const auto title = svg.find("<title>" + tooltip);
  REQUIRE(title != std::string::npos);
  const auto shape = svg.rfind("<path", title);
  return count(svg.substr(shape, title - shape), "z");
}

TEST_CASE("A Gantt chart has a box for each run of nodes of a job") {
  const auto machine = platforms::make_machine("mesh:4x4");
  const auto svg = gantt_svg(machine, {{1, "1", 0, 100, {0, 1, 2, 8, 9}}, {2, "2", 50, 60, {4}}});
  CHECK(boxes(svg, "job 1: 5 nodes, 0 s to 100 s") == 2);
  CHECK(boxes(svg, "job 2: 1 node, 50 s to 60 s") == 1);
  CHECK_THAT(svg, Catch::Contains("2 jobs on mesh:4x4"));
  CHECK_THAT(gantt_svg(machine, {}), Catch::Contains("0 jobs"));
  CHECK(svg.find("class=\"out\"") == std::string::npos);
}

TEST_CASE("A Gantt chart shows when nodes are out") {
  const auto machine = platforms::make_machine("mesh:4x4");
  // 1000 wide for 100 s, 120 high for 16 nodes, from (60, 45).
  const auto svg = gantt_svg(machine, {{1, "1", 0, 100, {0, 1}}}, {{3, 20, 30}});
  CHECK(boxes(svg, "n3 is out, 20 s to 30 s") == 1);
  CHECK_THAT(svg, Catch::Contains("M260 135h100v7.5h-100z"));
}

}  // namespace
}  // namespace toroid::views
