#include "workloads/formats/goal_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <queue>
#include <set>

#include "core/error.hpp"

namespace toroid::workloads {
namespace {

using Number = std::uint32_t;  ///< of an operation

/// So many waits for messages may be noted of a rank: joins of joins of joins could fill the memory.
constexpr std::size_t most_noted = std::size_t{1} << 26U;

/// The operations that each one leads to, in one list.
class Successors {
 public:
  explicit Successors(const GoalSchedule& schedule)
      : begins_(schedule.operations.size() + 1, 0), edges_(schedule.requirements.size()) {
    for (const auto& edge : schedule.requirements) ++begins_[edge.required + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    auto next = begins_;
    for (const auto& edge : schedule.requirements) edges_[next[edge.required]++] = {edge.operation, edge.begun};
  }

  struct Edge {
    Number to;
    bool begun;
  };
  std::span<const Edge> of(Number operation) const {
    return std::span(edges_).subspan(begins_[operation], begins_[operation + 1] - begins_[operation]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<Edge> edges_;
};

/// Whether the user says that what stands first in the file is to be waited for first, where the graph does not say.
bool is_file_order_allowed() {
  const char* order = std::getenv("TOROID_GOAL_ORDER");
  if (order == nullptr || *order == 0) return false;
  if (std::string_view(order) != "file")
    core::fail_input("TOROID_GOAL_ORDER: found '{}', expected file", core::excerpt(order));
  return true;
}

/// Puts the operations of a rank in order. At any time those that are *placed* stand in the program; of the others
/// those are *next* whose requirements are all placed. All that the program has waited for, or computed, was required
/// by all that came after it: that is what makes the order say the same as the graph.
class GoalOrder {
 public:
  GoalOrder(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path)
      : trace_(trace),
        rank_(rank),
        operations_(schedule.operations),
        path_(path),
        in_file_order_(is_file_order_allowed()),
        successors_(schedule),
        states_(operations_.size()) {
    for (const auto& edge : schedule.requirements) ++states_[edge.operation].unplaced;
  }

  void place_all() {
    std::vector<Number> first;
    for (Number i = 0; i < operations_.size(); ++i)
      if (states_[i].unplaced == 0) first.push_back(i);
    for (const auto i : first) come_next(i);
    while (true) {
      if (!messages_.empty())
        place_message(take(messages_));
      else if (!calculations_.empty())
        place_calculation(take(calculations_).second);
      else if (!blocked_.empty())
        wait();
      else
        break;
    }
    flush();
    const auto left = std::find_if(states_.begin(), states_.end(), [](const State& s) { return !s.placed; });
    if (left != states_.end())
      fail(static_cast<Number>(left - states_.begin()),
           "found a cycle of requirements, expected an order in which operations can begin");
  }

 private:
  template <class Key>
  using Least = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

  struct State {
    Number unplaced = 0;  ///< requirements that are not placed
    bool placed = false;
    /// Messages that must have ended before it begins; ascending, without those that had ended, when it is next.
    std::vector<Number> messages;
    std::size_t left = 0;  ///< of those; have not ended
    /// When a message was posted; of one that is blocked, the last of those that it waits for.
    std::size_t instant = 0;
    // Of a message:
    bool ended = false;  ///< the program has waited for it
    RequestHandle handle = no_handle;
    std::vector<Number> waiters;  ///< blocked operations that wait for it
  };

  template <class Key>
  static Key take(Least<Key>& queue) {
    const auto first = queue.top();
    queue.pop();
    return first;
  }

  /// A `calc 0` takes no time, and only says that others have ended.
  bool is_join(Number i) const {
    return operations_[i].kind == GoalOperation::Kind::calculate && operations_[i].amount == 0;
  }

  /// All that it requires is placed.
  void come_next(Number i) {
    auto& waits = states_[i].messages;
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    std::erase_if(waits, [&](Number message) { return states_[message].ended; });
    if (is_join(i)) return place(i, waits);
    waits.empty() ? ready(i) : block(i);
  }

  void ready(Number i) {
    if (operations_[i].kind == GoalOperation::Kind::calculate)
      calculations_.emplace(instant_, i);
    else
      messages_.push(i);
  }

  void block(Number i) {
    auto& state = states_[i];
    state.left = state.messages.size();
    for (const auto message : state.messages) {
      states_[message].waiters.push_back(i);
      state.instant = std::max(state.instant, states_[message].instant);
    }
    blocked_.insert(i);
  }

  /// All that require it may go on when these messages have ended.
  void place(Number i, const std::vector<Number>& messages) {
    tell(i, true, messages);
    tell(i, false, messages);
  }

  /// Tells those that require that it has begun, or ended, for which messages they have to wait for that.
  void tell(Number i, bool begun, const std::vector<Number>& messages) {
    states_[i].placed = true;
    for (const auto& edge : successors_.of(i)) {
      if (edge.begun != begun) continue;
      auto& to = states_[edge.to];
      noted_ += messages.size();
      if (noted_ > most_noted) fail(edge.to, "found a schedule in which too much waits for too many messages at once");
      to.messages.insert(to.messages.end(), messages.begin(), messages.end());
      if (--to.unplaced == 0) coming_.push_back(edge.to);
    }
    // Joins lead to joins: a list of what is to be done instead of calls within calls.
    if (is_telling_) return;
    is_telling_ = true;
    while (!coming_.empty()) {
      const auto next = coming_.back();
      coming_.pop_back();
      come_next(next);
    }
    is_telling_ = false;
  }

  void place_message(Number i) {
    const auto& op = operations_[i];
    const bool sends = op.kind == GoalOperation::Kind::send;
    const auto edges = successors_.of(i);
    Operation posted{.kind = sends ? OpKind::isend : OpKind::irecv, .comm = op.comm, .tag = op.tag, .bytes = op.amount};
    (sends ? posted.to : posted.from) = op.peer;
    if (std::any_of(edges.begin(), edges.end(), [](const auto& edge) { return !edge.begun; }))
      posted.request = states_[i].handle = new_handle();
    states_[i].instant = instant_;
    add(posted, op.line);
    tell(i, true, {});
    tell(i, false, {i});
  }

  void place_calculation(Number i) {
    // What is blocked by nothing but older messages may be ready as well by now: which of the two is first?
    if (!in_file_order_)
      for (const auto other : blocked_)
        if (states_[other].instant != instant_) fail_order(i, other);
    add({.kind = OpKind::compute, .amount = static_cast<double>(operations_[i].amount)}, operations_[i].line);
    tell(i, true, {});
    ++instant_;
    tell(i, false, {});
  }

  /// Nothing can begin: waits for the messages that all wait for.
  void wait() {
    const auto first = *blocked_.begin();
    std::vector<Number> messages;
    const auto add_those = [&](std::size_t waiters) {
      for (const auto message : states_[first].messages)
        if (!states_[message].ended && states_[message].waiters.size() >= waiters) messages.push_back(message);
    };
    add_those(blocked_.size());
    if (messages.empty() && !in_file_order_) fail_order(first, one_that_waits_for_others(first));
    if (messages.empty()) add_those(1);
    std::vector<RequestHandle> handles;
    for (const auto message : messages) handles.push_back(states_[message].handle);
    add_wait(handles, operations_[first].line);
    free_.insert(free_.end(), handles.begin(), handles.end());
    ++instant_;
    for (const auto message : messages) end(message);
  }

  void end(Number message) {
    states_[message].ended = true;
    for (const auto waiter : states_[message].waiters) {
      if (--states_[waiter].left > 0) continue;
      blocked_.erase(waiter);
      ready(waiter);
    }
  }

  /// One that is blocked, but not by all messages that this one waits for.
  Number one_that_waits_for_others(Number i) const {
    for (const auto message : states_[i].messages) {
      if (states_[message].ended) continue;
      for (const auto other : blocked_)
        if (!std::ranges::binary_search(states_[other].messages, message)) return other;
    }
    return i;
  }

  RequestHandle new_handle() {
    if (free_.empty()) return handles_++;
    const auto handle = free_.back();
    free_.pop_back();
    return handle;
  }

  /// A message that is waited for at once blocks.
  void add_wait(const std::vector<RequestHandle>& handles, std::uint64_t line) {
    auto& last = pending_.operation;
    if (handles.size() == 1 && has_pending_ && last.request == handles[0]) {
      last.kind = last.kind == OpKind::isend ? OpKind::send : OpKind::recv;
      last.request = no_handle;
      return flush();
    }
    flush();
    if (handles.size() == 1)
      trace_.add(rank_, {.kind = OpKind::wait, .request = handles[0]}, line);
    else
      trace_.add(rank_, {.kind = OpKind::waitall, .requests = handles}, line);
  }

  /// Adds an operation when it is known what follows it.
  void add(const Operation& operation, std::uint64_t line) {
    flush();
    pending_ = {operation, line};
    has_pending_ = true;
  }
  void flush() {
    if (has_pending_) trace_.add(rank_, pending_.operation, pending_.line);
    has_pending_ = false;
  }

  [[noreturn]] void fail_order(Number a, Number b) const {
    fail(a, fmt::format(
                "found an operation that begins before or after the one on line {}, as messages come, expected one "
                "order: a program cannot say that (TOROID_GOAL_ORDER=file takes that of the file)",
                operations_[b].line));
  }
  [[noreturn]] void fail(Number i, std::string_view text) const {
    core::fail_input_at(path_, operations_[i].line, "{}", text);
  }

  struct Pending {
    Operation operation;
    std::uint64_t line = 0;
  };

  CompactTrace& trace_;
  Rank rank_;
  const std::vector<GoalOperation>& operations_;
  const std::string& path_;
  bool in_file_order_;  ///< where the graph leaves an order open
  Successors successors_;
  std::vector<State> states_;
  Least<Number> messages_;  ///< that are next and can begin
  /// The same, those first that could begin before: with the instant at which they could.
  Least<std::pair<std::size_t, Number>> calculations_;
  std::set<Number> blocked_;    ///< that are next and wait for messages
  std::vector<Number> coming_;  ///< that have just become next
  bool is_telling_ = false;
  std::size_t instant_ = 0;  ///< which computations and waits part
  std::size_t noted_ = 0;
  std::vector<RequestHandle> free_;
  RequestHandle handles_ = 0;
  Pending pending_;
  bool has_pending_ = false;
};

}  // namespace

void add_goal_program(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path) {
  GoalOrder(trace, rank, schedule, path).place_all();
}

}  // namespace toroid::workloads
