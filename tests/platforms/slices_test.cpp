// Slices of TPU pods: wraps and twists by the vendor's rules, bisections as published.

#include "toroid/platforms/load.hpp"

#include <catch2/catch.hpp>

#include "platforms/xml.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

/// The wraps of a slice: `mt`, mesh along x and torus along y.
std::string wraps(const std::string& slice) {
  std::string text;
  for (const auto& d : describe(slice).dimensions)
    if (d.name != "core") text += d.wrap == Wrap::torus ? 't' : 'm';
  return text;
}

std::string error_of_slice(const std::string& slice) {
  return test::error_of([&] { describe(slice); });
}

/// Bytes/s one way between the two halves of the first of the longest dimensions.
double bisection(const Machine& machine) {
  const auto& grid = machine.grid();
  std::size_t cut = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > grid.dimension(cut).extent) cut = d;
  const auto is_low = [&](RouterId router) { return grid.coordinate(router, cut) < grid.dimension(cut).extent / 2; };
  double sum = 0;
  for (const auto link : grid.links())
    if (grid.link_exists(link) && is_low(grid.link_source(link)) && !is_low(grid.link_target(link)))
      sum += grid.link_bandwidth(link);
  return sum;
}

TEST_CASE("Slices wrap as their generation does") {
  for (const std::string name : {"tpu-v4", "tpu-v5p", "tpu-v7"}) {
    CHECK(wraps(name + ":4x4x4") == "ttt");
    CHECK(wraps(name + ":4x8x12") == "ttt");
    CHECK(wraps(name + ":2x2x1") == "mmm");
    CHECK(wraps(name + ":2x4x4") == "mmm");
    CHECK(wraps(name + ":2x2x4") == "mmm");
  }
  for (const std::string name : {"tpu-v5e", "tpu-v6e", "tpu-v2"}) {
    CHECK(wraps(name + ":16x16") == "tt");
    CHECK(wraps(name + ":8x16") == "mt");
    CHECK(wraps(name + ":16x8") == "tm");
    CHECK(wraps(name + ":8x8") == "mm");
  }
  CHECK(wraps("tpu-v3:32x32") == "tt");
  CHECK(wraps("tpu-v3:16x32") == "mt");
}

TEST_CASE("Slices have the published bisections") {
  CHECK(bisection(make_machine("tpu-v5e:16x16")) == Approx(1.6e12));
  CHECK(bisection(make_machine("tpu-v6e:16x16")) == Approx(3.2e12));
  // 24 TB/s over 512 links are 47 GB/s each, of nominal 50.
  CHECK(bisection(make_machine("tpu-v4:16x16x16")) == Approx(512 * 50e9));
  CHECK(bisection(make_machine("tpu-v4:16x16x16")) == Approx(24e12).epsilon(0.07));
  CHECK(bisection(make_machine("tpu-v4:16x16x16,bandwidth=46.875GBps")) == Approx(24e12));
}

TEST_CASE("Chips have the published bandwidth, all links both ways") {
  const auto both_ways = [](const std::string& slice) {
    double sum = 0;
    const auto machine = make_machine(slice);
    for (const auto& d : machine.description().dimensions)
      if (d.name != "core") sum += 4 * d.bandwidth;
    return sum;
  };
  CHECK(both_ways("tpu-v5e:4x4") == Approx(400e9));
  CHECK(both_ways("tpu-v6e:4x4") == Approx(800e9));
  CHECK(both_ways("tpu-v5p:4x4x4") == Approx(1200e9));
  CHECK(2 * both_ways("tpu-v7:4x4x4") == Approx(1200e9));  // of two cores
}

