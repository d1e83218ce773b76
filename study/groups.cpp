#include "study/groups.hpp"

#include <algorithm>
#include <cmath>

namespace toroid::study {
namespace {

double relative_difference(double value, double reference) {
  return reference > 0 ? value / reference - 1 : 0;
}

void add(Group& group, std::span<const Row> all, std::size_t index) {
  const auto& row = all[index];
  if (!row.measures) {
    ++group.failed;
    return;
  }
  const double time = row.measures->runtime;
  group.times.push_back(time);
  group.repetitions.push_back(row.run.repetition);
  if (!group.best || time < all[*group.best].measures->runtime) group.best = index;
  if (row.verified_runtime) group.off_reference = relative_difference(time, *row.verified_runtime);
  if (row.with_computation) group.with_computation = row.with_computation;
}

/// The row with the median time; of two in the middle the one with the lower time.
std::optional<std::size_t> typical_of(const Group& group, std::size_t first_row) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < group.rows.size(); ++i)
    if (group.rows[i].measures) order.push_back(i);
  if (order.empty()) return std::nullopt;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return group.rows[a].measures->runtime < group.rows[b].measures->runtime;
  });
  return first_row + order[(order.size() - 1) / 2];
}

/// Samples of different runs are wrong independently of each other.
double half_width_of(const Group& group) {
  double squares = 0;
  for (const auto& row : group.rows)
    if (row.measures) squares += std::pow(row.measures->half_width.value_or(0), 2);
  return group.times.empty() ? 0 : std::sqrt(squares) / static_cast<double>(group.times.size());
}

}  // namespace

std::map<std::string, double> exposed_of(const Group& group) {
  std::map<std::string, double> seconds;
  for (const auto& row : group.rows)
    if (row.measures)
      for (const auto& [purpose, waited] : row.measures->exposed)
        seconds[purpose] += waited / static_cast<double>(group.times.size());
  return seconds;
}

std::vector<Group> groups_of(std::span<const Row> rows) {
  std::vector<Group> groups;
  for (std::size_t begin = 0, i = 0; i < rows.size(); ++i) {
    const auto& run = rows[i].run;
    if (groups.empty() || run.repetition == 0) {  // a part may begin within a group
      begin = i;
      groups.push_back({run.platform, run.trace, run.alloc, run.map, {}});
    }
    groups.back().rows = rows.subspan(begin, i + 1 - begin);
    add(groups.back(), rows, i);
  }
  for (auto& group : groups) {
    group.typical = typical_of(group, static_cast<std::size_t>(group.rows.data() - rows.data()));
    group.half_width = half_width_of(group);
  }
  return groups;
}

}  // namespace toroid::study
