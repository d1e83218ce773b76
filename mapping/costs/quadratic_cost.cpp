#include "mapping/costs/quadratic_cost.hpp"

#include <algorithm>

namespace toroid::mapping {
namespace {

using Partner = QuadraticCost::Partner;

std::size_t at(const Assignment& slot_of, std::int32_t rank) {
  return static_cast<std::size_t>(slot_of[static_cast<std::size_t>(rank)]);
}

/// Sorts by rank and adds up entries of the same rank.
void merge(std::vector<Partner>& row) {
  std::sort(row.begin(), row.end(), [](const Partner& a, const Partner& b) { return a.rank < b.rank; });
  std::vector<Partner> merged;
  for (const auto& partner : row) {
    if (merged.empty() || merged.back().rank != partner.rank)
      merged.push_back(partner);
    else
      merged.back().bytes += partner.bytes;
  }
  row = std::move(merged);
}

}  // namespace

QuadraticCost::QuadraticCost(const workloads::CommunicationMatrix& matrix, SlotDistances distances)
    : distances_(std::move(distances)), ranks_(matrix.rows.size()) {
  std::vector<std::vector<Partner>> receivers(slots()), senders(slots());
  auto& reverse = distances_.symmetric() ? receivers : senders;
  for (std::size_t from = 0; from < ranks_; ++from)
    for (const auto& cell : matrix.rows[from]) {
      const auto bytes = static_cast<double>(cell.bytes);
      if (bytes == 0 || cell.to == static_cast<std::int32_t>(from)) continue;
      receivers[from].push_back({cell.to, bytes});
      reverse[static_cast<std::size_t>(cell.to)].push_back({static_cast<std::int32_t>(from), bytes});
    }
  if (distances_.symmetric()) std::for_each(receivers.begin(), receivers.end(), merge);
  receivers_ = flatten(receivers);
  senders_ = flatten(senders);
}

QuadraticCost::Lists QuadraticCost::flatten(const std::vector<std::vector<Partner>>& rows) {
  Lists lists;
  lists.begin.push_back(0);
  for (const auto& row : rows) {
    lists.partners.insert(lists.partners.end(), row.begin(), row.end());
    lists.begin.push_back(lists.partners.size());
  }
  return lists;
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
