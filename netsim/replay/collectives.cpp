// Collectives as strands that go through the steps of their schedules, and fences, which are such after a rank's puts.

#include "netsim/replay/complaints.hpp"
#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {
namespace {

/// A number for what the call is, but for its communicator.
std::uint64_t hash_of(const workloads::CollectiveCall& call) {
  std::uint64_t hash = 0;
  const auto mix = [&](auto number) { hash = core::mix(hash, static_cast<std::uint64_t>(number)); };
  mix(call.kind);
  mix(call.root);
  mix(call.bytes);
  for (const auto counts : {call.send_counts, call.recv_counts}) {
    mix(counts.size());
    for (const auto count : counts) mix(count);
  }
  return hash;
}

}  // namespace

/// The call that is the current operation. Throws SimulationError if it cannot be.
workloads::CollectiveCall Replay::Ranks::call_of(const State& state, workloads::CommRank me,
                                                 workloads::CommRank size) const {
  try {
    return workloads::collective_call(state.operation, me, size);
  } catch (const core::InputError& error) {
    fail_operation(trace_, state.rank, state.next_operation - 1, fmt::format(": {}", error.what()));
  }
}

/// Begins the collective that is the current operation; its request ends with the last of its lanes. They go on by
/// themselves, whatever their rank does meanwhile; what they have to combine is computed by the rank when it takes the
/// request, or by its core on the way if that takes its time by bytes. The lanes of a collective that is the operation
/// `graph` of a graph begin later (begin_lanes()).
RequestId Replay::Ranks::begin_collective(State& state, StrandId graph) {
  const auto& op = state.operation;
  const auto& communicator = trace_.communicator(op.comm);
  const auto me = communicator.rank_of(state.rank);
  if (me < 0)
    fail_operation(trace_, state.rank, state.next_operation - 1,
                   " is no member of the communicator of this collective");
  auto call = call_of(state, me, communicator.size());
  const auto& algorithm = workloads::choose_for(call, options_.collectives, [&] { return &grids_.of(op.comm); });
  if (me == 0) ++calls_.of({&algorithm, call.grid, call.tuning});
  const auto lanes = algorithm.lanes_of(call);
  const auto request = requests_.add({.kind = Request::Kind::collective,
                                      .owner = state.rank,
                                      .operation = state.next_operation - 1,
                                      .strand = graph,
                                      .lanes = static_cast<std::uint32_t>(lanes),
                                      .work = processors_.sum_by_bytes() ? 0 : op.amount,
                                      .handle = op.request});
  auto& calls = *state.collectives.try_emplace(op.comm, 0).first;
  const auto first_call = std::exchange(calls, calls + static_cast<std::uint32_t>(lanes));
  bool done = false;
  for (workloads::CommRank lane = 0; lane < lanes; ++lane) {
    auto of_lane = call;  // its counts may be those of the strand, which ends before the next lane begins
    of_lane.lane = lane;
    const auto id = strands_.add({.rank = state.rank,
                                  .operation = state.next_operation - 1,
                                  .tag = collective_tag(op.kind, first_call + static_cast<std::uint32_t>(lane)),
                                  .context = collective_context(op.comm),
                                  .history = state.history,
                                  .since = now(),
                                  .call = hash_of(of_lane),
                                  .communicator = &communicator,
                                  .algorithm = &algorithm,
                                  .request = request});
    auto& strand = strands_[id];
    if (op.request != workloads::no_handle) {  // it outlives the operation
      strand.send_counts.assign(call.send_counts.begin(), call.send_counts.end());
      strand.recv_counts.assign(call.recv_counts.begin(), call.recv_counts.end());
      of_lane.send_counts = strand.send_counts;
      of_lane.recv_counts = strand.recv_counts;
    }
    strand.schedule = algorithm.run(of_lane);
    if (graph != no_strand)
      strands_[graph].lanes.push_back(id);
    else
      done = !waits_for_puts(state, id) && advance_collective(id);
  }
  requests_[request].done = done;
  return request;
}

/// Goes on with a lane of a collective until it waits for messages or has ended. Returns whether all lanes have.
bool Replay::Ranks::advance_collective(StrandId id) {
  auto& collective = strands_[id];
  auto& state = state_of(collective.rank);
  while (const auto step = collective.schedule.next()) {
    ++collective.steps;
    if (step->kind == Step::Kind::sum || step->kind == Step::Kind::copy) {
      if (begin_core_step(id, *step)) return false;
      continue;
    }
    if (step->kind == Step::Kind::wait) {
      for (const auto request : collective.round)  // what has ended while the core was at work
        if (charges_.are_kept() && requests_[request].done)
          charges_.meet(collective.history, collective.since, charges_.noted(request), collective.since);
      if (collective.pending > 0) return false;
      clear_round(collective);
      continue;
    }
    const Partner peer{collective.communicator->member(step->peer), collective.tag, collective.context};
    const auto request = step->kind == Step::Kind::send
                             ? send(state, peer, step->bytes, SendMode::standard, collective.history, id)
                             : receive(state, peer, collective.history, id);
    if (charges_.are_kept() && step->kind == Step::Kind::receive)
      charges_.meet(collective.history, collective.since, arrived_, collective.since);
    if (request == no_request) continue;
    collective.round.push_back(request);
    ++collective.pending;
  }
  const bool is_last = --requests_[collective.request].lanes == 0;
  if (is_last) charges_.note(collective.request, {now(), collective.history.charged});
  collective = {};
  strands_.remove(id);
  return is_last;
}

