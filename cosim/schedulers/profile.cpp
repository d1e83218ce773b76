#include "cosim/schedulers/profile.hpp"

#include <algorithm>

#include "toroid/core/assert.hpp"

namespace toroid::cosim {

Profile::At Profile::step_before(const Time& time) {
  const auto later = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](const Time& t, const Step& step) { return t < step.from; });
  return later == steps_.begin() ? later : later - 1;
}

Profile::At Profile::step_at(const Time& time) {
  const auto before = step_before(time);
  return before->from < time ? steps_.insert(before + 1, {time, before->free}) : before;
}

void Profile::add(const Time& from, const Time& until, std::int32_t nodes) {
  if (from == until) return add_moment(from, nodes);
  if (!(std::max(from, steps_.front().from) < until)) return;
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(steps_, {}, &Step::from));
  step_at(from);  // which the next one may move
  const auto end = step_at(until), first = step_before(from);
  for (auto step = first; step != end; ++step) step->free += nodes;
  // Steps between two that are added to stay steps; only at both ends there may be none any more.
  if ((end - 1)->free == end->free) steps_.erase(end);
  if (first != steps_.begin() && (first - 1)->free == first->free) steps_.erase(first);
}

Time Profile::earliest(const Time& from, std::int32_t nodes, const Time& duration, const Time& limit) const {
  Time start = from;
  for (std::size_t i = 0; i < steps_.size() && start < limit; ++i) {
    const Time end = i + 1 < steps_.size() ? steps_[i + 1].from : Time::never();
    if (!(start < end)) continue;
    if (steps_[i].free < nodes) {
      start = end;
      continue;
    }
    const auto is_before = [&](const Time& time) { return time < end && time < limit && time < start + duration; };
    for (auto at = moments_.lower_bound(steps_[i].from); at != moments_.end() && is_before(at->first); ++at)
      if (start < at->first && steps_[i].free - at->second < nodes) start = at->first;
    if (!(end < limit) || start + duration <= end) return start;
  }
  return limit;
}

void Profile::add_moment(const Time& time, std::int32_t nodes) {
  if (nodes < 0) {
    moments_.emplace(time, -nodes);
    return;
  }
  const auto [first, last] = moments_.equal_range(time);
  const auto found = std::find_if(first, last, [&](const auto& moment) { return moment.second == nodes; });
  if (found != last) moments_.erase(found);
}

void Profile::forget_before(const Time& now) {
  moments_.erase(moments_.begin(), moments_.lower_bound(now));
  steps_.erase(steps_.begin(), step_before(now));
  steps_.front().from = std::max(steps_.front().from, now);
}

}  // namespace toroid::cosim
