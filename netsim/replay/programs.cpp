// What a rank does: its program, operation by operation, until it is blocked.

#include "netsim/replay/complaints.hpp"
#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

/// Goes on with the rank until it is blocked or has finished.
void Replay::Ranks::advance(State& state) {
  state.running = true;
  const bool finished = run(state);
  state.running = false;
  if (!finished && state.graph.strands.size() > 0) begin_strands(state);
  if (!finished) return;
  state.finished = true;
  if (state.rank == beats_.keeper()) beats_.take(states_);
  auto& report = report_of(state);
  report.finish = since_start(now());
  charges_.meet(state.history, now(), {finished_, last_.charged}, now());
  last_.charged = state.history.charged;
  finished_ = now();
  if (--unfinished_ > 0) return;
  report_.critical_path = state.history;
  report_.critical_steps = causes_.chain(state.history);
  tell_messages(network_.machine(), causes_, report_);
  report_.charges = charges_.of(state.history);
}

/// Runs a rank until it is blocked or has finished. Returns whether it has finished.
bool Replay::Ranks::run(State& state) {
  constexpr std::uint64_t progress_interval = 256;  // operations between two words on the progress
  for (;;) {
    meet_taken(state, now());
    if (const double work = state.waiting.take_work(); work > 0 && !compute(state, seconds_of({.amount = work})))
      return false;
    if (processors_.is_busy(state.rank, now())) {
      begin_computation(state, 0);
      return false;
    }
    if (timeline_.is_kept()) timeline_.end_call(state.rank, now());
    if (state.at_end && state.graph.strands.size() == 0) return true;
    if (state.at_end || !state.stream->next(state.operation)) {
      if (wait_for_rest(state)) continue;
      if (timeline_.is_kept())
        timeline_.begin_call(state.rank, {.operation = state.next_operation, .kind = OpKind::join}, now());
      return false;
    }
    if (timeline_.is_kept())
      timeline_.begin_call(state.rank,
                           {.operation = state.next_operation,
                            .kind = state.operation.kind,
                            .mode = state.operation.mode,
                            .has_request = state.operation.request != workloads::no_handle},
                           now());
    if (++state.next_operation > state.next_iteration) beats_.begin_iteration(state);
    if (++begun_ % progress_interval == 0 && options_.progress) options_.progress(begun_);
    if (!execute(state)) return false;
  }
}

/// A rank ends when its last requests have, and its strands.
bool Replay::Ranks::wait_for_rest(State& state) {
  if (std::exchange(state.at_end, true)) return join(state);
  if (state.open_puts > 0) fail_unfenced(trace_, state.rank);
  return block(state, state.waiting.wait_for_rest());
}

