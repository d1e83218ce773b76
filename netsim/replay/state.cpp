// What a replay shows of its state, and how it goes on behind iterations that repeat.

#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

/// Activities and timelines tell all windows and events, and causes each message. What waits for cores is charged by
/// moments that are not part of a state.
bool Replay::Ranks::may_be_passed_over() const {
  const bool cores_are_charged = charges_.are_kept() && processors_.any();
  return options_.repeats != Repeats::off && options_.activity_windows == 0 && !options_.keep_timeline &&
         !causes_.wanted() && !cores_are_charged;
}

std::uint64_t Replay::Ranks::size() const {
  constexpr std::uint64_t operations_per_message = 8;
  return report_.messages + begun_ / operations_per_message;
}

void Replay::Ranks::walk_ranks(StateWalk& walk) {
  if (!walk.moves()) {
    operations_.clear();
    for (const auto& state : states_) operations_.push_back(state.next_operation);
  }
  number_ = walk.begin_job(operations_);
  charges_.begin_walk();
  for (auto& state : states_) walk_calls(walk, state);
  for (auto& state : states_) walk_rank(walk, state);
  walk.show(StateWalk::Part::queues, [&] {
    for (const Rank rank : states_.ids()) walk_queue(walk, rank);
  });
}

void Replay::Ranks::walk_flow(StateWalk& walk, std::uint32_t message) {
  walk.enter(number_);
  walk_message(walk, message);
}

/// What cores have to do, and the messages and strands that they see to, in the order in which they will be through
/// with them.
void Replay::Ranks::walk_cores(StateWalk& walk) {
  walk.enter(number_);
  walk.show(StateWalk::Part::cores, [&] {
    for (const Rank rank : states_.ids()) processors_.walk(walk, rank, now());
    const auto messages = messages_.at_cores();
    std::map<TimerId, StrandId> strands;  // those that cores sum or copy for, by their timers
    for (StrandId id = 0; id < strands_.slots().size(); ++id)
      if (const auto& strand = strands_.slots()[id]; strand.at_core) strands.emplace(strand.timer, id);
    walk.same(messages.size(), strands.size());
    if (messages.empty() && strands.empty()) return;
    for (const auto timer : network_.clock().timers_in_order())
      if (const auto message = messages.find(timer); message != messages.end())
        walk_message(walk, message->second);
      else if (const auto strand = strands.find(timer); strand != strands.end())
        walk_strand(walk, strand->second);
  });
  walk.show(StateWalk::Part::own_traffic, [&] { messages_.own_traffic().walk(walk); });
}

/// What led to a moment of the replay, and who is charged with how much of that.
void Replay::Ranks::walk_history(StateWalk& walk, History& history) {
  walk.history(history);
  if (charges_.are_kept()) walk.show(StateWalk::Part::charges, [&] { charges_.walk(walk, history.charged); });
}

void Replay::Ranks::walk_calls(StateWalk& walk, State& state) {
  std::vector<std::pair<workloads::CommId, std::uint32_t>> calls;
  state.collectives.for_each([&](workloads::CommId comm, std::uint32_t count) { calls.emplace_back(comm, count); });
  std::sort(calls.begin(), calls.end());
  walk.same(calls.size());
  for (const auto& [comm, count] : calls) walk.call(comm, count);
}

