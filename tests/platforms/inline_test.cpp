// Machines written as specs.

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

std::string error_of_machine(const std::string& text) {
  return test::error_of([&] { make_machine(text); });
}

TEST_CASE("The name of an inline machine is its spec") {
  CHECK(make_machine("mesh:8x8,lat=1us").name() == "mesh:8x8,lat=1us");
}

TEST_CASE("The shape gives the extents, x first") {
  const auto machine = make_machine("mesh:4x3x2");
  CHECK(machine.grid().dimension_count() == 3);
  CHECK(machine.grid().dimension(0).extent == 4);
  CHECK(machine.grid().dimension(1).extent == 3);
  CHECK(machine.grid().dimension(2).extent == 2);
  CHECK(machine.node_count() == 24);
}

TEST_CASE("The kind of an inline machine is the wrap of every dimension") {
  for (const auto wrap : {Wrap::mesh, Wrap::torus, Wrap::ring}) {
    const auto machine = make_machine(std::string(to_string(wrap)) + ":4x4");
    CHECK(machine.grid().dimension(0).wrap == wrap);
    CHECK(machine.grid().dimension(1).wrap == wrap);
  }
}

TEST_CASE("An inline machine has the documented defaults") {
  const auto machine = make_machine("torus:4x4");
  CHECK(machine.grid().dimension(1).bandwidth == 1e9);
  CHECK(machine.grid().dimension(1).latency == 1e-7);
  CHECK(machine.parameters().base_latency == 0);
  CHECK_FALSE(machine.limits_injection());
  CHECK_FALSE(machine.limits_ejection());
  CHECK(machine.parameters().loopback_bandwidth == 1e10);
  CHECK(machine.parameters().loopback_latency == 1e-7);
  CHECK(machine.parameters().speed == 1e9);
  CHECK(machine.parameters().cores == 1);
}

TEST_CASE("Every key of an inline machine sets its parameter") {
  const auto machine = make_machine(
      "torus:4x4,bw=2GBps,lat=50ns,base=1us,injection=3GBps,ejection=4GBps,loopback_bw=5GBps,loopback_lat=7ns,"
      "speed=2Gf,cores=12");
  CHECK(machine.grid().dimension(0).bandwidth == 2e9);
  CHECK(machine.grid().dimension(1).latency == 5e-8);
  CHECK(machine.parameters().base_latency == 1e-6);
  CHECK(machine.parameters().injection_bandwidth == 3e9);
  CHECK(machine.parameters().ejection_bandwidth == 4e9);
  CHECK(machine.parameters().loopback_bandwidth == 5e9);
  CHECK(machine.parameters().loopback_latency == 7e-9);
  CHECK(machine.parameters().speed == 2e9);
  CHECK(machine.parameters().cores == 12);
}

TEST_CASE("Bandwidth, latency and wrap can differ by dimension") {
  const auto machine = make_machine("mesh:4x4x4,bw=4GBps/2GBps/1GBps,lat=1ns/2ns/3ns,wrap=torus/mesh/ring");
  const auto& grid = machine.grid();
  CHECK(grid.dimension(0).bandwidth == 4e9);
  CHECK(grid.dimension(2).bandwidth == 1e9);
  CHECK(grid.dimension(0).latency == 1e-9);
  CHECK(grid.dimension(1).latency == 2e-9);
  CHECK(grid.dimension(0).wrap == Wrap::torus);
  CHECK(grid.dimension(1).wrap == Wrap::mesh);
  CHECK(grid.dimension(2).wrap == Wrap::ring);
}

TEST_CASE("An unknown platform is an error that lists the valid ones") {
  const auto error = error_of_machine("moebius:8x8");
  CHECK(
      error.starts_with("unknown platform 'moebius'; valid: mesh, torus, ring or a TPU with a shape (mesh:8x8, "
                        "tpu-v5p:4x4x8), a preset ("));
  CHECK(error.find("bigben") != std::string::npos);
}

