// What is printed reads back as the same node, router or link.

#include "platforms/names.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "platforms/document.hpp"
#include "tests/platforms/graph.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::platforms {
namespace {

/// The links that a text names on a machine.
std::vector<LinkId> links(const Machine& machine, const std::string& text) {
  const auto names = parse_link_names(machine.description(), text, "link");
  REQUIRE(names.size() == 1);
  return machine.links_named(names[0]);
}

RouterId router(const Machine& machine, const std::string& text) {
  const auto names = parse_router_names(machine.description(), text, "router");
  REQUIRE(names.size() == 1);
  return machine.router_named(names[0]);
}

std::size_t find_dimension(const Machine& machine, const std::string& name) {
  std::size_t d = 0;
  while (machine.grid().name(d) != name) ++d;
  return d;
}

bool is_there(const Machine& machine, LinkId link) {
  return machine.is_of_grid(link) ? machine.grid().link_exists(link) : machine.link_exists(link);
}

/// The first name of a machine that does not read back; empty if all do.
std::string first_misread(const Machine& machine) {
  std::set<std::string> names;
  std::string all;
  std::vector<LinkId> in_order;
  for (const LinkId link : machine.links()) {
    if (!is_there(machine, link)) continue;
    const auto name = machine.link_name(link);
    if (!names.insert(name).second) return name + " is two links";
    if (links(machine, name) != std::vector<LinkId>{link}) return name;
    // As properties write it.
    const auto text = link_text(machine.description(), parse_link_names(machine.description(), name, "link")[0]);
    if (links(machine, text) != std::vector<LinkId>{link}) return text;
    all += name + " ";
    in_order.push_back(link);
  }
  const auto read = parse_link_names(machine.description(), all, "link");
  if (read.size() != in_order.size()) return "all in one text";
  for (std::size_t i = 0; i < read.size(); ++i)
    if (machine.links_named(read[i]) != std::vector<LinkId>{in_order[i]})
      return "in one text " + to_string(read[i].from);
  for (const RouterId r : machine.grid().routers())
    for (const auto& name : {machine.router_name(r), coordinates_text(machine.grid(), r), fmt::format("r{}", r),
                             fmt::format("n{}", machine.first_node(r))})
      if (router(machine, name) != r) return name;
  return {};
}

TEST_CASE("Every name that is printed reads back as the same link or router") {
  for (const auto& preset : preset_names()) {
    CAPTURE(preset);
    const auto machine = make_machine(preset);
    if (machine.grid().size() < 5000) CHECK(first_misread(machine).empty());
  }
  core::Random random(111, "names");
  int several = 0;
  for (int i = 0; i < 200; ++i) {
    const Machine machine(test::random_description(random, 60));
    CAPTURE(i);
    REQUIRE(first_misread(machine).empty());
    several += machine.description().nodes_per_router > 1 ? 1 : 0;
  }
  CHECK(several > 20);
}

TEST_CASE("A pair of routers means all links between them, and no other") {
  core::Random random(112, "names");
  for (int i = 0; i < 100; ++i) {
    auto description = test::random_description(random, 40);
    for (auto& dimension : description.dimensions) dimension.shared = false;
    const Machine machine(description);
    const auto& grid = machine.grid();
    for (const LinkId link : grid.links()) {
      if (!grid.link_exists(link)) continue;
      const auto from = grid.link_source(link), to = grid.link_target(link);
      std::vector<LinkId> there, both;
      for (const LinkId other : grid.links()) {
        if (!grid.link_exists(other)) continue;
        const bool same = grid.link_source(other) == from && grid.link_target(other) == to;
        if (same) there.push_back(other);
        if (same || (grid.link_source(other) == to && grid.link_target(other) == from)) both.push_back(other);
      }
      const auto sorted = [&](const std::string& text) {
        auto found = links(machine, text);
        std::sort(found.begin(), found.end());
        return found;
      };
      REQUIRE(sorted(fmt::format("r{}>r{}", from, to)) == there);
      REQUIRE(sorted(fmt::format("r{} -> {}", from, coordinates_text(grid, to))) == there);
      REQUIRE(sorted(fmt::format("n{}-r{}", machine.first_node(from), to)) == both);
    }
  }
}

TEST_CASE("A bare number is taken only where node and router of that number are at one place") {
  const auto pairs = make_machine("mesh:4x4,nodes=2");
  CHECK(router(pairs, "0") == RouterId(0));
  CHECK(test::error_of([&] { router(pairs, "6"); }) ==
        "'mesh:4x4,nodes=2': '6' may be node 6, which is on r3, or router 6; expected n6 or r6");
  CHECK(test::error_of([&] { router(pairs, "20"); }) == "'mesh:4x4,nodes=2': '20' is a node, on r10; expected n20");
  CHECK(test::error_of([] { make_machine("mesh:4x4,nodes=2,fail-link=5-6"); }).find("may be node 5") !=
        std::string::npos);
  // Printed as r5 -> r6.
  CHECK_FALSE(make_machine("mesh:4x4,nodes=2,fail-link=(r5 -> r6 (+x))").link_exists(5 * 4));
  const auto numbered = make_machine("mesh:3x3,numbering=y x");
  CHECK(router(numbered, "4") == RouterId(4));
  CHECK(router(numbered, "n1") == RouterId(3));
  CHECK(test::error_of([&] { router(numbered, "1"); }).find("expected n1 or r1") != std::string::npos);
}

TEST_CASE("Parallel links between two routers are told apart by their direction") {
  const auto machine = make_machine("torus:2x3");
  CHECK(links(machine, "n0>n1") == std::vector<LinkId>{0, 1});
  CHECK(links(machine, "n0 -> n1 (+x)") == std::vector<LinkId>{0});
  CHECK(links(machine, "n0 -> n1 (-x)") == std::vector<LinkId>{1});
  CHECK(links(machine, "n0-n1 (+x)") == std::vector<LinkId>{0, 5});
  const auto one_down = make_machine("torus:2x3,fail-link=(n0 -> n1 (+x))");
  CHECK_FALSE(one_down.link_exists(0));
  CHECK(one_down.link_exists(1));
  CHECK(properties(one_down.description()).back().second == "n0 -> n1 (+x)");
}

TEST_CASE("What is no name of a link or router is refused with what was expected") {
  const auto refusal = [](const std::string& platform) { return test::error_of([&] { make_machine(platform); }); };
  for (const char* text : {"5", "5-", "5-6-7", "n5->", "5 6", "x5-x6", "n5 -> n6 (+q)", "n5 => n6", "line of n5",
                           "r5 injection", "5injection", "-5-6", "99999999999-1"})
    CHECK(refusal(fmt::format("mesh:4x4,fail-link=({})", text)).find("expected two neighbours such as n5-n6") !=
          std::string::npos);
  CHECK(refusal("mesh:4x4,fail-link=n5 injection").find("fails with its node only: fail-node n5") != std::string::npos);
  CHECK(refusal("mesh:4x4,fail-link=(line of n5 (x))").find("no line along x is shared") != std::string::npos);
  CHECK(refusal("mesh:4x4,fail-link=(n5 -> n6 (-x))").find("no link joins n5 and n6 (-x)") != std::string::npos);
  CHECK(refusal("mesh:4x4,fail-router=r16").find("the machine has no router r16") != std::string::npos);
  CHECK(refusal("mesh:4x4,fail-router=(4,0)").find("found '4' for x, which has the coordinates 0 to 3") !=
        std::string::npos);
  CHECK(refusal("mesh:4x4,fail-node=n3-n20").find("node 20 does not exist") != std::string::npos);
}

TEST_CASE("The facts of links are those of the machine") {
  core::Random random(113, "names");
  for (int i = 0; i < 100; ++i) {
    const Machine machine(test::random_description(random, 60));
    for (const LinkId link : machine.links()) {
      if (!is_there(machine, link)) continue;
      const auto facts = link_facts(machine, link);
      REQUIRE(facts.name == machine.link_name(link));
      REQUIRE(facts.bandwidth == machine.link_bandwidth(link));
      REQUIRE(facts.works);
      if (facts.kind == "link") {
        const auto d = find_dimension(machine, facts.dimension);
        REQUIRE(RouterGraph::next(machine.description(), facts.from_router, d, facts.direction == "+") ==
                facts.to_router);
        REQUIRE(router(machine, facts.from) == facts.from_router);
        REQUIRE(router(machine, facts.to) == facts.to_router);
      } else if (facts.kind == "line") {
        const auto d = find_dimension(machine, facts.dimension);
        REQUIRE(machine.grid().coordinate(facts.from_router, d) == 0);
        REQUIRE(machine.grid().coordinate(facts.to_router, d) == machine.grid().dimension(d).extent - 1);
      } else {
        const auto& node = facts.kind == "injection" ? facts.from : facts.to;
        REQUIRE(machine.router(*parse_node_name(node)) == facts.from_router);
        REQUIRE(facts.bandwidth == (facts.kind == "injection" ? machine.parameters().injection_bandwidth
                                                              : machine.parameters().ejection_bandwidth));
      }
    }
  }
}

TEST_CASE("A box has the routers, and the nodes, whose coordinates are in its ranges") {
  core::Random random(5, "boxes");
  for (int i = 0; i < 200; ++i) {
    const Machine machine(test::random_description(random, 80));
    const auto& grid = machine.grid();
    Coordinates low{}, high{};
    std::vector<std::string> ranges;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const auto extent = static_cast<std::uint64_t>(grid.dimension(d).extent);
      low[d] = static_cast<std::int32_t>(random.below(extent));
      high[d] = low[d] + static_cast<std::int32_t>(random.below(extent - static_cast<std::uint64_t>(low[d])));
      const bool is_all = low[d] == 0 && high[d] + 1 == grid.dimension(d).extent && random.below(2) == 0;
      ranges.push_back(is_all              ? "*"
                       : low[d] == high[d] ? std::to_string(low[d])
                                           : fmt::format("{}-{}", low[d], high[d]));
    }
    const auto text = fmt::format("({})", fmt::join(ranges, ","));
    CAPTURE(text, machine.name());
    std::set<RouterId> expected, found;
    std::set<NodeId> expected_nodes, found_nodes;
    for (const auto router : grid.routers()) {
      bool is_in = true;
      for (std::size_t d = 0; d < grid.dimension_count(); ++d)
        is_in = is_in && low[d] <= grid.coordinate(router, d) && grid.coordinate(router, d) <= high[d];
      if (is_in) expected.insert(router);
    }
    for (const auto node : machine.nodes())
      if (expected.contains(machine.router(node))) expected_nodes.insert(node);
    for (const auto& name : parse_router_names(machine.description(), text, "routers"))
      REQUIRE(found.insert(machine.router_named(name)).second);
    for (const auto node : nodes_called(machine, text, "nodes")) REQUIRE(found_nodes.insert(node).second);
    CHECK(found == expected);
    CHECK(found_nodes == expected_nodes);
  }
}

