// How a graph becomes a program, by an example: of the operations
//
//   l1: recv 8b from 1     l3: calc 100       l3 requires l1
//   l2: recv 8b from 2     l4: send 8b to 3   l4 requires l2, l4 requires l3
//
// l1 and l2 can begin: they are posted. Then nothing can begin, and all that is next (l3) requires l1: the program
// waits for l1, and computes. Now l4 is next and requires l2: the program waits for l2, and sends. With a second
// computation that requires l2 alone, the two would wait for different messages, and whichever comes first decides: no
// program says that, so all four and this one become strands.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "workloads/formats/graph/order.hpp"
#include "workloads/formats/importing.hpp"

namespace toroid::workloads {
namespace {

using Number = std::uint32_t;  ///< the number of an operation of the rank
using Successors = GraphSuccessors;

/// A `calc 0` takes no time, and only says that others have ended.
bool is_join(const Operation& op) {
  return op.kind == OpKind::compute_after && op.amount == 0 && op.touched() == 0;
}

/// Puts the operations of a rank in order. At any time those that are *placed* stand in the program; of the others
/// those are *next* whose requirements are all placed. All that the program has waited for, or computed, was required
/// by all that came after it: that is what makes the order say the same as the graph.
class GraphOrder {
 public:
  explicit GraphOrder(const RankGraph& schedule)
      : operations_(schedule.operations),
        successors_(operations_.size(), schedule.requirements),
        states_(operations_.size()) {
    for (const auto& edge : schedule.requirements) ++states_[edge.operation].unplaced;
    for (const auto& [op, line] : operations_)
      has_wildcards_ = has_wildcards_ || op.from == any_source || op.tag == any_tag;
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
    for (const auto& placed : program_) trace.add(rank, placed.shown(), placed.line);
  }

 private:
  /// The most notes that an operation waits for a message: joins of joins of joins could fill the memory.
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
    if (is_join(operations_[i].strand)) return place(i, waits);
    waits.empty() ? ready(i) : block(i);
  }

  bool is_calculation(Number i) const { return operations_[i].strand.kind == OpKind::compute_after; }

  void ready(Number i) {
    if (is_calculation(i))
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
    note_channel(i);
    const auto edges = successors_.of(i);
    auto posted = operations_[i].strand;
    posted.kind = posted.kind == OpKind::send_after ? OpKind::isend : OpKind::irecv;
    posted.root = 0;
    if (std::any_of(edges.begin(), edges.end(), [](const auto& edge) { return !edge.begun; }))
      posted.request = states_[i].handle = handles_.give();
    states_[i].instant = instant_;
    add(posted, operations_[i].line);
    tell(i, true, {});
    tell(i, false, {i});
  }

  /// Messages of one channel are matched as they are posted. What a send leads to, which may end at once, comes before
  /// what stands behind it in the file, but in a program after all that could begin with the send.
  void note_channel(Number i) {
    const auto& op = operations_[i].strand;
    const bool receives = op.kind == OpKind::recv_after, any = receives && has_wildcards_;
    const auto partner = any ? any_source : receives ? op.from : op.to;
    const auto [last, is_new] = last_of_channel_.try_emplace({receives, partner, any ? 0 : op.tag}, i);
    if (!is_new && last->second > i) is_program_ = false;
    last->second = i;
  }

  void place_calculation(Number i) {
    // What is blocked may be ready as well by now, and then a message comes first, and so does a computation that could
    // begin before, or at the same time and stands before.
    for (const auto other : blocked_)
      if (!is_calculation(other) || states_[other].instant != instant_ || other < i) is_program_ = false;
    add({.kind = OpKind::compute, .amount = operations_[i].strand.amount}, operations_[i].line);
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
    auto& left = states_[by_left_.begin()->second].messages;
    std::erase_if(left, [&](Number message) { return states_[message].ended; });
    auto messages = left;
    std::erase_if(messages, [&](Number m) { return states_[m].waiters.size() < blocked_.size(); });
    return messages;
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
      if (is_calculation(waiter)) released_.push_back(waiter);
      ready(waiter);
    }
  }