void Replay::Ranks::walk_rank(StateWalk& walk, State& state) {
  walk.same(state.finished);
  if (state.finished) return;
  // What graphs wait for beside others is charged by moments that are not part of a state.
  const bool graph_is_charged = charges_.are_kept() && (state.graph.strands.size() > 0 || state.graph.ended > Time());
  if (graph_is_charged || !state.waiting.taken().empty()) return walk.refuse();
  walk_history(walk, state.history);
  walk.show(StateWalk::Part::graphs, [&] { walk_graph(walk, state); });
  walk.same(2 * state.at_end + state.blocked, state.computing);
  if (state.rank == beats_.keeper()) walk.same(state.next_iteration - state.next_operation);
  if (state.blocked || walk.moves()) walk.time(state.blocked_since);
  if (charges_.are_kept() && (state.blocked || walk.moves())) walk.time(state.ready);
  if (state.computing) walk.meet(StateWalk::Kind::timer, state.timer);
  state.waiting.walk(walk, [&](RequestId id) { walk_request(walk, id); });
  std::vector<std::pair<RequestHandle, const Operation*>> inits;
  state.persistent.for_each([&](RequestHandle handle, const Operation& init) { inits.emplace_back(handle, &init); });
  std::sort(inits.begin(), inits.end());
  for (const auto& [handle, init] : inits)
    walk.each(handle, init->kind, init->mode, init->comm, init->to, init->from, init->tag, init->bytes);
  walk.same(state.open_puts);
  std::vector<std::pair<workloads::CommId, const OpenPuts*>> windows;
  state.puts.for_each([&](workloads::CommId comm, const OpenPuts& puts) { windows.emplace_back(comm, &puts); });
  std::sort(windows.begin(), windows.end());
  for (const auto& [comm, puts] : windows) {
    walk.each(comm, puts->is_open, puts->under_way);
    if (puts->fence != no_strand) walk_strand(walk, puts->fence);
  }
}

/// The operations of a graph in their order, and what can begin on each core. What a core computed last is of no
/// account: something waits for the core only while it computes.
void Replay::Ranks::walk_graph(StateWalk& walk, State& state) {
  auto& graph = state.graph;
  std::vector<StrandId> ids;
  graph.strands.for_each([&](std::uint64_t, StrandId id) { ids.push_back(id); });
  std::ranges::sort(ids, {}, [&](StrandId id) { return strands_[id].operation; });
  walk.same(ids.size(), graph.joining);
  walk.same(graph.own_seconds);
  if (walk.moves()) graph.strands = {};
  for (const auto id : ids) {
    walk_strand(walk, id);
    const auto& strand = strands_[id];
    walk.same(strand.begun, id == graph.computing);
    walk.same(strand.kind, strand.mode);
    walk.same(strand.partner, strand.core);
    walk.same(strand.seconds);
    auto hash = strand.bytes;
    for (const auto* waiters : {&strand.after, &strand.after_begin}) {
      hash = core::mix(hash, waiters->size());
      for (const auto other : *waiters) hash = core::mix(hash, strands_[other].operation - strand.operation);
    }
    walk.same(hash);
    for (const auto lane : strand.lanes) walk_strand(walk, lane);
    if (walk.moves()) graph.strands.try_emplace(strand.operation, id);
  }
  const auto walk_core = [&](GraphCore& core) {
    std::ranges::sort(core.messages.keys());
    std::ranges::sort(core.computations.keys());
    walk.same(core.messages.keys().size(), core.computations.keys().size());
    for (auto& [index, id] : core.messages.keys()) walk.operation(index, state.rank);
    for (auto& [since, index, id] : core.computations.keys()) {
      walk.time(since);
      walk.operation(index, state.rank);
    }
    walk.same(core.computing);
    if (core.computing) walk.meet(StateWalk::Kind::timer, core.timer);
  };
  for (std::uint32_t number = 0; number <= graph.others.size(); ++number) walk_core(graph.core(number));
  walk_core(graph.collectives);
}

void Replay::Ranks::walk_queue(StateWalk& walk, Rank rank) {
  const auto queued = messages_.queues().in_order(rank);
  walk.same(queued.size());
  for (const auto& [order, envelope, id, is_message] : queued) {
    walk.same(envelope.source, is_message);
    walk_tag(walk, envelope.tag, envelope.context);
    is_message ? walk_message(walk, id) : walk_request(walk, id);
  }
}

/// Shows calls of a collective: only their difference from those of others counts.
void Replay::Ranks::walk_tag(StateWalk& walk, std::int32_t tag, std::uint32_t context) {
  if (!is_collective_context(context)) return walk.same(context, tag);
  walk.same(context, kind_of_collective_tag(tag));
  walk.call(comm_of_context(context), call_of_collective_tag(tag));
}

