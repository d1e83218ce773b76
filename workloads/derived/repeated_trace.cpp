#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::workloads {
namespace {

/// Whether a rank receives from whoever sends.
bool receives_from_any(const Trace& trace) {
  Operation operation;
  for (const Rank rank : core::ids<Rank>(trace.ranks()))
    for (const auto stream = trace.open(rank); stream->next(operation);)
      if (operation.from == any_source) return true;
  return false;
}

}  // namespace

class RepeatedTrace::Stream final : public OperationStream {
 public:
  Stream(const RepeatedTrace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  bool next(Operation& operation) override {
    while (!stream_ || !stream_->next(operation)) {
      if (stream_ && trace_.barriers_ && !std::exchange(at_barrier_, true)) {
        operation = {.kind = OpKind::barrier};
        break;
      }
      if (stream_ && is_empty_) return false;
      if (trace_.begun_) trace_.begun_(rank_, round_);
      if (round_ == trace_.rounds_) return false;
      ++round_;
      before_ += std::exchange(read_, 0);
      is_empty_ = true;
      at_barrier_ = false;
      stream_ = trace_.forwarded().open(rank_);
    }
    is_empty_ = false;
    ++read_;
    return true;
  }

  StreamMark mark() const override { return {before_ + read_, {round_, read_}}; }

  std::uint64_t repeats(const StreamMark& since, bool /*amounts_count*/) const override {
    const auto rounds = round_ - since.at[0];
    if (trace_.begun_ || since.at[0] == 0 || rounds == 0 || read_ != since.at[1]) return 0;
    return (trace_.rounds_ - round_) / rounds;
  }

  void skip(const StreamMark& since, std::uint64_t times) override {
    TOROID_ASSERT(times <= repeats(since, false));
    before_ += times * (before_ + read_ - since.operation);
    round_ += times * (round_ - since.at[0]);
  }

 private:
  const RepeatedTrace& trace_;
  Rank rank_;
  std::unique_ptr<OperationStream> stream_;  ///< the stream of this round
  std::uint64_t round_ = 0;                  ///< number of rounds that have begun
  bool is_empty_ = false, at_barrier_ = false;
  std::uint64_t before_ = 0, read_ = 0;  ///< operations of earlier rounds, and of this one
};

RepeatedTrace::RepeatedTrace(const Trace& once, std::uint64_t rounds, RoundBegun begun)
    : ForwardedTrace(once),
      rounds_(rounds),
      barriers_(rounds > 1 && receives_from_any(once)),
      begun_(std::move(begun)) {}

std::unique_ptr<OperationStream> RepeatedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::uint64_t RepeatedTrace::length_of_round(Rank rank) const {
  std::uint64_t length = barriers_ ? 1 : 0;
  Operation operation;
  for (const auto stream = forwarded().open(rank); stream->next(operation);) ++length;
  return length;
}

std::uint64_t RepeatedTrace::operation_count() const {
  return (forwarded().operation_count() + static_cast<std::uint64_t>(barriers_ ? ranks() : 0)) * rounds_;
}

std::optional<TrainingWork> RepeatedTrace::training() const {
  auto work = forwarded().training();
  if (work) *work = {work->tokens * static_cast<double>(rounds_), work->flops * static_cast<double>(rounds_)};
  return work;
}

Rounds RepeatedTrace::rounds(Rank rank) const {
  if (begun_ || rounds_ < 2) return {};
  return {0, length_of_round(rank), rounds_};
}

std::string RepeatedTrace::locate(Rank rank, std::uint64_t index) const {
  const auto length = length_of_round(rank);
  if (length == 0) return forwarded().locate(rank, index);
  if (barriers_ && index % length == length - 1) return fmt::format("the end of round {}", index / length + 1);
  return fmt::format("{}, round {}", forwarded().locate(rank, index % length), index / length + 1);
}

}  // namespace toroid::workloads
