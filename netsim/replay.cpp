// The ranks of a replay: a state machine each, driven by the ends of flows and timers. No thread and no stack per rank.

#include "netsim/replay.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/flat_map.hpp"
#include "netsim/replay/complaints.hpp"
#include "netsim/replay/messages.hpp"
#include "netsim/replay/strand.hpp"
#include "netsim/replay/waiting.hpp"

namespace toroid::netsim {

using workloads::Operation;
using workloads::OpKind;
using workloads::SendMode;
using workloads::Step;

namespace {

constexpr std::uint64_t progress_interval = 256;  // operations between two words on the progress

struct HashNumber {
  std::uint64_t operator()(std::uint64_t number) const {
    const auto h = number * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 32U);
  }
  std::uint64_t operator()(workloads::CommId comm) const { return (*this)(comm.index()); }
};

}  // namespace

class Replay::Ranks final : public FlowClient, public TimerClient {
 public:
  Ranks(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended);
  ~Ranks() override { leave_network(); }

  void start();
  void kill();

  void flow_ended(std::uint32_t message, const FlowEnd& how) override;
  void flow_lost(std::uint32_t message, platforms::LinkId link) override;
  void timer_ended(std::uint32_t rank) override;

 private:
  /// A rank's own puts that have not arrived, and the fence that waits for them.
  struct Puts {
    bool is_open = false;  ///< there were some since the last fence
    std::uint32_t under_way = 0;
    StrandId fence = no_strand;
  };
  /// First those with the least key.
  template <class Key>
  using Least = std::priority_queue<Key, std::vector<Key>, std::greater<>>;
  /// The operations of a graph that a rank has under way, or before it.
  struct Graph {
    core::FlatMap<std::uint64_t, StrandId, HashNumber> strands = {};  ///< by their indices
    Least<std::pair<std::uint64_t, StrandId>> messages = {};          ///< that can begin, by index
    /// The same, by since when they can and by index; the program's own computation is no strand.
    Least<std::tuple<Time, std::uint64_t, StrandId>> computations = {};
    double own_seconds = 0;          ///< of the program's own computation, while another one goes on
    StrandId computing = no_strand;  ///< whose computation goes on; else it is the program's
    bool joining = false;            ///< the program waits for all of them
    History last = {};               ///< of the one that ended last, at `ended`
    Time ended = {};
    History computed = {};  ///< of the computation that ended last beside strands, at `computed_at`
    Time computed_at = {};
  };
  struct State {
    State(Requests& requests, bool tells) : waiting(requests, tells) {}
    Rank rank = 0;
    std::unique_ptr<workloads::OperationStream> stream;
    Operation operation;               ///< the current one
    std::uint64_t next_operation = 0;  ///< index of the one after it
    bool at_end = false, finished = false, computing = false;
    bool running = false;  ///< its program goes on at this moment
    bool blocked = false;  ///< its program
    TimerId timer = 0;
    Graph graph = {};
    Waiting waiting;
    core::FlatMap<RequestHandle, Operation, HashNumber> persistent = {};           ///< inits, by what they gave
    core::FlatMap<workloads::CommId, std::uint32_t, HashNumber> collectives = {};  ///< calls on each communicator
    core::FlatMap<workloads::CommId, Puts, HashNumber> puts = {};                  ///< into each communicator's windows
    std::int32_t open_puts = 0;                                                    ///< how many of these are open
    Time blocked_since;
    Time ready;  ///< when it came to its present wait
    History history;
  };
  /// The other side of a message, and what keeps it apart from others.
  struct Partner {
    Rank rank;
    std::int32_t tag;
    std::uint32_t context;
  };

  State& state_of(Rank rank) { return states_[rank]; }
  RankReport& report_of(const State& state) { return report_.ranks[state.rank]; }

  template <class Action>
  void let_happen(Action action);
  void check_complete() const;
  void collect_charges();
  void conclude(End how, std::string complaint);
  void leave_network();

