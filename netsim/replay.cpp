#include "netsim/replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::netsim {

using workloads::Operation;
using workloads::OpKind;
using workloads::RequestName;
using workloads::SendMode;
using workloads::Step;

namespace {

constexpr std::size_t most_blocked_listed = 8;

std::uint32_t user_context(workloads::CommId comm) {
  return static_cast<std::uint32_t>(comm) * 2;
}
std::uint32_t collective_context(workloads::CommId comm) {
  return static_cast<std::uint32_t>(comm) * 2 + 1;
}

bool is_collective_context(std::uint32_t context) {
  return context % 2 == 1;
}

std::string rank_text(Rank rank) {
  return rank == workloads::any_source ? "any rank" : fmt::format("rank {}", rank);
}
/// The collective whose messages have this tag.
std::string collective_text(std::int32_t tag) {
  return std::string(workloads::to_string(static_cast<OpKind>(tag)));
}

std::string tag_text(std::int32_t tag) {
  return tag == workloads::any_tag ? "any tag" : fmt::format("tag {}", tag);
}

}  // namespace

double parse_compute(std::string_view text) {
  if (text == "none") return 0;
  if (text == "trace") return 1;
  const auto factor = text.starts_with('x') ? core::parse_number<double>(text.substr(1)) : std::nullopt;
  if (!factor || !(*factor >= 0) || !std::isfinite(*factor))
    core::fail_input("--compute {}: expected none, trace, or xF with a factor F of 0 or more, such as x0.5", text);
  return *factor;
}

/// A send or receive that the rank can wait for.
struct Replay::Request {
  Rank owner, peer;
  std::int32_t tag;
  std::uint32_t context;
  bool is_send;
  bool by_name = false;  ///< a wait will end it by its name
  bool done = false;
  bool awaited = false;
  std::uint64_t operation = 0;  ///< index in the rank's stream
};

/// A message from its send to its receipt.
struct Replay::Message {
  Rank source, target;
  std::int32_t tag;
  std::uint32_t context;
  std::uint64_t bytes;
  std::uint64_t operation;  ///< index of the send in the sender's stream
  RequestId send = none;    ///< a sender that waits (rendezvous)
  RequestId receive = none;
  ActivityId flow = none;
  bool eager = true;
  bool launched = false, arrived = false;
  double launch = 0;     ///< when its latency began
  History history = {};  ///< of the launch, then of the arrival
};

struct Replay::RankState {
  Rank rank = 0;
  std::unique_ptr<workloads::OperationStream> stream;
  Operation operation;               ///< the current one
  std::uint64_t next_operation = 0;  ///< index of the one after it
  bool finished = false, ending = false, computing = false;
  ActivityId timer = none;
  std::optional<workloads::Schedule> schedule;  ///< of the current collective
  std::vector<RequestId> posted;                ///< by the schedule since its last wait
  std::vector<RequestId> outstanding;           ///< non-blocking user requests, in order of posting
  std::vector<RequestId> awaited;               ///< what the rank is blocked on
  bool any = false;                             ///< blocked until one of them is done, not all
  std::size_t pending = 0;                      ///< how many must still end
  double blocked_since = 0;
  /// Requests that a test or a waitany has ended here, but maybe not in the program: it may still wait for them by
  /// name. Counted by name.
  std::map<RequestName, std::uint64_t> ended_early;
  History history;
  MatchQueue queue;
};

Replay::Replay(const workloads::Trace& trace, std::vector<NodeId> placement, Network& network, ReplayOptions options,
               std::function<void()> ended)
    : trace_(trace),
      placement_(std::move(placement)),
      network_(network),
      options_(std::move(options)),
      ended_(std::move(ended)),
      ranks_(static_cast<std::size_t>(trace.ranks())),
      unfinished_(trace.ranks()) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r].rank = static_cast<Rank>(r);
    ranks_[r].stream = trace_.open(static_cast<Rank>(r));
    report_.ranks.push_back({.node = placement_.at(r)});
  }
}

Replay::~Replay() = default;

void Replay::start() {
  if (killed_) return;
  report_.start = network_.now();
  for (auto& state : ranks_) advance(state.rank);
}

void Replay::kill() {
  if (killed_ || finished()) return;
  killed_ = true;
  for (const auto& message : messages_)
    if (message.launched && !message.arrived) network_.cancel(message.flow);
  for (const auto& state : ranks_)
    if (state.computing) network_.cancel(state.timer);
}

// --- progress of a rank ---

