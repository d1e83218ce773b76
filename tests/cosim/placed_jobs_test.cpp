// Several jobs on one machine: what is wrong with their nodes is found first.

#include "cosim/placed_jobs.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"

namespace toroid::cosim {
namespace {

TEST_CASE("Lists of nodes are read before the traces of any job") {
  const auto machine = platforms::make_machine("torus:8");
  const test::Scratch scratch;
  const auto broken = scratch.write("broken.ti", "0 no such action\n");
  const JobDescription no_trace{.name = "one", .trace = broken};
  const JobDescription no_node{.name = "two", .trace = broken, .nodes = "9"};
  CHECK(test::error_of([&] { place_jobs({machine, {no_trace, no_node}}); }).starts_with("job 'two': "));
  CHECK(test::error_of([&] { place_jobs({machine, {no_trace}}); }).starts_with("job 'one': "));
}

}  // namespace
}  // namespace toroid::cosim
