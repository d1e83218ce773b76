#pragma once
// A trace several times over: a program that iterates. No rank waits for the others between two rounds, unless its
// operations do, or some rank receives from whoever sends. In such programs a barrier ends each round: else a receive
// might take a message of a later round, whose sender has gone ahead, and a message of its own round would find none.

#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::workloads {

class RepeatedTrace final : public ForwardedTrace {
 public:
  /// Hears that a rank comes to the beginning of a round, counted from 0, and gets `rounds` after its last round.
  using RoundBegun = std::function<void(Rank rank, std::uint64_t round)>;

  /// `once` must outlive this trace, and what `begun` refers to must outlive its streams. A rank without operations has
  /// no rounds.
  RepeatedTrace(const Trace& once, std::uint64_t rounds, RoundBegun begun = {});

  std::unique_ptr<OperationStream> open(Rank rank) const override;
  std::string locate(Rank rank, std::uint64_t index) const override;
  Rounds rounds(Rank rank) const override;
  std::optional<TrainingWork> training() const override;
  std::uint64_t operation_count() const override;

 private:
  class Stream;
  std::uint64_t length_of_round(Rank rank) const;
  std::uint64_t rounds_;
  bool barriers_;
  RoundBegun begun_;
};

}  // namespace toroid::workloads
