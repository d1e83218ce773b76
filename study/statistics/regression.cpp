#include "study/statistics/regression.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "core/distributions.hpp"
#include "toroid/core/assert.hpp"

namespace toroid::study {

Regression least_squares(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                         std::span<const double> weights) {
  TOROID_ASSERT(!rows.empty() && rows.size() == y.size() && rows.size() == weights.size() &&
                rows.size() > rows[0].size());
  const auto n = static_cast<Eigen::Index>(rows.size()), p = static_cast<Eigen::Index>(rows[0].size());
  Eigen::MatrixXd x(n, p);
  Eigen::VectorXd target(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double root = std::sqrt(weights[row]);
    for (Eigen::Index j = 0; j < p; ++j) x(i, j) = root * rows[row][static_cast<std::size_t>(j)];
    target(i) = root * y[row];
  }
  // Columns are of seconds, hops and bytes: of one length, whether one depends on others does not depend on units.
  Eigen::VectorXd scale = x.colwise().norm();
  for (Eigen::Index j = 0; j < p; ++j)
    if (!(scale(j) > 0)) scale(j) = 1;
  x = x * scale.cwiseInverse().asDiagonal();

  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(1e-9);
  qr.compute(x);
  Regression result;
  result.freedom = static_cast<std::size_t>(n - p);
  if (qr.rank() < p) {
    for (auto j = qr.rank(); j < p; ++j)
      result.lost.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()(j)));
    return result;
  }
  const Eigen::VectorXd solution = qr.solve(target);
  result.squares = (target - x * solution).squaredNorm();
  // The diagonal of the inverse of X^T X: the squares of the rows of the inverse of R, where X = QR but for the order
  // of the columns. X^T X itself would lose twice as many digits.
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(p);
  for (Eigen::Index j = 0; j < p; ++j) {
    Eigen::VectorXd column = Eigen::VectorXd::Unit(p, j);
    qr.matrixR().topLeftCorner(p, p).triangularView<Eigen::Upper>().solveInPlace(column);
    squares += column.cwiseAbs2();
  }
  const Eigen::VectorXd variance = qr.colsPermutation() * squares * (result.squares / static_cast<double>(n - p));
  const double reach = core::student_quantile(static_cast<double>(n - p), 0.975);
  for (Eigen::Index j = 0; j < p; ++j) {
    const double value = solution(j) / scale(j), half = reach * std::sqrt(variance(j)) / scale(j);
    result.coefficients.push_back({value, {value - half, value + half}});
  }
  return result;
}

double p_of_larger_model(const Regression& smaller, const Regression& larger) {
  TOROID_ASSERT(smaller.freedom > larger.freedom && larger.freedom > 0);
  const auto added = static_cast<double>(smaller.freedom - larger.freedom);
  const double gain = (smaller.squares - larger.squares) / added;
  const double noise = larger.squares / static_cast<double>(larger.freedom);
  if (!(gain > 0)) return 1;
  if (!(noise > 0)) return 0;
  return core::fisher_above(added, static_cast<double>(larger.freedom), gain / noise);
}

}  // namespace toroid::study
