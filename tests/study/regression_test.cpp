#include "study/regression.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"

using namespace toroid::study;

TEST_CASE("A line through Anscombe's first data set has the published coefficients and standard errors") {
  const std::vector<double> x{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const std::vector<double> y{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  std::vector<std::vector<double>> rows;
  for (const double value : x) rows.push_back({1, value});
  const auto r = least_squares(rows, y, std::vector<double>(x.size(), 1.0));
  REQUIRE(r.lost.empty());
  CHECK(r.freedom == 9);
  CHECK(r.coefficients[0].value == Approx(3.0000909));
  CHECK(r.coefficients[1].value == Approx(0.5000909));
  const double t = 2.262157;  // Student's t with 9 degrees of freedom, 97.5 %
  CHECK(r.coefficients[0].value - r.coefficients[0].interval.low == Approx(t * 1.1247468));
  CHECK(r.coefficients[1].interval.high - r.coefficients[1].value == Approx(t * 0.1179055));
  CHECK(r.squares == Approx(13.76269));
  // The F test against the mean alone: F = 17.99 with 1 and 9 degrees of freedom, p = 0.00217.
  const auto constant =
      least_squares(std::vector<std::vector<double>>(x.size(), {1.0}), y, std::vector<double>(x.size(), 1.0));
  CHECK(p_of_larger_model(constant, r) == Approx(0.00217).epsilon(0.01));
}

TEST_CASE("A weight counts like as many equal rows") {
  toroid::core::Random random(3, "test");
  std::vector<std::vector<double>> rows, repeated;
  std::vector<double> y, weights, repeated_y;
  for (int i = 0; i < 12; ++i) {
    rows.push_back({1, random.unit(), 1e6 * random.unit()});
    y.push_back(random.unit());
    weights.push_back(static_cast<double>(1 + i % 3));
    for (int k = 0; k <= i % 3; ++k) {
      repeated.push_back(rows.back());
      repeated_y.push_back(y.back());
    }
  }
  const auto a = least_squares(rows, y, weights),
             b = least_squares(repeated, repeated_y, std::vector<double>(repeated.size(), 1.0));
  for (std::size_t j = 0; j < 3; ++j) CHECK(a.coefficients[j].value == Approx(b.coefficients[j].value));
  CHECK(a.squares == Approx(b.squares));
}

TEST_CASE("Columns that follow from others are named, whatever their units") {
  std::vector<std::vector<double>> rows;
  std::vector<double> y;
  for (int i = 0; i < 10; ++i) {
    rows.push_back({1, 1e-9 * i, 1e9 * i + 5});
    y.push_back(i);
  }
  CHECK(least_squares(rows, y, std::vector<double>(10, 1.0)).lost.size() == 1);
}
