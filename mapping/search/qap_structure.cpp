#include "mapping/search/qap_structure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace toroid::mapping {
namespace {

/// Numbers the rows of a matrix by class: rows i and j are of one class if the matrix stays the same when both they and
/// their columns are swapped, and `alike(i, j)`.
template <class I, class Row, class Alike>
core::IdVector<I, std::size_t> twins(core::IdRange<I> all, Row row, Alike alike) {
  const auto entry = [&](I i, I j) { return row(i)[j.index()]; };
  const auto are_twins = [&](I i, I j) {
    if (entry(i, j) != entry(j, i) || !alike(i, j)) return false;
    return std::all_of(all.begin(), all.end(), [&](I k) {
      return k == i || k == j || (entry(i, k) == entry(j, k) && entry(k, i) == entry(k, j));
    });
  };
  core::IdVector<I, std::size_t> class_of;
  std::vector<I> first;
  for (const I i : all) {
    const auto found = std::find_if(first.begin(), first.end(), [&](I j) { return are_twins(i, j); });
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
        return std::all_of(items.begin(), items.end(), [&](Rank i) {
          const auto linear = problem.linear(i);
          return linear.empty() || linear[k.index()] == linear[l.index()];
        });
      });
}

}  // namespace toroid::mapping
