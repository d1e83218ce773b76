#include "toroid/platforms/machine.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/platforms/grids.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::platforms {
namespace {

TEST_CASE("Injection and ejection links follow the grid's links") {
  const auto machine = make_machine("mesh:3x2,injection=2GBps,ejection=3GBps");
  const auto grid_links = machine.grid().link_count();
  CHECK(grid_links == 24);
  CHECK(machine.link_count() == grid_links + 12);
  CHECK(route(machine, 1, 2) ==
        std::vector{LinkId(grid_links + 1), machine.grid().link(1, 0, true), LinkId(grid_links + 6 + 2)});
}

TEST_CASE("A machine without limits has no injection and ejection links") {
  const auto machine = make_machine("mesh:3x2");
  CHECK(route(machine, 1, 2) == std::vector<LinkId>{machine.grid().link(1, 0, true)});
  for (const LinkId link : machine.links())
    if (link.value() >= machine.grid().link_count()) CHECK_FALSE(machine.link_exists(link));
}

TEST_CASE("Each limit brings its own links") {
  const auto in = make_machine("mesh:2,injection=1GBps");
  CHECK(in.link_exists(LinkId(in.grid().link_count())));
  CHECK_FALSE(in.link_exists(LinkId(in.grid().link_count() + 2)));
  const auto out = make_machine("mesh:2,ejection=1GBps");
  CHECK_FALSE(out.link_exists(LinkId(out.grid().link_count() + 1)));
  CHECK(out.link_exists(LinkId(out.grid().link_count() + 3)));
}

TEST_CASE("A message within a node uses no link") {
  CHECK(route(make_machine("mesh:3x2,injection=2GBps,ejection=3GBps"), 4, 4).empty());
}

TEST_CASE("Links have names") {
  const auto machine = make_machine("torus:3x3,injection=2GBps");
  const auto& grid = machine.grid();
  CHECK(machine.link_name(grid.link(5, 0, true)) == "n5 -> n3 (+x)");
  CHECK(machine.link_name(grid.link(5, 1, false)) == "n5 -> n2 (-y)");
  CHECK(machine.link_name(LinkId(grid.link_count() + 5)) == "n5 injection");
  CHECK(machine.link_name(LinkId(grid.link_count() + 9 + 5)) == "n5 ejection");
  CHECK(make_machine("mesh:2x2x2x2").link_name(Grid(std::vector<Dimension>(4, {.extent = 2})).link(0, 3, true)) ==
        "n0 -> n8 (+d3)");
}

TEST_CASE("Links have the bandwidth of their dimension or limit") {
  const auto machine = make_machine("mesh:3x2,bw=4GBps/1GBps,injection=2GBps,ejection=3GBps");
  const auto& grid = machine.grid();
  CHECK(machine.link_bandwidth(grid.link(0, 0, true)) == 4e9);
  CHECK(machine.link_bandwidth(grid.link(0, 1, true)) == 1e9);
  CHECK(machine.link_bandwidth(LinkId(grid.link_count() + 5)) == 2e9);
  CHECK(machine.link_bandwidth(LinkId(grid.link_count() + 6)) == 3e9);
}

TEST_CASE("A message gets the narrowest link of its route") {
  const auto machine = make_machine("mesh:3x3,bw=4GBps/1GBps,injection=2GBps,ejection=3GBps,loopback_bw=9GBps");
  CHECK(machine.route_bandwidth(0, 1) == 2e9);
  CHECK(machine.route_bandwidth(0, 3) == 1e9);
  CHECK(machine.route_bandwidth(0, 4) == 1e9);
  CHECK(machine.route_bandwidth(4, 4) == 9e9);
  CHECK(make_machine("mesh:3,ejection=500MBps").route_bandwidth(0, 2) == 5e8);
}

TEST_CASE("Latency is the base and the hops, or the loopback's") {
  const auto machine = make_machine("mesh:4x4,lat=10ns/20ns,base=1us,loopback_lat=3ns");
  CHECK(machine.latency(0, 1) == Approx(1.01e-6));
  CHECK(machine.latency(0, 15) == Approx(1e-6 + 3 * 10e-9 + 3 * 20e-9));
  CHECK(machine.latency(5, 5) == 3e-9);
}

TEST_CASE("Hops are the grid's") {
  const auto machine = make_machine("torus:8x8,injection=1GBps");
  CHECK(machine.hops(0, 63) == 2);
  CHECK(machine.hops(0, 36) == 8);
}

TEST_CASE("Only a plain torus is exported as SimGrid's torus") {
  const auto is_cluster = [](const std::string& text) {
    return export_simgrid_xml(make_machine(text)).find("topology=\"TORUS\"") != std::string::npos;
  };
  CHECK(is_cluster("torus:4x4"));
  CHECK(is_cluster("torus:20x20"));
  for (const char* text :
       {"mesh:4x4", "torus:4x4,wrap=torus/ring", "torus:4x4,bw=1GBps/2GBps", "torus:4x4,lat=1ns/2ns",
        "torus:4x4,injection=1GBps", "torus:4x4,ejection=1GBps", "torus:4x4,base=1us", "torus:4x4,nodes=2",
        "torus:4x4,fail-link=0-1", "torus:4x4,numbering=y x", "torus:4x4,routing=y x", "torus:4x4,service-nodes=3"}) {
    CAPTURE(text);
    CHECK_FALSE(is_cluster(text));
  }
}

TEST_CASE("Every inline kind and every preset has help and makes a machine") {
  for (const auto& kind : inline_platforms()) {
    CHECK_FALSE(kind.help.empty());
    CHECK(make_machine(fmt::format("{}:{}", kind.name, kind.example)).node_count() >= 16);
  }
  for (const auto& name : preset_names()) {
    CAPTURE(name);
    CHECK_FALSE(describe(name).text.empty());
    CHECK_FALSE(make_machine(name).compute_nodes().empty());
  }
}

}  // namespace
}  // namespace toroid::platforms
