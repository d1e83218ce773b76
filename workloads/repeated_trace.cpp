#include "workloads/repeated_trace.hpp"

#include <fmt/format.h>

#include <utility>

namespace toroid::workloads {

class RepeatedTrace::Stream final : public OperationStream {
 public:
  Stream(const RepeatedTrace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  bool next(Operation& operation) override {
    while (!stream_ || !stream_->next(operation)) {
      if (stream_ && is_empty_) return false;
      if (trace_.begun_) trace_.begun_(rank_, round_);
      if (round_ == trace_.rounds_) return false;
      ++round_;
      is_empty_ = true;
      stream_ = trace_.once_.open(rank_);
    }
    is_empty_ = false;
    return true;
  }

 private:
  const RepeatedTrace& trace_;
  Rank rank_;
  std::unique_ptr<OperationStream> stream_;  ///< of this round
  std::uint64_t round_ = 0;                  ///< that have begun
  bool is_empty_ = false;
};

RepeatedTrace::RepeatedTrace(const Trace& once, std::uint64_t rounds, RoundBegun begun)
    : once_(once), rounds_(rounds), begun_(std::move(begun)) {}

std::unique_ptr<OperationStream> RepeatedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string RepeatedTrace::locate(Rank rank, std::uint64_t index) const {
  std::uint64_t length = 0;
  Operation operation;
  for (const auto stream = once_.open(rank); stream->next(operation);) ++length;
  if (length == 0) return once_.locate(rank, index);
  return fmt::format("{}, round {}", once_.locate(rank, index % length), index / length + 1);
}

}  // namespace toroid::workloads