TEST_CASE("A plane is named by its dimension, and what is no box says why") {
  const auto machine = make_machine("mesh:4x3x2");
  const auto count = [&](const std::string& text) {
    return parse_router_names(machine.description(), text, "routers").size();
  };
  CHECK(count("z=1") == 12);
  CHECK(count("x=1-2") == 12);
  CHECK(count("y=*") == 24);
  CHECK(count("(0-3, 0, 1) r3 z=0") == 4 + 1 + 12);
  CHECK(count("0-3,0,1") == 4);  // a spec has taken the parentheses away
  CHECK(make_machine("mesh:4x3x2,fail-router=(0-2,0,1)").compute_nodes().size() == 21);
  CHECK(make_machine("mesh:4x3x2,fail-node=(z=1 3)").compute_nodes().size() == 11);
  const auto error = [&](const std::string& text) { return test::error_of([&] { count(text); }); };
  CHECK_THAT(error("(0-4,0,0)"), Catch::Contains("found '0-4' for x, which has the coordinates 0 to 3"));
  CHECK_THAT(error("(0-2,0)"), Catch::Contains("expected a router's 3 coordinates, ranges such as 0-5, or *"));
  CHECK_THAT(error("w=0"), Catch::Contains("no dimension 'w'; the machine has x, y, z"));
  CHECK_THAT(error("x=2-1"), Catch::Contains("expected a coordinate, a range such as 0-5, or *"));
  CHECK_THAT(error("x="), Catch::Contains("found '' for x"));
}

