#include "study/statistics/regression.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/distributions.hpp"
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

TEST_CASE("Longley's nearly dependent columns have the certified coefficients and standard errors") {
  // The data set Longley of NIST's Statistical Reference Datasets. By X^T X, errors would be 1e-8 off.
  const std::vector<std::vector<double>> data{
      {60323, 83.0, 234289, 2356, 1590, 107608, 1947},  {61122, 88.5, 259426, 2325, 1456, 108632, 1948},
      {60171, 88.2, 258054, 3682, 1616, 109773, 1949},  {61187, 89.5, 284599, 3351, 1650, 110929, 1950},
      {63221, 96.2, 328975, 2099, 3099, 112075, 1951},  {63639, 98.1, 346999, 1932, 3594, 113270, 1952},
      {64989, 99.0, 365385, 1870, 3547, 115094, 1953},  {63761, 100.0, 363112, 3578, 3350, 116219, 1954},
      {66019, 101.2, 397469, 2904, 3048, 117388, 1955}, {67857, 104.6, 419180, 2822, 2857, 118734, 1956},
      {68169, 108.4, 442769, 2936, 2798, 120445, 1957}, {66513, 110.8, 444546, 4681, 2637, 121950, 1958},
      {68655, 112.6, 482704, 3813, 2552, 123366, 1959}, {69564, 114.2, 502601, 3931, 2514, 125368, 1960},
      {69331, 115.7, 518173, 4806, 2572, 127852, 1961}, {70551, 116.9, 554894, 4007, 2827, 130081, 1962}};
  const std::vector<double> values{-3482258.63459582, 15.0618722713733,    -0.0358191792925910, -2.02022980381683,
                                   -1.03322686717359, -0.0511041056535807, 1829.15146461355};
  const std::vector<double> errors{890420.383607373,  84.9149257747669,  0.0334910077722432, 0.488399681651699,
                                   0.214274163161675, 0.226073200069370, 455.478499142212};
  std::vector<std::vector<double>> rows;
  std::vector<double> y;
  for (auto row : data) {
    y.push_back(row[0]);
    row[0] = 1;
    rows.push_back(row);
  }
  const auto r = least_squares(rows, y, std::vector<double>(y.size(), 1.0));
  REQUIRE(r.lost.empty());
  const double t = toroid::core::student_quantile(9, 0.975);
  for (std::size_t j = 0; j < values.size(); ++j) {
    INFO("coefficient " << j);
    CHECK(r.coefficients[j].value == Approx(values[j]).epsilon(1e-9));
    CHECK(r.coefficients[j].interval.high - r.coefficients[j].value == Approx(t * errors[j]).epsilon(1e-9));
  }
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