void Replay::advance(Rank rank) {
  auto& state = ranks_[static_cast<std::size_t>(rank)];
  for (;;) {
    if (state.schedule) {
      if (!run_schedule(state)) return;
      state.schedule.reset();
      if (!compute(state, state.operation.amount / network_.machine().parameters().speed)) return;
    }
    if (!state.stream->next(state.operation)) {
      if (!finish_rank(state)) return;
      break;
    }
    ++state.next_operation;
    if (options_.progress != nullptr) ++*options_.progress;
    if (!execute(state)) return;
  }
  auto& report = report_.ranks[static_cast<std::size_t>(rank)];
  report.finish = network_.now() - report_.start;
  if (--unfinished_ > 0) return;
  report_.runtime = report.finish;
  report_.critical_path = state.history;
  if (ended_) ended_();
}

bool Replay::execute(RankState& state) {
  const auto& op = state.operation;
  switch (op.kind) {
    case OpKind::compute:
      return compute(state, op.amount / network_.machine().parameters().speed);
    case OpKind::sleep:
      return compute(state, op.amount);
    case OpKind::send:
      if (op.peer == workloads::no_process) return true;
      return await(state, start_send(state, world_rank(op, op.peer), op.tag, user_context(op.comm), op.bytes, op.mode));
    case OpKind::isend:
      // A send to nobody is a request that has ended; it is looked up by its receiver like any other.
      state.outstanding.push_back(
          start_send(state, world_rank(op, op.peer), op.tag, user_context(op.comm), op.bytes, op.mode));
      return true;
    case OpKind::recv:
      return await(state, start_receive(state, world_rank(op, op.peer), op.tag, user_context(op.comm)));
    case OpKind::irecv:
      state.outstanding.push_back(start_receive(state, world_rank(op, op.peer), op.tag, user_context(op.comm)));
      return true;
    case OpKind::sendrecv: {
      const auto receive = start_receive(state, world_rank(op, op.other), op.tag, user_context(op.comm));
      const auto send = start_send(state, world_rank(op, op.peer), op.tag, user_context(op.comm), op.bytes, op.mode);
      return await(state, std::array{receive, send});
    }
    case OpKind::wait:
      return wait_for(state);
    case OpKind::waitall:
      return wait_all(state);
    case OpKind::waitany:
      return await_any(state, op.bytes);
    case OpKind::test:
      test(state);
      return true;
    default:
      break;
  }
  const auto& members = trace_.members(op.comm);
  const auto me = op.comm == workloads::world
                      ? state.rank
                      : static_cast<Rank>(std::find(members.begin(), members.end(), state.rank) - members.begin());
  const auto call = workloads::collective_call(op, me, static_cast<Rank>(members.size()));
  state.schedule = options_.collectives.choose(call).run(call);
  return true;
}

bool Replay::run_schedule(RankState& state) {
  const auto& members = trace_.members(state.operation.comm);
  const auto context = collective_context(state.operation.comm);
  // The kind as tag: ranks that are in different collectives do not understand each other.
  const auto tag = static_cast<std::int32_t>(state.operation.kind);
  while (const auto step = state.schedule->next()) {
    const Rank peer = step->kind == Step::Kind::wait ? 0 : members[static_cast<std::size_t>(step->peer)];
    switch (step->kind) {
      case Step::Kind::send:
        state.posted.push_back(start_send(state, peer, tag, context, step->bytes, SendMode::standard));
        break;
      case Step::Kind::receive:
        state.posted.push_back(start_receive(state, peer, tag, context));
        break;
      case Step::Kind::wait: {
        const bool ended = await(state, state.posted);
        state.posted.clear();
        if (!ended) return false;
        break;
      }
    }
  }
  return true;
}

/// A rank ends when its last requests have.
bool Replay::finish_rank(RankState& state) {
  state.ending = true;
  const bool ended = await(state, state.outstanding);
  state.outstanding.clear();
  state.finished = ended;
  return ended;
}

bool Replay::compute(RankState& state, double seconds) {
  seconds *= options_.compute_scale;
  if (!(seconds > 0)) return true;
  state.computing = true;
  report_.ranks[static_cast<std::size_t>(state.rank)].compute += seconds;
  state.history.compute += seconds;
  state.timer = network_.start_timer(seconds, *this, static_cast<std::uint32_t>(state.rank));
  return false;
}

void Replay::timer_ended(std::uint32_t rank) {
  ranks_[rank].computing = false;
  advance(static_cast<Rank>(rank));
}

