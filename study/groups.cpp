#include "study/groups.hpp"

#include <algorithm>
#include <map>

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
}

}  // namespace

std::vector<Group> groups_of(std::span<const Row> rows) {
  std::vector<Group> groups;
  for (std::size_t begin = 0, i = 0; i < rows.size(); ++i) {
    const auto& run = rows[i].run;
    if (groups.empty() || run.repetition == 0) {  // a part may begin within a group
      begin = i;
      groups.push_back({run.platform, run.trace, run.map, {}});
    }
    groups.back().rows = rows.subspan(begin, i + 1 - begin);
    add(groups.back(), rows, i);
  }
  std::map<std::pair<std::size_t, std::size_t>, double> best;  // mean, by machine and trace
  for (const auto& group : groups) {
    if (group.times.empty()) continue;
    const auto [least, is_new] = best.try_emplace({group.platform, group.trace}, mean(group.times));
    if (!is_new) least->second = std::min(least->second, mean(group.times));
  }
  for (auto& group : groups)
    if (!group.times.empty())
      group.normalized = 1 + relative_difference(mean(group.times), best.at({group.platform, group.trace}));
  return groups;
}

}  // namespace toroid::study
