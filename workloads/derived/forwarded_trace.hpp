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

}  // namespace toroid::workloads