/// The rank goes on: its wait ended with the arrival of `cause`.
void Replay::resume(RankState& state, const Message& cause) {
  auto& report = report_.ranks[static_cast<std::size_t>(state.rank)];
  const double blocked = network_.now() - state.blocked_since;
  const double transfer = std::min(blocked, network_.now() - cause.launch);
  report.transfer += transfer;
  report.wait += blocked - transfer;
  state.history = cause.history;
  release_awaited(state);
  advance(state.rank);
}

// --- point to point ---

Rank Replay::world_rank(const Operation& op, Rank rank) const {
  if (rank < 0 || op.comm == workloads::world) return rank;
  return trace_.members(op.comm)[static_cast<std::size_t>(rank)];
}

Replay::RequestId Replay::start_send(RankState& state, Rank to, std::int32_t tag, std::uint32_t context,
                                     std::uint64_t bytes, SendMode mode) {
  const auto request = new_request(state.rank, to, tag, context, true);
  if (to == workloads::no_process) {
    requests_[request].done = true;
    return request;
  }
  const bool eager = mode == SendMode::buffered || (mode == SendMode::standard && bytes <= options_.eager_threshold);
  const auto id = new_message();
  auto& message = messages_[id];
  message = {state.rank, to, tag, context, bytes, state.next_operation - 1};
  message.eager = eager;
  auto& report = report_.ranks[static_cast<std::size_t>(state.rank)];
  ++report.messages;
  report.bytes += bytes;
  if (eager) {
    requests_[request].done = true;
    launch(message, id, state.history);
  } else {
    message.send = request;
  }
  const auto receive = ranks_[static_cast<std::size_t>(to)].queue.announce({state.rank, tag, context}, id);
  if (receive) match(id, *receive);
  if (receive && !eager) launch(messages_[id], id, state.history);
  return request;
}

Replay::RequestId Replay::start_receive(RankState& state, Rank from, std::int32_t tag, std::uint32_t context) {
  const auto request = new_request(state.rank, from, tag, context, false);
  if (from == workloads::no_process) {
    requests_[request].done = true;
    return request;
  }
  const auto message = state.queue.post_receive({from, tag, context}, request);
  if (!message) return request;
  match(*message, request);
  if (!messages_[*message].eager) launch(messages_[*message], *message, state.history);
  return request;
}

void Replay::match(MessageId id, RequestId receive) {
  auto& message = messages_[id];
  message.receive = receive;
  if (!message.arrived) return;
  requests_[receive].done = true;  // it was there already: the receiver does not wait
  drop_message_if_done(id);
}

/// Sends the message on its way, with the history of the rank that did so last.
void Replay::launch(Message& message, MessageId id, const History& history) {
  const NodeId from = placement_[static_cast<std::size_t>(message.source)];
  const NodeId to = placement_[static_cast<std::size_t>(message.target)];
  message.launched = true;
  message.launch = network_.now();
  message.history = history;
  ++report_.messages;
  report_.bytes += message.bytes;
  if (from != to) {
    const auto hops = network_.machine().hops(from, to);
    ++report_.network_messages;
    report_.network_bytes += message.bytes;
    report_.hops += static_cast<std::uint64_t>(hops);
    report_.hop_bytes += static_cast<std::uint64_t>(hops) * message.bytes;
    report_.dilation_max = std::max(report_.dilation_max, hops);
  }
  message.flow = network_.start_flow(from, to, message.bytes + options_.envelope, *this, id);
}

void Replay::flow_ended(std::uint32_t id) {
  auto& message = messages_[id];
  message.arrived = true;
  const NodeId from = placement_[static_cast<std::size_t>(message.source)];
  const NodeId to = placement_[static_cast<std::size_t>(message.target)];
  const auto& machine = network_.machine();
  const double latency = machine.latency(from, to);
  const double alone = static_cast<double>(message.bytes + options_.envelope) / machine.route_bandwidth(from, to);
  message.history.latency += latency;
  message.history.bandwidth += alone;
  message.history.contention += std::max(0.0, network_.now() - message.launch - latency - alone);
  // Copied: what the ranks do next may move the messages.
  const Message cause = message;
  drop_message_if_done(id);
  if (cause.send != none) complete(cause.send, cause);
  if (cause.receive != none) complete(cause.receive, cause);
}