TEST_CASE("Boxes are read in one dimension, with blanks, and without the parentheses that a spec has taken away") {
  const auto failed = [](const std::string& platform) {
    const auto machine = make_machine(platform);
    return machine.node_count() - static_cast<std::int32_t>(machine.compute_nodes().size());
  };
  CHECK(failed("mesh:8,fail-router=(0-5)") == 6);
  CHECK(failed("mesh:8,fail-router=((0-5) 7)") == 7);
  CHECK(failed("mesh:4x3x2,fail-router=( 0 - 2 , 0 , 1 )") == 3);
  CHECK(failed("mesh:4x3x2,fail-router=(0-2, *, 1)") == 9);
  CHECK(failed("mesh:4x3x2,fail-router=(z = 1)") == 12);
  CHECK(failed("mesh:4x3x2,fail-router=((0,0,0) (3,*,1))") == 4);
  CHECK_THAT(test::error_of([&] { failed("mesh:4x3x2,fail-router=0-3"); }),
             Catch::Contains("expected a router's 3 coordinates"));
  // A list of nodes stands in the parentheses of a spec; a box has its own.
  CHECK(failed("mesh:4x3x2,fail-node=((0-3,0,1))") == 4);
  CHECK(failed("mesh:4x3x2,fail-node=(z=0 23)") == 13);
  CHECK(failed("mesh:4x3x2,fail-node=(0-3,8,9)") == 6);
  CHECK_THAT(test::error_of([&] { failed("mesh:4x3x2,fail-node=((0-4,0,1))"); }), Catch::Contains("found '0-4' for x"));
}

