#include "cosim/schedulers/profile.hpp"

#include <algorithm>

namespace toroid::cosim {

std::size_t Profile::step_at(const Time& time) {
  const auto later = std::upper_bound(steps_.begin(), steps_.end(), time,
                                      [](const Time& t, const Step& step) { return t < step.from; });
  if (later == steps_.begin()) return 0;  // before the beginning: all that is left of the past
  const auto before = later - 1;
  const auto index = static_cast<std::size_t>(before - steps_.begin());
  if (before->from == time) return index;
  steps_.insert(later, {time, before->free});
  return index + 1;
}

void Profile::add(const Time& from, const Time& until, std::int32_t nodes) {
  if (!(std::max(from, steps_.front().from) < until)) return;
  const auto first = step_at(from), end = step_at(until);
  for (auto i = first; i < end; ++i) steps_[i].free += nodes;
}

Time Profile::earliest(const Time& from, std::int32_t nodes, const Time& duration) const {
  Time start = from;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Time end = i + 1 < steps_.size() ? steps_[i + 1].from : Time::never();
    if (!(start < end)) continue;
    if (steps_[i].free < nodes)
      start = end;
    else if (end == Time::never() || start + duration <= end)
      return start;
  }
  return Time::never();
}

void Profile::forget_before(const Time& now) {
  const auto later = std::upper_bound(steps_.begin(), steps_.end(), now,
                                      [](const Time& t, const Step& step) { return t < step.from; });
  if (later - steps_.begin() > 1) steps_.erase(steps_.begin(), later - 1);
  steps_.front().from = std::max(steps_.front().from, now);
}

}  // namespace toroid::cosim
