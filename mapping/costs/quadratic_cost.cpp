#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

QuadraticCost::QuadraticCost(const TrafficGraph& traffic, SlotCosts distances)
    : distances_(std::move(distances)), rank_count_(traffic.rank_count()) {
  TOROID_ASSERT(static_cast<std::size_t>(rank_count_) <= slot_count());
  for (const Rank rank : core::ids<Rank>(slot_count())) {
    if (rank.value() < rank_count_)
      for (const auto& edge : traffic.neighbours(rank)) {
        const double to = distances_.symmetric() ? edge.bytes() : edge.sent;
        if (to > 0) receivers_.partners.push_back({edge.rank, to});
        if (!distances_.symmetric() && edge.received > 0) senders_.partners.push_back({edge.rank, edge.received});
      }
    for (auto* lists : {&receivers_, &senders_}) lists->begin.add(lists->partners.size());
  }
  TOROID_ASSERT(receivers_.begin.size() == slot_count() + 1);
}

double QuadraticCost::total(const Assignment& slot_of) const {
  TOROID_ASSERT(std::cmp_greater_equal(slot_of.size(), rank_count_));
  double sum = 0;
  for (const Rank rank : ranks())
    for (const auto& [partner, bytes] : receivers(rank)) sum += bytes * distances_(slot_of[rank], slot_of[partner]);
  return distances_.symmetric() ? sum / 2 : sum;  // then each pair stands in both lists
}

double QuadraticCost::least_total() const {
  double bytes = 0;
  for (const auto& partner : receivers_.partners) bytes += partner.bytes;
  if (bytes == 0) return 0;
  return bytes * distances_.least() / (distances_.symmetric() ? 2 : 1);
}

double QuadraticCost::swap_delta(const Assignment& slot_of, Rank a, Rank b) const {
  const double delta = a == b ? 0 : move_delta(slot_of, a, b) + move_delta(slot_of, b, a);
  TOROID_ASSERT_HEAVY(slot_count() > quickly_counted || is_recounted(slot_of, a, b, delta));
  return delta;
}

/// Whether the total of all ranks changes by that difference when two of them swap their slots.
bool QuadraticCost::is_recounted(Assignment slot_of, Rank a, Rank b, double delta) const {
  const double before = total(slot_of);
  std::swap(slot_of[a], slot_of[b]);
  return std::abs(total(slot_of) - before - delta) <= 1e-9 * (1 + before + std::abs(delta));
}

/// The part of swap_delta that comes from what `rank` sends, and from what it receives from ranks that stay.
double QuadraticCost::move_delta(const Assignment& slot_of, Rank rank, Rank other) const {
  const Slot here = slot_of[rank], there = slot_of[other];
  double sum = 0;
  for (const auto& [partner, bytes] : receivers(rank)) {
    const Slot to = slot_of[partner];
    const Slot to_afterwards = partner == other ? here : to;
    sum += bytes * (distances_(there, to_afterwards) - distances_(here, to));
  }
  for (const auto& [partner, bytes] : senders(rank)) {
    if (partner == other) continue;
    const Slot from = slot_of[partner];
    sum += bytes * (distances_(from, there) - distances_(from, here));
  }
  return sum;
}

void QuadraticCost::on_each_slot(const Assignment& slot_of, Rank rank, core::IdVector<Slot, double>& costs) const {
  TOROID_ASSERT(std::cmp_less(rank.index(), slot_count()));
  costs.assign(slot_count(), 0);
  for (const auto& [partner, bytes] : receivers(rank)) {
    const Slot other = slot_of[partner];
    if (other == nowhere) continue;
    if (distances_.symmetric()) {  // then a row of the table will do: columns are slow
      distances_.add_row(other, bytes, costs);
      continue;
    }
    for (const Slot slot : costs.ids()) costs[slot] += bytes * distances_(slot, other);
  }
  for (const auto& [partner, bytes] : senders(rank))
    if (slot_of[partner] != nowhere) distances_.add_row(slot_of[partner], bytes, costs);
}

double QuadraticCost::on_slot(const Assignment& slot_of, Rank rank, Slot slot) const {
  double sum = 0;
  for (const auto& [partner, bytes] : receivers(rank)) sum += bytes * distances_(slot, slot_of[partner]);
  for (const auto& [partner, bytes] : senders(rank)) sum += bytes * distances_(slot_of[partner], slot);
  return sum;
}

}  // namespace toroid::mapping
