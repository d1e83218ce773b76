#include "study/calibration/captured_noise.hpp"

#include <algorithm>

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

}  // namespace toroid::study
