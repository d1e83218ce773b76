#include "views/machines/machine_drawing.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "tests/support/support.hpp"
#include "tests/views/viewed_run.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"

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

TEST_CASE("The arrowheads of one-way links point where the links lead, also those of shared lines and of wraps") {
  for (const auto* platform : {"ring:4x3", "hpcline", "ring:4x3,wrap=ring/torus"}) {
    CAPTURE(platform);
    const auto document = svg_of(platform);
    std::size_t heads = 0;
    for (const auto& found : document.select_nodes("//polygon[title]")) {
      double tip_x = 0, tip_y = 0, x = 0, y = 0, other_x = 0, other_y = 0;
      REQUIRE(std::sscanf(found.node().attribute("points").value(), "%lf,%lf %lf,%lf %lf,%lf", &tip_x, &tip_y, &x, &y,
                          &other_x, &other_y) == 6);
      ++heads;
      const std::string name = found.node().child_value("title");
      // Forward is to the right and down; the two other corners lie beside each other behind the tip.
      const bool is_across = name.find("(+x)") != std::string::npos || name.find("(x)") != std::string::npos;
      CHECK((is_across ? tip_x - x : tip_y - y) == Approx(10));
      CHECK((is_across ? x - other_x : y - other_y) == Approx(0).margin(0.01));
    }
    // One between each two neighbours on a ring, and a second one at the other end of each wrap.
    const std::map<std::string, std::size_t> expected{
        {"ring:4x3", 3 * 5 + 4 * 4}, {"hpcline", 8 * 13 + 12 * 9}, {"ring:4x3,wrap=ring/torus", 3 * 5}};
    CHECK(heads == expected.at(platform));
    CHECK(document.select_nodes("//text[.='one way']").size() == 1);
  }
  CHECK(svg_of("torus:4x3").select_nodes("//polygon").empty());
}

TEST_CASE("Of two links side by side, each is drawn at the right of its way") {
  const auto document = svg_of("mesh:2x2");
  const auto line = [&](const std::string& name) {
    return document.select_node(("//line[starts-with(title, '" + name + ":')]").c_str()).node();
  };
  const auto at = [&](const std::string& name, const char* which) { return line(name).attribute(which).as_double(); };
  CHECK(at("n0 -> n1 (+x)", "y1") > at("n1 -> n0 (-x)", "y1"));  // to the right: below
  CHECK(at("n0 -> n2 (+y)", "x1") < at("n2 -> n0 (-y)", "x1"));  // down: to the left
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
  const auto error = [&](const std::string& at) { return test::error_of([&] { parse_slice(machine, at); }); };
  for (const auto* wrong : {"z=2", "z=-1", "z=", "z"})
    CHECK(error(wrong) == fmt::format("found '{}', expected z=0 to z=1", wrong));
  CHECK(error("w=0") == "found 'w=0', expected a coordinate such as z=0");
  CHECK(error("x=0") == "the drawing runs along x; expected a coordinate of another dimension");
  const auto flat = platforms::make_machine("mesh:2x2");
  CHECK(test::error_of([&] { parse_slice(flat, "z=0"); }) == "found 'z=0', but the machine is a single plane");
}

TEST_CASE("The picture of a run has each link in the colour and width of its use, on a scale from 0") {
  // In the plane z=1 node 13 sends to 14 for 1 ms, and then 14 to 15 for half of that.
  std::string program;
  for (int rank = 0; rank < 16; ++rank)
    program += rank == 13   ? "13 send 14 0 1000000 6\n"
               : rank == 14 ? "14 recv 13 0 1000000 6\n14 send 15 0 500000 6\n"
               : rank == 15 ? "15 recv 14 0 500000 6\n"
                            : fmt::format("{} finalize\n", rank);
  const test::Viewed run("mesh:4x2x2,bw=1GBps,lat=0s", test::trace_of(program));
  const auto slice = busiest_slice(run.machine, run.result.links);
  CHECK(slice.at[2] == 1);
  pugi::xml_document document;
  REQUIRE(document.load_string(
      used_machine_svg(run.machine, slice, run.result.links, drawn_ranks(run.result), "title", "subtitle").c_str()));
  std::map<std::string, pugi::xml_node> lines;
  for (const auto& line : document.select_nodes("//line")) lines[line.node().child_value("title")] = line.node();
  lines.erase("");  // in the legend
  CHECK(lines.size() == 2 * (3 * 2 + 4));
  const auto width = [&](const std::string& name) { return lines.at(name).attribute("stroke-width").as_double(); };
  const auto colour = [&](const std::string& name) { return std::string(lines.at(name).attribute("stroke").value()); };
  // The scale ends at 70 %.
  const std::string most = "n13 -> n14 (+x): 66.7 % used", half = "n14 -> n15 (+x): 33.3 % used",
                    idle = "n14 -> n13 (-x): 0.0 % used";
  CHECK(width(most) == Approx(0.8 + 3.2 * 0.6667 / 0.7).margin(0.01));
  CHECK(width(half) == Approx(0.8 + 3.2 * 0.3333 / 0.7).margin(0.01));
  CHECK(width(idle) == Approx(0.8));
  CHECK(std::set<std::string>{colour(most), colour(half), colour(idle)}.size() == 3);
  std::string texts;
  for (const auto& text : document.select_nodes("//text")) texts += std::string(text.node().child_value()) + "|";
  CHECK_THAT(texts, Catch::Contains("title, z=1|subtitle|") && Catch::Contains(" 0 %|70 %|"));
}