/// Marks a request as ended and lets its owner go on if that was the last thing it waited for.
void Replay::complete(RequestId id, const Message& cause) {
  auto& request = requests_[id];
  request.done = true;
  if (!request.awaited) return;
  auto& owner = ranks_[static_cast<std::size_t>(request.owner)];
  if (owner.pending > 0 && --owner.pending == 0) resume(owner, cause);
}

// --- waiting ---

/// Blocks the rank until all the requests have ended, then frees them. True if they have already.
bool Replay::await(RankState& state, std::span<const RequestId> requests) {
  state.awaited.assign(requests.begin(), requests.end());
  state.any = false;
  state.pending = 0;
  for (const auto id : state.awaited) {
    if (requests_[id].done) continue;
    requests_[id].awaited = true;
    ++state.pending;
  }
  if (state.pending > 0) {
    state.blocked_since = network_.now();
    return false;
  }
  release_awaited(state);
  return true;
}

/// The requests that a waitall or waitany is for: the trace only says how many (null requests included). Not those that
/// a later wait names; of the others the newest. They are put into `awaited`.
void Replay::choose_awaited(RankState& state, std::size_t count) {
  state.awaited.clear();
  for (auto id = state.outstanding.rbegin(); id != state.outstanding.rend() && state.awaited.size() < count; ++id)
    if (!requests_[*id].by_name) state.awaited.push_back(*id);
  std::reverse(state.awaited.begin(), state.awaited.end());
}

/// Waits for the first of them to end.
bool Replay::await_any(RankState& state, std::size_t count) {
  choose_awaited(state, count);
  if (state.awaited.empty()) return true;
  state.any = true;
  const bool ready =
      std::any_of(state.awaited.begin(), state.awaited.end(), [&](RequestId id) { return requests_[id].done; });
  if (ready) {
    release_awaited(state);
    return true;
  }
  for (const auto id : state.awaited) requests_[id].awaited = true;
  state.pending = 1;
  state.blocked_since = network_.now();
  return false;
}

/// Frees what the rank waited for: all requests, or the first one that has ended.
void Replay::release_awaited(RankState& state) {
  if (!state.any) {
    for (const auto id : state.awaited) free_request(id);
    state.awaited.clear();
    return;
  }
  for (const auto id : state.awaited) requests_[id].awaited = false;
  const auto ended =
      std::find_if(state.awaited.begin(), state.awaited.end(), [&](RequestId id) { return requests_[id].done; });
  std::erase(state.outstanding, *ended);
  end_early(state, *ended);
  free_request(*ended);
  state.awaited.clear();
}

/// The first outstanding request that a wait or test names, as posted if possible, else with wildcards; or the number
/// of requests.
std::size_t Replay::find_outstanding(const RankState& state, const Operation& wait) const {
  const auto find = [&](bool loose) {
    for (std::size_t i = 0; i < state.outstanding.size(); ++i) {
      const auto& r = requests_[state.outstanding[i]];
      const Rank partner = r.is_send ? wait.other : wait.peer;
      const Rank self = r.is_send ? wait.peer : wait.other;
      const bool same_partner =
          r.peer == partner ||
          (loose && !r.is_send && (r.peer == workloads::any_source || partner == workloads::any_source));
      const bool same_tag =
          r.tag == wait.tag || (loose && (r.tag == workloads::any_tag || wait.tag == workloads::any_tag));
      if (self == state.rank && same_partner && same_tag) return i;
    }
    return state.outstanding.size();
  };
  const auto exact = find(false);
  return exact < state.outstanding.size() ? exact : find(true);
}

bool Replay::wait_for(RankState& state) {
  const auto at = find_outstanding(state, state.operation);
  if (at < state.outstanding.size()) {
    const auto request = state.outstanding[at];
    state.outstanding.erase(state.outstanding.begin() + static_cast<std::ptrdiff_t>(at));
    return await(state, request);
  }
  const auto& wait = state.operation;
  const auto early = state.ended_early.find({wait.peer, wait.other, wait.tag});
  if (early == state.ended_early.end())
    throw core::SimulationError(
        fmt::format("{}: rank {} waits for a message from {} to {} with {}, but has no such request", where(state),
                    state.rank, rank_text(wait.peer), rank_text(wait.other), tag_text(wait.tag)));
  if (--early->second == 0) state.ended_early.erase(early);
  return true;
}

/// Remembers that the request ended where the trace names no request.
void Replay::end_early(RankState& state, RequestId id) {
  const auto& request = requests_[id];
  const RequestName name = request.is_send ? RequestName(state.rank, request.peer, request.tag)
                                           : RequestName(request.peer, state.rank, request.tag);
  ++state.ended_early[name];
}

