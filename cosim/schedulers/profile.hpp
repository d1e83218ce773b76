#pragma once
// How many nodes will be free, from now on: what planning schedulers plan with.

#include <map>
#include <vector>

#include "toroid/netsim/time/time.hpp"

namespace toroid::cosim {

using netsim::Time;

/// The number of free nodes as a step function over time, and what is taken for moments. Successive steps differ, so
/// there are no more of them than beginnings and ends of plans. All operations take time in proportion to the number of
/// steps.
class Profile {
 public:
  Profile(const Time& now, std::int32_t free) : steps_{{now, free}} {}

  /// Adds `nodes` (negative: removes them) from `from` until before `until`. If these are the same time, nodes are
  /// taken for a moment, one such plan after the other, before all else that begins then.
  void add(const Time& from, const Time& until, std::int32_t nodes);
  /// The first time, not before `from` and before `limit`, from which on `nodes` nodes are free for `duration` or until
  /// `limit`, beside what is taken for moments in between; `limit` if there is none.
  Time earliest(const Time& from, std::int32_t nodes, const Time& duration, const Time& limit = Time::never()) const;
  /// Forgets the steps before `now`.
  void forget_before(const Time& now);

 private:
  struct Step {
    Time from;
    std::int32_t free;
  };
  using At = std::vector<Step>::iterator;

  void add_moment(const Time& time, std::int32_t nodes);
  /// The last step that begins at a time or before; the first one if all are later.
  At step_before(const Time& time);
  /// The step that begins at a time, put in if there is none.
  At step_at(const Time& time);

  std::vector<Step> steps_;                    ///< the steps in the order of time; the last one lasts for ever
  std::multimap<Time, std::int32_t> moments_;  ///< nodes that are taken for a moment
};

}  // namespace toroid::cosim
