#include "mapping/costs/quadratic_cost.hpp"

#include <utility>

namespace toroid::mapping {
namespace {

std::size_t at(const Assignment& slot_of, std::int32_t rank) {
  return static_cast<std::size_t>(slot_of[static_cast<std::size_t>(rank)]);
}

}  // namespace

QuadraticCost::QuadraticCost(const TrafficGraph& traffic, SlotDistances distances)
    : distances_(std::move(distances)), ranks_(static_cast<std::size_t>(traffic.ranks())) {
  for (std::size_t rank = 0; rank < slots(); ++rank) {
    if (rank < ranks_)
      for (const auto& edge : traffic.neighbours(static_cast<std::int32_t>(rank))) {
        const double to = distances_.symmetric() ? edge.bytes() : edge.sent;
        if (to > 0) receivers_.partners.push_back({edge.rank, to});
        if (!distances_.symmetric() && edge.received > 0) senders_.partners.push_back({edge.rank, edge.received});
      }
    for (auto* lists : {&receivers_, &senders_}) lists->begin.push_back(lists->partners.size());
  }
}

double QuadraticCost::total(const Assignment& slot_of) const {
  double sum = 0;
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(ranks_); ++rank)
    for (const auto& [partner, bytes] : receivers(rank))
      sum += bytes * distances_(at(slot_of, rank), at(slot_of, partner));
  return distances_.symmetric() ? sum / 2 : sum;  // then each pair stands in both lists
}

double QuadraticCost::swap_delta(const Assignment& slot_of, std::int32_t a, std::int32_t b) const {
  return a == b ? 0 : move_delta(slot_of, a, b) + move_delta(slot_of, b, a);
}

/// The part of swap_delta that comes from what `rank` sends, and from what it receives from ranks that stay.
double QuadraticCost::move_delta(const Assignment& slot_of, std::int32_t rank, std::int32_t other) const {
  const std::size_t here = at(slot_of, rank), there = at(slot_of, other);
  double sum = 0;
  for (const auto& [partner, bytes] : receivers(rank)) {
    const std::size_t to = at(slot_of, partner);
    const std::size_t to_afterwards = partner == other ? here : to;
    sum += bytes * (distances_(there, to_afterwards) - distances_(here, to));
  }
  for (const auto& [partner, bytes] : senders(rank)) {
    if (partner == other) continue;
    const std::size_t from = at(slot_of, partner);
    sum += bytes * (distances_(from, there) - distances_(from, here));
  }
  return sum;
}

void QuadraticCost::on_each_slot(const Assignment& slot_of, std::int32_t rank, std::vector<double>& costs) const {
  costs.assign(slots(), 0);
  const auto is_placed = [&](const Partner& partner) {
    return slot_of[static_cast<std::size_t>(partner.rank)] != nowhere;
  };
  for (const auto& partner : receivers(rank)) {
    if (!is_placed(partner)) continue;
    const std::size_t other = at(slot_of, partner.rank);
    if (distances_.symmetric()) {  // then a row of the table will do: columns are slow
      distances_.add_row(other, partner.bytes, costs);
      continue;
    }
    for (std::size_t slot = 0; slot < costs.size(); ++slot) costs[slot] += partner.bytes * distances_(slot, other);
  }
  for (const auto& partner : senders(rank))
    if (is_placed(partner)) distances_.add_row(at(slot_of, partner.rank), partner.bytes, costs);
}

double QuadraticCost::on_slot(const Assignment& slot_of, std::int32_t rank, std::size_t slot) const {
  double sum = 0;
  for (const auto& [partner, bytes] : receivers(rank)) sum += bytes * distances_(slot, at(slot_of, partner));
  for (const auto& [partner, bytes] : senders(rank)) sum += bytes * distances_(at(slot_of, partner), slot);
  return sum;
}

}  // namespace toroid::mapping
