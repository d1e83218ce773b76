#include "core/distributions.hpp"

#include <catch2/catch.hpp>

using toroid::core::quantile;
using toroid::core::quantile_of_groups;

TEST_CASE("A quantile lies between its neighbours in proportion") {
  CHECK(quantile({7}, 0.25) == 7);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(quantile({1, 2, 3, 4}, 0.5) == 2.5);
  CHECK(quantile({1, 2, 3, 4, 5, 6}, 0.25) == Approx(2.25));
  CHECK(quantile({1, 2, 3, 4, 5, 6}, 1) == 6);
}

TEST_CASE("a value that stands for a group is in the middle of its share") {
  const std::vector<double> fifths{1, 2, 3, 4, 5};
  CHECK(quantile_of_groups(fifths, 0.05) == 1);
  CHECK(quantile_of_groups(fifths, 0.1) == Approx(1));
  CHECK(quantile_of_groups(fifths, 0.4) == Approx(2.5));
  CHECK(quantile_of_groups(fifths, 0.5) == Approx(3));
  CHECK(quantile_of_groups(fifths, 0.95) == 5);
  CHECK(quantile_of_groups({7}, 0.3) == 7);
}
