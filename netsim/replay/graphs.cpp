// Graphs: operations that begin by themselves when others have ended, as strands beside the program of their rank.

#include "netsim/replay/complaints.hpp"
#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

/// Adds the operation of a graph that is the current one. It begins by itself when what it requires has ended.
void Replay::Ranks::add_strand(State& state) {
  const auto& op = state.operation;
  const bool sends = op.kind == OpKind::send_after, computes = op.kind == OpKind::compute_after,
             is_message = workloads::is_point_to_point(op.kind);
  const auto other = is_message ? partner(op, sends ? op.to : op.from) : Partner{0, 0, 0};
  const auto index = state.next_operation - 1;
  const auto id = strands_.add({.rank = state.rank,
                                .operation = index,
                                .tag = other.tag,
                                .context = other.context,
                                .history = state.history,
                                .since = now(),
                                .kind = op.kind,
                                .mode = op.mode,
                                .partner = other.rank,
                                .bytes = op.bytes,
                                .seconds = computes ? seconds_of(op) : 0,
                                .core = workloads::is_strand(op.kind) ? static_cast<std::uint32_t>(op.root) : 0});
  if (!is_message && !computes) begin_collective(state, id);
  auto& cores = state.graph.others;
  cores.resize(std::max(cores.size(), static_cast<std::size_t>(strands_[id].core)));
  const auto pending =
      require(state, id, op.after, &Strand::after) + require(state, id, op.after_begin, &Strand::after_begin);
  strands_[id].pending = pending;
  state.graph.strands.try_emplace(index, id);
  if (pending == 0) begin_strand(id);
  begin_strands(state);
}

/// Enters the strand in the lists of those that it has to wait for. Returns how many.
std::size_t Replay::Ranks::require(const State& state, StrandId id, std::span<const std::uint64_t> distances,
                                   std::vector<StrandId> Strand::*waiters) {
  const auto index = state.next_operation - 1;
  std::size_t pending = 0;
  for (const auto distance : distances) {
    if (distance > index)
      fail_operation(
          trace_, state.rank, index,
          fmt::format(": begins after the operation {} before it, but the rank has only {} there", distance, index));
    const auto* other = state.graph.strands.find(index - distance);
    if (other == nullptr || (waiters == &Strand::after_begin && strands_[*other].begun)) continue;
    (strands_[*other].*waiters).push_back(id);
    ++pending;
  }
  return pending;
}

/// What had come to its history at `since` goes on now, with that of what it has waited for.
void Replay::Ranks::go_on_with(History& history, const Time& since, const History& other) {
  charges_.meet(history, since, {now(), other.charged}, now());
  history.follow(other);
}

/// One of the strands that this one requires has ended, or begun.
void Replay::Ranks::satisfy(StrandId id, const History& history) {
  auto& strand = strands_[id];
  go_on_with(strand.history, strand.since, history);
  strand.since = now();
  if (--strand.pending == 0) begin_strand(id);
}

/// The strand begins as soon as its core does not compute; a collective whatever cores do. What takes no time only says
/// that others have ended.
void Replay::Ranks::begin_strand(StrandId id) {
  const auto& strand = strands_[id];
  auto& graph = state_of(strand.rank).graph;
  auto& core = strand.lanes.empty() ? graph.core(strand.core) : graph.collectives;
  if (strand.kind != OpKind::compute_after)
    core.messages.emplace(strand.operation, id);
  else if (strand.seconds > 0)
    core.computations.emplace(now(), strand.operation, id);
  else
    end_strand(id);
}