// docs.cloud.google.com/tpu/docs/v5p and v6e: 50 Gbit/s of a chip into the data-centre network, 95 and 32 GB of memory.
TEST_CASE("Slices are joined by the data-centre network, two by a link, more in a ring") {
  const auto two = describe("tpu-v5p:4x4x4_2slices");
  REQUIRE(two.dimensions.size() == 4);
  CHECK(two.dimensions[3].name == "slice");
  CHECK(two.dimensions[3].extent == 2);
  CHECK(two.dimensions[3].wrap == Wrap::mesh);
  CHECK(two.dimensions[3].bandwidth * 8 == Approx(50e9));
  CHECK(two.text == "2 slices of TPU v5p: 4x4x4 chips each");
  CHECK(2 * describe("tpu-v5p:4x4x4_3slices").dimensions[3].bandwidth * 8 == Approx(50e9));
  CHECK(two.node.injection_bandwidth == Approx(600e9 + 50e9 / 8));
  CHECK(make_machine("tpu-v5p:4x4x4_2slices").node_count() == 128);
  CHECK(describe("tpu-v6e:16x16_12slices").dimensions[2].wrap == Wrap::torus);
  // Cores have half of it each, and slices come last in the numbers of devices.
  const auto cores = make_machine("tpu-v7:2x2x1_3slices");
  CHECK(cores.node_count() == 24);
  CHECK(cores.router(NodeId(8)) == cores.grid().router_at({0, 0, 0, 0, 1}));
  for (const auto* wrong : {"tpu-v6e:16x16_slices", "tpu-v6e:16x16_1slices", "tpu-v6e:_2slices", "tpu-v6e:slices"})
    CHECK_THROWS_AS(describe(wrong), core::InputError);
  const auto error = [](const std::string& wrong) {
    return test::message_of<core::InputError>([&] { describe(wrong); });
  };
  CHECK(error("tpu-v5p:2slices").find("expected a shape such as 4x4x8_2slices") != std::string::npos);
  CHECK(error("tpu-v5p:4x4x4_1slices").find("tpu-v5p:4x4x4_1slices") != std::string::npos);
}

TEST_CASE("Chips have memory and a peak, and cores their half") {
  CHECK(describe("tpu-v5p:4x4x4").node.memory == 95e9);
  CHECK(describe("tpu-v6e:4x4").node.memory == 32e9);
  CHECK(describe("tpu-v7:2x2x1").node.memory == 96e9);
  CHECK(describe("tpu-v7:2x2x1").node.peak == 2307e12 / 2);
  CHECK(describe("tpu-v5p:4x4x4,speed=230Tf").node.peak == 459e12);
  CHECK(describe("mesh:2,memory=32GB,efficiency=0.5").node.reached_speed() == 0.5e9);
  for (const auto* wrong : {"mesh:2,efficiency=0", "mesh:2,efficiency=1.5", "mesh:2,memory=some", "mesh:2,peak=3"})
    CHECK_THROWS_AS(describe(wrong), core::InputError);
}

// docs/validation/training.md: efficiencies of rows if all was hidden, and if nothing was, and a deviation beyond.
TEST_CASE("The efficiency of generations that were measured is an interval, unless it is given") {
  for (const auto& family : slice_families()) {
    const auto slice = fmt::format("{}:{}", family.name, family.example);
    const auto intervals = intervals_of(slice);
    CAPTURE(slice);
    const auto& e = family.efficiency;
    REQUIRE(intervals.size() == (e.is_measured() ? 1 : 0));
    CHECK(describe(slice).node.efficiency == e.best);
    CHECK(intervals_of(slice + ",efficiency=0.5").empty());
    if (!e.is_measured()) continue;
    CHECK(intervals[0].property == "efficiency");
    CHECK(intervals[0].low < e.hidden);
    CHECK(intervals[0].high > e.exposed);
    CHECK(intervals[0].high <= 1);
    CHECK(describe(slice, [](const PropertyInterval& one) { return one.low; }).node.efficiency == intervals[0].low);
  }
}

TEST_CASE("A twist goes half way along the long sides, whichever these are") {
  const auto twist = [](const std::string& slice, std::size_t d) { return describe(slice).dimensions[d].twist; };
  CHECK(twist("tpu-v5p:4x4x8_twisted", 0) == Coordinates{0, 0, 4});
  CHECK(twist("tpu-v5p:4x4x8_twisted", 1) == Coordinates{0, 0, 4});
  CHECK(twist("tpu-v5p:4x4x8_twisted", 2) == Coordinates{});
  CHECK(twist("tpu-v5p:4x8x8_twisted", 0) == Coordinates{0, 4, 4});
  CHECK(twist("tpu-v5p:4x8x8_twisted", 1) == Coordinates{});
  CHECK(twist("tpu-v4:8x16x8_twisted", 0) == Coordinates{0, 8, 0});
  CHECK(twist("tpu-v4:8x16x8_twisted", 2) == Coordinates{0, 8, 0});
  CHECK(twist("tpu-v4:4x4x8", 0) == Coordinates{});
}