TEST_CASE("An unknown property is an error that guesses what was meant") {
  CHECK(error_of_machine("mesh:8x8,bandwith=1GBps") ==
        "unknown property 'bandwith'; did you mean 'bandwidth'? (toroid list properties)");
}

TEST_CASE("A bad shape is an error that shows a good one") {
  for (const std::string shape : {"", ":8x", ":x8", ":8xx8", ":8X8", ":0", ":8x0", ":-2x2", ":8.0", ":8 x8", ":eight",
                                  ":99999999999", ":bw=1GBps"}) {
    CAPTURE(shape);
    if (shape == ":bw=1GBps") {
      CHECK(error_of_machine("mesh" + shape).find("expected extents such as mesh:8x8") != std::string::npos);
      continue;
    }
    CHECK(error_of_machine("torus" + shape).find("expected extents such as") != std::string::npos);
  }
}

TEST_CASE("Too many dimensions and too many routers are errors") {
  CHECK(error_of_machine("mesh:2x2x2x2x2x2x2x2x2") == "shape: a grid has 1 to 8 dimensions, found 9");
  CHECK(error_of_machine("mesh:100000x100000").find("too large") != std::string::npos);
}

TEST_CASE("A value with the unit of another quantity is an error that names its key") {
  CHECK(error_of_machine("mesh:8x8,lat=1GBps").starts_with("lat: '1GBps' has the unit of another quantity"));
  CHECK(error_of_machine("mesh:8x8,bw=1us").starts_with("bw: '1us' has the unit of another quantity"));
  CHECK(error_of_machine("mesh:8x8,bw=1GBps/1us").starts_with("bw: '1us'"));
  CHECK(error_of_machine("mesh:8x8,base=1").starts_with("base: '1' has no unit"));
  CHECK(error_of_machine("mesh:8x8,speed=1GBps").starts_with("speed: '1GBps'"));
  CHECK(error_of_machine("mesh:8x8,lat=-1ns").starts_with("lat: '-1ns' is negative"));
}

TEST_CASE("The number of values must be one or one for each dimension") {
  CHECK(error_of_machine("mesh:4x4x4,bw=1GBps/2GBps") == "bw: 2 values for 3 dimensions; expected 1 or 3");
  CHECK(error_of_machine("mesh:4,wrap=mesh/torus").find("2 values for 1 dimensions") != std::string::npos);
}

TEST_CASE("An unknown wrap is an error that lists the valid ones") {
  CHECK(error_of_machine("mesh:4x4,wrap=mesh/loop") == "wrap: found 'loop', expected mesh, torus or ring (one-way)");
}

TEST_CASE("Bandwidths and speeds of nothing are errors") {
  for (const std::string key : {"bw=0Bps", "injection=0Bps", "ejection=0Bps", "loopback_bw=0Bps", "speed=0f"}) {
    CAPTURE(key);
    CHECK_FALSE(error_of_machine("mesh:4x4," + key).empty());
  }
  CHECK(error_of_machine("mesh:4x4,lat=0s").empty());
}

TEST_CASE("The number of cores is a whole number from 1") {
  for (const std::string cores : {"0", "-1", "1.5", "two"}) {
    CAPTURE(cores);
    CHECK(error_of_machine("mesh:4x4,cores=" + cores).find("expected a whole number from 1 to") != std::string::npos);
  }
}

TEST_CASE("A machine that is not built from a spec is checked too") {
  const auto error = [](NodeParameters parameters) {
    return test::error_of([&] { Machine({.name = "m", .dimensions = {{.extent = 2}}, .node = parameters}); });
  };
  CHECK(error({}).empty());
  CHECK_FALSE(error({.injection_bandwidth = 0}).empty());
  CHECK_FALSE(error({.speed = std::numeric_limits<double>::quiet_NaN()}).empty());
  CHECK_FALSE(error({.cores = 0}).empty());
  CHECK_FALSE(error({.base_latency = -1e-6}).empty());
  CHECK_FALSE(error({.loopback_latency = -1e-6}).empty());
}

}  // namespace
}  // namespace toroid::platforms
