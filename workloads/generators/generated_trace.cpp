#include "workloads/generators/generated_trace.hpp"

#include <numeric>
#include <stdexcept>

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

GeneratedTrace::GeneratedTrace(std::string name, Rank ranks)
    : name_(std::move(name)), world_(static_cast<std::size_t>(ranks)) {
  std::iota(world_.begin(), world_.end(), 0);
}

std::unique_ptr<OperationStream> GeneratedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string GeneratedTrace::locate(Rank, std::uint64_t index) const {
  return fmt::format("{} operation {}", name_, index + 1);
}

const std::vector<Rank>& GeneratedTrace::members(CommId comm) const {
  if (comm != world) throw std::out_of_range("a generated trace has no communicator but the world");
  return world_;
}

}  // namespace toroid::workloads
