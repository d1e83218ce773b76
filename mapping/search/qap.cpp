#include "mapping/search/tabu_search.hpp"

#include <cmath>
#include <numeric>

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

/// Numbers the rows of a matrix by class: rows i and j are of one class if the matrix stays the same when both they and
/// their columns are swapped, and `alike(i, j)`.
template <class I, class Row, class Alike>
core::IdVector<I, std::size_t> twins(core::IdRange<I> all, Row row, Alike alike) {
  const auto entry = [&](I i, I j) { return row(i)[j.index()]; };
  const auto are_twins = [&](I i, I j) {
    if (entry(i, j) != entry(j, i) || !alike(i, j)) return false;
    return std::ranges::all_of(
        all, [&](I k) { return k == i || k == j || (entry(i, k) == entry(j, k) && entry(k, i) == entry(k, j)); });
  };
  core::IdVector<I, std::size_t> class_of;
  std::vector<I> first;
  for (const I i : all) {
    const auto found = std::ranges::find_if(first, [&](I j) { return are_twins(i, j); });
    class_of.add(static_cast<std::size_t>(found - first.begin()));
    if (found == first.end()) first.push_back(i);
  }
  return class_of;
}

/// The greatest number that divides all; 0 if all are 0, or if one is not whole.
template <class I>
double common_divisor(core::IdRange<I> all, const auto& row, double factor) {
  std::int64_t divisor = 0;
  for (const I i : all)
    for (const double value : row(i)) {
      const double scaled = factor * value;
      if (scaled != std::floor(scaled) || std::abs(scaled) > 0x1p53) return 0;
      divisor = std::gcd(divisor, static_cast<std::int64_t>(scaled));
    }
  return static_cast<double>(divisor);
}

/// No flow of an item times no distance is more, in all of its terms.
double most_cost(const Qap& problem) {
  double most_flow = 0, most_distance = 0;
  for (const Rank i : problem.items()) {
    double sum = 0;
    for (const Rank j : problem.items())
      sum += std::abs(problem.flow(i)[j.index()]) + (problem.symmetric() ? 0 : std::abs(problem.flow(j)[i.index()]));
    most_flow = std::max(most_flow, sum);
  }
  for (const Slot k : problem.locations())
    for (const double distance : problem.distance(k)) most_distance = std::max(most_distance, std::abs(distance));
  return most_flow * most_distance;
}

}  // namespace

Qap::Qap(std::size_t size, Matrix flow, Matrix distance)
    : size_(size), flow_(std::move(flow)), distance_(std::move(distance)) {
  for (const auto* matrix : {&flow_, &distance_}) {
    if (matrix->size() != size * size)
      core::fail_input("an assignment problem of {}: found a matrix of {} numbers, expected {}", size, matrix->size(),
                       size * size);
    for (const double value : *matrix)
      if (!std::isfinite(value))
        core::fail_input("an assignment problem of {}: found {}, expected finite numbers", size, value);
  }
  move_diagonals();
  const bool by_flow = is_symmetric(flow_, size_), by_distance = is_symmetric(distance_, size_);
  symmetric_ = by_flow || by_distance;
  if (by_flow) make_symmetric(distance_, size_);
  if (by_distance) make_symmetric(flow_, size_);
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

Scale scale_of(const Qap& problem) {
  const double both_ways = problem.symmetric() ? 2 : 1;
  const Scale plain{1 / both_ways, 1 / both_ways, false};
  const double flow = common_divisor(
      problem.items(), [&](Rank i) { return problem.flow(i); }, both_ways);
  const double distance = common_divisor(
      problem.locations(), [&](Slot k) { return problem.distance(k); }, both_ways);
  if (flow == 0 || distance == 0) return plain;
  double most_linear = 0;
  for (const Rank i : problem.items())
    for (const double linear : problem.linear(i)) {
      most_linear = std::max(most_linear, std::abs(linear));
      if (std::fmod(both_ways * linear, flow * distance) != 0) return plain;
    }
  const double unit = flow * distance / both_ways;
  // No gain, and no term of one, is greater than eight times the greatest cost of an item.
  const bool small = 8 * (both_ways * most_cost(problem) + most_linear) < 0x1p24 * unit;
  return {flow / both_ways, distance / both_ways, small};
}

core::IdVector<Rank, std::size_t> item_classes(const Qap& problem) {
  return twins(
      problem.items(), [&](Rank i) { return problem.flow(i); },
      [&](Rank i, Rank j) { return std::ranges::equal(problem.linear(i), problem.linear(j)); });
}

core::IdVector<Slot, std::size_t> location_classes(const Qap& problem) {
  return twins(
      problem.locations(), [&](Slot k) { return problem.distance(k); },
      [&](Slot k, Slot l) {
        const auto items = problem.items();
        return std::ranges::all_of(items, [&](Rank i) {
          const auto linear = problem.linear(i);
          return linear.empty() || linear[k.index()] == linear[l.index()];
        });
      });
}

}  // namespace toroid::mapping
