#include "views/svg.hpp"

#include <catch2/catch.hpp>
using namespace toroid;
TEST_CASE("x") {}
