#pragma once
// What the cores of ranks spend on messages: LogP's overhead.

#include <algorithm>
#include <cstddef>

#include "core/id.hpp"
#include "netsim/clock.hpp"
#include "netsim/repeats/state_walk.hpp"

namespace toroid::netsim {

/// The core of a rank sees to one message after another (NodeParameters::overhead): to each that the rank sends, before
/// the message sets out, and to each that it receives, before the rank has it. What the rank computes meanwhile takes
/// so much longer.
class Processors {
 public:
  /// `overhead` is in seconds; 0: messages take no core.
  Processors(double overhead, std::size_t ranks) : overhead_(overhead), cores_(overhead > 0 ? ranks : 0) {}

  double overhead() const { return overhead_; }

  /// The core of the rank gets one message more to see to, and is through with it at the time that this returns.
  Time see_to_message(workloads::Rank rank, const Time& now) {
    auto& core = cores_[rank];
    core.free = std::min(std::max(core.free, now) + Time(overhead_), Time::latest());
    if (now + Clock::together < core.computes_until) core.delay += overhead_;  // else it has computed by now
    return core.free;
  }
  /// Whether the core has to do with messages before its rank can go on.
  bool is_busy(workloads::Rank rank, const Time& now) const {
    return overhead_ > 0 && busy_seconds(cores_[rank], now) > Clock::together.seconds();
  }
  /// The rank computes for so many seconds from now on. Returns how long that takes with what its core has to do
  /// before.
  double compute(workloads::Rank rank, const Time& now, double seconds) {
    if (overhead_ == 0) return seconds;
    auto& core = cores_[rank];
    const double busy = busy_seconds(core, now), all = busy + seconds;
    core = {.free = now + Time(busy), .computes_until = now + Time(all)};
    return all;
  }

  /// Shows what the core of a rank still has to do to a walk.
  void walk(StateWalk& walk, workloads::Rank rank, const Time& now) {
    if (overhead_ == 0) return;
    auto& core = cores_[rank];
    walk.same(core.delay);
    for (auto* time : {&core.free, &core.computes_until}) {
      const bool matters = now < *time;
      walk.same(matters);
      if (matters || walk.moves()) walk.time(*time);
    }
  }

 private:
  struct Core {
    Time free = {};            ///< when it is through with the messages that it has
    Time computes_until = {};  ///< when its computation ends, were there no more messages
    double delay = 0;          ///< of that computation, by messages since it began
  };
  static double busy_seconds(const Core& core, const Time& now) {
    return std::max(core.delay, core.free <= now ? 0 : (core.free - now).seconds());
  }

  double overhead_;
  core::IdVector<workloads::Rank, Core> cores_;
};

}  // namespace toroid::netsim
