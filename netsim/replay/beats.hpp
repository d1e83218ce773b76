#pragma once
// Which rank of a replay keeps time, and what a replay adds up besides what each rank does.

#include "netsim/repeats/fast_forward.hpp"
#include "netsim/replay/messages.hpp"
#include "netsim/replay/rank_state.hpp"

namespace toroid::netsim {

/// The rank whose iterations are those of the program, for who looks for iterations that repeat: of a few ranks, the
/// one with the fewest iterations that has not ended.
class Beats {
 public:
  /// Looks at a few ranks, which may keep time.
  void find(const workloads::Trace& trace, RankStates& states);
  /// Lets the next rank keep time that has iterations left.
  void take(RankStates& states);

  workloads::Rank keeper() const { return keeper_.rank; }
  /// Where the rank that keeps time is; nothing if there is no such rank.
  std::optional<Repeating::Beat> beat() const;
  /// The rank that keeps time has begun its next iteration.
  void begin_iteration(RankState& state);
  /// The rank that keeps time has passed over so many operations, which are whole iterations.
  void pass_over(RankState& state, std::uint64_t operations);

 private:
  /// A rank that may keep time, and its iterations.
  struct TimeKeeper {
    workloads::Rank rank = workloads::Rank::none();
    workloads::Rounds rounds = {};
    std::uint64_t iteration = 0;  ///< the iteration that it has begun, from 1 on
  };
  std::vector<TimeKeeper> keepers_;  ///< those that may take over
  TimeKeeper keeper_;                ///< the one that does
};

/// How often each algorithm of collectives ran.
class CollectiveCalls {
 public:
  /// An algorithm, if it looks at that, the members' grid, and what was asked of the algorithm.
  using How =
      std::tuple<const workloads::CollectiveAlgorithm*, const workloads::MemberGrid*, workloads::CollectiveTuning>;

  std::uint64_t& of(const How& how) { return calls_[how]; }
  const std::map<How, std::uint64_t>& all() const { return calls_; }
  /// Where a call is new in a period, the tally does not grow.
  void tally(Tally& tally) {
    for (auto& [how, calls] : calls_) tally.add(calls);
  }
  void tell(ReplayReport& report) const;

  /// The position of an algorithm among all.
  static std::size_t number_of(const workloads::CollectiveAlgorithm& algorithm);

 private:
  std::map<How, std::uint64_t> calls_;
};

/// How long ranks were blocked, by the communicator of the message that ended their wait.
class Exposure {
 public:
  /// The seconds of what a message's communicator carries.
  Blocked& of(const Message& message);
  std::vector<Blocked>& all() { return blocked_; }
  const std::vector<Blocked>& all() const { return blocked_; }
  /// Where a communicator is new in a period, the tally does not grow.
  void tally(Tally& tally) {
    for (auto& [transfer, wait] : blocked_) tally.each(transfer, wait);
  }
  /// Tells the seconds by the purposes of communicators, if the program says any.
  void tell(const workloads::Trace& trace, ReplayReport& report) const;

 private:
  std::vector<Blocked> blocked_;  ///< seconds by communicator
};

}  // namespace toroid::netsim
