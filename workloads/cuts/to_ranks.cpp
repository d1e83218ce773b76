#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "workloads/cut.hpp"
#include "workloads/cuts/copied_trace.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {
namespace {

class RankCutter {
 public:
  RankCutter(const Trace& trace, const std::vector<Rank>& ranks)
      : trace_(trace),
        ranks_(ranks),
        number_(trace.ranks(), no_process),
        copy_(static_cast<std::int32_t>(ranks.size()), trace) {
    TOROID_ASSERT(std::ranges::is_sorted(ranks, std::less_equal()));
    CommRank next = 0;
    for (const Rank rank : ranks) number_.at(rank) = next++;
  }

  RankCut cut() {
    note_messages_from_outside();
    for (const Rank rank : ranks_) cut(rank);
    result_.trace = copy_.finish();
    return std::move(result_);
  }

 private:
  bool is_left(Rank rank) const { return number_[rank] != no_process; }

  /// The communicator without the ranks that are not left; these have their new numbers.
  Communicator narrowed(CommId comm) const {
    const auto& all = trace_.communicator(comm);
    std::vector<Rank> members;
    for (CommRank member = 0; member < all.size(); ++member)
      if (is_left(all.member(member))) members.push_back(Rank(number_[all.member(member)]));
    return Communicator(std::move(members));
  }

  /// For each member its number in the narrowed communicator, or no_process.
  const std::vector<CommRank>& numbers_in(CommId comm) {
    const auto [entry, is_new] = numbers_.try_emplace(comm);
    if (is_new) {
      const auto& all = trace_.communicator(comm);
      CommRank next = 0;
      for (CommRank member = 0; member < all.size(); ++member)
        entry->second.push_back(is_left(all.member(member)) ? next++ : no_process);
    }
    return entry->second;
  }
  CommRank narrow(CommId comm, CommRank member) {
    return member < 0 ? member : numbers_in(comm)[static_cast<std::size_t>(member)];
  }

  void note_messages_from_outside() {
    for (const Rank rank : number_.ids()) {
      if (is_left(rank)) continue;
      const auto stream = trace_.open(rank);
      for (Operation op; stream->next(op);)
        if ((is_send(op.kind) || op.kind == OpKind::send_init) && narrow(op.comm, op.to) >= 0)
          from_outside_.emplace(op.comm, op.to, op.tag);
    }
  }

  bool could_get_from_outside(const Operation& op, CommRank me) const {
    if (op.tag != any_tag) return from_outside_.contains({op.comm, me, op.tag});
    const auto first = from_outside_.lower_bound({op.comm, me, any_tag});
    return first != from_outside_.end() && std::get<0>(*first) == op.comm && std::get<1>(*first) == me;
  }

  void cut(Rank rank) {
    const auto needed = handles_needed(rank);
    persistent_.clear();
    const auto stream = trace_.open(rank);
    std::uint64_t index = 0;
    for (Operation op; stream->next(op); ++index) {
      refuse_graph(trace_, rank, index, op);
      if (is_point_to_point(op.kind))
        message(rank, op, index, needed);
      else if (is_collective(op.kind))
        collective(rank, op, needed);
      else if (op.kind == OpKind::put)
        put(rank, op);
      else
        other(rank, op, needed);
    }
  }

  /// Handles that some request with a rank that is left has, or that a wait for any of several names. A request of
  /// another rank that has such a handle too becomes one with no process, which has ended at once; those with handles
  /// of their own go, and so do their waits.
  std::unordered_set<RequestHandle> handles_needed(Rank rank) {
    std::unordered_set<RequestHandle> needed;
    const auto stream = trace_.open(rank);
    for (Operation op; stream->next(op);) {
      if (op.kind == OpKind::waitany || op.kind == OpKind::waitsome)
        needed.insert(op.requests.begin(), op.requests.end());
      const bool gives = is_point_to_point(op.kind) || is_collective(op.kind);
      if (gives && op.request != no_handle && !is_outside(op)) needed.insert(op.request);
    }
    return needed;
  }

  /// Whether nothing of it is left: its partner, or its root, is not.
  bool is_outside(const Operation& op) {
    const auto gone = [&](CommRank member) { return member >= 0 && narrow(op.comm, member) == no_process; };
    if (is_collective(op.kind)) return has_root(op.kind) && gone(op.root);
    if (op.kind == OpKind::sendrecv) return gone(op.to) && gone(op.from);
    return is_receive(op.kind) ? gone(op.from) : gone(op.to);
  }

