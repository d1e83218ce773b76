#include "workloads/formats/goal_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <queue>
#include <set>
#include <span>

#include "core/error.hpp"
#include "core/text.hpp"
#include "workloads/formats/handles.hpp"

namespace toroid::workloads {
namespace {

using Number = std::uint32_t;  ///< of an operation

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

/// Puts the operations of a rank in order. At any time those that are *placed* stand in the program; of the others
/// those are *next* whose requirements are all placed. All that the program has waited for, or computed, was required
/// by all that came after it: that is what makes the order say the same as the graph.
class GoalOrder {
 public:
  GoalOrder(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path,
            const GoalOrderOptions& options)
      : trace_(trace),
        rank_(rank),
        operations_(schedule.operations),
        path_(path),
        options_(options),
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
    by_left_.emplace(state.left, i);
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
      if (noted_ > options_.most_waits)
        fail(edge.to,
             fmt::format("found that operations wait for messages more than {0} times, expected at most {0}; a "
                         "higher TOROID_GOAL_WAITS accepts more",
                         options_.most_waits));
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
      posted.request = states_[i].handle = handles_.give();
    states_[i].instant = instant_;
    add(posted, op.line);
    tell(i, true, {});
    tell(i, false, {i});
  }

  void place_calculation(Number i) {
    // What is blocked by nothing but older messages may be ready as well by now: which of the two is first?
    if (!options_.in_file_order)
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
    auto messages = messages_of_all();
    if (messages.empty() && !options_.in_file_order) fail_order(first, one_that_waits_for_others(first));
    if (messages.empty()) messages = messages_left(first);
    std::vector<RequestHandle> handles;
    for (const auto message : messages) handles.push_back(states_[message].handle);
    add_wait(handles, operations_[first].line);
    handles_.take_back(handles);
    ++instant_;
    for (const auto message : messages) end(message);
  }

  /// That all that are blocked wait for. Only the one that waits for the fewest is asked: either it can begin after
  /// that, or nothing can, so no message is looked at again and again.
  std::vector<Number> messages_of_all() {
    auto messages = messages_left(by_left_.begin()->second);
    std::erase_if(messages, [&](Number m) { return states_[m].waiters.size() < blocked_.size(); });
    return messages;
  }

  /// That one which is blocked waits for; forgets those that have ended.
  const std::vector<Number>& messages_left(Number i) {
    std::erase_if(states_[i].messages, [&](Number message) { return states_[message].ended; });
    return states_[i].messages;
  }

  void end(Number message) {
    states_[message].ended = true;
    for (const auto waiter : states_[message].waiters) {
      auto& left = states_[waiter].left;
      by_left_.erase({left, waiter});
      if (--left > 0) {
        by_left_.emplace(left, waiter);
        continue;
      }
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
  const GoalOrderOptions& options_;
  Successors successors_;
  std::vector<State> states_;
  Least<Number> messages_;  ///< that are next and can begin
  /// The same, those first that could begin before: with the instant at which they could.
  Least<std::pair<std::size_t, Number>> calculations_;
  std::set<Number> blocked_;                          ///< that are next and wait for messages
  std::set<std::pair<std::size_t, Number>> by_left_;  ///< the same, those first that wait for the fewest
  std::vector<Number> coming_;                        ///< that have just become next
  bool is_telling_ = false;
  std::size_t instant_ = 0;  ///< which computations and waits part
  std::uint64_t noted_ = 0;  ///< how often, that something waits for a message
  Handles handles_;
  Pending pending_;
  bool has_pending_ = false;
};

}  // namespace

GoalOrderOptions goal_order_options() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  GoalOrderOptions options;
  const auto order = variable("TOROID_GOAL_ORDER"), waits = variable("TOROID_GOAL_WAITS");
  if (!order.empty() && order != "file")
    core::fail_input("TOROID_GOAL_ORDER: found '{}', expected file", core::excerpt(order));
  options.in_file_order = !order.empty();
  if (waits.empty()) return options;
  const auto number = core::parse_number<std::uint64_t>(waits);
  if (!number) core::fail_input("TOROID_GOAL_WAITS: found '{}', expected a whole number", core::excerpt(waits));
  options.most_waits = *number;
  return options;
}

void add_goal_program(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path,
                      const GoalOrderOptions& options) {
  GoalOrder(trace, rank, schedule, path, options).place_all();
}

}  // namespace toroid::workloads
