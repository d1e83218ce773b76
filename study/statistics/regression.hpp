#pragma once
// Weighted linear least squares, with what the data say of each coefficient.

#include "toroid/study/statistics/statistics.hpp"

namespace toroid::study {

struct Coefficient {
  double value = 0;
  Interval interval{};  ///< 95 % confidence interval by Student's t, which takes deviations for normally distributed
};

struct Regression {
  std::vector<Coefficient> coefficients;
  double squares = 0;             ///< weighted sum of the squared deviations
  std::size_t freedom = 0;        ///< values minus coefficients
  std::vector<std::size_t> lost;  ///< columns that follow from the others: the data cannot tell their coefficients
};

/// The coefficients c with the least sum of weights[i] (y[i] - rows[i] . c)^2, by a QR decomposition. Rows are as long
/// as each other, weights positive. Where columns depend on each other, `lost` names some of them, and nothing else is
/// computed. There must be more rows than columns.
Regression least_squares(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                         std::span<const double> weights);

/// p of the F test whether the larger of two nested models fits better than by chance.
double p_of_larger_model(const Regression& smaller, const Regression& larger);

}  // namespace toroid::study
