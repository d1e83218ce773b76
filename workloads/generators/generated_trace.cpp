#include "workloads/generators/generated_trace.hpp"

#include <fmt/format.h>

#include "workloads/generators/step_operations.hpp"

namespace toroid::workloads {

class GeneratedTrace::Stream final : public OperationStream {
 public:
  Stream(const GeneratedTrace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  bool next(Operation& operation) override {
    while (at_ == operations_.size()) {
      before_ += operations_.size();
      at_ = 0;
      bool is_there = false;
      operations_.fill([&](std::vector<Operation>& out) { is_there = trace_.step(rank_, step_++, out); });
      if (!is_there) return false;
    }
    ++at_;
    operations_.next(operation);
    return true;
  }

  StreamMark mark() const override { return {before_ + at_, {step_, at_}}; }

  /// Both places are behind as many operations of their steps, so what comes next repeats if the steps do.
  std::uint64_t repeats(const StreamMark& since, bool amounts_count) const override {
    const auto loop = trace_.loop();
    if (amounts_count && !loop.same_amounts) return 0;
    const auto then = since.at[0], steps = step_ - then;
    if (loop.period == 0 || at_ != since.at[1] || then <= loop.first || step_ > loop.end) return 0;
    return steps == 0 || steps % loop.period != 0 ? 0 : (loop.end - step_) / steps;
  }

  void skip(const StreamMark& since, std::uint64_t times) override {
    before_ += times * (before_ + at_ - since.operation);
    step_ += times * (step_ - since.at[0]);
  }

 private:
  const GeneratedTrace& trace_;
  Rank rank_;
  std::uint64_t step_ = 0;
  StepOperations operations_;  ///< of the step before step_
  std::uint64_t at_ = 0;
  std::uint64_t before_ = 0;  ///< operations of earlier steps
};

GeneratedTrace::GeneratedTrace(std::string name, std::int32_t ranks)
    : name_(std::move(name)), communicators_{Communicator::all(ranks)} {}

std::unique_ptr<OperationStream> GeneratedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string GeneratedTrace::locate(Rank, std::uint64_t index) const {
  return fmt::format("{} operation {}", name_, index + 1);
}

std::uint64_t GeneratedTrace::operations_in(Rank rank, std::uint64_t first, std::uint64_t end) const {
  std::vector<Operation> operations;
  std::uint64_t count = 0;
  for (auto at = first; at < end && step(rank, at, operations); ++at) {
    count += operations.size();
    operations.clear();
  }
  return count;
}

Rounds GeneratedTrace::rounds(Rank rank) const {
  const auto repeating = loop();
  if (repeating.period == 0 || repeating.end <= repeating.first) return {};
  return {operations_in(rank, 0, repeating.first),
          operations_in(rank, repeating.first, repeating.first + repeating.period),
          (repeating.end - repeating.first) / repeating.period};
}

CommId GeneratedTrace::add_communicator(Communicator communicator) {
  return communicators_.add(std::move(communicator));
}

CommGrid GeneratedTrace::add_grid(std::int32_t rows, std::int32_t columns) {
  CommGrid grid{columns, {}, {}};
  for (std::int32_t row = 0; row < rows; ++row)
    grid.of_row.push_back(add_communicator(Communicator::strided(Rank(row * columns), 1, columns)));
  for (std::int32_t column = 0; column < columns; ++column)
    grid.of_column.push_back(add_communicator(Communicator::strided(Rank(column), columns, rows)));
  return grid;
}

}  // namespace toroid::workloads
