#include "mapping/costs/slot_costs.hpp"

#include <map>

namespace toroid::mapping {

SlotCosts::SlotCosts(const Machine& machine, std::span<const NodeId> slots, Distance distance)
    : machine_(machine), distance_(distance), near_(machine, slots) {
  std::map<NodeId, std::uint32_t> places;
  for (const NodeId node : slots) {
    const auto [place, is_new] = places.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    place_of_.add(place->second);
  }
  const std::size_t n = nodes_.size();
  if (n > table_limit) return;
  std::vector<float> table(n * n);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) table[from * n + to] = compute(from, to);
  table_ = std::move(table);
}

void SlotCosts::add_row(Slot from, double factor, core::IdVector<Slot, double>& costs) const {
  if (table_.empty()) {
    for (const Slot to : slots()) costs[to] += factor * (*this)(from, to);
    return;
  }
  const float* row = table_.data() + place_of_[from] * nodes_.size();
  if (nodes_.size() == size())  // each slot is a node of its own, so its place is its index
    for (const Slot to : slots()) costs[to] += factor * static_cast<double>(row[to.index()]);
  else
    for (const Slot to : slots()) costs[to] += factor * static_cast<double>(row[place_of_[to]]);
}

float SlotCosts::compute(std::size_t from, std::size_t to) const {
  return static_cast<float>(distance_(machine_, machine_.hops_per_dimension(nodes_[from], nodes_[to])));
}

}  // namespace toroid::mapping
