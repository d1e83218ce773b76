#include "study/calibration/noise.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

namespace toroid::study {

void CapturedNoise::add(const std::vector<std::vector<double>>& rounds) {
  if (rounds.size() < 2 || rounds.front().empty()) return;
  const auto places = rounds.front().size();
  if (std::any_of(rounds.begin(), rounds.end(), [&](const auto& round) { return round.size() != places; })) return;
  auto& group = groups_[{rounds.size(), places}];
  group.rounds.resize(rounds.size(), std::vector<Sums>(places));
  ++group.ranks;
  for (std::size_t p = 0; p < places; ++p) {
    double mean = 0;
    for (const auto& round : rounds) mean += round[p] / static_cast<double>(rounds.size());
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      auto& sums = group.rounds[r][p];
      sums.xx += rounds[r][p] * rounds[r][p];
      sums.xm += rounds[r][p] * mean;
      sums.mm += mean * mean;
      sums.m += mean;
    }
  }
}

std::vector<NoiseAtPlace> CapturedNoise::places() const {
  std::vector<NoiseAtPlace> all;
  for (const auto& [shape, group] : groups_) {
    const auto [rounds, places] = shape;
    if (group.ranks < 2) continue;
    for (std::size_t p = 0; p < places; ++p) {
      NoiseAtPlace at{.samples = (group.ranks - 1) * static_cast<double>(rounds - 1)};  // both means were fitted
      for (const auto& round : group.rounds) {
        const auto& [xx, xm, mm, m] = round[p];
        if (m > 0)
          at.variance += std::max(0.0, xx - xm * xm / mm);  // about the factor xm / mm that all ranks have here
        at.mean += m / (group.ranks * static_cast<double>(rounds));
      }
      at.variance /= at.samples;
      if (at.mean > 0) all.push_back(at);
    }
  }
  return all;
}

namespace {

/// The places of all runs, and how well a variance of k (m + r m^2) meets theirs.
class NoiseProfile {
 public:
  explicit NoiseProfile(std::span<const std::vector<NoiseAtPlace>> runs) {
    double counted = 0;
    for (const auto& run : runs) counted += run.empty() ? 0 : 1;
    for (const auto& run : runs) {
      double whole = 0;
      for (const auto& at : run) whole += at.mean * at.samples;
      for (const auto& at : run) places_.push_back({at, at.mean * at.samples / whole / counted});
    }
  }

  std::size_t places() const { return places_.size(); }
  /// The best k where the variance is k times that of a mean.
  template <class Variance>
  double factor(Variance of) const {
    double sum = 0;
    for (const auto& [at, share] : places_) sum += share * at.variance / of(at.mean);
    return sum;
  }
  double noise(double r) const {
    return factor([r](double m) { return m + r * m * m; });
  }
  /// The deviance for that r with its best k, but for a constant.
  double deviance(double r) const {
    double sum = std::log(noise(r));
    for (const auto& [at, share] : places_) sum += share * std::log(at.mean + r * at.mean * at.mean);
    return sum;
  }
  /// Below the first, m^2 counts for nothing at any place; above the second, m does.
  std::pair<double, double> range() const {
    const auto [least, most] = std::minmax_element(places_.begin(), places_.end(),
                                                   [](const auto& a, const auto& b) { return a.at.mean < b.at.mean; });
    return {1e-4 / most->at.mean, 1e4 / least->at.mean};
  }

 private:
  struct Place {
    NoiseAtPlace at;
    double share;  ///< the share of what all runs compute; the shares' sum is 1
  };
  std::vector<Place> places_;
};

}  // namespace

std::optional<ScatterOverTime> fit_scatter_over_time(std::span<const std::vector<NoiseAtPlace>> runs) {
  const NoiseProfile profile(runs);
  if (profile.places() == 0) return std::nullopt;
  constexpr double least_square = 1e-12;  // below that, differences are of rounding
  const double jitter_alone = profile.factor([](double m) { return m * m; });
  if (jitter_alone < least_square) return ScatterOverTime{};
  const double noise_alone = profile.noise(0);
  if (profile.places() < 3) return ScatterOverTime{noise_alone, 0};

  // There may be more than one dip: the deepest of a grid of logarithms, then between its neighbours.
  constexpr int steps = 200;
  const auto [first, last] = profile.range();
  const double step = std::log(last / first) / steps;
  const auto deviance = [&](double log_r) { return profile.deviance(std::exp(log_r)); };
  int best = 0;
  for (int i = 1; i <= steps; ++i)
    if (deviance(std::log(first) + step * i) < deviance(std::log(first) + step * best)) best = i;
  if (best == 0) return ScatterOverTime{noise_alone, 0};
  if (best == steps) return ScatterOverTime{0, std::sqrt(jitter_alone)};
  const double middle = std::log(first) + step * best;
  const double r = std::exp(boost::math::tools::brent_find_minima(deviance, middle - step, middle + step, 30).first);
  return ScatterOverTime{profile.noise(r), std::sqrt(profile.noise(r) * r)};
}

}  // namespace toroid::study
