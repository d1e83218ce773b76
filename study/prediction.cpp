#include "study/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace toroid::study {
namespace {

/// What an engine has that is not known to be off.
constexpr std::array exact{1.0};

std::span<const double> or_exact(std::span<const double> ratios) {
  return ratios.empty() ? std::span<const double>(exact) : ratios;
}

double with(const DrawnTime& time, double ratio) {
  return time.seconds + time.deviating * (ratio - 1);
}

/// The value below which that share of equally likely ones is, each of which stands for those around it: type 5 of
/// Hyndman and Fan, The American Statistician 50 (1996).
double quantile(const Sample& sorted, double share) {
  const double place =
      std::clamp(share * static_cast<double>(sorted.size()) - 0.5, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Interval interval_of(Sample& values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, (1 - spread_share) / 2), quantile(values, (1 + spread_share) / 2)};
}

}  // namespace

Interval predicted_time(std::span<const DrawnTime> times, const netsim::Deviation& deviation) {
  Sample all;
  for (const auto& time : times)
    for (const double program : or_exact(deviation.programs))
      for (const double placement : or_exact(deviation.placements)) all.push_back(with(time, program * placement));
  return interval_of(all);
}

PredictedRatio predicted_ratio(std::span<const DrawnPair> pairs, const netsim::Deviation& deviation,
                               bool is_one_program) {
  const auto programs = or_exact(deviation.programs), placements = or_exact(deviation.placements);
  Sample all;
  for (const auto& [first, second] : pairs)
    for (const double& program : programs)
      for (const double other_program : is_one_program ? std::span(&program, 1) : programs)
        for (const double one : placements)
          for (const double other : placements)
            all.push_back(with(second, other_program * other) / with(first, program * one));
  const auto above = std::ranges::count_if(all, [](double ratio) { return ratio > 1 && !nearly_equal(ratio, 1); });
  const auto interval = interval_of(all);
  return {interval, static_cast<double>(above) / static_cast<double>(all.size())};
}

}  // namespace toroid::study