  // Each bool says whether the rank can go on at once.
  void advance(State& state);
  bool run(State& state);
  bool execute(State& state);
  bool compute(State& state, double amount, double per_second);
  void occupy(State& state, double seconds, StrandId strand);
  double seconds_of(double amount, double per_second) const { return amount / per_second * options_.compute_scale; }
  double speed() const { return network_.machine().parameters().speed; }
  bool wait(State& state);
  bool block(State& state, bool ended);
  void end_block(State& state);
  bool wait_for_rest(State& state);
  void end(RequestId request, MessageId cause);
  void book(State& state, const Message& cause);
  void resume(State& state, const Message& cause);
  void meet_taken(State& state, const Time& since);

  void add_strand(State& state);
  std::size_t require(const State& state, StrandId id, std::span<const std::uint64_t> distances,
                      std::vector<StrandId> Strand::*waiters);
  void go_on_with(History& history, const Time& since, const History& other);
  void satisfy(StrandId id, const History& history);
  void begin_strand(StrandId id);
  void post_strand(StrandId id);
  void end_strand(StrandId id);
  void begin_strands(State& state);
  void begun(StrandId id);
  void wait_for_rank(const State& state, History& history, const Time& since);
  bool join(State& state);

  RequestId begin_collective(State& state);
  workloads::CollectiveCall call_of(const State& state, workloads::CommRank me, workloads::CommRank size) const;
  bool advance_collective(StrandId id);
  void end_step(StrandId id, MessageId cause);
  void put(State& state);
  bool waits_for_puts(State& state, StrandId id);
  void end_put(MessageId id);

  void count(const State& state, std::uint64_t bytes);
  void post(State& state, const Operation& operation);
  void start(State& state, RequestHandle handle);
  void check_known(const State& state, RequestHandle handle) const;
  RequestId send(State& state, const Partner& to, std::uint64_t bytes, SendMode mode, const History& history,
                 StrandId strand = no_strand);
  RequestId receive(State& state, const Partner& from, const History& history, StrandId strand = no_strand);
  void receive_now(State& state);
  RequestId new_request(const State& state, const Partner& partner, Request::Kind kind, StrandId strand);
  Partner partner(const Operation& operation, workloads::CommRank rank) const;
  std::uint64_t operation_of(const State& state, StrandId strand) const;
  const Request* blocker(const State& state) const;

  const workloads::Trace& trace_;
  Network& network_;
  ReplayOptions options_;
  Ended ended_;
  ReplayReport report_;
  CauseLog causes_;
  Charges charges_;
  Messages messages_;
  Requests requests_;
  Strands strands_;
  core::IdVector<Rank, State> states_;
  std::int32_t unfinished_;
  std::uint64_t begun_ = 0;       ///< operations
  std::int32_t computing_ = 0;    ///< how many ranks compute or sleep
  std::vector<StrandId> ending_;  ///< strands that have ended, and what requires that is not told yet
  bool is_ending_ = false;
  bool over_ = false;
  Moment arrived_;  ///< of the message that the last receive found there; or the present
  History last_;    ///< of all ranks that have finished, at `finished_`
  Time finished_;
};

Replay::Ranks::Ranks(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options,
                     Ended ended)
    : trace_(trace),
      network_(network),
      options_(std::move(options)),
      ended_(std::move(ended)),
      causes_(options_.log_causes),
      charges_(network.contention(), mapping[0]),
      messages_(network, *this, mapping, options_, report_, causes_, charges_),
      unfinished_(trace.ranks()) {
  report_.start = network.clock().now();
  report_.ranks.reserve(mapping.size());
  for (const NodeId node : mapping) report_.ranks.add(RankReport{.node = node});
}

