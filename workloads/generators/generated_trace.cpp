#include "workloads/generators/generated_trace.hpp"

#include <fmt/format.h>

namespace toroid::workloads {

class GeneratedTrace::Stream final : public OperationStream {
 public:
  Stream(const GeneratedTrace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  bool next(Operation& operation) override {
    while (at_ == operations_.size()) {
      operations_.clear();
      at_ = 0;
      if (!trace_.step(rank_, step_++, operations_)) return false;
    }
    operation = operations_[at_++];
    return true;
  }

 private:
  const GeneratedTrace& trace_;
  Rank rank_;
  std::uint64_t step_ = 0;
  std::vector<Operation> operations_;
  std::size_t at_ = 0;
};

GeneratedTrace::GeneratedTrace(std::string name, std::int32_t ranks)
    : name_(std::move(name)), communicators_{Communicator::all(ranks)} {}

std::unique_ptr<OperationStream> GeneratedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string GeneratedTrace::locate(Rank, std::uint64_t index) const {
  return fmt::format("{} operation {}", name_, index + 1);
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
