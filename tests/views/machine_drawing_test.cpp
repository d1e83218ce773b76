#include "views/machine_drawing.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <pugixml.hpp>
#include <set>

#include "core/error.hpp"
#include "tests/support/support.hpp"

namespace toroid::views {
namespace {

std::string text_of(const std::string& platform, const std::string& at = {}) {
  const auto machine = platforms::make_machine(platform);
  return machine_text(machine, parse_slice(machine, at));
}

pugi::xml_document svg_of(const std::string& platform) {
  const auto machine = platforms::make_machine(platform);
  pugi::xml_document document;
  REQUIRE(document.load_string(machine_svg(machine, parse_slice(machine, "")).c_str()));
  return document;
}

TEST_CASE("A mesh is drawn as a lattice") {
  CHECK_THAT(text_of("mesh:3x2"), Catch::StartsWith("\n  o--o--o\n  |  |  |\n  o--o--o\n"));
}

TEST_CASE("Wraps, one-way rings and shared lines have signs of their own") {
  CHECK_THAT(text_of("torus:2x2"), Catch::StartsWith("  ~  ~\n~ o--o ~\n  |  |\n~ o--o ~\n  ~  ~\n"));
  CHECK_THAT(text_of("ring:3x2,wrap=ring/mesh"), Catch::StartsWith("\n> o->o->o >\n  |  |  |\n"));
  CHECK_THAT(text_of("ring:3,shared=yes"), Catch::StartsWith("= o==o==o =\n"));
}

TEST_CASE("Failures are seen, each way") {
  CHECK_THAT(text_of("mesh:3x2,fail-link=0-1"), Catch::Contains("  o  o--o\n"));
  CHECK_THAT(text_of("mesh:3x2,fail-link=0>1"), Catch::Contains("  o<-o--o\n"));
  CHECK_THAT(text_of("mesh:3x2,fail-router=0,service-nodes=4"), Catch::Contains("  x  o--o\n     |  |\n  o--s--o\n"));
}

TEST_CASE("A slice shows the plane it names") {
  CHECK_THAT(text_of("mesh:2x2x2,service-nodes=4"), Catch::Contains("at z=0") && !Catch::Contains("s--o"));
  CHECK_THAT(text_of("mesh:2x2x2,service-nodes=4", "z=1"), Catch::Contains("at z=1") && Catch::Contains("s--o"));
  const auto machine = platforms::make_machine("mesh:2x2x2");
  const auto error = [&](const std::string& at) {
    return test::message_of<core::InputError>([&] { parse_slice(machine, at); });
  };
  CHECK_THAT(error("z=2"), Catch::Contains("'z=2'"));
  CHECK_THAT(error("w=0"), Catch::Contains("'w=0'"));
  CHECK_THAT(error("x=0"), Catch::Contains("runs along x"));
}

TEST_CASE("Large machines are drawn without links, or not at all") {
  CHECK_THAT(text_of("mesh:100x3"), Catch::StartsWith(fmt::format("{:o<100}\n", "")));
  CHECK_THAT(text_of("mesh:200x2"), Catch::Contains("too many to draw"));
}

TEST_CASE("The SVG has a circle for each router and a line for each link") {
  const auto document = svg_of("mesh:4x3,fail-link=0-1");
  CHECK(document.select_nodes("//circle").size() == 12);
  CHECK(document.select_nodes("//line[@stroke-dasharray]").size() == 2);
  // Both directions of 9 + 8 links, and one in the legend.
  CHECK(document.select_nodes("//line").size() == 2 * (9 + 8) + 1);
}

TEST_CASE("Each bandwidth has its own colour in the SVG") {
  const auto document = svg_of("mesh:4x3,bandwidth=1GBps/2GBps");
  std::set<std::string> colours;
  for (const auto& line : document.select_nodes("//line")) colours.insert(line.node().attribute("stroke").value());
  CHECK(colours.size() == 2);
}

}  // namespace
}  // namespace toroid::views