/// Lets begin what can: first messages, in their order on all cores that do not compute, and computations only while
/// the program has nothing to do.
void Replay::Ranks::begin_strands(State& state) {
  auto& graph = state.graph;
  const auto take = [](auto& queue) {
    const auto id = std::get<StrandId>(queue.top());
    queue.pop();
    return id;
  };
  const auto is_free = [&](const GraphCore& core) {
    return !(&core == &graph.first ? state.computing : core.computing);
  };
  for (bool any = true; any;) {
    any = false;
    GraphCore* next = is_free(graph.first) && !graph.first.messages.empty() ? &graph.first : nullptr;
    const auto consider = [&](GraphCore& core) {
      if (is_free(core) && !core.messages.empty() && (!next || core.messages.top() < next->messages.top()))
        next = &core;
    };
    for (auto& core : graph.others) consider(core);
    consider(graph.collectives);
    if (next != nullptr) {
      any = true;
      const auto id = take(next->messages);
      wait_for(*next, strands_[id].history, strands_[id].since);
      strands_[id].lanes.empty() ? post_strand(id) : begin_lanes(id);
      continue;
    }
    for (std::uint32_t number = 0; number <= graph.others.size() && !state.running; ++number) {
      auto& core = graph.core(number);
      if (!is_free(core) || core.computations.empty()) continue;
      any = true;
      const auto id = take(core.computations);
      const bool is_own = id == no_strand;
      wait_for(core, is_own ? state.history : strands_[id].history, is_own ? state.ready : strands_[id].since);
      is_own ? end_block(state) : begun(id);
      occupy(state, is_own ? graph.own_seconds : strands_[id].seconds, id);
      break;  // messages that could only begin with it come before other computations
    }
  }
  if (state.running || !graph.joining || graph.strands.size() > 0) return;
  graph.joining = false;
  end_block(state);
  go_on_with(state.history, state.ready, graph.last);
  advance(state);
}

/// What was to begin at `since` begins now: it has waited for what the core computed last, too.
void Replay::Ranks::wait_for(const GraphCore& core, History& history, const Time& since) {
  charges_.meet(history, since, {core.computed_at, core.computed.charged}, now());
  if (core.computed_at > since) history.follow(core.computed);
}

/// Tells the strands that only require the begin of this one.
void Replay::Ranks::begun(StrandId id) {
  strands_[id].begun = true;
  strands_[id].since = now();
  for (const auto other : std::exchange(strands_[id].after_begin, {})) satisfy(other, strands_[id].history);
}

/// Lets the strand's message be sent, or waited for, from now on.
void Replay::Ranks::post_strand(StrandId id) {
  begun(id);
  const auto& strand = strands_[id];
  auto& state = state_of(strand.rank);
  const Partner other{strand.partner, strand.tag, strand.context};
  const auto history = strand.history;
  const auto request = strand.kind == OpKind::send_after ? send(state, other, strand.bytes, strand.mode, history, id)
                                                         : receive(state, other, history, id);
  if (strands_[id].kind == OpKind::recv_after)
    charges_.meet(strands_[id].history, strands_[id].since, arrived_, strands_[id].since);
  if (request == no_request) return end_strand(id);
  strands_[id].round.push_back(request);
  strands_[id].pending = 1;
}

/// The lanes of a collective begin.
void Replay::Ranks::begin_lanes(StrandId id) {
  begun(id);
  const auto whole = strands_[strands_[id].lanes.front()].request;
  bool ended = false;
  for (const auto lane : std::exchange(strands_[id].lanes, {})) {
    strands_[lane].history = strands_[id].history;
    strands_[lane].since = strands_[id].since;
    ended = advance_collective(lane);
  }
  if (ended) end_lanes(whole, strands_[id].history);
}

/// All lanes of a collective have ended, the last one with that history.
void Replay::Ranks::end_lanes(RequestId whole, const History& history) {
  const auto id = requests_[whole].strand;
  auto& strand = strands_[id];
  charges_.meet(strand.history, strand.since, charges_.noted(whole), now());
  strand.history.follow(history);
  strand.since = now();
  requests_.remove(whole);
  end_strand(id);
}

/// Tells the strands that require the end of this one. Ends lead to ends: a list of what is to be done instead of calls
/// within calls.
void Replay::Ranks::end_strand(StrandId ended) {
  ending_.push_back(ended);
  if (std::exchange(is_ending_, true)) return;
  while (!ending_.empty()) {
    const auto id = ending_.back();
    ending_.pop_back();
    if (!strands_[id].begun) begun(id);
    auto& state = state_of(strands_[id].rank);
    const auto history = strands_[id].history;
    for (const auto other : std::exchange(strands_[id].after, {})) satisfy(other, history);
    state.graph.strands.erase(strands_[id].operation);
    strands_[id] = {};
    strands_.remove(id);
    go_on_with(state.graph.last, state.graph.ended, history);
    state.graph.ended = now();
  }
  is_ending_ = false;
}

/// Blocks the program until all of the rank's strands have ended.
bool Replay::Ranks::join(State& state) {
  state.graph.joining = state.graph.strands.size() > 0;
  return block(state, !state.graph.joining);
}

}  // namespace toroid::netsim