void Replay::Ranks::clear_round(Strand& strand) {
  for (const auto request : strand.round) requests_.remove(request);
  strand.round.clear();
}

/// The core of the rank sums or copies for a lane of a collective from now on, unless that takes no time.
bool Replay::Ranks::begin_core_step(StrandId id, const Step& step) {
  const double seconds = processors_.seconds_of(step);
  if (!(seconds > 0)) return false;
  auto& strand = strands_[id];
  const Time until = processors_.see_to(strand.rank, now(), seconds);
  charges_.wait_for_core(strand.rank.index(), strand.history, now(), until - Time(seconds), until);
  strand.history.compute += (until - now()).seconds();
  if (causes_.wanted())
    causes_.add({.collective = strand.algorithm->kind,
                 .rank = strand.rank,
                 .operation = strand.operation,
                 .begin = causes_.since_start(now()),
                 .end = causes_.since_start(until)},
                strand.history);
  strand.timer = network_.clock().start_timer_at(until, strand_cores_, id);
  strand.at_core = true;
  ++requests_[strand.request].at_core;
  ++computing_;
  return true;
}

/// The core of the rank has summed or copied for a lane of a collective, which goes on.
void Replay::Ranks::end_core_step(StrandId id) {
  auto& strand = strands_[id];
  auto& state = state_of(strand.rank);
  const auto whole = strand.request;
  const auto history = strand.history;
  strand.since = now();
  strand.at_core = false;
  --computing_;
  --requests_[whole].at_core;
  if (requests_[whole].awaited) book_sums(state, *strand.algorithm);
  if (!advance_collective(id)) return;
  if (requests_[whole].strand != no_strand) {
    end_lanes(whole, history);
    begin_strands(state);
  } else if (state.waiting.end(whole)) {
    resume(state, history);
  }
}

/// One of the messages that the strand waits for, or will wait for when its core is through, has ended.
void Replay::Ranks::end_step(StrandId id, MessageId cause) {
  auto& strand = strands_[id];
  --strand.pending;
  if (strand.at_core) return;
  if (charges_.are_kept()) {
    charges_.meet(strand.history, strand.since, messages_[cause].moment(), now());
    strand.since = now();
  }
  if (strand.pending > 0) return;
  clear_round(strand);
  const auto whole = strand.request;
  auto& state = state_of(strand.rank);
  const bool awaited = is_of_graph(strand) ? state.blocked && !state.computing : requests_[whole].awaited;
  // While the core sums for another lane the rank computes, whatever comes.
  if (awaited && whole != no_request && requests_[whole].at_core > 0)
    book_sums(state, *strand.algorithm);
  else if (awaited)
    book(state, messages_[cause], strand.algorithm);
  strand.history.follow(messages_[cause].history);
  if (whole == no_request) {
    end_strand(id);
    begin_strands(state);
  } else if (advance_collective(id)) {
    end(whole, cause);
  }
}

void Replay::Ranks::put(State& state) {
  const auto& op = state.operation;
  if (op.to == workloads::no_process) return;
  const auto to = partner(op, op.to);
  auto& puts = *state.puts.try_emplace(op.comm, {}).first;
  ++puts.under_way;
  if (!std::exchange(puts.is_open, true)) ++state.open_puts;
  count(state, op.bytes);
  messages_.put({state.rank, to.tag, to.context}, to.rank, op.bytes, state.next_operation - 1, state.history);
}

/// A fence waits for the rank's own puts, and is a barrier from then on: when that ends, all ranks' have arrived.
bool Replay::Ranks::waits_for_puts(State& state, StrandId id) {
  auto* puts = state.operation.kind == OpKind::fence ? state.puts.find(state.operation.comm) : nullptr;
  if (puts == nullptr) return false;
  if (std::exchange(puts->is_open, false)) --state.open_puts;
  if (puts->under_way == 0) return false;
  puts->fence = id;
  strands_[id].pending = puts->under_way;
  return true;
}

void Replay::Ranks::end_put(MessageId id) {
  const auto& message = messages_[id];
  auto& puts = *state_of(message.envelope.source).puts.find(comm_of_context(message.envelope.context));
  const auto fence = --puts.under_way == 0 ? std::exchange(puts.fence, no_strand) : puts.fence;
  if (fence != no_strand) end_step(fence, id);
  messages_.forget(id);
}

}  // namespace toroid::netsim
