#pragma once
// The program of a rank as a graph: what each operation waits for, for formats that are graphs.

#include <deque>
#include <set>
#include <unordered_map>

#include "workloads/collectives/collectives.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {

/// Walks through a rank's program and says by emit() what it does. A format derives from this.
class GraphWriter {
 public:
  /// `format` is what complaints call the format.
  GraphWriter(const Trace& trace, const CollectiveChoice& collectives, Rank rank, std::string_view format)
      : trace_(trace), collectives_(collectives.for_program(trace)), rank_(rank), format_(format) {}
  virtual ~GraphWriter() = default;

 protected:
  using Label = std::uint64_t;
  /// The end of an operation, or only its begin.
  struct Event {
    Label label;
    bool begun;
    double sum = 0;  ///< what the rank computes when it takes the request of a collective
  };
  using Events = std::vector<Event>;
  struct Node {
    OpKind kind;  ///< compute_after, send_after or recv_after; or a collective
    double amount = 0;
    std::uint64_t bytes = 0;
    Rank partner = 0;
    std::int64_t tag = 0;
    std::int32_t core = 0;
    const Operation* collective = nullptr;
  };

  /// Writes a node with the next label, from 1, which waits for these events.
  virtual void emit(Label label, const Node& node, const Events& after) = 0;
  /// Whether nodes can wait for the begin of another one. Where they cannot, what follows a message that does not block
  /// waits for what that waited for.
  virtual bool says_begins() const = 0;
  /// Whether the format has the collective itself; otherwise its messages are written.
  virtual bool says(const Operation& collective) const = 0;
  /// How much a node computes that stands for so many seconds of sleep.
  virtual double slept(const Operation& op) const = 0;

  void walk();
  const Trace& trace() const { return trace_; }
  Rank rank() const { return rank_; }
  [[noreturn]] void fail(const Operation& op, std::string_view why) const;

 private:
  void write(const Operation& op);
  void calculate(double amount);
  void check_message(const Operation& op) const;
  void message(const Operation& op);
  void post(const Operation& op);
  Events begin(const Operation& op);
  Event begin(const Node& node);
  Events required_by(const Operation& op);
  void strand(const Operation& op);
  void join();
  Events ends_of(const Operation& op);
  void wait_for(const Events& ends);
  void take(const Events& ends);
  void collective(const Operation& op);
  void messages_of(const Operation& op, const Events& before);
  Node message_node(OpKind kind, const Operation& op) const;
  std::int64_t message_tag(const Operation& op) const;
  std::int64_t collective_tag(const Operation& op);
  Label put(const Node& node, const Events& after) {
    emit(++labels_, node, after);
    return labels_;
  }

  const Trace& trace_;
  CollectiveChoice collectives_;
  Rank rank_;
  std::string format_;
  std::uint64_t index_ = 0;  ///< index of the present operation
  Label labels_ = 0;
  Events present_;  ///< what the next operation requires
  std::unordered_map<RequestHandle, std::deque<Event>> requests_;
  std::unordered_map<RequestHandle, Operation> persistent_;
  std::unordered_map<std::uint64_t, Label> strands_;      ///< since the last join, by their indices
  std::set<Label> open_;                                  ///< strands whose end no other strand requires
  std::unordered_map<std::int32_t, std::int64_t> calls_;  ///< number of collectives so far, by communicator
};

}  // namespace toroid::workloads
