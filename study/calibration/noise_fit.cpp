#include "study/calibration/noise_fit.hpp"

#include <cmath>

#include "study/regression.hpp"

namespace toroid::study {
namespace {

/// Places of all runs as rows of a regression.
struct NoiseRows {
  std::vector<std::vector<double>> means;  ///< m and m^2
  std::vector<double> variances;
  std::vector<double> shares;  ///< of a place in what all runs compute; their sum is 1

  explicit NoiseRows(std::span<const std::vector<NoiseAtPlace>> runs) {
    double counted = 0;
    for (const auto& run : runs) counted += run.empty() ? 0 : 1;
    for (const auto& run : runs) {
      double whole = 0;
      for (const auto& at : run) whole += at.mean * at.samples;
      for (const auto& at : run) {
        means.push_back({at.mean, at.mean * at.mean});
        variances.push_back(at.variance);
        shares.push_back(at.mean * at.samples / whole / counted);
      }
    }
  }

  /// The coefficient of m (0) or m^2 (1) where it is the only one.
  double alone(std::size_t column) const {
    double sum = 0;
    for (std::size_t i = 0; i < means.size(); ++i) sum += shares[i] * variances[i] / means[i][column];
    return sum;
  }
};

}  // namespace

std::optional<ScatterOverTime> fit_scatter_over_time(std::span<const std::vector<NoiseAtPlace>> runs) {
  const NoiseRows rows(runs);
  if (rows.means.empty()) return std::nullopt;
  double noise = rows.alone(0), square = 0;
  constexpr double least_square = 1e-12;  // below that, differences are of rounding
  if (rows.alone(1) < least_square) return ScatterOverTime{};
  if (rows.means.size() < 3) return ScatterOverTime{noise, 0};
  for (int i = 0; i < 100; ++i) {
    std::vector<double> weights;
    for (std::size_t p = 0; p < rows.means.size(); ++p)
      weights.push_back(rows.shares[p] / std::pow(noise * rows.means[p][0] + square * rows.means[p][1], 2));
    const auto fit = least_squares(rows.means, rows.variances, weights);
    if (!fit.lost.empty() || fit.coefficients[1].value <= 0) return ScatterOverTime{rows.alone(0), 0};
    if (fit.coefficients[0].value <= 0) return ScatterOverTime{0, std::sqrt(rows.alone(1))};
    const double before = noise;
    noise = fit.coefficients[0].value;
    square = fit.coefficients[1].value;
    if (std::abs(noise / before - 1) < 1e-9) break;
  }
  return ScatterOverTime{noise, std::sqrt(square)};
}

}  // namespace toroid::study
