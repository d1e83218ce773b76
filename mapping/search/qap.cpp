#include "mapping/search/qap.hpp"

#include <algorithm>
#include <cmath>

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
  const std::size_t n = cost.slots();
  Qap::Matrix matrix(n * n);
  // Where distances are symmetric, each pair stands in the lists of both ranks, with the bytes of both ways.
  const double share = cost.distances().symmetric() ? 0.5 : 1;
  for (std::size_t i = 0; i < cost.ranks(); ++i)
    for (const auto& [partner, bytes] : cost.receivers(static_cast<std::int32_t>(i)))
      matrix[i * n + static_cast<std::size_t>(partner)] += share * bytes;
  return matrix;
}

Qap::Matrix distance_matrix(const SlotDistances& distances) {
  Qap::Matrix matrix;
  matrix.reserve(distances.size() * distances.size());
  for (std::size_t from = 0; from < distances.size(); ++from)
    for (std::size_t to = 0; to < distances.size(); ++to) matrix.push_back(distances(from, to));
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

Qap::Qap(const QuadraticCost& cost) : Qap(cost.slots(), flows(cost), distance_matrix(cost.distances())) {}

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
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const auto here = static_cast<std::size_t>(assignment[i]);
    const auto row_flow = flow(i), row_distance = distance(here);
    for (std::size_t j = 0; j < size_; ++j) sum += row_flow[j] * row_distance[static_cast<std::size_t>(assignment[j])];
    if (!linear_.empty()) sum += linear(i)[here];
  }
  return sum;
}

void Qap::on_each_slot(const Assignment& assignment, std::int32_t item, std::vector<double>& costs) const {
  const auto i = static_cast<std::size_t>(item);
  costs.assign(size_, 0);
  if (!linear_.empty()) std::ranges::copy(linear(i), costs.begin());
  for (std::size_t j = 0; j < size_; ++j) {
    if (assignment[j] == nowhere || j == i) continue;
    const auto there = static_cast<std::size_t>(assignment[j]);
    const double to = flow_[i * size_ + j], from = flow_[j * size_ + i];
    if (symmetric_ && to != 0)
      for (std::size_t k = 0; k < size_; ++k) costs[k] += 2 * to * distance_[there * size_ + k];
    if (symmetric_) continue;
    for (std::size_t k = 0; k < size_; ++k)
      costs[k] += to * distance_[k * size_ + there] + from * distance_[there * size_ + k];
  }
}

}  // namespace toroid::mapping
