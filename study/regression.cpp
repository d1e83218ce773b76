#include "study/regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/assert.hpp"
#include "core/distributions.hpp"

namespace toroid::study {
namespace {

using Values = std::vector<double>;

double product(const Values& a, const Values& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Values& from, double factor, const Values& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= factor * what[i];
}

/// Columns X as a product Q R, Q with columns of length 1 at right angles, R triangular: modified Gram-Schmidt, the
/// longest of the columns that are left first (A. Björck, Numerical Methods for Least Squares Problems, 1996, 2.4).
struct Triangle {
  std::vector<std::size_t> order;  ///< of the columns
  std::size_t rank = 0;            ///< how many of them, in that order, do not follow from those before
  std::vector<Values> r;           ///< R, by place in the order and by column
  Values along;                    ///< the target's part along each column of Q
  Values rest;                     ///< what of the target is left

  Triangle(std::vector<Values> columns, Values target)
      : order(columns.size()), r(columns.size(), Values(columns.size())), rest(std::move(target)) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    double longest = 0;
    for (; rank < order.size(); ++rank) {
      const auto length_of = [&](std::size_t column) { return std::sqrt(product(columns[column], columns[column])); };
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(rank);
      std::iter_swap(first, std::ranges::max_element(first, order.end(), {}, length_of));
      auto& own = columns[order[rank]];
      const double length = length_of(order[rank]);
      longest = std::max(longest, length);
      if (!(length > least_length * longest)) return;
      for (auto& value : own) value /= length;
      r[rank][order[rank]] = length;
      along.push_back(product(own, rest));
      subtract(rest, along.back(), own);
      for (auto j = rank + 1; j < order.size(); ++j) {
        r[rank][order[j]] = product(own, columns[order[j]]);
        subtract(columns[order[j]], r[rank][order[j]], own);
      }
    }
  }

  /// By column: the numbers c for which R c is the right side.
  Values solve(const Values& right) const {
    Values c(order.size());
    for (auto k = order.size(); k-- > 0;) {
      double sum = right[k];
      for (auto j = k + 1; j < order.size(); ++j) sum -= r[k][order[j]] * c[order[j]];
      c[order[k]] = sum / r[k][order[k]];
    }
    return c;
  }

  /// By column: the diagonal of the inverse of R' R.
  Values inverse_diagonal() const {
    Values squares(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      Values unit(order.size());
      unit[k] = 1;
      const auto c = solve(unit);
      for (std::size_t j = 0; j < c.size(); ++j) squares[j] += c[j] * c[j];
    }
    return squares;
  }

 private:
  static constexpr double least_length = 1e-9;  ///< over the longest column's: what is shorter is rounding
};

}  // namespace

Regression least_squares(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                         std::span<const double> weights) {
  TOROID_ASSERT(!rows.empty() && rows.size() == y.size() && rows.size() == weights.size() &&
                rows.size() > rows[0].size());
  const auto n = rows.size(), p = rows[0].size();
  std::vector<Values> columns(p, Values(n));
  Values target(n), scale(p, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(weights[i]);
    for (std::size_t j = 0; j < p; ++j) columns[j][i] = root * rows[i][j];
    target[i] = root * y[i];
  }
  // Columns are of seconds, hops and bytes: of one length, whether one depends on others does not depend on units.
  for (std::size_t j = 0; j < p; ++j) {
    if (const double length = std::sqrt(product(columns[j], columns[j])); length > 0) scale[j] = length;
    for (auto& value : columns[j]) value /= scale[j];
  }
  const Triangle triangle(std::move(columns), std::move(target));
  Regression result;
  result.freedom = n - p;
  if (triangle.rank < p) {
    result.lost.assign(triangle.order.begin() + static_cast<std::ptrdiff_t>(triangle.rank), triangle.order.end());
    return result;
  }
  const auto solution = triangle.solve(triangle.along), covariance = triangle.inverse_diagonal();
  result.squares = product(triangle.rest, triangle.rest);
  const auto freedom = static_cast<double>(n - p);
  const double reach = core::student_quantile(freedom, 0.975);
  for (std::size_t j = 0; j < p; ++j) {
    const double value = solution[j] / scale[j];
    const double half = reach * std::sqrt(covariance[j] * result.squares / freedom) / scale[j];
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
