// Collectives as strands that go through the steps of their schedules, and fences, which are such after a rank's puts.

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
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

/// The position of an algorithm among all.
std::size_t Replay::Ranks::number_of(const workloads::CollectiveAlgorithm& algorithm) {
  return static_cast<std::size_t>(&algorithm - workloads::collective_algorithms().data());
}

/// The call that is the current operation. Throws SimulationError if it cannot be.
workloads::CollectiveCall Replay::Ranks::call_of(const State& state, workloads::CommRank me,
                                                 workloads::CommRank size) const {
  try {
    return workloads::collective_call(state.operation, me, size);
  } catch (const core::InputError& error) {
    fail_collective(trace_, state.rank, state.next_operation - 1, error.what());
  }
}

/// Begins the collective that is the current operation; its request ends with the last of its lanes. They go on by
/// themselves, whatever their rank does meanwhile; what they have to combine is computed by the rank when it takes the
/// request.
RequestId Replay::Ranks::begin_collective(State& state) {
  const auto& op = state.operation;
  const auto& communicator = trace_.communicator(op.comm);
  const auto me = communicator.rank_of(state.rank);
  if (me < 0) fail_no_member(trace_, state.rank, state.next_operation - 1);
  auto call = call_of(state, me, communicator.size());
  const auto& algorithm = options_.collectives.choose(call);
  if (algorithm.uses_grid) call.grid = &grids_.of(op.comm);
  if (me == 0) ++calls_[{&algorithm, call.grid}];
  const auto lanes = algorithm.lanes_of(call);
  const auto request = requests_.add({.kind = Request::Kind::collective,
                                      .owner = state.rank,
                                      .operation = state.next_operation - 1,
                                      .lanes = static_cast<std::uint32_t>(lanes),
                                      .work = op.amount,
                                      .handle = op.request});
  auto& calls = *state.collectives.try_emplace(op.comm, 0).first;
  const auto first_call = std::exchange(calls, calls + static_cast<std::uint32_t>(lanes));
  bool done = false;
  for (call.lane = 0; call.lane < lanes; ++call.lane) {
    const auto id = strands_.add({.rank = state.rank,
                                  .operation = state.next_operation - 1,
                                  .tag = collective_tag(op.kind, first_call + static_cast<std::uint32_t>(call.lane)),
                                  .context = collective_context(op.comm),
                                  .history = state.history,
                                  .since = network_.clock().now(),
                                  .call = hash_of(call),
                                  .communicator = &communicator,
                                  .algorithm = &algorithm,
                                  .request = request});
    auto& strand = strands_[id];
    if (op.request != workloads::no_handle) {  // it outlives the operation
      strand.send_counts.assign(call.send_counts.begin(), call.send_counts.end());
      strand.recv_counts.assign(call.recv_counts.begin(), call.recv_counts.end());
      call.send_counts = strand.send_counts;
      call.recv_counts = strand.recv_counts;
    }
    strand.schedule = algorithm.run(call);
    done = !waits_for_puts(state, id) && advance_collective(id);
  }
  requests_[request].done = done;
  return request;
}

void Replay::Ranks::report_collectives() {
  std::map<std::pair<std::size_t, platforms::Coordinates>, std::uint64_t> calls;
  for (const auto& [how, count] : calls_) {
    platforms::Coordinates grid{};
    if (how.second != nullptr) std::ranges::copy(how.second->extents(), grid.begin());
    calls[{number_of(*how.first), grid}] += count;
  }
  for (const auto& [how, count] : calls) report_.collectives.push_back({how.first, how.second, count});
}

/// Goes on with a lane of a collective until it waits for messages or has ended. Returns whether all lanes have.
bool Replay::Ranks::advance_collective(StrandId id) {
  auto& collective = strands_[id];
  auto& state = state_of(collective.rank);
  while (const auto step = collective.schedule.next()) {
    ++collective.steps;
    if (step->kind == Step::Kind::wait) {
      collective.pending = collective.round.size();
      if (collective.pending > 0) return false;
      continue;
    }
    const Partner peer{collective.communicator->member(step->peer), collective.tag, collective.context};
    const auto request = step->kind == Step::Kind::send
                             ? send(state, peer, step->bytes, SendMode::standard, collective.history, id)
                             : receive(state, peer, collective.history, id);
    if (charges_.are_kept() && step->kind == Step::Kind::receive)
      charges_.meet(collective.history, collective.since, arrived_, collective.since);
    if (request != no_request) collective.round.push_back(request);
  }
  const bool is_last = --requests_[collective.request].lanes == 0;
  if (is_last) charges_.note(collective.request, {network_.clock().now(), collective.history.charged});
  collective = {};
  strands_.remove(id);
  return is_last;
}

/// One of the messages that the strand waits for has ended.
void Replay::Ranks::end_step(StrandId id, MessageId cause) {
  auto& strand = strands_[id];
  if (charges_.are_kept()) {
    const Time now = network_.clock().now();
    charges_.meet(strand.history, strand.since, messages_[cause].moment(), now);
    strand.since = now;
  }
  if (--strand.pending > 0) return;
  for (const auto request : strand.round) requests_.remove(request);
  strand.round.clear();
  const auto whole = strand.request;
  auto& state = state_of(strand.rank);
  const bool awaited = whole == no_request ? state.blocked && !state.computing : requests_[whole].awaited;
  if (awaited) book(state, messages_[cause], strand.algorithm);
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