  void message(Rank rank, Operation op, std::uint64_t index, const std::unordered_set<RequestHandle>& needed) {
    const bool takes = is_receive(op.kind) || op.kind == OpKind::sendrecv;
    if (takes && op.from == any_source && could_get_from_outside(op, trace_.communicator(op.comm).rank_of(rank)))
      core::fail_input(
          "{}: rank {}: {} from any source: found a message from a rank that is left out that fits, "
          "expected none, as only a run tells which message it gets",
          trace_.locate(rank, index), rank, to_string(op.kind));
    const bool goes_out = !is_receive(op.kind) && op.to >= 0 && narrow(op.comm, op.to) == no_process;
    if (is_persistent_init(op.kind)) persistent_.erase(op.request);
    if (op.kind == OpKind::send_init && goes_out)
      persistent_[op.request] = op.bytes;
    else if (goes_out)
      leave_out_message(op.bytes);
    if (is_outside(op) && (op.request == no_handle || !needed.contains(op.request))) return;
    if (!is_receive(op.kind)) op.to = narrow(op.comm, op.to);
    if (takes) op.from = narrow(op.comm, op.from);
    add(rank, op);
  }

  void put(Rank rank, Operation op) {
    if (is_outside(op)) return leave_out_message(op.bytes);
    op.to = narrow(op.comm, op.to);
    add(rank, op);
  }

  void leave_out_message(std::uint64_t bytes) {
    ++result_.messages;
    result_.bytes += bytes;
  }
  void count_start(RequestHandle handle) {
    const auto found = persistent_.find(handle);
    if (found != persistent_.end()) leave_out_message(found->second);
  }

  void collective(Rank rank, Operation op, const std::unordered_set<RequestHandle>& needed) {
    if (is_outside(op)) {
      ++result_.collectives;
      if (op.request != no_handle && needed.contains(op.request))
        add(rank, {.kind = OpKind::isend, .to = no_process, .request = op.request});
      return;
    }
    if (has_root(op.kind)) op.root = narrow(op.comm, op.root);
    const auto sends = counts_left(op.comm, op.send_counts), receives = counts_left(op.comm, op.recv_counts);
    op.send_counts = sends;
    op.recv_counts = receives;
    add(rank, op);
  }

  std::vector<std::uint64_t> counts_left(CommId comm, std::span<const std::uint64_t> counts) {
    std::vector<std::uint64_t> left;
    const auto& numbers = numbers_in(comm);
    for (std::size_t member = 0; member < counts.size(); ++member)
      if (numbers[member] >= 0) left.push_back(counts[member]);
    return left;
  }

  /// Computations, and what takes or starts requests.
  void other(Rank rank, Operation op, const std::unordered_set<RequestHandle>& needed) {
    if (op.kind == OpKind::start) count_start(op.request);
    if (op.kind == OpKind::startall)
      for (const auto handle : op.requests) count_start(handle);
    if (op.request != no_handle && !needed.contains(op.request)) return;
    std::vector<RequestHandle> handles;
    for (const auto handle : op.requests)
      if (needed.contains(handle)) handles.push_back(handle);
    if (!op.requests.empty() && handles.empty()) return;
    op.requests = handles;
    add(rank, op);
  }

  void add(Rank rank, const Operation& op) {
    copy_.add(Rank(number_[rank]), op, [&](CommId comm) { return narrowed(comm); });
  }

  const Trace& trace_;
  const std::vector<Rank>& ranks_;
  core::IdVector<Rank, CommRank> number_;  ///< in the cut; no_process: not in it
  std::unordered_map<CommId, std::vector<CommRank>> numbers_;
  std::set<std::tuple<CommId, CommRank, std::int32_t>> from_outside_;  ///< receiver and tag of what is sent in there
  std::unordered_map<RequestHandle, std::uint64_t> persistent_;        ///< bytes of sends of the rank that go out
  CopiedTrace copy_;
  RankCut result_;
};

}  // namespace

RankCut cut_to_ranks(const Trace& trace, const std::vector<Rank>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].value() >= trace.ranks())
      core::fail_input("found rank {}, expected a rank below {}: the trace has {} ranks", ranks[i], trace.ranks(),
                       trace.ranks());
    TOROID_ASSERT(i == 0 || ranks[i - 1] < ranks[i]);
  }
  return RankCutter(trace, ranks).cut();
}

}  // namespace toroid::workloads