TEST_CASE("Slices of TPU v4 are the presets of these shapes") {
  int compared = 0;
  for (const auto& name : preset_names()) {
    if (!name.starts_with("tpu-v4-")) continue;
    CAPTURE(name);
    auto shape = name.substr(7);
    if (const auto dash = shape.find('-'); dash != std::string::npos) shape[dash] = '_';
    auto preset = describe(name), made = describe("tpu-v4:" + shape);
    preset.name = made.name;
    preset.text = made.text;
    CHECK(preset == made);
    ++compared;
  }
  CHECK(compared == 9);
}

TEST_CASE("Cores are a dimension of their own, the fastest in the numbers of devices, and share the chip's links") {
  const auto machine = make_machine("tpu-v7:2x2x4");
  CHECK(machine.node_count() == 32);
  CHECK(machine.grid().name(3) == "core");
  CHECK(machine.router(NodeId(1)) == machine.grid().router_at({0, 0, 0, 1}));
  CHECK(machine.router(NodeId(2)) == machine.grid().router_at({1, 0, 0, 0}));
  CHECK(machine.router(NodeId(31)) == machine.grid().router_at({1, 1, 3, 1}));
  CHECK(machine.grid().dimension(0).bandwidth == 50e9);
  CHECK(machine.grid().dimension(3).bandwidth == 600e9);
  CHECK(make_machine("tpu-v3:4x4").node_count() == 32);
}

// AI-Hypercomputer/xpk, system_characteristics.py: the least, the longest and the largest of those listed.
TEST_CASE("Slices that Google's launcher lists are slices here") {
  for (const char* slice : {"v4:2x2x1", "v4:8x16x16", "v5p:2x4x4", "v5p:4x4x68", "v5p:4x4x244", "v5p:4x8x188",
                            "v5p:4x20x76", "v5p:12x24x24", "v5p:16x20x28", "v7:4x12x124", "v7:16x24x24", "v6e:2x4"}) {
    INFO(slice);
    const auto& dimensions = describe(std::string("tpu-") + slice).dimensions;
    const bool in_cubes = dimensions[0].extent % 4 == 0;
    CHECK((dimensions[0].wrap == Wrap::torus) == in_cubes);
  }
}

TEST_CASE("A slice is the same machine after it was written and read") {
  for (const auto& family : slice_families()) {
    const auto description = describe(fmt::format("{}:{}", family.name, family.example));
    CHECK(parse_xml(xml_text(description), "slice.xml") == description);
  }
}

TEST_CASE("Shapes that a generation does not have are refused") {
  CHECK(error_of_slice("tpu-v5p") == "'tpu-v5p:': expected a shape such as tpu-v5p:4x4x8");
  CHECK(error_of_slice("tpu-v5p:16") == "'tpu-v5p:16': expected 3 extents, such as 4x4x8");
  CHECK(error_of_slice("tpu-v6e:4x4x4") == "'tpu-v6e:4x4x4': expected 2 extents, such as 8x16");
  CHECK(error_of_slice("tpu-v6e:8x32") == "'tpu-v6e:8x32': expected at most 16 chips along an axis");
  CHECK(error_of_slice("tpu-v5p:4x4x248") == "'tpu-v5p:4x4x248': expected at most 244 chips along an axis");
  CHECK(error_of_slice("tpu-v4:16x16x32") == "'tpu-v4:16x16x32': expected at most 4096 chips, found 8192");
  CHECK(error_of_slice("tpu-v5p:4x4x4_twisted") ==
        "'tpu-v5p:4x4x4_twisted': expected n x n x 2n or n x 2n x 2n chips for a twist, n a multiple of 4");
  CHECK(error_of_slice("tpu-v5p:2x2x4_twisted") ==
        "'tpu-v5p:2x2x4_twisted': expected n x n x 2n or n x 2n x 2n chips for a twist, n a multiple of 4");
  CHECK(error_of_slice("tpu-v6e:8x16_twisted") ==
        "'tpu-v6e:8x16_twisted': expected n x n x 2n or n x 2n x 2n chips for a twist, n a multiple of 4");
  CHECK(error_of_slice("tpu-v6e:8xy") == "'tpu-v6e:8xy': found '8xy', expected extents such as 8x8 or 4x4x4");
  CHECK(error_of_slice("tpu-v8:4x4").starts_with("unknown platform 'tpu-v8'"));
}

}  // namespace
}  // namespace toroid::platforms
