// What is drawn of a machine, held against the machine; and its page in a browser, where there is one.

#include "views/documents/machine_columns.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "toroid/platforms/load.hpp"

using namespace toroid;
using platforms::LinkId;
using platforms::NodeId;
using test::Document;

namespace {

Document document_of(const platforms::Machine& machine, const std::optional<views::RouteEnds>& route = {}) {
  return Document(views::platform_columns(machine, platforms::survey(machine), machine.name(), route).document());
}

}  // namespace

TEST_CASE("Columns of a machine have every link of its grid, where it leads and what it carries") {
  for (const auto* platform : {"bigben", "redstorm-cabinet", "tpu-v4-4x4x8-twisted", "hpcline", "ring:4x3,x.shared=yes",
                               "torus:4x4x2,nodes-per-router=3,y.bandwidth=x0.5",
                               "mesh:5x4,fail-link=(5-6 8-9),fail-router=r12", "torus:3x2x3x2x2"}) {
    CAPTURE(platform);
    const auto machine = platforms::make_machine(platform);
    const auto& grid = machine.grid();
    const auto document = document_of(machine);
    const auto from = document.column<std::uint32_t>("link_from"), to = document.column<std::uint32_t>("link_to");
    const auto kind = document.column<std::uint8_t>("link_kind"), failed = document.column<std::uint8_t>("link_failed");
    const auto bandwidth = document.column<float>("link_bandwidth"), latency = document.column<float>("link_latency");
    std::size_t links = 0;
    for (const auto link : machine.links()) {
      if (!machine.is_of_grid(link) || !grid.link_exists(link)) continue;
      const auto d = grid.link_dimension(link);
      CHECK(from[links] == static_cast<std::uint32_t>(grid.link_source(link).value()));
      if (!grid.dimension(d).shared) CHECK(to[links] == static_cast<std::uint32_t>(grid.link_target(link).value()));
      CHECK(kind[links] == 2 * d + (grid.link_is_forward(link) ? 0 : 1));
      CHECK((failed[links] == 0) == machine.link_exists(link));
      CHECK(bandwidth[links] == Approx(machine.link_bandwidth(link)));
      CHECK(latency[links] == Approx(grid.link_latency(link)));
      ++links;
    }
    CHECK(links == from.size());
    const auto states = document.column<std::uint8_t>("node_state");
    REQUIRE(states.size() == static_cast<std::size_t>(machine.node_count()));
    for (const auto node : machine.nodes())
      CHECK(states[node.index()] == static_cast<std::uint8_t>(machine.state(node)));
    // Each link joins neighbours, a shared line by its segments; a twisted wrap moves along another dimension as well.
    const auto moves = [&](std::uint32_t one, std::uint32_t other) {
      int moved = 0;
      for (std::size_t d = 0; d < grid.dimension_count(); ++d)
        moved += grid.coordinate(platforms::RouterId(one), d) != grid.coordinate(platforms::RouterId(other), d);
      return moved;
    };
    const auto segment_from = document.column<std::uint32_t>("segment_from"),
               segment_to = document.column<std::uint32_t>("segment_to");
    for (std::size_t i = 0; i < segment_from.size(); ++i) CHECK(moves(segment_from[i], segment_to[i]) == 1);
    bool is_twisted = false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto moved = moves(from[i], to[i]);
      CHECK((moved >= 1 || grid.dimension(kind[i] / 2).shared));
      is_twisted = is_twisted || moved > 1;
    }
    CHECK(is_twisted == (std::string(platform).find("twisted") != std::string::npos));
  }
}

TEST_CASE("The route on a page is the machine's") {
  const auto machine = platforms::make_machine("torus:4x4,injection=2GBps,fail-link=0-1");
  const auto document = document_of(machine, views::RouteEnds{NodeId(0), NodeId(6)});
  const auto route = document.column<std::uint32_t>("route_link"), from = document.column<std::uint32_t>("link_from"),
             to = document.column<std::uint32_t>("link_to");
  const auto kind = document.column<std::uint8_t>("link_kind");
  REQUIRE(route.size() == 1 + static_cast<std::size_t>(machine.hops(0, 6)));
  CHECK(kind[route[0]] == 254);
  CHECK(from[route[1]] == 0);
  for (std::size_t i = 2; i < route.size(); ++i) CHECK(from[route[i]] == to[route[i - 1]]);
  CHECK(to[route.back()] == 6);
  CHECK(document.head["meta"]["route"]["hops"] == machine.hops(0, 6));
}

TEST_CASE("The page of a machine in a browser: bandwidths, states, numbers, widths, both schemes") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html");
  REQUIRE(test::run_toroid("platform show mesh:6x6,bandwidth=2GBps/1GBps,service-nodes=35 --fail-node 30 --fail-link "
                           "'n7 -> n8 (+x)' --html " +
                           page)
              .exit_code == 0);
  test::look_at_page("platform_page.py", page);
}

TEST_CASE("The page of a machine with four dimensions in a browser: axes and planes of choice", "[slow]") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html");
  REQUIRE(test::run_toroid("platform show torus:6x4x4x12 --fail-link '(1,1,2,1)>(2,1,2,1)' --html " + page).exit_code ==
          0);
  test::look_at_page("axes_page.py", page);
}

TEST_CASE("A reader of the page of a machine sees the twist of a torus, and which links routers share", "[slow]") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html");
  for (const auto& [machine, kind] : {std::pair("tpu-v4-4x4x8-twisted", "twisted"), {"hpcline", "shared"}}) {
    REQUIRE(test::run_toroid("platform show " + std::string(machine) + " --html " + page).exit_code == 0);
    test::look_at_page("wraps_page.py", page, kind);
  }
}
