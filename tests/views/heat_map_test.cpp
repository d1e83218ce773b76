#include "views/charts/charts.hpp"

#include <map>

#include "tests/support/support.hpp"
#include "tests/views/pictures.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::views {
namespace {

using test::attribute;

/// The cells by their tooltips; those of the legend have none.
std::map<std::string, pugi::xml_node> cells(const pugi::xml_document& picture) {
  std::map<std::string, pugi::xml_node> found;
  for (const auto& cell : test::elements(picture, "rect", "s0"))
    if (cell.child("title")) found[cell.child("title").text().get()] = cell;
  return found;
}

TEST_CASE("A heat map has a cell for each pair of ranks that communicates, darker with more bytes") {
  const auto trace = test::trace_of(
      "0 send 1 0 10 6\n0 send 2 0 1000 6\n1 recv 0 0 10 6\n2 recv 0 0 1000 6\n"
      "2 send 1 0 100 6\n1 recv 2 0 100 6\n");
  const auto matrix = workloads::point_to_point_matrix(*trace);
  const auto picture = test::parsed(heat_map_svg(matrix, false, "three <ranks>"));
  const auto found = cells(picture);
  REQUIRE(found.size() == 3);
  const auto least = found.at("0 to 1: 10 B"), middle = found.at("2 to 1: 100 B"), most = found.at("0 to 2: 1 kB");
  CHECK(attribute(most, "fill-opacity") == 1);
  CHECK(attribute(least, "fill-opacity") == Approx(1.0 / 6).margin(0.006));
  CHECK(attribute(middle, "fill-opacity") == Approx(3.5 / 6).margin(0.006));  // half way by the logarithm
  // The legend goes from the least shade to the darkest.
  const auto scale = picture.select_nodes("//g[@class='legend']/rect");
  REQUIRE(scale.size() > 10);
  CHECK(attribute(scale[0].node(), "fill-opacity") == attribute(least, "fill-opacity"));
  CHECK(attribute(scale[scale.size() - 1].node(), "fill-opacity") == 1);
  // Rows are senders.
  CHECK(attribute(least, "y") == attribute(most, "y"));
  CHECK(attribute(least, "x") == attribute(middle, "x"));
  CHECK(attribute(middle, "y") - attribute(least, "y") == Approx(400));
  CHECK(cells(test::parsed(heat_map_svg(matrix, true, "messages"))).count("0 to 1: 1 message") == 1);
}

TEST_CASE("Many ranks are drawn in blocks, none as an empty picture") {
  const auto matrix = workloads::point_to_point_matrix(*workloads::open_trace("stencil:grid=250,steps=1,bytes=8"));
  const auto found = cells(test::parsed(heat_map_svg(matrix, false, "a row")));
  // 84 blocks of 3 ranks, the last one of one: each with itself (but the last) and with its neighbours.
  CHECK(found.size() == 83 + 2 * 83);
  CHECK(found.count("0-2 to 0-2: 32 B") == 1);
  CHECK(found.count("246-248 to 249: 8 B") == 1);
  CHECK(cells(test::parsed(heat_map_svg({}, false, "nothing"))).empty());
}

}  // namespace
}  // namespace toroid::views