void Replay::Ranks::walk_request(StateWalk& walk, RequestId id) {
  if (!walk.meet(StateWalk::Kind::request, id)) return;
  auto& request = requests_[id];
  const bool has_strand = request.strand != no_strand;
  walk.operation(request.operation, request.owner);
  walk.same(request.owner, request.partner);
  walk.same(request.handle,
            8 * static_cast<std::uint32_t>(request.kind) + 4 * request.done + 2 * request.awaited + has_strand);
  if (request.kind != Request::Kind::collective) walk_tag(walk, request.tag, request.context);
  walk.same(request.lanes);  // the queue and messages under way lead to these strands
  walk.same(request.work);
  const bool has_note = request.kind == Request::Kind::receive || (request.done && !has_strand);
  if (charges_.are_kept() && has_note) walk.show(StateWalk::Part::charges, [&] { charges_.walk_noted(walk, id); });
  if (has_strand) walk_strand(walk, request.strand);
}

void Replay::Ranks::walk_message(StateWalk& walk, MessageId id) {
  if (!walk.meet(StateWalk::Kind::message, id)) return;
  auto& message = messages_[id];
  walk_history(walk, message.history);
  const auto& [source, tag, context] = message.envelope;
  walk.same(source, message.target);
  walk_tag(walk, tag, context);
  walk.same(message.bytes);
  walk.operation(message.operation, source);
  walk.same(4 * message.launched + 2 * message.arrived + message.is_put,
            2 * (message.send != no_request) + (message.receive != no_request));
  walk.same(message.stage);
  if (message.stage == Stage::at_sender || message.stage == Stage::at_receiver)
    walk.meet(StateWalk::Kind::timer, message.timer);
  if (!message.arrived)
    walk.time(message.launch);
  else if (charges_.are_kept())
    walk.time(message.arrival);
  if (message.launched && !message.arrived) walk.part(message.own > 0 ? message.transfer / message.own : 0);
  for (const auto request : {message.send, message.receive})
    if (request != no_request) walk_request(walk, request);
}

void Replay::Ranks::walk_strand(StateWalk& walk, StrandId id) {
  if (!walk.meet(StateWalk::Kind::strand, id)) return;
  auto& strand = strands_[id];
  walk_history(walk, strand.history);
  if (charges_.are_kept()) walk.time(strand.since);
  walk.same(strand.rank);
  walk.operation(strand.operation, strand.rank);
  walk_tag(walk, strand.tag, strand.context);
  walk.each(strand.call, strand.steps, strand.pending, strand.at_core);
  if (strand.at_core) walk.meet(StateWalk::Kind::timer, strand.timer);
  for (const auto request : strand.round) walk_request(walk, request);
  walk.same(strand.round.size());
  if (strand.request != no_request) walk_request(walk, strand.request);
}

void Replay::Ranks::tally(Tally& tally) {
  tally.each(report_.messages, report_.bytes, report_.network_messages, report_.network_bytes, report_.hops,
             report_.hop_bytes, begun_);
  calls_.tally(tally);
  exposure_.tally(tally);
  for (auto& rank : report_.ranks) tally.each(rank.compute, rank.transfer, rank.wait, rank.messages, rank.bytes);
  charges_.tally(tally);
}

Repeating::Marks Replay::Ranks::marks() const {
  Marks marks;
  marks.reserve(states_.size());
  for (const auto& state : states_) marks.push_back(state.stream->mark());
  return marks;
}

std::uint64_t Replay::Ranks::repeats(const Marks& since, std::uint64_t most) const {
  for (const auto& state : states_) {
    const auto& mark = since[state.rank.index()];
    if (most == 0) break;
    if (state.stream->mark().operation == mark.operation) continue;
    most = std::min(most, state.stream->repeats(mark, options_.compute_scale > 0));
  }
  return most;
}

void Replay::Ranks::begin_move(const Marks& since, std::uint64_t times) {
  operations_.clear();
  for (const auto& state : states_)
    operations_.push_back(times * (state.stream->mark().operation - since[state.rank.index()].operation));
}

void Replay::Ranks::end_move(const Marks& since, std::uint64_t times, const RepeatedIterations& iterations) {
  for (auto& state : states_) {
    const auto passed = operations_[state.rank.index()];
    if (passed > 0) state.stream->skip(since[state.rank.index()], times);
    state.next_operation += passed;
    if (state.rank == beats_.keeper()) beats_.pass_over(state, passed);
  }
  report_.repeated.push_back(iterations);
  if (options_.progress) options_.progress(begun_);
}

}  // namespace toroid::netsim