TEST_CASE("Boxes and names mean the same before and after what numbers and names the nodes") {
  const std::vector<std::string> parts{
      "fail-node=(z=1)",         "service-nodes=((0-1,0,*))", "nodes=2",
      "numbering=(z y x)",       "x.cabling=folded",          "absent-nodes=nid[40-41]",
      "node-names=(nid[00-47])", "fail-router=(0,2,0)"};
  std::set<NodeId> expected;
  core::Random random(7, "orders");
  for (int i = 0; i < 20; ++i) {
    auto order = parts;
    if (i > 0) random.shuffle(order);
    const auto machine = make_machine(fmt::format("mesh:4x3x2,{}", fmt::join(order, ",")));
    CAPTURE(machine.name());
    const std::set<NodeId> nodes(machine.compute_nodes().begin(), machine.compute_nodes().end());
    if (i == 0) {
      expected = nodes;
      for (const auto node : nodes) {
        const auto at = machine.grid().coordinates(machine.router(node));
        CHECK((at[2] == 0 && !(at[0] <= 1 && at[1] == 0) && !(at[0] == 0 && at[1] == 2)));
      }
      CHECK(nodes.size() > 10);
    }
    CHECK(nodes == expected);
    // As properties write it.
    Description again;
    for (const auto& [name, value] : properties(machine.description())) set_property(again, name, value);
    again.name = machine.name();
    CHECK(again == machine.description());
  }
}

TEST_CASE("What is meant for a list of nodes is told from what else may stand there") {
  const std::vector<std::string> others{"random", "schedule", "mc1x1", "curve"};
  for (const auto* text :
       {"5", "n5", "0-3,7", "nid[001-004]", "nid00012", "x3000c0s1b0n0", "(0-5,0,0)", "(*,0)", "z=0", "@FILE"})
    CHECK(is_node_list(text, others));
  for (const auto* text :
       {"random:0.5", "schedule:jobs=a1", "mc1x1", "mc1x2", "curve", "curves", "(mc1x1:last=greedy)"})
    CHECK_FALSE(is_node_list(text, others));
}

}  // namespace
}  // namespace toroid::platforms
