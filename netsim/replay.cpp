// The ranks of a replay: a state machine each, driven by the ends of flows and timers. No thread and no stack per rank.

#include "netsim/replay.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "netsim/replay/complaints.hpp"
#include "netsim/replay/messages.hpp"
#include "netsim/replay/waiting.hpp"

namespace toroid::netsim {

using workloads::Operation;
using workloads::OpKind;
using workloads::SendMode;
using workloads::Step;

class Replay::Ranks final : public FlowClient, public TimerClient {
 public:
  Ranks(const workloads::Trace& trace, std::vector<NodeId> placement, Network& network, ReplayOptions options,
        Ended ended);
  ~Ranks() override { leave_network(); }

  void start();
  void kill();

  void flow_ended(std::uint32_t message) override;
  void timer_ended(std::uint32_t rank) override;

 private:
  struct State {
    explicit State(Requests& requests) : waiting(requests) {}
    Rank rank = 0;
    std::unique_ptr<workloads::OperationStream> stream;
    Operation operation;               ///< the current one
    std::uint64_t next_operation = 0;  ///< index of the one after it
    bool at_end = false, finished = false, computing = false;
    TimerId timer = 0;
    std::optional<workloads::Schedule> schedule;  ///< of the current collective
    Waiting waiting;
    Time blocked_since;
    History history;
  };
  /// The other side of a message, and what keeps it apart from others.
  struct Partner {
    Rank rank;
    std::int32_t tag;
    std::uint32_t context;
  };

  State& state_of(Rank rank) { return states_[static_cast<std::size_t>(rank)]; }
  RankReport& report_of(const State& state) { return report_.ranks[static_cast<std::size_t>(state.rank)]; }

  template <class Action>
  void let_happen(Action action);
  void check_complete() const;
  void conclude(End how, std::string complaint);
  void leave_network();

  // Each bool says whether the rank can go on at once.
  void advance(State& state);
  bool execute(State& state);
  void begin_collective(State& state);
  bool run_schedule(State& state);
  bool finish(State& state);
  bool compute(State& state, double amount, double per_second);
  bool wait(State& state);
  bool block(State& state, bool ended);
  void end(RequestId request, MessageId cause);
  void resume(State& state, const Message& cause);

  RequestId send(State& state, const Partner& to, std::uint64_t bytes, SendMode mode);
  RequestId receive(State& state, const Partner& from);
  void keep(State& state, RequestId request, const Partner& partner, bool is_send);
  RequestId new_request(const State& state, const Partner& partner, bool is_send);
  Partner partner(const Operation& operation, Rank rank) const;

