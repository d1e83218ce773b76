// Single messages: posted, and as requests.

#include "netsim/replay/complaints.hpp"
#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

Replay::Ranks::Partner Replay::Ranks::partner(const Operation& op, workloads::CommRank rank) const {
  const bool somebody = rank >= 0;
  return {somebody ? trace_.communicator(op.comm).member(rank) : Rank(rank), op.tag, user_context(op.comm)};
}

/// Posts an isend or irecv, or what an init says, and leaves its request for later calls, also if there is nothing to
/// wait for any more.
void Replay::Ranks::post(State& state, const Operation& op) {
  const bool sends = op.kind == OpKind::isend || op.kind == OpKind::send_init;
  const auto other = partner(op, sends ? op.to : op.from);
  auto request = sends ? send(state, other, op.bytes, op.mode, state.history) : receive(state, other, state.history);
  if (request == no_request) {
    request = new_request(state, other, sends ? Request::Kind::send : Request::Kind::receive, no_strand);
    requests_[request].done = true;
    charges_.note(request, sends ? Moment{now(), state.history.charged} : arrived_);
  }
  requests_[request].handle = op.request;
  state.waiting.keep(request);
}

void Replay::Ranks::start(State& state, RequestHandle handle) {
  const auto* init = state.persistent.find(handle);
  if (init == nullptr) fail_no_request(trace_, state.rank, state.next_operation - 1, handle);
  post(state, *init);
}

/// Sends a message; `history` is that of what sends it. The request that must be waited for, or no_request if there is
/// nothing to wait for.
RequestId Replay::Ranks::send(State& state, const Partner& to, std::uint64_t bytes, SendMode mode,
                              const History& history, StrandId strand) {
  if (to.rank == workloads::no_process) return no_request;
  const auto request =
      messages_.is_eager(bytes, mode) ? no_request : new_request(state, to, Request::Kind::send, strand);
  count(state, bytes);
  messages_.send({state.rank, to.tag, to.context}, to.rank, bytes, operation_of(state, strand), request, history);
  return request;
}

void Replay::Ranks::count(const State& state, std::uint64_t bytes) {
  auto& report = report_of(state);
  ++report.messages;
  report.bytes += bytes;
}

/// Posts a receive. Returns like send().
RequestId Replay::Ranks::receive(State& state, const Partner& from, const History& history, StrandId strand) {
  if (charges_.are_kept()) arrived_ = {now(), history.charged};
  if (from.rank == workloads::no_process) return no_request;
  const auto request = new_request(state, from, Request::Kind::receive, strand);
  if (!messages_.receive({from.rank, from.tag, from.context}, state.rank, request, history)) return request;
  if (charges_.are_kept()) arrived_ = charges_.noted(request);
  requests_.remove(request);
  return no_request;
}

/// Receives as the present operation says, which waits for it.
void Replay::Ranks::receive_now(State& state) {
  state.waiting.add(receive(state, partner(state.operation, state.operation.from), state.history));
  if (charges_.are_kept()) charges_.meet(state.history, now(), arrived_, now());
}

RequestId Replay::Ranks::new_request(const State& state, const Partner& partner, Request::Kind kind, StrandId strand) {
  return requests_.add({.kind = kind,
                        .owner = state.rank,
                        .operation = operation_of(state, strand),
                        .partner = partner.rank,
                        .tag = partner.tag,
                        .context = partner.context,
                        .strand = strand});
}

}  // namespace toroid::netsim
