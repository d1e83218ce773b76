#include "mapping/search/qap.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/error.hpp"

namespace toroid::mapping {
namespace {

bool is_symmetric(const Qap::Matrix& matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (matrix[i * n + j] != matrix[j * n + i]) return false;
  return true;
}

/// The mean of the matrix and its transpose.
void make_symmetric(Qap::Matrix& matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      matrix[i * n + j] = matrix[j * n + i] = (matrix[i * n + j] + matrix[j * n + i]) / 2;
}

Qap::Matrix flows(const QuadraticCost& cost) {
  const std::size_t n = cost.slot_count();
  Qap::Matrix matrix(n * n);
  // Where distances are symmetric, each pair stands in the lists of both ranks, with the bytes of both ways.
  const double share = cost.distances().symmetric() ? 0.5 : 1;
  for (const Rank rank : cost.ranks())
    for (const auto& [partner, bytes] : cost.receivers(rank))
      matrix[rank.index() * n + partner.index()] += share * bytes;
  return matrix;
}

Qap::Matrix distance_matrix(const SlotCosts& distances) {
  Qap::Matrix matrix;
  matrix.reserve(distances.size() * distances.size());
  for (const Slot from : distances.slots())
    for (const Slot to : distances.slots()) matrix.push_back(distances(from, to));
  return matrix;
}

}  // namespace

Qap::Qap(std::size_t size, Matrix flow, Matrix distance, Matrix linear)
    : size_(size), flow_(std::move(flow)), distance_(std::move(distance)), linear_(std::move(linear)) {
  if (!linear_.empty() && linear_.size() != size * size)
    core::fail_input("an assignment problem of {}: found {} linear costs, expected {}", size, linear_.size(),
                     size * size);
  for (const auto* matrix : {&flow_, &distance_}) {
    if (matrix->size() != size * size)
      core::fail_input("an assignment problem of {}: found a matrix of {} numbers, expected {}", size, matrix->size(),
                       size * size);
  }
  for (const auto* matrix : {&flow_, &distance_, &linear_})
    for (const double value : *matrix)
      if (!std::isfinite(value))
        core::fail_input("an assignment problem of {}: found {}, expected finite numbers", size, value);
  move_diagonals();
  symmetrize();
}

Qap::Qap(const QuadraticCost& cost) : Qap(cost.slot_count(), flows(cost), distance_matrix(cost.distances())) {}

void Qap::move_diagonals() {
  const std::size_t n = size_;
  for (std::size_t i = 0; i < n; ++i) {
    const double own = flow_[i * n + i];
    for (std::size_t k = 0; own != 0 && k < n; ++k) {
      if (distance_[k * n + k] == 0) continue;
      linear_.resize(n * n);
      linear_[i * n + k] += own * distance_[k * n + k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) flow_[i * n + i] = distance_[i * n + i] = 0;
}

void Qap::symmetrize() {
  const bool by_flow = is_symmetric(flow_, size_), by_distance = is_symmetric(distance_, size_);
  symmetric_ = by_flow || by_distance;
  if (by_flow) make_symmetric(distance_, size_);
  if (by_distance) make_symmetric(flow_, size_);
}

double Qap::cost(const Assignment& assignment) const {
  TOROID_ASSERT(assignment.size() == size_);
  double sum = 0;
  for (const Rank item : items()) {
    const Slot here = assignment[item];
    const auto row_flow = flow(item), row_distance = distance(here);
    for (const Rank other : items()) sum += row_flow[other.index()] * row_distance[assignment[other].index()];
    if (!linear_.empty()) sum += linear(item)[here.index()];
  }
  return sum;
}

void Qap::on_each_slot(const Assignment& assignment, Rank item, core::IdVector<Slot, double>& costs) const {
  costs.assign(size_, 0);
  if (!linear_.empty()) std::ranges::copy(linear(item), costs.begin());
  for (const Rank other : items()) {
    if (assignment[other] == nowhere || other == item) continue;
    const auto from_there = distance(assignment[other]);
    const std::size_t there = assignment[other].index();
    const double to = flow(item)[other.index()], from = flow(other)[item.index()];
    if (symmetric_ && to != 0)
      for (const Slot slot : locations()) costs[slot] += 2 * to * from_there[slot.index()];
    if (symmetric_) continue;
    for (const Slot slot : locations()) costs[slot] += to * distance(slot)[there] + from * from_there[slot.index()];
  }
}

}  // namespace toroid::mapping