  const workloads::Trace& trace_;
  Network& network_;
  ReplayOptions options_;
  Ended ended_;
  ReplayReport report_;
  CauseLog causes_;
  Messages messages_;
  Requests requests_;
  std::vector<State> states_;
  Rank unfinished_;
  Rank computing_ = 0;  ///< how many ranks compute or sleep
  bool over_ = false;
};

Replay::Ranks::Ranks(const workloads::Trace& trace, std::vector<NodeId> placement, Network& network,
                     ReplayOptions options, Ended ended)
    : trace_(trace),
      network_(network),
      options_(std::move(options)),
      ended_(std::move(ended)),
      causes_(options_.log_causes),
      messages_(network, *this, placement, options_, report_, causes_),
      unfinished_(trace.ranks()) {
  report_.start = network.clock().now();
  report_.ranks.reserve(placement.size());
  for (const NodeId node : placement) report_.ranks.push_back({.node = node});
}

void Replay::Ranks::start() {
  if (over_) return;
  report_.start = network_.clock().now();
  causes_.begin(report_.start);
  let_happen([this] {
    states_.reserve(static_cast<std::size_t>(trace_.ranks()));
    for (Rank rank = 0; rank < trace_.ranks(); ++rank) {
      auto& state = states_.emplace_back(requests_);
      state.rank = rank;
      state.stream = trace_.open(rank);
    }
    for (auto& state : states_) advance(state);
  });
}

void Replay::Ranks::kill() {
  if (!over_) conclude(End::killed, {});
}

/// Lets the ranks act on an event, and sees whether that was the last one: what has nothing under way waits for ever.
template <class Action>
void Replay::Ranks::let_happen(Action action) {
  std::string complaint;
  try {
    network_.timed(&Profile::clients, action);
    if (unfinished_ > 0 && (computing_ > 0 || messages_.under_way() > 0)) return;
    check_complete();
  } catch (const core::SimulationError& error) {
    complaint = error.what();
  }
  const End how = complaint.empty() ? End::done : End::failed;
  conclude(how, std::move(complaint));
}

/// Throws SimulationError if ranks are blocked (naming them, what they wait for and where it stands in the trace) or if
/// messages were sent that nobody received.
void Replay::Ranks::check_complete() const {
  constexpr std::size_t most_listed = 8;
  std::vector<BlockedRank> blocked;
  for (const auto& state : states_)
    if (!state.finished && blocked.size() < most_listed)
      blocked.push_back(
          {state.rank, state.operation.kind, state.next_operation - 1, state.at_end, state.waiting.blocker()});
  if (unfinished_ > 0) fail_deadlock(trace_, blocked, unfinished_);
  for (const auto& state : states_)
    if (const auto unreceived = messages_.unreceived(state.rank); !unreceived.empty())
      fail_unreceived(trace_, messages_[unreceived.front()], unreceived.size());
}

/// The last thing that a replay does: whoever is told may make an end of it.
void Replay::Ranks::conclude(End how, std::string complaint) {
  over_ = true;
  leave_network();
  report_.runtime = (network_.clock().now() - report_.start).seconds();
  const auto ended = std::move(ended_);
  ended({how, std::move(complaint), std::move(report_)});
}

void Replay::Ranks::leave_network() {
  messages_.cancel();
  for (auto& state : states_)
    if (std::exchange(state.computing, false)) network_.clock().cancel(state.timer);
}

// --- progress of a rank ---

/// Goes on with the rank until it is blocked or has finished.
void Replay::Ranks::advance(State& state) {
  for (;;) {
    if (state.schedule) {
      if (!run_schedule(state)) return;
      state.schedule.reset();
      if (!compute(state, state.operation.amount, network_.machine().parameters().speed)) return;
    }
    if (state.at_end || !state.stream->next(state.operation)) {
      if (!finish(state)) return;
      break;
    }
    ++state.next_operation;
    if (options_.progress != nullptr) ++*options_.progress;
    if (!execute(state)) return;
  }
  auto& report = report_of(state);
  report.finish = (network_.clock().now() - report_.start).seconds();
  if (--unfinished_ > 0) return;
  report_.critical_path = state.history;
  report_.critical_steps = causes_.chain(state.history);
}

bool Replay::Ranks::execute(State& state) {
  const auto& op = state.operation;
  switch (op.kind) {
    case OpKind::compute:
      return compute(state, op.amount, network_.machine().parameters().speed);
    case OpKind::sleep:
      return compute(state, op.amount, 1);
    case OpKind::send:
      state.waiting.add(send(state, partner(op, op.peer), op.bytes, op.mode));
      return wait(state);
    case OpKind::recv:
      state.waiting.add(receive(state, partner(op, op.peer)));
      return wait(state);
    case OpKind::sendrecv:
      state.waiting.add(receive(state, partner(op, op.other)));
      state.waiting.add(send(state, partner(op, op.peer), op.bytes, op.mode));
      return wait(state);
    case OpKind::isend:
      keep(state, send(state, partner(op, op.peer), op.bytes, op.mode), partner(op, op.peer), true);
      return true;
    case OpKind::irecv:
      keep(state, receive(state, partner(op, op.peer)), partner(op, op.peer), false);
      return true;
    case OpKind::wait: {
      const auto name = workloads::request_name(op, state.rank);
      const auto found = state.waiting.wait(name);
      if (found == Waiting::Named::unknown) fail_no_request(trace_, state.rank, state.next_operation - 1, name);
      return block(state, found == Waiting::Named::ended);
    }
    case OpKind::waitall:
      return block(state, state.waiting.wait_all(op.bytes));
    case OpKind::waitany:
      return block(state, state.waiting.wait_any(op.bytes));
    case OpKind::test:
      state.waiting.test(workloads::request_name(op, state.rank));
      return true;
    default:
      begin_collective(state);
      return true;
  }
}

void Replay::Ranks::begin_collective(State& state) {
  const auto& op = state.operation;
  const auto& members = trace_.members(op.comm);
  const auto me = op.comm == workloads::world
                      ? state.rank
                      : static_cast<Rank>(std::find(members.begin(), members.end(), state.rank) - members.begin());
  const auto call = workloads::collective_call(op, me, static_cast<Rank>(members.size()));
  state.schedule = options_.collectives.choose(call).run(call);
}

bool Replay::Ranks::run_schedule(State& state) {
  const auto& members = trace_.members(state.operation.comm);
  while (const auto step = state.schedule->next()) {
    if (step->kind == Step::Kind::wait) {
      if (!wait(state)) return false;
      continue;
    }
    // The kind as tag: ranks that are in different collectives do not understand each other.
    const Partner peer{members[static_cast<std::size_t>(step->peer)], static_cast<std::int32_t>(state.operation.kind),
                       collective_context(state.operation.comm)};
    state.waiting.add(step->kind == Step::Kind::send ? send(state, peer, step->bytes, SendMode::standard)
                                                     : receive(state, peer));
  }
  return true;
}

/// A rank ends when its last requests have.
bool Replay::Ranks::finish(State& state) {
  state.at_end = true;
  state.finished = block(state, state.waiting.wait_for_rest());
  return state.finished;
}

bool Replay::Ranks::compute(State& state, double amount, double per_second) {
  const double seconds = amount / per_second * options_.compute_scale;
  if (!(seconds > 0)) return true;
  state.computing = true;
  ++computing_;
  report_of(state).compute += seconds;
  state.history.compute += seconds;
  if (causes_.wanted()) {
    const double begin = causes_.since_start(network_.clock().now());
    causes_.add({.rank = state.rank, .operation = state.next_operation - 1, .begin = begin, .end = begin + seconds},
                state.history);
  }
  state.timer = network_.clock().start_timer(Time(seconds), *this, static_cast<std::uint32_t>(state.rank));
  return false;
}

void Replay::Ranks::timer_ended(std::uint32_t rank) {
  let_happen([this, rank] {
    auto& state = states_[rank];
    state.computing = false;
    --computing_;
    advance(state);
  });
}

// --- waiting ---

/// Waits for what the current operation has posted.
bool Replay::Ranks::wait(State& state) {
  return block(state, state.waiting.wait_for_added());
}

/// Blocks the rank now, if what it waits for has not ended.
bool Replay::Ranks::block(State& state, bool ended) {
  if (!ended) state.blocked_since = network_.clock().now();
  return ended;
}

void Replay::Ranks::flow_ended(std::uint32_t id) {
  let_happen([this, id] {
    const auto& message = messages_.arrive(id);
    const RequestId send = message.send, receive = message.receive;
    if (send != no_request) end(send, id);
    if (receive == no_request) return;
    end(receive, id);
    messages_.forget(id);
  });
}

void Replay::Ranks::end(RequestId request, MessageId cause) {
  auto& owner = state_of(requests_[request].owner);
  if (owner.waiting.end(request)) resume(owner, messages_[cause]);
}

/// The rank goes on: its wait ended with the arrival of `cause`.
void Replay::Ranks::resume(State& state, const Message& cause) {
  auto& report = report_of(state);
  const Time now = network_.clock().now();
  const double blocked = (now - state.blocked_since).seconds();
  const double transfer = std::min(blocked, (now - cause.launch).seconds());
  report.transfer += transfer;
  report.wait += blocked - transfer;
  state.history = cause.history;
  advance(state);
}

// --- point to point ---

Replay::Ranks::Partner Replay::Ranks::partner(const Operation& op, Rank rank) const {
  const bool in_world = rank < 0 || op.comm == workloads::world;
  return {in_world ? rank : trace_.members(op.comm)[static_cast<std::size_t>(rank)], op.tag, user_context(op.comm)};
}

/// Sends a message. The request that the rank has to wait for, or no_request if there is nothing to wait for.
RequestId Replay::Ranks::send(State& state, const Partner& to, std::uint64_t bytes, SendMode mode) {
  if (to.rank == workloads::no_process) return no_request;
  const auto request = messages_.is_eager(bytes, mode) ? no_request : new_request(state, to, true);
  auto& report = report_of(state);
  ++report.messages;
  report.bytes += bytes;
  messages_.send({state.rank, to.tag, to.context}, to.rank, bytes, state.next_operation - 1, request, state.history);
  return request;
}

/// Posts a receive. Returns like send().
RequestId Replay::Ranks::receive(State& state, const Partner& from) {
  if (from.rank == workloads::no_process) return no_request;
  const auto request = new_request(state, from, false);
  if (!messages_.receive({from.rank, from.tag, from.context}, state.rank, request, state.history)) return request;
  requests_.remove(request);
  return no_request;
}

/// Leaves a request for later calls to wait for, also if there is nothing to wait for any more.
void Replay::Ranks::keep(State& state, RequestId request, const Partner& partner, bool is_send) {
  if (request == no_request) {
    request = new_request(state, partner, is_send);
    requests_[request].done = true;
  }
  state.waiting.keep(request);
}

RequestId Replay::Ranks::new_request(const State& state, const Partner& partner, bool is_send) {
  return requests_.add({.name = is_send ? RequestName(state.rank, partner.rank, partner.tag)
                                        : RequestName(partner.rank, state.rank, partner.tag),
                        .owner = state.rank,
                        .context = partner.context,
                        .operation = state.next_operation - 1,
                        .is_send = is_send,
                        .by_name = state.operation.waited_by_name});
}

// --- the public face ---

Replay::Replay(const workloads::Trace& trace, std::vector<NodeId> placement, Network& network, ReplayOptions options,
               Ended ended)
    : ranks_(std::make_unique<Ranks>(trace, std::move(placement), network, std::move(options), std::move(ended))) {}
Replay::~Replay() = default;

void Replay::start() {
  ranks_->start();
}
void Replay::kill() {
  ranks_->kill();
}

}  // namespace toroid::netsim