void Replay::Ranks::start() {
  if (over_) return;
  report_.start = network_.clock().now();
  causes_.begin(report_.start);
  let_happen([this] {
    states_.reserve(trace_.ranks());
    for (const Rank rank : core::ids<Rank>(trace_.ranks())) {
      auto& state = states_[states_.add(State(requests_, charges_.are_kept()))];
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
    if (charges_.is_full()) collect_charges();
    if (unfinished_ > 0 && (computing_ > 0 || messages_.under_way() > 0)) return;
    check_complete();
  } catch (const core::SimulationError& error) {
    complaint = error.what();
  } catch (const core::InputError& error) {  // of its trace: the other jobs have no part in it
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
      blocked.push_back({state.rank, state.operation.kind, state.next_operation - 1, state.at_end, blocker(state)});
  if (unfinished_ > 0) fail_deadlock(trace_, blocked, unfinished_);
  for (const auto& state : states_)
    if (const auto unreceived = messages_.unreceived(state.rank); !unreceived.empty())
      fail_unreceived(trace_, messages_[unreceived.front()], unreceived.size());
}

/// The first message that the rank waits for, or null.
const Request* Replay::Ranks::blocker(const State& state) const {
  const auto first_of = [&](const std::vector<RequestId>& round) {
    const auto open = std::find_if(round.begin(), round.end(), [&](RequestId id) { return !requests_[id].done; });
    return open == round.end() ? nullptr : &requests_[*open];
  };
  const auto* request = state.waiting.blocker();
  if (request != nullptr && request->kind == Request::Kind::collective)
    return first_of(strands_[request->strand].round);
  if (request != nullptr || !state.graph.joining) return request;
  for (const auto& strand : strands_.slots()) {
    const auto* message = strand.rank == state.rank ? first_of(strand.round) : nullptr;
    if (message != nullptr && (request == nullptr || message->operation < request->operation)) request = message;
  }
  return request;
}

void Replay::Ranks::collect_charges() {
  charges_.collect([this](const auto& visit) {
    visit(last_);
    for (auto& state : states_) {
      visit(state.history);
      visit(state.graph.last);
      visit(state.graph.computed);
    }
    for (auto& strand : strands_.slots()) visit(strand.history);
    messages_.for_each_history(visit);
  });
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
  state.running = true;
  const bool finished = run(state);
  state.running = false;
  if (!finished) return begin_strands(state);
  state.finished = true;
  auto& report = report_of(state);
  report.finish = (network_.clock().now() - report_.start).seconds();
  charges_.meet(state.history, network_.clock().now(), {finished_, last_.charged}, network_.clock().now());
  last_.charged = state.history.charged;
  finished_ = network_.clock().now();
  if (--unfinished_ > 0) return;
  report_.critical_path = state.history;
  report_.critical_steps = causes_.chain(state.history);
  report_.charges = charges_.of(state.history);
}

/// Until it is blocked, or has finished, which is what it returns.
bool Replay::Ranks::run(State& state) {
  for (;;) {
    meet_taken(state, network_.clock().now());
    if (const double work = state.waiting.take_work(); work > 0 && !compute(state, work, speed())) return false;
    if (state.at_end && state.graph.strands.size() == 0) return true;
    if (state.at_end || !state.stream->next(state.operation)) {
      if (!wait_for_rest(state)) return false;
      continue;
    }
    ++state.next_operation;
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
      return compute(state, op.amount, speed());
    case OpKind::sleep:
      return compute(state, op.amount, 1);
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
      for (const auto handle : op.requests) check_known(state, handle);
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
      const auto request = begin_collective(state);
      if (op.request == workloads::no_handle)
        state.waiting.add(request);
      else
        state.waiting.keep(request);
      return op.request != workloads::no_handle || wait(state);
    }
  }
}

/// A handle that no operation has given.
void Replay::Ranks::check_known(const State& state, RequestHandle handle) const {
  if (!state.waiting.knows(handle)) fail_no_request(trace_, state.rank, state.next_operation - 1, handle);
}

bool Replay::Ranks::compute(State& state, double amount, double per_second) {
  const double seconds = seconds_of(amount, per_second);
  if (!(seconds > 0)) return true;
  if (!state.computing) {
    occupy(state, seconds, no_strand);
  } else {
    state.graph.own_seconds = seconds;
    state.graph.computations.emplace(network_.clock().now(), state.next_operation - 1, no_strand);
    block(state, false);
  }
  return false;
}

/// The rank computes from now on, for its program or for a strand.
void Replay::Ranks::occupy(State& state, double seconds, StrandId strand) {
  state.computing = true;
  state.graph.computing = strand;
  ++computing_;
  report_of(state).compute += seconds;
  auto& history = strand == no_strand ? state.history : strands_[strand].history;
  history.compute += seconds;
  if (causes_.wanted()) {
    const double begin = causes_.since_start(network_.clock().now());
    causes_.add({.rank = state.rank, .operation = operation_of(state, strand), .begin = begin, .end = begin + seconds},
                history);
  }
  state.timer = network_.clock().start_timer(Time(seconds), *this, static_cast<std::uint32_t>(state.rank.value()));
}

void Replay::Ranks::timer_ended(std::uint32_t rank) {
  let_happen([this, rank] {
    auto& state = states_[Rank(rank)];
    state.computing = false;
    --computing_;
    auto& graph = state.graph;
    const auto strand = std::exchange(graph.computing, no_strand);
    if (graph.strands.size() > 0) {
      graph.computed = strand == no_strand ? state.history : strands_[strand].history;
      graph.computed_at = network_.clock().now();
    }
    if (strand == no_strand) return advance(state);
    state.blocked_since = network_.clock().now();
    strands_[strand].since = state.blocked_since;
    end_strand(strand);
    begin_strands(state);
  });
}

// --- waiting ---

/// Waits for what the current operation has posted.
bool Replay::Ranks::wait(State& state) {
  return block(state, state.waiting.wait_for_added());
}

/// Blocks the rank now, if what it waits for has not ended.
bool Replay::Ranks::block(State& state, bool ended) {
  state.blocked = !ended;
  if (!ended) state.blocked_since = network_.clock().now();
  if (charges_.are_kept()) {
    state.ready = network_.clock().now();
    meet_taken(state, state.ready);
  }
  return ended;
}

/// What the rank had at `since` and has waited for: it goes on with the last of that.
void Replay::Ranks::meet_taken(State& state, const Time& since) {
  if (state.waiting.taken().empty()) return;
  const Time now = network_.clock().now();
  Time until = since;
  for (const auto id : state.waiting.taken()) {
    charges_.meet(state.history, until, charges_.noted(id), now);
    until = now;
  }
  state.waiting.taken().clear();
}

void Replay::Ranks::flow_ended(std::uint32_t id, const FlowEnd& how) {
  let_happen([this, id, &how] {
    const auto& message = messages_.arrive(id, how);
    if (message.is_put) return end_put(id);
    const RequestId send = message.send, receive = message.receive;
    if (send != no_request) end(send, id);
    if (receive == no_request) return;
    end(receive, id);
    messages_.forget(id);
  });
}

void Replay::Ranks::flow_lost(std::uint32_t id, platforms::LinkId link) {
  let_happen([&] { fail_lost(trace_, messages_[id], network_.machine().link_name(link)); });
}

void Replay::Ranks::end(RequestId request, MessageId cause) {
  if (requests_[request].kind != Request::Kind::collective && requests_[request].strand != no_strand) {
    requests_[request].done = true;
    return end_step(requests_[request].strand, cause);
  }
  if (charges_.are_kept() && requests_[request].kind != Request::Kind::collective)
    charges_.note(request, messages_[cause].moment());
  auto& owner = state_of(requests_[request].owner);
  if (owner.waiting.end(request)) resume(owner, messages_[cause]);
}

/// The rank was blocked until now, and not by a message alone.
void Replay::Ranks::end_block(State& state) {
  report_of(state).wait += (network_.clock().now() - state.blocked_since).seconds();
  state.blocked = false;
}

/// The rank was blocked until now, and the arrival of `cause` was what it last waited for.
void Replay::Ranks::book(State& state, const Message& cause) {
  auto& report = report_of(state);
  const Time now = network_.clock().now();
  const double blocked = (now - state.blocked_since).seconds();
  const double transfer = std::min(blocked, (now - cause.launch).seconds());
  report.transfer += transfer;
  report.wait += blocked - transfer;
  state.blocked_since = now;
}

/// The rank goes on: its wait ended with the arrival of `cause`.
void Replay::Ranks::resume(State& state, const Message& cause) {
  book(state, cause);
  state.blocked = false;
  const auto charged = state.history.charged;
  state.history = cause.history;
  state.history.charged = charged;
  meet_taken(state, state.ready);
  advance(state);
}

// --- graphs ---

/// Adds the operation of a graph that is the current one. It begins by itself when what it requires has ended.
void Replay::Ranks::add_strand(State& state) {
  const auto& op = state.operation;
  const bool sends = op.kind == OpKind::send_after, computes = op.kind == OpKind::compute_after;
  const auto other = computes ? Partner{0, 0, 0} : partner(op, sends ? op.to : op.from);
  const auto index = state.next_operation - 1;
  const auto id = strands_.add({.rank = state.rank,
                                .operation = index,
                                .tag = other.tag,
                                .context = other.context,
                                .history = state.history,
                                .since = network_.clock().now(),
                                .kind = op.kind,
                                .mode = op.mode,
                                .partner = other.rank,
                                .bytes = op.bytes,
                                .seconds = computes ? seconds_of(op.amount, speed()) : 0});
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
    if (distance > index) fail_no_operation(trace_, state.rank, index, distance);
    const auto* other = state.graph.strands.find(index - distance);
    if (other == nullptr || (waiters == &Strand::after_begin && strands_[*other].begun)) continue;
    (strands_[*other].*waiters).push_back(id);
    ++pending;
  }
  return pending;
}

/// What had come to its history at `since` goes on now, with that of what it has waited for.
void Replay::Ranks::go_on_with(History& history, const Time& since, const History& other) {
  const Time now = network_.clock().now();
  charges_.meet(history, since, {now, other.charged}, now);
  const auto charged = history.charged;
  history = other;
  history.charged = charged;
}

/// One of those that the strand requires has ended, or begun.
void Replay::Ranks::satisfy(StrandId id, const History& history) {
  auto& strand = strands_[id];
  go_on_with(strand.history, strand.since, history);
  strand.since = network_.clock().now();
  if (--strand.pending == 0) begin_strand(id);
}

/// The strand begins as soon as the rank does not compute. What takes no time only says that others have ended.
void Replay::Ranks::begin_strand(StrandId id) {
  const auto& strand = strands_[id];
  auto& graph = state_of(strand.rank).graph;
  if (strand.kind != OpKind::compute_after)
    graph.messages.emplace(strand.operation, id);
  else if (strand.seconds > 0)
    graph.computations.emplace(network_.clock().now(), strand.operation, id);
  else
    end_strand(id);
}

/// Lets begin what can: first messages, and computations only while the program has nothing to do.
void Replay::Ranks::begin_strands(State& state) {
  auto& graph = state.graph;
  const auto take = [](auto& queue) {
    const auto id = std::get<StrandId>(queue.top());
    queue.pop();
    return id;
  };
  while (!state.computing) {
    if (!graph.messages.empty()) {
      post_strand(take(graph.messages));
    } else if (!graph.computations.empty() && !state.running) {
      const auto id = take(graph.computations);
      if (id == no_strand) {
        end_block(state);
        wait_for_rank(state, state.history, state.ready);
      } else {
        begun(id);
      }
      occupy(state, id == no_strand ? graph.own_seconds : strands_[id].seconds, id);
    } else {
      break;
    }
  }
  if (state.running || !graph.joining || graph.strands.size() > 0) return;
  graph.joining = false;
  end_block(state);
  go_on_with(state.history, state.ready, graph.last);
  advance(state);
}

/// What was to begin at `since` begins now: it has waited for what the rank computed last, too.
void Replay::Ranks::wait_for_rank(const State& state, History& history, const Time& since) {
  const auto& graph = state.graph;
  charges_.meet(history, since, {graph.computed_at, graph.computed.charged}, network_.clock().now());
  if (graph.computed_at <= since) return;
  const auto charged = history.charged;
  history = graph.computed;
  history.charged = charged;
}

/// Tells those that only require its begin.
void Replay::Ranks::begun(StrandId id) {
  auto& strand = strands_[id];
  wait_for_rank(state_of(strand.rank), strand.history, strand.since);
  strand.begun = true;
  strand.since = network_.clock().now();
  for (const auto other : std::exchange(strands_[id].after_begin, {})) satisfy(other, strands_[id].history);
}

/// Its message is sent, or waited for, from now on.
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

/// Tells those that require its end. Ends lead to ends: a list of what is to be done instead of calls within calls.
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
    state.graph.ended = network_.clock().now();
  }
  is_ending_ = false;
}

