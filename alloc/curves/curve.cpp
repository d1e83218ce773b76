#include "alloc/curves/curve.hpp"

namespace toroid::alloc {

Curve::Curve(FreeNodes& free, const Units& units)
    : FreeView(free),
      starts_{0},
      unit_of_(free.machine().node_count(), -1),
      busy_(units.size(), 0),
      free_units_(units.size()),
      busy_units_(~free_units_) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (const NodeId node : units[unit]) {
      nodes_.push_back(node);
      unit_of_[node] = static_cast<std::int32_t>(unit);
      busy_[unit] += free.is_free(node) ? 0 : 1;
    }
    starts_.push_back(static_cast<std::int32_t>(nodes_.size()));
    if (busy_[unit] == 0) set_free(unit, true);
  }
}

void Curve::set_free(std::size_t unit, bool free) {
  free_units_.set(unit, free);
  busy_units_.set(unit, !free);
  free_nodes_ += (free ? 1 : -1) * nodes_in({unit, unit + 1});
}

void Curve::taken(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const auto unit = static_cast<std::size_t>(unit_of_[node]);
    TOROID_ASSERT(busy_[unit] < nodes_in({unit, unit + 1}));
    if (busy_[unit]++ == 0) set_free(unit, false);
  }
}

void Curve::given_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const auto unit = static_cast<std::size_t>(unit_of_[node]);
    TOROID_ASSERT(busy_[unit] > 0);
    if (--busy_[unit] == 0) set_free(unit, true);
  }
}

Allocation Curve::nodes_from(std::size_t unit, std::int32_t count) const {
  TOROID_ASSERT(count <= free_nodes_);
  Allocation nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (unit = next_free(unit); nodes.size() < static_cast<std::size_t>(count); unit = next_free(unit + 1))
    nodes.insert(nodes.end(), nodes_.begin() + starts_[unit], nodes_.begin() + starts_[unit + 1]);
  return nodes;
}

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
  TOROID_ASSERT(nodes <= curve.free_nodes());
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
