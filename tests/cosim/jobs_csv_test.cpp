#include "cosim/jobs_csv.hpp"

#include <catch2/catch.hpp>

namespace toroid::cosim {
namespace {

TEST_CASE("Intervals of node numbers are written as Batsim does") {
  CHECK(interval_set({}).empty());
  CHECK(interval_set(std::vector<NodeId>{5}) == "5");
  CHECK(interval_set(std::vector<NodeId>{8, 0, 2, 1, 3}) == "0-3 8");
  CHECK(interval_set(std::vector<NodeId>{2, 0, 4, 5}) == "0 2 4-5");
}

}  // namespace
}  // namespace toroid::cosim
