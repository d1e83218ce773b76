#pragma once
// Iterations that repeat earlier ones are not simulated again. Whenever the rank that keeps time comes to an iteration,
// the state of the replay and its network is compared with those at the last iterations. If it was there before,
// everything will happen once more as it has since then, as long as all ranks go on with the same operations. So one
// such period is simulated, from which a tally learns what grows in it; if the state is the same again at its end, all
// further periods are passed over.

#include <deque>
#include <optional>
#include <vector>

#include "netsim/repeats/state_walk.hpp"
#include "netsim/repeats/tally.hpp"
#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

class Replay::Ranks::Repeats {
 public:
  explicit Repeats(Ranks& ranks) : ranks_(ranks) {}

  /// Passes over what repeats, if the rank that keeps time has come to an iteration. Not within an instant.
  void look();

 private:
  /// How many pictures are kept. Whose turn it is at a router may go round in more iterations than a program does.
  std::size_t kept() const { return ranks_.network_.has_exact_times() ? 64 : 12; }

  /// A state at an iteration.
  struct Moment {
    std::uint64_t iteration = 0;
    Time time = {};
    std::uint64_t hash = 0;
    StatePicture picture = {};  ///< without its words, but for the beginning of a period
  };
  /// A period that is being simulated.
  struct Period {
    Moment begin;
    std::uint64_t length;  ///< iterations
    std::vector<workloads::StreamMark> marks;
    std::uint64_t messages;  ///< that had set out by then
  };

  Moment now() const;
  bool is_same(const Moment& a, const Moment& b) const;
  void look_back(Moment&& moment);
  void begin_period(Moment&& begin, std::uint64_t length);
  void pass_over(const Period& period, const Moment& end);
  bool can_afford_look() const;

  Ranks& ranks_;
  StateWalk walk_;
  Tally tally_;
  std::deque<Moment> moments_;  ///< the last ones
  std::optional<Period> period_;
  std::uint64_t looks_ = 0, words_ = 0;  ///< so far, and what they have seen
};

}  // namespace toroid::netsim
