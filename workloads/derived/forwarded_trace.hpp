#pragma once
// A trace that is another one, but for what a class derived from this one changes. What Trace gains in virtual
// functions is forwarded here, and nowhere else.

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

class ForwardedTrace : public Trace {
 public:
  explicit ForwardedTrace(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}
  /// `trace` must outlive this one.
  explicit ForwardedTrace(const Trace& trace) : trace_(std::shared_ptr<const Trace>(), &trace) {}

  std::int32_t ranks() const override { return trace_->ranks(); }
  std::unique_ptr<OperationStream> open(Rank rank) const override { return trace_->open(rank); }
  std::string locate(Rank rank, std::uint64_t index) const override { return trace_->locate(rank, index); }
  const Communicator& communicator(CommId comm) const override { return trace_->communicator(comm); }
  Rounds rounds(Rank rank) const override { return trace_->rounds(rank); }
  CollectiveWorld collectives() const override { return trace_->collectives(); }
  Computation computation() const override { return trace_->computation(); }
  std::string_view purpose(CommId comm) const override { return trace_->purpose(comm); }
  std::optional<TrainingWork> training() const override { return trace_->training(); }
  std::uint64_t operation_count() const override { return trace_->operation_count(); }
  std::size_t memory_bytes() const override { return trace_->memory_bytes(); }
  std::vector<std::string> files() const override { return trace_->files(); }

  const Trace& forwarded() const { return *trace_; }

 private:
  std::shared_ptr<const Trace> trace_;
};

/// The trace, whose operations are checked as they are read: InputError, which names the generator, the rank and the
/// operation, says what is wrong with one.
std::unique_ptr<Trace> checked_trace(const std::string& generator, std::unique_ptr<Trace> trace);

/// What is wrong with an operation of a rank in a trace, `found ..., expected ...`; empty if it is valid.
std::string fault_in(const Trace& trace, Rank rank, const Operation& operation);

/// What is wrong with a rank's operation on a communicator with these members, `found ..., expected ...`; empty if it
/// is valid.
std::string fault_of(const Operation& operation, const Communicator& members, Rank rank);

// A trace several times over: a program that iterates. No rank waits for the others between two rounds, unless its
// operations do, or some rank receives from whoever sends. In such programs a barrier ends each round: else a receive
// might take a message of a later round, whose sender has gone ahead, and a message of its own round would find none.

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