/// Blocks the program until all of the rank's strands have ended.
bool Replay::Ranks::join(State& state) {
  state.graph.joining = state.graph.strands.size() > 0;
  return block(state, !state.graph.joining);
}

// --- collectives ---

/// The call that is the current operation. Throws SimulationError if it cannot be.
workloads::CollectiveCall Replay::Ranks::call_of(const State& state, workloads::CommRank me,
                                                 workloads::CommRank size) const {
  try {
    return workloads::collective_call(state.operation, me, size);
  } catch (const core::InputError& error) {
    fail_collective(trace_, state.rank, state.next_operation - 1, error.what());
  }
}

/// Begins the collective that is the current operation; its request ends with it. It goes on by itself, whatever its
/// rank does meanwhile; what it has to combine is computed by the rank when it takes the request.
RequestId Replay::Ranks::begin_collective(State& state) {
  const auto& op = state.operation;
  const auto& communicator = trace_.communicator(op.comm);
  const auto me = communicator.rank_of(state.rank);
  if (me < 0) fail_no_member(trace_, state.rank, state.next_operation - 1);
  const auto request = requests_.add({.kind = Request::Kind::collective,
                                      .owner = state.rank,
                                      .operation = state.next_operation - 1,
                                      .work = op.amount,
                                      .handle = op.request});
  const auto id = strands_.add({.rank = state.rank,
                                .operation = state.next_operation - 1,
                                .tag = collective_tag(op.kind, (*state.collectives.try_emplace(op.comm, 0).first)++),
                                .context = collective_context(op.comm),
                                .history = state.history,
                                .since = network_.clock().now(),
                                .communicator = &communicator,
                                .request = request});
  auto& collective = strands_[id];
  auto call = call_of(state, me, communicator.size());
  if (op.request != workloads::no_handle) {  // it outlives the operation
    collective.send_counts.assign(call.send_counts.begin(), call.send_counts.end());
    collective.recv_counts.assign(call.recv_counts.begin(), call.recv_counts.end());
    call.send_counts = collective.send_counts;
    call.recv_counts = collective.recv_counts;
  }
  collective.schedule = options_.collectives.choose(call).run(call);
  requests_[request].strand = id;
  requests_[request].done = !waits_for_puts(state, id) && advance_collective(id);
  return request;
}