/// A successful test ends its request; the trace does not say whether it did, so a later wait for it is in order.
void Replay::test(RankState& state) {
  const auto at = find_outstanding(state, state.operation);
  if (at == state.outstanding.size() || !requests_[state.outstanding[at]].done) return;
  end_early(state, state.outstanding[at]);
  free_request(state.outstanding[at]);
  state.outstanding.erase(state.outstanding.begin() + static_cast<std::ptrdiff_t>(at));
}

bool Replay::wait_all(RankState& state) {
  choose_awaited(state, state.operation.bytes);
  const auto chosen = state.awaited;
  std::size_t next = 0;  // both are in order of posting
  std::erase_if(state.outstanding, [&](RequestId id) {
    const bool is_chosen = next < chosen.size() && chosen[next] == id;
    next += is_chosen ? 1 : 0;
    return is_chosen;
  });
  return await(state, chosen);
}

// --- pools ---

Replay::RequestId Replay::new_request(Rank owner, Rank peer, std::int32_t tag, std::uint32_t context, bool is_send) {
  const auto& state = ranks_[static_cast<std::size_t>(owner)];
  Request request{owner, peer, tag, context, is_send};
  request.by_name = state.operation.waited_by_name;
  request.operation = state.next_operation - 1;
  if (free_requests_.empty()) {
    requests_.push_back(request);
    return static_cast<RequestId>(requests_.size() - 1);
  }
  const auto id = free_requests_.back();
  free_requests_.pop_back();
  requests_[id] = request;
  return id;
}

void Replay::free_request(RequestId id) {
  free_requests_.push_back(id);
}

Replay::MessageId Replay::new_message() {
  if (free_messages_.empty()) {
    messages_.emplace_back();
    return static_cast<MessageId>(messages_.size() - 1);
  }
  const auto id = free_messages_.back();
  free_messages_.pop_back();
  return id;
}

/// A message is forgotten once it has arrived and found its receive.
void Replay::drop_message_if_done(MessageId id) {
  if (messages_[id].arrived && messages_[id].receive != none) free_messages_.push_back(id);
}

// --- complaints ---

std::string Replay::where(const RankState& state) const {
  return trace_.locate(state.rank, state.next_operation - 1);
}

/// What the rank is blocked in, and the first request that has not ended.
std::string Replay::describe(const RankState& state) const {
  const std::string in =
      state.ending ? "its end" : fmt::format("{} at {}", to_string(state.operation.kind), where(state));
  const auto open =
      std::find_if(state.awaited.begin(), state.awaited.end(), [&](RequestId id) { return !requests_[id].done; });
  if (open == state.awaited.end()) return fmt::format("rank {} in {}", state.rank, in);
  const auto& request = requests_[*open];
  const bool elsewhere = state.ending || request.operation + 1 != state.next_operation;
  return fmt::format("rank {} in {} waits to {} {}{}{}", state.rank, in, request.is_send ? "send to" : "receive from",
                     rank_text(request.peer),
                     is_collective_context(request.context) ? "" : ", " + tag_text(request.tag),
                     elsewhere ? ", posted at " + trace_.locate(state.rank, request.operation) : "");
}

void Replay::check_complete() const {
  if (killed_) return;
  std::vector<std::string> blocked;
  for (const auto& state : ranks_)
    if (!state.finished && blocked.size() < most_blocked_listed) blocked.push_back(describe(state));
  if (unfinished_ > 0)
    throw core::SimulationError(fmt::format("deadlock: {} of {} ranks are blocked: {}{}", unfinished_, trace_.ranks(),
                                            core::join(blocked, "; "),
                                            static_cast<std::size_t>(unfinished_) > blocked.size() ? "; ..." : ""));
  for (const auto& state : ranks_) {
    const auto unreceived = state.queue.unreceived();
    if (unreceived.empty()) continue;
    const auto& message = messages_[unreceived.front()];
    const auto what =
        is_collective_context(message.context) ? "in " + collective_text(message.tag) : "with " + tag_text(message.tag);
    throw core::SimulationError(
        fmt::format("unmatched message: {}: rank {} sends {} bytes to rank {} {}, which never receives them ({} "
                    "unreceived there)",
                    trace_.locate(message.source, message.operation), message.source, message.bytes, message.target,
                    what, unreceived.size()));
  }
}

}  // namespace toroid::netsim
