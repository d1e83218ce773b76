// How a graph becomes a program, by an example: of the operations
//
//   l1: recv 8b from 1     l3: calc 100       l3 requires l1
//   l2: recv 8b from 2     l4: send 8b to 3   l4 requires l2, l4 requires l3
//
// l1 and l2 can begin: they are posted. Then nothing can begin, and all that is next (l3) requires l1: the program
// waits for l1, and computes. Now l4 is next and requires l2: the program waits for l2, and sends. With a second
// computation that requires l2 alone, the two would wait for different messages, and whichever comes first decides: no
// program says that, so all four and this one become strands.

#include "workloads/formats/goal/order.hpp"

#include <queue>
#include <set>

#include "workloads/formats/importing.hpp"

namespace toroid::workloads {
namespace {

using Number = std::uint32_t;  ///< the number of an operation of the rank

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

template <class Key>
using Least = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

template <class Key>
Key take(Least<Key>& queue) {
  const auto first = queue.top();
  queue.pop();
  return first;
}

/// A `calc 0` takes no time, and only says that others have ended.
bool is_join(const GoalOperation& op) {
  return op.kind == GoalOperation::Kind::calculate && op.amount == 0;
}

/// The operations so that each stands behind those that it requires, and else as in the file. Throws InputError if
/// there is no such order.
std::vector<Number> topological_order(const GoalSchedule& schedule, const std::string& path) {
  const Successors successors(schedule);
  const auto count = static_cast<Number>(schedule.operations.size());
  std::vector<Number> left(count), order;
  for (const auto& edge : schedule.requirements) ++left[edge.operation];
  Least<Number> next;
  for (Number i = 0; i < count; ++i)
    if (left[i] == 0) next.push(i);
  while (!next.empty()) {
    order.push_back(take(next));
    for (const auto& edge : successors.of(order.back()))
      if (--left[edge.to] == 0) next.push(edge.to);
  }
  const auto cycle = std::find_if(left.begin(), left.end(), [](Number n) { return n > 0; });
  if (cycle != left.end())
    core::fail_input_at(path, schedule.operations[static_cast<std::size_t>(cycle - left.begin())].line,
                        "found a cycle of requirements, expected an order in which operations can begin");
  return order;
}

Operation message_of(const GoalOperation& op, OpKind send, OpKind receive) {
  const bool sends = op.kind == GoalOperation::Kind::send;
  Operation message{.kind = sends ? send : receive, .comm = op.comm, .tag = op.tag, .bytes = op.amount};
  (sends ? message.to : message.from) = op.peer;
  return message;
}

/// Puts the operations of a rank in order. At any time those that are *placed* stand in the program; of the others
/// those are *next* whose requirements are all placed. All that the program has waited for, or computed, was required
/// by all that came after it: that is what makes the order say the same as the graph.
class GoalOrder {
 public:
  explicit GoalOrder(const GoalSchedule& schedule)
      : operations_(schedule.operations), successors_(schedule), states_(operations_.size()) {
    for (const auto& edge : schedule.requirements) ++states_[edge.operation].unplaced;
    for (const auto& op : operations_) has_wildcards_ = has_wildcards_ || op.peer == any_source || op.tag == any_tag;
  }

