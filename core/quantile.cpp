#include "core/quantile.hpp"

#include <algorithm>
#include <cstddef>

namespace toroid::core {
namespace {

/// What stands at a place among sorted values, from 0 on: between two of them in proportion.
double value_at(const std::vector<double>& sorted, double place) {
  const double last = static_cast<double>(sorted.size() - 1), at = std::clamp(place, 0.0, last);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double quantile(const std::vector<double>& sorted, double share) {
  return value_at(sorted, share * static_cast<double>(sorted.size() - 1));
}

double quantile_of_groups(const std::vector<double>& sorted, double share) {
  return value_at(sorted, share * static_cast<double>(sorted.size()) - 0.5);
}

}  // namespace toroid::core