bool Replay::Ranks::execute(State& state) {
  const auto& op = state.operation;
  switch (op.kind) {
    case OpKind::compute:
    case OpKind::sleep:
      return compute(state, seconds_of(op));
    case OpKind::send:
      state.waiting.add(send(state, partner(op, op.to), op.bytes, op.mode, state.history));
      return wait(state);
    case OpKind::recv:
      receive_now(state);
      return wait(state);
    case OpKind::sendrecv:
      receive_now(state);
      state.waiting.add(send(state, partner(op, op.to), op.bytes, op.mode, state.history));
      return wait(state);
    case OpKind::isend:
    case OpKind::irecv:
      post(state, op);
      return true;
    case OpKind::send_init:
    case OpKind::recv_init:
      *state.persistent.try_emplace(op.request, {}).first = op;
      state.waiting.keep_persistent(op.request);
      return true;
    case OpKind::start:
      start(state, op.request);
      return true;
    case OpKind::startall:
      for (const auto handle : op.requests) start(state, handle);
      return true;
    case OpKind::put:
      put(state);
      return true;
    case OpKind::wait: {
      const auto found = state.waiting.wait(op.request);
      if (found == Waiting::Named::unknown) fail_no_request(trace_, state.rank, state.next_operation - 1, op.request);
      return block(state, found == Waiting::Named::ended);
    }
    case OpKind::waitall:
    case OpKind::waitany:
    case OpKind::waitsome: {
      for (const auto handle : op.requests)
        if (!state.waiting.knows(handle)) fail_no_request(trace_, state.rank, state.next_operation - 1, handle);
      const bool ended = op.kind == OpKind::waitall   ? state.waiting.wait_all(op.requests)
                         : op.kind == OpKind::waitany ? state.waiting.wait_any(op.requests)
                                                      : state.waiting.wait_some(op.requests);
      return block(state, ended);
    }
    case OpKind::test:
      state.waiting.test(op.request);
      return true;
    case OpKind::compute_after:
    case OpKind::send_after:
    case OpKind::recv_after:
      add_strand(state);
      return true;
    case OpKind::join:
      return join(state);
    default: {
      if (is_strand(op)) {
        add_strand(state);
        return true;
      }
      const auto request = begin_collective(state);
      if (op.request == workloads::no_handle)
        state.waiting.add(request);
      else
        state.waiting.keep(request);
      return op.request != workloads::no_handle || wait(state);
    }
  }
}

/// Seconds that a core computes or sleeps: the roofline of its speed and of the bandwidth of its memory.
double Replay::Ranks::seconds_of(const Operation& op) const {
  const double computes = op.amount / (op.kind == OpKind::sleep ? 1 : computed_per_second(trace_, network_.machine())),
               touches = op.touched() / network_.machine().parameters().memory_bandwidth;
  return std::max(computes, touches) * *options_.compute_scale;
}

bool Replay::Ranks::compute(State& state, double seconds) {
  if (!(seconds > 0)) return true;
  begin_computation(state, seconds);
  return false;
}

/// The program computes for so many seconds, as soon as no strand does.
void Replay::Ranks::begin_computation(State& state, double seconds) {
  if (!state.computing) return occupy(state, seconds, no_strand);
  state.graph.own_seconds = seconds;
  state.graph.first.computations.emplace(now(), state.next_operation - 1, no_strand);
  block(state, false);
}

/// A core of the rank computes from now on, for the program or for a strand; the first once it has seen to the rank's
/// messages. What others do is counted by count_other_cores().
void Replay::Ranks::occupy(State& state, double computed, StrandId strand) {
  const auto number = strand == no_strand ? 0 : strands_[strand].core;
  const bool is_first = number == 0;
  auto& core = state.graph.core(number);
  const double seconds = is_first ? processors_.compute(state.rank, now(), computed) : computed;
  (is_first ? state.computing : core.computing) = true;
  if (is_first) state.graph.computing = strand;
  ++computing_;
  if (is_first) report_of(state).compute += seconds;
  if (is_first && is_noted()) note(state.rank, Doing::compute, now(), now() + Time(seconds));
  auto& history = strand == no_strand ? state.history : strands_[strand].history;
  history.compute += seconds;
  const double begin = since_start(now());
  if (is_noted() && !state.graph.others.empty())
    report_.core_spans.push_back({begin, begin + seconds, operation_of(state, strand), state.rank, number});
  if (causes_.wanted())
    causes_.add({.rank = state.rank, .operation = operation_of(state, strand), .begin = begin, .end = begin + seconds},
                history);
  auto& clock = network_.clock();
  if (is_first)
    state.timer = clock.start_timer(Time(seconds), *this, static_cast<std::uint32_t>(state.rank.value()));
  else
    core.timer = clock.start_timer(Time(seconds), strand_cores_, strand);
}

/// The index of the operation that the rank is in, or that the strand is.
std::uint64_t Replay::Ranks::operation_of(const State& state, StrandId strand) const {
  return strand == no_strand ? state.next_operation - 1 : strands_[strand].operation;
}

}  // namespace toroid::netsim
