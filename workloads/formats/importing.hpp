#pragma once
// What importers of recorded MPI programs share: handles for requests, the operations of a rank on their way into the
// trace, and exchanges.

#include "workloads/compact_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {

/// Handles for the requests of a rank whose trace has none, or has numbers that grow without end. Handles stay small,
/// as handles that are taken back are given again.
class Handles {
 public:
  RequestHandle give() {
    if (free_.empty()) return next_++;
    const auto handle = free_.back();
    free_.pop_back();
    return handle;
  }
  void take_back(RequestHandle handle) {
    TOROID_ASSERT(handle < next_);
    free_.push_back(handle);
  }
  void take_back(std::span<const RequestHandle> handles) { free_.insert(free_.end(), handles.begin(), handles.end()); }

 private:
  std::vector<RequestHandle> free_;
  RequestHandle next_ = 0;
};

/// The program of a rank on its way into the trace. What some operations are is known late: a receive from any source
/// is told as it was matched, when it has ended. Such an operation is *open*; it and what follows it wait here.
class ImportedProgram {
 public:
  /// Hears that an operation goes into the trace, in the order of the program, and may still change it.
  using Entering = std::function<void(Operation&)>;

  /// A unit of computation takes so many ticks.
  ImportedProgram(CompactTrace& trace, Rank rank, double ticks_per_unit = 1)
      : trace_(trace), rank_(rank), ticks_per_unit_(ticks_per_unit) {}

  /// Notes that the rank computes for so many ticks before its next operation.
  void compute(std::uint64_t ticks) { computed_ += ticks; }

  /// Adds an operation. Returns its number, by which to call settle(), leave() or drop() if the operation is open.
  std::uint64_t add(const Operation& op, bool is_open = false, std::uint64_t line = 0, Entering entering = {}) {
    put_computation(line);
    return put(op, is_open, line, std::move(entering));
  }
  /// Adds the wait for requests, if there are any; for one that was asked for alone it is no waitall.
  void add_wait(std::span<const RequestHandle> handles, bool is_one, std::uint64_t line = 0) {
    if (handles.empty()) return;
    if (is_one && handles.size() == 1)
      add({.kind = OpKind::wait, .request = handles[0]}, false, line);
    else
      add({.kind = OpKind::waitall, .requests = handles}, false, line);
  }
  /// The open operation of that number.
  const Operation& at(std::uint64_t number) { return open_one(number).operation; }
  /// Says what an open operation is.
  void settle(std::uint64_t number, const Operation& op, Entering entering = {}) {
    open_one(number) = Waiting(op, false, 0, std::move(entering));
    enter_settled();
  }
  /// Lets an open operation go as it is, since no more will be known of it.
  void leave(std::uint64_t number) {
    open_one(number).is_open = false;
    enter_settled();
  }
  /// Forgets an open operation, which the rank did not do.
  void drop(std::uint64_t number) {
    open_one(number).is_dropped = true;
    leave(number);
  }
  /// Ends the program. Operations that are still open go as they are.
  void end() {
    put_computation(0);
    while (!waiting_.empty()) enter_front();
  }

 private:
  struct Waiting : HeldOperation {
    Waiting(const Operation& op, bool open, std::uint64_t on_line, Entering hears)
        : HeldOperation(op), is_open(open), line(on_line), entering(std::move(hears)) {}

    bool is_open, is_dropped = false;
    std::uint64_t line;
    Entering entering;
  };

  Waiting& open_one(std::uint64_t number) {
    TOROID_ASSERT(number >= first_ && number - first_ < waiting_.size() && waiting_[number - first_].is_open);
    return waiting_[number - first_];
  }
  void put_computation(std::uint64_t line) {
    const auto amount = static_cast<double>(std::exchange(computed_, 0)) / ticks_per_unit_;
    if (amount > 0) put({.kind = OpKind::compute, .amount = amount}, false, line, {});
  }
  std::uint64_t put(Operation op, bool is_open, std::uint64_t line, Entering entering) {
    if (!waiting_.empty() || is_open) {
      waiting_.emplace_back(op, is_open, line, std::move(entering));
      return first_ + waiting_.size() - 1;
    }
    if (entering) entering(op);
    trace_.add(rank_, op, line);
    return first_++;
  }
  void enter_settled() {
    while (!waiting_.empty() && !waiting_.front().is_open) enter_front();
  }
  void enter_front() {
    auto& front = waiting_.front();
    auto op = front.shown();
    if (front.entering) front.entering(op);
    if (!front.is_dropped) trace_.add(rank_, op, front.line);
    waiting_.pop_front();
    ++first_;
  }

  CompactTrace& trace_;
  Rank rank_;
  double ticks_per_unit_;
  std::uint64_t computed_ = 0;  ///< ticks since the last operation
  std::deque<Waiting> waiting_;
  std::uint64_t first_ = 0;  ///< number of the first operation that waits
};

/// Calls add(operation) with MPI_Sendrecv, which has one tag for both its messages here; or, if the receive has another
/// tag, with an irecv, an isend, and the wait for both.
template <class Add>
void add_exchange(const Operation& sendrecv, std::int32_t receive_tag, std::uint64_t receive_bytes, Handles& handles,
                  Add&& add) {
  if (receive_tag == sendrecv.tag) return add(sendrecv);
  const std::array<RequestHandle, 2> both{handles.give(), handles.give()};
  add(Operation{.kind = OpKind::irecv,
                .comm = sendrecv.comm,
                .from = sendrecv.from,
                .tag = receive_tag,
                .request = both[0],
                .bytes = receive_bytes});
  add(Operation{.kind = OpKind::isend,
                .comm = sendrecv.comm,
                .to = sendrecv.to,
                .tag = sendrecv.tag,
                .request = both[1],
                .bytes = sendrecv.bytes});
  add(Operation{.kind = OpKind::waitall, .requests = both});
  handles.take_back(both);
}

}  // namespace toroid::workloads
