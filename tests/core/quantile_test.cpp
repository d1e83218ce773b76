#include "core/quantile.hpp"

#include <catch2/catch.hpp>

using toroid::core::quantile;

TEST_CASE("A quantile lies between its neighbours in proportion") {
  CHECK(quantile({7}, 0.25) == 7);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(quantile({1, 2, 3, 4}, 0.5) == 2.5);
  CHECK(quantile({1, 2, 3, 4, 5, 6}, 0.25) == Approx(2.25));
  CHECK(quantile({1, 2, 3, 4, 5, 6}, 1) == 6);
}
