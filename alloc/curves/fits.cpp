#include "alloc/curves/fits.hpp"

#include <map>

namespace toroid::alloc {

std::optional<std::size_t> free_list(const Curve& curve, std::int32_t) {
  return curve.next_free(0);
}

std::optional<std::size_t> first_fit(const Curve& curve, std::int32_t nodes) {
  std::optional<std::size_t> found;
  curve.for_each_interval([&](const Interval& interval) {
    if (curve.nodes_in(interval) >= nodes) found = interval.first;
    return !found;
  });
  return found;
}

std::optional<std::size_t> best_fit(const Curve& curve, std::int32_t nodes) {
  std::optional<std::size_t> found;
  std::int32_t least = 0;
  curve.for_each_interval([&](const Interval& interval) {
    const std::int32_t size = curve.nodes_in(interval);
    if (size >= nodes && (!found || size < least)) {
      found = interval.first;
      least = size;
    }
    return least != nodes;
  });
  return found;
}

std::optional<std::size_t> sum_of_squares(const Curve& curve, std::int32_t nodes) {
  std::map<std::int32_t, std::int64_t> intervals_of;  // by length
  curve.for_each_interval([&](const Interval& interval) {
    ++intervals_of[curve.nodes_in(interval)];
    return true;
  });
  std::optional<std::size_t> found;
  std::int64_t least = 0;
  curve.for_each_interval([&](const Interval& interval) {
    const std::int32_t size = curve.nodes_in(interval);
    if (size < nodes) return true;
    const std::int32_t left = curve.nodes_in({curve.end_of(interval.first, nodes), interval.end});
    // (n - 1)^2 - n^2 for the interval that is no longer there, (n + 1)^2 - n^2 for what is left of it.
    std::int64_t change = 1 - 2 * intervals_of[size];
    if (left > 0) change += 1 + 2 * (intervals_of.contains(left) ? intervals_of[left] : 0);
    if (!found || change < least) {
      found = interval.first;
      least = change;
    }
    return true;
  });
  return found;
}

std::size_t least_span(const Curve& curve, std::int32_t nodes) {
  std::vector<std::size_t> free;
  for (std::size_t unit = curve.next_free(0); unit < curve.units(); unit = curve.next_free(unit + 1))
    free.push_back(unit);
  const auto size = [&](std::size_t i) { return curve.nodes_in({free[i], free[i] + 1}); };
  std::size_t found = 0, least = curve.units(), end = 0;
  std::int32_t within = 0;
  for (std::size_t first = 0; first < free.size(); ++first) {
    while (within < nodes && end < free.size()) within += size(end++);
    if (within < nodes) break;
    if (free[end - 1] - free[first] < least) {
      least = free[end - 1] - free[first];
      found = free[first];
    }
    within -= size(first);
  }
  return found;
}

}  // namespace toroid::alloc
