#pragma once
// How far the free nodes of a machine lie in pieces, over a whole run.

#include "cosim/followed_pieces.hpp"

namespace toroid::cosim {

/// Adds up free nodes over time. Each instant takes time in proportion to the machine.
class Fragmentation final : public FollowedPieces {
 public:
  using FollowedPieces::FollowedPieces;
  void settled(const Time& now) override;

  /// The share of the free node-seconds, from the first instant to the last, that were not in the largest region of
  /// free nodes at their time; 0 where no node was ever free.
  double outside() const { return free_seconds_ > 0 ? outside_seconds_ / free_seconds_ : 0; }

 private:
  double since_ = 0;                       ///< seconds: the last instant
  double now_free_ = 0, now_outside_ = 0;  ///< nodes, since then
  double free_seconds_ = 0, outside_seconds_ = 0;
};

}  // namespace toroid::cosim
