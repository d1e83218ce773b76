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

/// The boxes of the shape with this tooltip: one for each node.
std::size_t boxes(const std::string& svg, const std::string& tooltip) {
  const auto title = svg.find("<title>" + tooltip);
  REQUIRE(title != std::string::npos);
  const auto shape = svg.rfind("<path", title);
  return count(svg.substr(shape, title - shape), "z");
}

TEST_CASE("A snapshot has a box for each node, in the colour of its job") {
  const auto machine = platforms::make_machine("mesh:4x4,service-nodes=15");
  const cosim::Snapshot snapshot{20, {{1, "1", {0, 1, 2}}, {3, "<3>", {10, 11}}}, {5}};
  const auto svg = snapshot_svg(machine, snapshot);
  CHECK(boxes(svg, "job 1: 3 nodes") == 3);
  CHECK(boxes(svg, "job &lt;3&gt;: 2 nodes") == 2);
  CHECK(boxes(svg, "free") == 9);
  CHECK(boxes(svg, "does not compute") == 1);
  CHECK(boxes(svg, "out") == 1);
  CHECK_THAT(svg, Catch::Contains("mesh:4x4,service-nodes=15 at 20 s: 2 jobs"));
  CHECK(svg.find("as the routers stand") == std::string::npos);
}

TEST_CASE("Folded machines are drawn as they stand and as they are joined") {
  // Places 0 2 4 5 3 1: neighbours 1 and 2 along the cable stand at 2 and 4.
  const auto machine = platforms::make_machine("torus:6x1,x.cabling=folded");
  const auto svg = snapshot_svg(machine, {0, {{1, "1", {1, 2}}}});
  CHECK(count(svg, "<title>job 1: 2 nodes") == 2);
  const auto physical = svg.find("as the routers stand"), joined = svg.find("as they are joined");
  REQUIRE(physical < joined);
  const auto first_path = [&](std::size_t from) {
    const auto title = svg.find("<title>job 1", from);
    const auto shape = svg.rfind("d=\"", title);
    return svg.substr(shape, svg.find('"', shape + 3) - shape);
  };
  // The margin is 30 and a router 14 wide; node numbers count places.
  const auto x_of = [&](const std::string& path, std::size_t box) {
    std::size_t at = 0;
    for (std::size_t i = 0; i <= box; ++i) at = path.find('M', at) + 1;
    return std::stod(path.substr(at));
  };
  const auto stands = first_path(physical), lies = first_path(joined);
  CHECK(std::abs(x_of(stands, 0) - x_of(stands, 1)) == Approx(14));
  CHECK(std::abs(x_of(lies, 0) - x_of(lies, 1)) > 14);
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
