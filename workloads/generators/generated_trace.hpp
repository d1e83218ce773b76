#pragma once
// Workloads that are computed on the fly: never in memory whole, whatever their length.

#include <numeric>

#include "toroid/workloads/trace.hpp"
#include "workloads/program_code.hpp"

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
  /// A program of a generator with its arguments, by whose text it is called, and what a remark says of it behind that.
  GeneratedTrace(const core::Arguments& arguments, std::int32_t ranks, const std::string& remark = {});

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
  /// The value of a key of the generator.
  template <class Key>
  const auto& given(const Key& key) const {
    return arguments_[key];
  }
  /// Adds a communicator; its ids count from 1.
  CommId add_communicator(Communicator communicator);
  CommGrid add_grid(std::int32_t rows, std::int32_t columns);

 private:
  class Stream;
  std::uint64_t operations_in(Rank rank, std::uint64_t first, std::uint64_t end) const;
  core::Arguments arguments_{core::Spec(), {}};
  std::string name_;
  core::IdVector<CommId, Communicator> communicators_;
};

/// Makes a trace of type T, as the entry of a generator has it.
template <class T>
std::unique_ptr<Trace> make_trace(const core::Arguments& arguments) {
  return std::make_unique<T>(arguments);
}

/// The handles 0 to `count` - 1, of requests that a step posts and waits for.
std::vector<RequestHandle> handles_below(std::size_t count);

/// Ranks on an n-D grid: rank = x + X*y + X*Y*z.
class RankGrid {
 public:
  explicit RankGrid(std::vector<std::int32_t> extents) : extents_(std::move(extents)) {}

  std::size_t axes() const { return extents_.size(); }
  std::int32_t extent(std::size_t axis) const { return extents_[axis]; }
  std::int32_t size() const { return stride(axes()); }

  std::int32_t coordinate(Rank rank, std::size_t axis) const { return rank.value() / stride(axis) % extents_[axis]; }

  /// The rank that is `offset` places further along an axis; the offset is at most the axis' extent. A periodic axis
  /// wraps around. Returns no_process beyond the ends of an axis that is not periodic, and for the rank itself.
  CommRank neighbour(Rank rank, std::size_t axis, std::int32_t offset, bool periodic = false) const {
    const auto extent = extents_[axis], from = coordinate(rank, axis);
    TOROID_ASSERT(-extent <= offset && offset <= extent);
    auto to = from + offset;
    if (periodic) to = (to + extent) % extent;
    return to < 0 || to >= extent || to == from ? no_process : rank.value() + (to - from) * stride(axis);
  }

 private:
  /// The difference of the numbers of neighbours along an axis.
  std::int32_t stride(std::size_t axis) const {
    return std::accumulate(extents_.begin(), extents_.begin() + static_cast<std::ptrdiff_t>(axis), 1,
                           std::multiplies<>());
  }

  std::vector<std::int32_t> extents_;
};

/// What a rank does in a step of a generator, until the rank has done it: operations that are taken one after the
/// other. Steps may be long: in an iteration of LU each of thousands of ranks does thousands of operations, but hardly
/// any different ones. Where there are many, each different one is kept once, with a string of their numbers: one or
/// two bytes each, and 3 to 9 for a computation.
class StepOperations {
 public:
  StepOperations() = default;
  StepOperations(const StepOperations&) = delete;
  StepOperations& operator=(const StepOperations&) = delete;

  /// Appends the operations of a step to an empty list. Their own lists must last as long as these operations are kept,
  /// as they may be taken again. Such a function may not fill others meanwhile.
  using Generate = std::function<void(std::vector<Operation>& out)>;
  /// Forgets all operations, and has those of `generate`; none if that throws.
  void fill(const Generate& generate);

  std::uint64_t size() const { return size_; }
  /// How many were taken.
  std::uint64_t at() const { return at_; }
  /// Puts the next operation into `operation`; there must be one.
  void next(Operation& operation);
  /// Goes on, or back, to where so many were taken.
  void go_to(std::uint64_t at);

  /// Whether the first `count` of them are those of others.
  bool begin_as(const std::vector<Operation>& others, std::uint64_t count, bool amounts_count) const;

  std::size_t memory_bytes() const { return operations_.capacity() * sizeof(Operation) + code_.memory_bytes(); }

 private:
  void pack(const std::vector<Operation>& operations);
  ProgramCode::Reader reader_at(std::uint64_t at) const;

  std::uint64_t at_ = 0, size_ = 0;
  bool is_packed_ = false;
  ProgramCode::Reader reader_;
  std::vector<Operation> operations_;  ///< all; or, if packed, the different ones that are no computations
  ProgramCode code_;
};

}  // namespace toroid::workloads
