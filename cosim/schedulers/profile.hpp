#pragma once
// How many nodes will be free, from now on: what planning schedulers plan with.

#include <cstddef>
#include <vector>

#include "netsim/time.hpp"

namespace toroid::cosim {

using netsim::Time;

/// A step function over time, without steps that are none: it has no more than the plans in it have ends and
/// beginnings. All operations take time in proportion to its steps.
class Profile {
 public:
  Profile(const Time& now, std::int32_t free) : steps_{{now, free}} {}

  /// From `from` until before `until` there are so many more (fewer, if negative).
  void add(const Time& from, const Time& until, std::int32_t nodes);
  /// The first time from `from` on, before `limit`, at which so many are free, and stay so for that long or until
  /// `limit`; `limit` if there is none.
  Time earliest(const Time& from, std::int32_t nodes, const Time& duration, const Time& limit = Time::never()) const;
  /// Nothing before `now` matters any more.
  void forget_before(const Time& now);

 private:
  struct Step {
    Time from;
    std::int32_t free;
  };
  using At = std::vector<Step>::iterator;

  /// The last step that begins at a time or before; the first one if all are later.
  At step_before(const Time& time);
  /// The step that begins at a time, put in if there is none.
  At step_at(const Time& time);

  std::vector<Step> steps_;  ///< by time; the last one lasts for ever
};

}  // namespace toroid::cosim
