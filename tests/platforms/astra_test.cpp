// Networks of ASTRA-sim as machines.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::platforms {
namespace {

std::string error_of_network(const std::string& text) {
  const test::Scratch scratch;
  const auto path = scratch.write("network.yml", text);
  const auto error = test::error_of([&] { make_machine(path); });
  return error.starts_with(path + ":") ? error.substr(path.size() + 1) : error;
}

}  // namespace

TEST_CASE("Rings of ASTRA-sim are the dimensions of a torus, the first one fastest") {
  const test::Scratch scratch;
  const auto machine = make_machine(
      scratch.write("network.yml",
                    "topology: [ Ring, Ring, Switch ]\nnpus_count: [ 8, 3, 1 ]  # NPUs\nbandwidth: [ 50.0, 25, 1 ]\n"
                    "latency: [ 500.0, 1000, 1 ]\n"));
  const auto& grid = machine.grid();
  CHECK(machine.node_count() == 24);
  CHECK(grid.dimension(0).extent == 8);
  CHECK(grid.dimension(0).wrap == Wrap::torus);
  CHECK(grid.dimension(0).bandwidth == 50.0 * 1073741824);
  CHECK(grid.dimension(0).latency == Approx(500e-9));
  CHECK(grid.dimension(1).latency == Approx(1e-6));
  CHECK(grid.coordinates(RouterId(1))[0] == 1);
  CHECK(grid.coordinates(RouterId(8))[1] == 1);
}

TEST_CASE("What is no torus is one clear line") {
  CHECK(
      error_of_network("topology: [ Ring, Switch ]\nnpus_count: [ 2, 4 ]\nbandwidth: [ 1, 1 ]\nlatency: [ 1, 1 ]\n") ==
      "1: found the dimension 'Switch', expected Ring: dimensions of the machines here are rings, not crossbars or "
      "switches");
  CHECK(error_of_network("npus_count: [ 2 ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n") ==
        "1: found no topology, expected one");
  CHECK(error_of_network("topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 1, 2 ]\nlatency: [ 1 ]\n") ==
        "3: found 2 items in bandwidth, expected 1");
  CHECK(error_of_network("topology: Ring\nnpus_count: [ 4 ]\n") ==
        "1: found no list in topology, expected an item a dimension");
  CHECK(error_of_network("topology: [ Ring ]\nnpus_count: [ x ]\nbandwidth: [ 1 ]\nlatency: [ 1 ]\n") ==
        "2: found 'x', expected a number of nodes");
  CHECK(error_of_network("topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 0 ]\nlatency: [ 0 ]\n") ==
        "3: found '0', expected GB/s, more than 0");
}

}  // namespace toroid::platforms
