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

std::optional<double> CapturedNoise::flops() const {
  double variances = 0, means = 0;
  for (const auto& [shape, group] : groups_) {
    if (group.ranks < 2) continue;
    double squares = 0;
    for (const auto& round : group.rounds)
      for (const auto& [xx, xm, mm, m] : round)
        if (m > 0) {
          squares += std::max(0.0, xx - xm * xm / mm);  // about the factor xm / mm that all ranks have here
          means += m;
        }
    const auto rounds = static_cast<double>(shape.first);
    variances += squares * (group.ranks / (group.ranks - 1)) * (rounds / (rounds - 1));  // both means were fitted
  }
  return means > 0 ? std::optional(variances / means) : std::nullopt;
}

}  // namespace toroid::study
