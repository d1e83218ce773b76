#pragma once
// Operations on their way into the trace. A receive from any source is told as it was matched, which is known when it
// has ended: until then it and what follows wait here.

#include <deque>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads::raw {

class Queue {
 public:
  Queue(CompactTrace& trace, Rank rank) : trace_(trace), rank_(rank) {}

  /// Adds an operation; one that `is_open` waits for resolve() or leave(). Returns its number, by which to call these.
  std::uint64_t add(const Operation& op, bool is_open = false) {
    if (queue_.empty() && !is_open) {
      trace_.add(rank_, op);
      return first_++;
    }
    queue_.push_back({op,
                      {op.requests.begin(), op.requests.end()},
                      {op.send_counts.begin(), op.send_counts.end()},
                      {op.recv_counts.begin(), op.recv_counts.end()},
                      is_open});
    return first_ + queue_.size() - 1;
  }

  /// Sets the sender and the tag of an open receive.
  void resolve(std::uint64_t number, CommRank from, std::int32_t tag) {
    auto& op = queue_[number - first_].operation;
    op.from = from;
    op.tag = tag;
    leave(number);
  }

  /// Lets an open receive go as it is, since its sender will never be known.
  void leave(std::uint64_t number) {
    queue_[number - first_].is_open = false;
    for (; !queue_.empty() && !queue_.front().is_open; drop_front()) add_front();
  }

  /// Lets all operations go; receives that are still open have never been matched.
  void end() {
    for (; !queue_.empty(); drop_front()) add_front();
  }

 private:
  struct Waiting {
    Operation operation;
    std::vector<RequestHandle> requests;
    std::vector<std::uint64_t> send_counts, recv_counts;
    bool is_open;
  };

  void add_front() {
    auto& [op, requests, send_counts, recv_counts, is_open] = queue_.front();
    op.requests = requests;
    op.send_counts = send_counts;
    op.recv_counts = recv_counts;
    trace_.add(rank_, op);
  }
  void drop_front() {
    queue_.pop_front();
    ++first_;
  }

  CompactTrace& trace_;
  Rank rank_;
  std::deque<Waiting> queue_;
  std::uint64_t first_ = 0;  ///< number of the first operation in the queue
};

}  // namespace toroid::workloads::raw