  /// A message that is waited for at once blocks.
  void add_wait(const std::vector<RequestHandle>& handles, std::uint64_t line) {
    if (handles.size() == 1 && pending_ && pending_->operation.request == handles[0]) {
      auto& last = pending_->operation;
      last.kind = last.kind == OpKind::isend ? OpKind::send : OpKind::recv;
      last.request = no_handle;
      return flush();
    }
    flush();
    if (handles.size() == 1)
      program_.push_back({{.kind = OpKind::wait, .request = handles[0]}, line});
    else
      program_.push_back({{.kind = OpKind::waitall, .requests = handles}, line});
  }

  /// Adds an operation when it is known what follows it.
  void add(const Operation& operation, std::uint64_t line) {
    flush();
    pending_.emplace(operation, line);
  }
  void flush() {
    if (const auto last = std::exchange(pending_, {})) program_.push_back(*last);
  }

  struct Placed : HeldOperation {
    Placed(const Operation& op, std::uint64_t at_line) : HeldOperation(op), line(at_line) {}
    std::uint64_t line;
  };

  const std::vector<GraphOperation>& operations_;
  Successors successors_;
  std::vector<State> states_;
  Least<Number> messages_;  ///< messages that are next and can begin
  /// Computations that are next and can begin, each with the instant from which on it could; the earliest first.
  Least<std::pair<std::size_t, Number>> calculations_;
  std::set<Number> blocked_;                          ///< operations that are next and wait for messages
  std::set<std::pair<std::size_t, Number>> by_left_;  ///< blocked operations, with how many messages each waits for
  std::vector<Number> coming_;                        ///< operations that have just become next
  bool is_telling_ = false;
  std::size_t instant_ = 0;  ///< the number of the instant; computations and waits part instants
  std::uint64_t noted_ = 0;  ///< how often, that something waits for a message
  Handles handles_;
  std::vector<Number> released_;  ///< computations, by the last wait
  bool has_wildcards_ = false;
  std::map<std::tuple<bool, CommRank, std::int32_t>, Number> last_of_channel_;
  std::optional<Placed> pending_;  ///< an operation of which it is not known yet what follows it
  bool is_program_ = true;
  std::vector<Placed> program_;
};

/// Whether the operation has a part of a cpu.
bool is_on_cpu(const Operation& op) {
  return !is_collective(op.kind) && !is_join(op);
}

/// The cpus of a rank, in ascending order.
std::set<std::int32_t> cpus_of(const RankGraph& schedule) {
  std::set<std::int32_t> all;
  for (const auto& op : schedule.operations)
    if (is_on_cpu(op.strand)) all.insert(op.strand.root);
  return all;
}

/// Whether a rank has what computations and messages of a program cannot say.
bool needs_strands(const RankGraph& schedule) {
  return std::ranges::any_of(schedule.operations,
                             [](const auto& op) { return is_collective(op.strand.kind) || op.strand.touched() > 0; });
}

/// Every operation is a strand, and the program waits for all of them.
void add_graph(CompactTrace& trace, Rank rank, const RankGraph& schedule, const std::vector<Number>& order) {
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
    auto [op, line] = schedule.operations[i];
    if (is_on_cpu(op))
      op.root = static_cast<CommRank>(std::distance(cpus.begin(), cpus.find(op.root)));
    else if (is_join(op))
      op.root = 0;
    for (auto* distances : {&required[i].ended, &required[i].begun}) std::sort(distances->begin(), distances->end());
    op.after = required[i].ended;
    op.after_begin = required[i].begun;
    trace.add(rank, op, line);
  }
  trace.add(rank, {.kind = OpKind::join}, schedule.operations[order.back()].line);
}

}  // namespace

void add_graph_rank(CompactTrace& trace, Rank rank, const RankGraph& schedule, const std::string& path) {
  const auto order = topological_order(schedule, path);
  GraphOrder program(schedule);
  if (!needs_strands(schedule) && cpus_of(schedule).size() <= 1 && program.place_all())
    program.add_to(trace, rank);
  else
    add_graph(trace, rank, schedule, order);
}

}  // namespace toroid::workloads