/// Goes on with the collective until it waits for messages or has ended, which is what it returns.
bool Replay::Ranks::advance_collective(StrandId id) {
  auto& collective = strands_[id];
  auto& state = state_of(collective.rank);
  while (const auto step = collective.schedule.next()) {
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
  charges_.note(collective.request, {network_.clock().now(), collective.history.charged});
  collective = {};
  strands_.remove(id);
  return true;
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
  if (awaited) book(state, messages_[cause]);
  const auto charged = strand.history.charged;
  strand.history = messages_[cause].history;
  strand.history.charged = charged;
  if (whole == no_request) {
    end_strand(id);
    begin_strands(state);
  } else if (advance_collective(id)) {
    end(whole, cause);
  }
}

// --- one-sided ---

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
  auto& puts = *state_of(message.envelope.source).puts.find(comm_of_user_context(message.envelope.context));
  const auto fence = --puts.under_way == 0 ? std::exchange(puts.fence, no_strand) : puts.fence;
  if (fence != no_strand) end_step(fence, id);
  messages_.forget(id);
}

// --- point to point ---

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
    charges_.note(request, sends ? Moment{network_.clock().now(), state.history.charged} : arrived_);
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
  if (charges_.are_kept()) arrived_ = {network_.clock().now(), history.charged};
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
  if (charges_.are_kept()) charges_.meet(state.history, network_.clock().now(), arrived_, network_.clock().now());
}

/// The index of the operation that the rank is in, or that the strand is.
std::uint64_t Replay::Ranks::operation_of(const State& state, StrandId strand) const {
  return strand == no_strand ? state.next_operation - 1 : strands_[strand].operation;
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

// --- the public face ---

Replay::Replay(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended)
    : ranks_(std::make_unique<Ranks>(trace, std::move(mapping), network, std::move(options), std::move(ended))) {}
Replay::~Replay() = default;

void Replay::start() {
  ranks_->start();
}
void Replay::kill() {
  ranks_->kill();
}

}  // namespace toroid::netsim