  /// Whether there is a program that says the same as the graph, which has no cycles.
  bool place_all() {
    std::vector<Number> first;
    for (Number i = 0; i < operations_.size(); ++i)
      if (states_[i].unplaced == 0) first.push_back(i);
    for (const auto i : first) come_next(i);
    while (is_program_) {
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
    return is_program_;
  }

  void add_to(CompactTrace& trace, Rank rank) const {
    for (const auto& [operation, line, requests] : program_) {
      auto op = operation;
      op.requests = requests;
      trace.add(rank, op, line);
    }
  }

 private:
  /// The most notes that an operation waits for a message: joins of joins of joins could fill the
  /// memory.
  static constexpr std::uint64_t most_waits = std::uint64_t{1} << 26U;

  struct State {
    Number unplaced = 0;  ///< requirements that are not placed
    /// Messages that must have ended before it begins; ascending, without those that had ended, when it is next.
    std::vector<Number> messages;
    std::size_t left = 0;  ///< how many of these messages have not ended
    /// When a message was posted; of one that is blocked, the last of those that it waits for.
    std::size_t instant = 0;
    std::size_t blocked_at = 0;  ///< the instant from which on it only waited for messages
    // What is known of a message:
    bool ended = false;  ///< the program has waited for it
    RequestHandle handle = no_handle;
    std::vector<Number> waiters;  ///< blocked operations that wait for it
  };

  /// All that it requires is placed.
  void come_next(Number i) {
    auto& waits = states_[i].messages;
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    std::erase_if(waits, [&](Number message) { return states_[message].ended; });
    if (is_join(operations_[i])) return place(i, waits);
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
    state.blocked_at = instant_;
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
    for (const auto& edge : successors_.of(i)) {
      if (edge.begun != begun) continue;
      auto& to = states_[edge.to];
      noted_ += messages.size();
      if (noted_ > most_waits) is_program_ = false;
      if (!is_program_) return;
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
    note_channel(i);
    const auto edges = successors_.of(i);
    auto posted = message_of(op, OpKind::isend, OpKind::irecv);
    if (std::any_of(edges.begin(), edges.end(), [](const auto& edge) { return !edge.begun; }))
      posted.request = states_[i].handle = handles_.give();
    states_[i].instant = instant_;
    add(posted, op.line);
    tell(i, true, {});
    tell(i, false, {i});
  }

  /// Messages of one channel are matched as they are posted. What a send leads to, which may end at once, comes before
  /// what stands behind it in the file, but in a program after all that could begin with the send.
  void note_channel(Number i) {
    const auto& op = operations_[i];
    const bool receives = op.kind == GoalOperation::Kind::receive, any = receives && has_wildcards_;
    const auto [last, is_new] =
        last_of_channel_.try_emplace({receives, any ? any_source : op.peer, any ? 0 : op.tag}, i);
    if (!is_new && last->second > i) is_program_ = false;
    last->second = i;
  }

  void place_calculation(Number i) {
    // What is blocked may be ready as well by now, and then a message comes first, and so does a computation that could
    // begin before, or at the same time and stands before.
    for (const auto other : blocked_)
      if (operations_[other].kind != GoalOperation::Kind::calculate || states_[other].instant != instant_ || other < i)
        is_program_ = false;
    add({.kind = OpKind::compute, .amount = static_cast<double>(operations_[i].amount)}, operations_[i].line);
    tell(i, true, {});
    ++instant_;
    tell(i, false, {});
  }

  /// Waits for the messages that all wait for, since nothing can begin.
  void wait() {
    const auto first = *blocked_.begin();
    const auto messages = messages_of_all();
    is_program_ = !messages.empty();
    if (!is_program_) return;
    std::vector<RequestHandle> handles;
    handles.reserve(messages.size());
    for (const auto message : messages) handles.push_back(states_[message].handle);
    add_wait(handles, operations_[first].line);
    handles_.take_back(handles);
    ++instant_;
    released_.clear();
    for (const auto message : messages) end(message);
    check_released();
  }

  /// Orders the computations that waited for the same messages: one that waited for longer may have begun before, and
  /// must stand before.
  void check_released() {
    std::sort(released_.begin(), released_.end());
    for (std::size_t k = 1; k < released_.size(); ++k)
      if (states_[released_[k]].blocked_at < states_[released_[k - 1]].blocked_at) is_program_ = false;
  }

  /// The messages that all blocked operations wait for. Only the one that waits for the fewest is asked: either it can
  /// begin after that, or nothing can, so no message is looked at again and again.
  std::vector<Number> messages_of_all() {
    auto messages = messages_left(by_left_.begin()->second);
    std::erase_if(messages, [&](Number m) { return states_[m].waiters.size() < blocked_.size(); });
    return messages;
  }

  /// The messages that a blocked operation waits for; forgets those that have ended.
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
      if (operations_[waiter].kind == GoalOperation::Kind::calculate) released_.push_back(waiter);
      ready(waiter);
    }
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
      program_.push_back({{.kind = OpKind::wait, .request = handles[0]}, line, {}});
    else
      program_.push_back({{.kind = OpKind::waitall}, line, handles});
  }

