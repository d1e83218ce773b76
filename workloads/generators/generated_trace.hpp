#pragma once
// Workloads that are computed on the fly: never in memory whole, whatever their length.

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// The communicators of the rows and columns of a grid of ranks, where rank = column + columns * row.
struct CommGrid {
  std::int32_t columns = 1;
  std::vector<CommId> of_row, of_column;

  CommId row(Rank rank) const { return of_row[static_cast<std::size_t>(rank.value() / columns)]; }
  CommId column(Rank rank) const { return of_column[static_cast<std::size_t>(rank.value() % columns)]; }
};

/// A program in steps: a generator only says what one rank does in one step.
class GeneratedTrace : public Trace {
 public:
  GeneratedTrace(std::string name, std::int32_t ranks);

  /// Appends to `out` what `rank` does in step `step` (0, 1, ...); false when there is no such step. Lists of
  /// operations must last as long as the trace.
  virtual bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const = 0;
  /// The steps that are iterations of the program, one each: `first` to `end` - 1. Both are 0 if steps are no
  /// iterations.
  struct Iterations {
    std::uint64_t first = 0, end = 0;
  };
  virtual Iterations iteration_steps() const { return {}; }
  /// Steps in which each rank does the same again: step s + `period` is as step s where both are among `first` to
  /// `end` - 1. Streams take that for granted. A period of 0: there are none.
  struct Loop {
    std::uint64_t first = 0, end = 0, period = 0;
    bool same_amounts = true;  ///< false: computations take another time in each
  };
  virtual Loop loop() const { return {}; }

  std::int32_t ranks() const override { return communicators_[world].size(); }
  std::unique_ptr<OperationStream> open(Rank rank) const override;
  std::string locate(Rank rank, std::uint64_t index) const override;
  Rounds rounds(Rank rank) const override;
  const Communicator& communicator(CommId comm) const override { return communicators_.at(comm); }

 protected:
  /// Adds a communicator; its ids count from 1.
  CommId add_communicator(Communicator communicator);
  CommGrid add_grid(std::int32_t rows, std::int32_t columns);

 private:
  class Stream;
  std::uint64_t operations_in(Rank rank, std::uint64_t first, std::uint64_t end) const;
  std::string name_;
  core::IdVector<CommId, Communicator> communicators_;
};

}  // namespace toroid::workloads