TEST_CASE(
    "Routers of a run of several jobs have the colours of their jobs, which share a circle where they share a router") {
  // Of two nodes on each of four routers in a row, a has the first three, b the two that follow.
  const auto machine = platforms::make_machine("mesh:4,nodes-per-router=2");
  const auto of_three = workloads::open_trace("stencil:grid=3,steps=1"),
             of_two = workloads::open_trace("stencil:grid=2,steps=1");
  netsim::Run request{machine, {{"a", *of_three, {0, 1, 2}}, {"b", *of_two, {3, 4}}}, "fluid", 16};
  const auto result = netsim::run(request);
  pugi::xml_document document;
  const auto text = used_machine_svg(machine, busiest_slice(machine, result.links), result.links, drawn_ranks(request),
                                     "title", "subtitle");
  REQUIRE(document.load_string(text.c_str()));
  std::map<std::string, std::multiset<std::string>> fills;  // by router: of its circle, or of the parts of that
  for (const auto& shape : document.select_nodes("//*[(name() = 'circle' or name() = 'path') and title]")) {
    const std::string says = shape.node().child_value("title");
    fills[says.substr(0, 2) + says.substr(says.rfind(':'))].insert(shape.node().attribute("fill").value());
  }
  REQUIRE(fills.size() == 4);
  const auto& a = fills.at("r0: a");
  const auto& b = fills.at("r2: b");
  REQUIRE(a.size() == 1);
  REQUIRE(b.size() == 1);
  CHECK(*a.begin() != *b.begin());
  CHECK(fills.at("r1: a, b") == std::multiset<std::string>{*a.begin(), *b.begin()});
  CHECK_THAT(text, Catch::Contains("at (3): without ranks"));
  CHECK_THAT(used_machine_svg(machine, busiest_slice(machine, result.links), result.links,
                              drawn_ranks(request, {platforms::NodeId(7)}), "title", "subtitle"),
             Catch::Contains("at (3): busy: held by others"));
  CHECK(fills.at("r3: without ranks") == std::multiset<std::string>{"#ffffff"});
  std::string legend;
  for (const auto& name : document.select_nodes("//g[@class='legend']/text"))
    legend += name.node().child_value() + std::string("|");
  CHECK_THAT(legend, Catch::Contains("|a|b|without ranks|"));
}

TEST_CASE("Large machines are drawn without links, or not at all") {
  CHECK_THAT(text_of("mesh:100x3"), Catch::StartsWith(fmt::format("{:o<100}\n", "")));
  CHECK_THAT(text_of("mesh:200x2"), Catch::Contains("too many to draw"));
}

TEST_CASE("The SVG has a circle for each router and a line for each link") {
  const auto document = svg_of("mesh:4x3,fail-link=0-1");
  CHECK(document.select_nodes("//circle").size() == 12 + 1);  // and one in the legend
  // The two that failed, and a sample in the legend.
  CHECK(document.select_nodes("//line[@stroke-dasharray]").size() == 2 + 1);
  // Both directions of 9 + 8 links, and two in the legend.
  CHECK(document.select_nodes("//line").size() == 2 * (9 + 8) + 2);
}

TEST_CASE("Every colour of the SVG is in its legend") {
  const auto machine =
      platforms::make_machine("mesh:5x3,bandwidth=1GBps/2GBps,service-nodes=4,fail-link=0-1,fail-router=7");
  pugi::xml_document document;
  REQUIRE(document.load_string(machine_svg(machine, parse_slice(machine, "")).c_str()));
  // What has a tooltip is drawn, what has none explains.
  std::set<std::string> drawn, explained;
  for (const auto& [path, colour] : {std::pair("//line", "stroke"), std::pair("//circle", "fill")})
    for (const auto& shape : document.select_nodes(path))
      (shape.node().child("title") ? drawn : explained).insert(shape.node().attribute(colour).value());
  CHECK(drawn.size() == 2 + 1 + 3);
  CHECK(drawn == explained);
}

TEST_CASE("The SVG says where wraps of a twist lead, and which lines are one link") {
  const auto words = [](const std::string& platform) {
    return std::string(svg_of(platform).select_node("//text[@class='muted']").node().text().get());
  };
  CHECK(words("tpu-v4-4x4x8-twisted") == "wraps of x also move z+4, wraps of y also move z+4");
  CHECK(words("hpcline") == "a line of x is one link, a line of y is one link");
  CHECK(words("torus:4x4").empty());
}

TEST_CASE("Each bandwidth has its own colour in the SVG") {
  const auto document = svg_of("mesh:4x3,bandwidth=1GBps/2GBps");
  std::set<std::string> colours;
  for (const auto& line : document.select_nodes("//line")) colours.insert(line.node().attribute("stroke").value());
  CHECK(colours.size() == 2);
}

}  // namespace
}  // namespace toroid::views
