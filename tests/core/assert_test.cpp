#include "toroid/core/assert.hpp"

#include <catch2/catch.hpp>

namespace toroid::core {
namespace {

TEST_CASE("a broken contract says where and which") {
  const int slots = 4;
  CHECK_NOTHROW([&] { TOROID_ASSERT(slots == 4); }());
  CHECK_THROWS_AS([&] { TOROID_ASSERT(slots < 4); }(), ContractError);
  CHECK_THROWS_WITH([&] { TOROID_ASSERT(slots < 4); }(),
                    Catch::Contains("assert_test.cpp:") && Catch::Contains("'slots < 4' does not hold"));
}

TEST_CASE("a heavy contract costs nothing where it is not checked") {
  int looked = 0;
  const auto broken = [&] { TOROID_ASSERT_HEAVY(++looked < 0); };
  if constexpr (heavy_assertions)
    CHECK_THROWS_AS(broken(), ContractError);
  else
    CHECK_NOTHROW(broken());
  CHECK(looked == (heavy_assertions ? 1 : 0));
}

}  // namespace
}  // namespace toroid::core
