#include "alloc/curves/curve.hpp"

namespace toroid::alloc {

Curve::Curve(FreeNodes& free, const Units& units)
    : FreeView(free),
      starts_{0},
      unit_of_(free.machine().node_count(), -1),
      busy_(units.size(), 0),
      free_units_(units.size()) {
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
  if (free)
    free_units_.set(unit);
  else
    free_units_.reset(unit);
  free_nodes_ += (free ? 1 : -1) * nodes_in({unit, unit + 1});
}

void Curve::taken(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const auto unit = static_cast<std::size_t>(unit_of_[node]);
    if (busy_[unit]++ == 0) set_free(unit, false);
  }
}

void Curve::given_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const auto unit = static_cast<std::size_t>(unit_of_[node]);
    if (--busy_[unit] == 0) set_free(unit, true);
  }
}

Allocation Curve::nodes_from(std::size_t unit, std::int32_t count) const {
  Allocation nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (unit = next_free(unit); nodes.size() < static_cast<std::size_t>(count); unit = next_free(unit + 1))
    nodes.insert(nodes.end(), nodes_.begin() + starts_[unit], nodes_.begin() + starts_[unit + 1]);
  return nodes;
}

}  // namespace toroid::alloc
