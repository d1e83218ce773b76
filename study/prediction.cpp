#include "study/prediction.hpp"

#include <algorithm>
#include <array>

#include "core/distributions.hpp"

namespace toroid::study {
namespace {

/// The lists of a deviation, and how quantiles are taken of what comes of them.
struct Ratios {
  std::span<const double> programs, placements;
  double (*quantile)(const Sample&, double);
};

/// The machines alone, as spread_of() has them, where no time deviates or nobody has measured by how much.
Ratios ratios_of(const netsim::Deviation& deviation, bool deviates) {
  static constexpr std::array exact{1.0};
  if (!deviates || deviation.programs.empty()) return {exact, exact, core::quantile};
  return {deviation.programs, deviation.placements, core::quantile_of_groups};
}

bool deviates(const DrawnTime& time) {
  return time.deviating > 0;
}

double with(const DrawnTime& time, double ratio) {
  return time.seconds + time.deviating * (ratio - 1);
}

Interval interval_of(Sample& values, const Ratios& ratios) {
  std::sort(values.begin(), values.end());
  return {ratios.quantile(values, (1 - spread_share) / 2), ratios.quantile(values, (1 + spread_share) / 2)};
}

}  // namespace

Interval predicted_time(std::span<const DrawnTime> times, const netsim::Deviation& deviation) {
  const auto ratios = ratios_of(deviation, std::ranges::any_of(times, deviates));
  Sample all;
  for (const auto& time : times)
    for (const double program : ratios.programs)
      for (const double placement : ratios.placements) all.push_back(with(time, program * placement));
  return interval_of(all, ratios);
}

PredictedRatio predicted_ratio(std::span<const DrawnPair> pairs, const netsim::Deviation& deviation,
                               bool is_one_program) {
  const auto ratios = ratios_of(deviation, std::ranges::any_of(pairs, [](const DrawnPair& pair) {
                                  return deviates(pair.first) || deviates(pair.second);
                                }));
  Sample all;
  for (const auto& [first, second] : pairs)
    for (const double& program : ratios.programs)
      for (const double other_program : is_one_program ? std::span(&program, 1) : ratios.programs)
        for (const double one : ratios.placements)
          for (const double other : ratios.placements)
            all.push_back(with(second, other_program * other) / with(first, program * one));
  const auto above = std::ranges::count_if(all, [](double ratio) { return ratio > 1 && !nearly_equal(ratio, 1); });
  const auto interval = interval_of(all, ratios);
  return {interval, static_cast<double>(above) / static_cast<double>(all.size())};
}

}  // namespace toroid::study
