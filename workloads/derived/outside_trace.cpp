#include <cmath>

#include "core/blame.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::workloads {
namespace {

class CheckedTrace final : public ForwardedTrace {
 public:
  CheckedTrace(const std::string& generator, std::unique_ptr<Trace> trace)
      : ForwardedTrace(std::move(trace)), who_(fmt::format("generator '{}'", generator)) {}

  std::unique_ptr<OperationStream> open(Rank rank) const override;

 private:
  class Stream;
  std::string who_;
};

class CheckedTrace::Stream final : public OperationStream {
 public:
  Stream(const CheckedTrace& trace, Rank rank)
      : trace_(trace),
        rank_(rank),
        stream_(core::blamed(trace.who_, [&] { return trace.ForwardedTrace::open(rank); })) {}

  bool next(Operation& operation) override {
    if (!core::blamed(trace_.who_, [&] { return stream_->next(operation); })) return false;
    const auto fault = fault_in(trace_, rank_, operation);
    if (!fault.empty())
      core::fail_input("{}: operation {} of rank {}, {}: {}", trace_.who_, index_, rank_, to_string(operation.kind),
                       fault);
    ++index_;
    return true;
  }

  StreamMark mark() const override { return stream_->mark(); }
  std::uint64_t repeats(const StreamMark& since, bool amounts_count) const override {
    return stream_->repeats(since, amounts_count);
  }
  void skip(const StreamMark& since, std::uint64_t times) override {
    const auto before = stream_->mark().operation;
    stream_->skip(since, times);
    index_ += stream_->mark().operation - before;
  }

 private:
  const CheckedTrace& trace_;
  Rank rank_;
  std::unique_ptr<OperationStream> stream_;
  std::uint64_t index_ = 0;
};

std::unique_ptr<OperationStream> CheckedTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string count_fault(std::span<const std::uint64_t> counts, bool needed, CommRank size) {
  if (!needed && !counts.empty()) return "found counts, expected none: the rank is not the root";
  if (needed && counts.size() != static_cast<std::size_t>(size))
    return fmt::format("found {} counts, expected {}, one for each rank of the communicator", counts.size(), size);
  return {};
}

/// The communicator of that id; null if there is none.
const Communicator* find_communicator(const Trace& trace, CommId comm) {
  try {
    return comm < world ? nullptr : &trace.communicator(comm);
  } catch (const std::out_of_range&) {
    return nullptr;
  }
}

}  // namespace

std::string fault_of(const Operation& op, const Communicator& members, Rank rank) {
  const auto size = members.size();
  for (const auto partner : {op.to, op.from, op.root})
    if (partner >= size)
      return fmt::format("found rank {}, expected one below {}: so many has the communicator", partner, size);
  const bool is_root = op.root == members.rank_of(rank);
  auto sends = count_fault(op.send_counts, needs_send_counts(op.kind, is_root), size);
  if (!sends.empty()) return sends;
  const bool has_parts = op.kind == OpKind::reduce_scatter && !op.recv_counts.empty();  // without, all parts are alike
  return count_fault(op.recv_counts, needs_recv_counts(op.kind, is_root) || has_parts, size);
}

std::string fault_in(const Trace& trace, Rank rank, const Operation& op) {
  if (static_cast<std::size_t>(op.kind) >= op_kind_count) return "found no kind of operation that there is";
  const auto* members = find_communicator(trace, op.comm);
  if (members == nullptr) return fmt::format("found communicator {}, expected one of the trace", op.comm);
  if (members->rank_of(rank) == no_process)
    return fmt::format("found communicator {}, of which the rank is no member", op.comm);
  if (op.to < no_process || op.to == any_source)
    return fmt::format("found receiver {}, expected a rank or {} (no process)", op.to, no_process);
  if (op.from < no_process) return fmt::format("found sender {}, expected a rank", op.from);
  if (op.root < 0) return fmt::format("found root {}, expected a rank", op.root);
  if (!(op.amount >= 0) || !std::isfinite(op.amount))
    return fmt::format("found the amount {}, expected a finite number of 0 or more", op.amount);
  return fault_of(op, *members, rank);
}

std::unique_ptr<Trace> checked_trace(const std::string& generator, std::unique_ptr<Trace> trace) {
  if (trace == nullptr || trace->ranks() < 1)
    core::fail_input("generator '{}': made no trace, expected one of 1 rank or more", generator);
  return std::make_unique<CheckedTrace>(generator, std::move(trace));
}

}  // namespace toroid::workloads