  /// Adds an operation when it is known what follows it.
  void add(const Operation& operation, std::uint64_t line) {
    flush();
    pending_ = {operation, line, {}};
    has_pending_ = true;
  }
  void flush() {
    if (has_pending_) program_.push_back(pending_);
    has_pending_ = false;
  }

  struct Placed {
    Operation operation;
    std::uint64_t line = 0;
    std::vector<RequestHandle> requests;
  };

  const std::vector<GoalOperation>& operations_;
  Successors successors_;
  std::vector<State> states_;
  Least<Number> messages_;  ///< messages that are next and can begin
  /// Computations that are next and can begin, each with the instant from which on it could; the earliest first.
  Least<std::pair<std::size_t, Number>> calculations_;
  std::set<Number> blocked_;                          ///< operations that are next and wait for messages
  std::set<std::pair<std::size_t, Number>> by_left_;  ///< blocked operations, with how many messages each waits for
  std::vector<Number> coming_;                        ///< operations that have just become next
  bool is_telling_ = false;
  std::size_t instant_ = 0;  ///< which computations and waits part
  std::uint64_t noted_ = 0;  ///< how often, that something waits for a message
  Handles handles_;
  std::vector<Number> released_;  ///< computations, by the last wait
  bool has_wildcards_ = false;
  std::map<std::tuple<bool, CommRank, std::int32_t>, Number> last_of_channel_;
  Placed pending_;
  bool has_pending_ = false, is_program_ = true;
  std::vector<Placed> program_;
};

/// The cpus of a rank, in ascending order.
std::set<std::int32_t> cpus_of(const GoalSchedule& schedule) {
  std::set<std::int32_t> all;
  for (const auto& op : schedule.operations) all.insert(op.cpu);
  return all;
}

/// Every operation is a strand, and the program waits for all of them.
void add_graph(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::vector<Number>& order) {
  std::vector<std::uint64_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  struct Required {
    std::vector<std::uint64_t> ended, begun;
  };
  std::vector<Required> required(order.size());
  const auto cpus = cpus_of(schedule);
  for (const auto& edge : schedule.requirements) {
    auto& of = required[edge.operation];
    (edge.begun ? of.begun : of.ended).push_back(places[edge.operation] - places[edge.required]);
  }
  for (const auto i : order) {
    const auto& goal = schedule.operations[i];
    auto op = message_of(goal, OpKind::send_after, OpKind::recv_after);
    if (goal.kind == GoalOperation::Kind::calculate)
      op = {.kind = OpKind::compute_after, .amount = static_cast<double>(goal.amount)};
    op.root = static_cast<CommRank>(std::distance(cpus.begin(), cpus.find(goal.cpu)));  // the core
    for (auto* distances : {&required[i].ended, &required[i].begun}) std::sort(distances->begin(), distances->end());
    op.after = required[i].ended;
    op.after_begin = required[i].begun;
    trace.add(rank, op, goal.line);
  }
  trace.add(rank, {.kind = OpKind::join}, schedule.operations[order.back()].line);
}

}  // namespace

void add_goal_rank(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path) {
  const auto topological = topological_order(schedule, path);
  GoalOrder program(schedule);
  if (cpus_of(schedule).size() <= 1 && program.place_all())
    program.add_to(trace, rank);
  else
    add_graph(trace, rank, schedule, topological);
}

}  // namespace toroid::workloads
