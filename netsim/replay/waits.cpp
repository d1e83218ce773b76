// A rank that waits, and what ends its wait.

#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

/// Blocks the rank now, if what it waits for has not ended.
bool Replay::Ranks::block(State& state, bool ended) {
  state.blocked = !ended;
  if (!ended) state.blocked_since = now();
  if (charges_.are_kept()) {
    state.ready = now();
    meet_taken(state, state.ready);
  }
  return ended;
}

/// What the rank had at `since` and has waited for: it goes on with the last of that.
void Replay::Ranks::meet_taken(State& state, const Time& since) {
  if (!charges_.are_kept() || state.waiting.taken().empty()) return;
  Time until = since;
  for (const auto id : state.waiting.taken()) {
    charges_.meet(state.history, until, charges_.noted(id), now());
    until = now();
  }
  state.waiting.taken().clear();
}

void Replay::Ranks::end(RequestId request, MessageId cause) {
  auto& owner = state_of(requests_[request].owner);
  const bool is_of_strand = requests_[request].strand != no_strand;
  if (requests_[request].kind != Request::Kind::collective) {
    charges_.note(request, messages_[cause].moment());
    if (is_of_strand) {
      requests_[request].done = true;
      return end_step(requests_[request].strand, cause);
    }
  } else if (is_of_strand) {
    end_lanes(request, messages_[cause].history);
    return begin_strands(owner);
  }
  if (!owner.waiting.end(request)) return;
  book(owner, messages_[cause]);
  resume(owner, messages_[cause].history);
}

/// What the rank did, for those who keep that.
void Replay::Ranks::note(Rank rank, Doing doing, const Time& from, const Time& to) {
  if (activity_.is_kept()) activity_.book(rank, doing, since_start(from), since_start(to));
  if (timeline_.is_kept()) timeline_.add(rank, doing, from, to);
}

/// The rank was blocked until now, and not by a message alone.
void Replay::Ranks::end_block(State& state) {
  count_other_cores(state);
  report_of(state).wait += (now() - state.blocked_since).seconds();
  if (is_noted()) note(state.rank, Doing::wait, state.blocked_since, now());
  state.blocked = false;
}

/// The rank was blocked until now, and the arrival of `cause` was what it last waited for: in a collective of that
/// algorithm, or null.
void Replay::Ranks::book(State& state, const Message& cause, const workloads::CollectiveAlgorithm* collective) {
  count_other_cores(state);
  auto& report = report_of(state);
  const double blocked = (now() - state.blocked_since).seconds();
  const double transfer = std::min(blocked, (now() - cause.launch).seconds());
  report.transfer += transfer;
  report.wait += blocked - transfer;
  auto& by = exposure_.of(cause);
  by.transfer += transfer;
  by.wait += blocked - transfer;
  if (is_noted()) {
    const Time met = std::max(state.blocked_since, cause.launch);
    note(state.rank, Doing::wait, state.blocked_since, met);
    note(state.rank, Doing::transfer, met, now());
    if (collective != nullptr)
      activity_.book_collective(state.rank, CollectiveCalls::number_of(*collective), since_start(state.blocked_since),
                                since_start(now()));
  }
  state.blocked_since = now();
}

/// The rank was blocked in a collective until now, while its core summed or copied.
void Replay::Ranks::book_sums(State& state, const workloads::CollectiveAlgorithm& collective) {
  count_other_cores(state);
  report_of(state).compute += (now() - state.blocked_since).seconds();
  if (is_noted()) {
    note(state.rank, Doing::compute, state.blocked_since, now());
    activity_.book_collective(state.rank, CollectiveCalls::number_of(collective), since_start(state.blocked_since),
                              since_start(now()));
  }
  state.blocked_since = now();
}

/// While another core than the first computes, so does the rank, whatever it waits for beside that.
void Replay::Ranks::count_other_cores(State& state) {
  const auto& others = state.graph.others;
  if (state.computing ||
      std::none_of(others.begin(), others.end(), [](const GraphCore& core) { return core.computing; }))
    return;
  report_of(state).compute += (now() - state.blocked_since).seconds();
  if (is_noted()) note(state.rank, Doing::compute, state.blocked_since, now());
  state.blocked_since = now();
}

/// The rank goes on: its wait ended with what had that history.
void Replay::Ranks::resume(State& state, const History& cause) {
  state.blocked = false;
  state.history.follow(cause);
  meet_taken(state, state.ready);
  advance(state);
}

}  // namespace toroid::netsim
