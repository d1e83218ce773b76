// The beginning and the end of a replay, and the events in between.

#include "netsim/replay/ranks.hpp"

#include "core/interrupt.hpp"
#include "netsim/replay/complaints.hpp"
#include "netsim/replay/sampling.hpp"

namespace toroid::netsim {

Replay::Ranks::Ranks(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options,
                     Ended ended)
    : communication_(compute_scale(options, trace) > 0 ? nullptr : workloads::without_computations(trace)),
      trace_(communication_ ? *communication_ : trace),
      network_(network),
      options_(std::move(options)),
      ended_(std::move(ended)),
      causes_(options_.log_causes),
      charges_(network.contention(), mapping[0]),
      processors_(network.machine().parameters(), mapping.size()),
      timeline_(options_.keep_timeline),
      messages_(network, *this, mapping, options_, report_, causes_, timeline_, charges_, processors_,
                [this](MessageId id) { seen_to(id); }),
      grids_(network.machine(), trace, [this](Rank rank) { return report_.ranks[rank].node; }),
      unfinished_(trace.ranks()) {
  options_.collectives = options_.collectives.for_program(trace);
  options_.compute_scale = compute_scale(options_, trace);
  report_.start = network.clock().now();
  report_.ranks.reserve(mapping.size());
  for (const NodeId node : mapping) report_.ranks.add(RankReport{.node = node});
}

Replay::Ranks::~Ranks() {
  leave_network();
}

void Replay::Ranks::start() {
  if (over_) return;
  report_.start = now();
  causes_.begin(report_.start);
  activity_.begin(report_.ranks.size(), options_.activity_windows);
  timeline_.begin(report_.start, report_.ranks.size());
  let_happen([this] {
    if (options_.repeats == netsim::Repeats::sample) sampling_ = std::make_unique<Sampling>(*this);
    states_.reserve(trace_.ranks());
    for (const Rank rank : core::ids<Rank>(trace_.ranks())) {
      core::end_if_interrupted();
      auto& state = states_[states_.add(State(requests_, charges_.are_kept()))];
      state.rank = rank;
      state.stream = sampling_ ? sampling_->watch(rank, trace_.open(rank)) : trace_.open(rank);
    }
    if (may_be_passed_over() && network_.tells_state()) beats_.find(trace_, states_);
    for (auto& state : states_) {
      core::end_if_interrupted();
      advance(state);
    }
  });
}

/// Lets the ranks act on an event, and sees whether that was the last one: what has nothing under way waits for ever.
template <class Action>
void Replay::Ranks::let_happen(Action action) {
  std::string complaint;
  try {
    action();
    if (charges_.is_full()) collect_charges();
    if (unfinished_ > 0 && (computing_ > 0 || messages_.under_way() > 0)) return;
    check_complete();
  } catch (const core::SimulationError& error) {
    complaint = error.what();
  } catch (const core::InputError& error) {  // of its trace: the other jobs have no part in it
    complaint = error.what();
  }
  const ReplayOutcome how = complaint.empty() ? ReplayOutcome::done : ReplayOutcome::failed;
  conclude(how, std::move(complaint));
}

void Replay::Ranks::flow_ended(std::uint32_t id, const FlowEnd& how) {
  let_happen([this, id, &how] {
    if (messages_.arrive(id, how)) end_message(id);
  });
}

/// A core is through with a message.
void Replay::Ranks::seen_to(MessageId id) {
  let_happen([this, id] {
    if (messages_.go_on(id)) end_message(id);
  });
}

/// The message has arrived: whoever waits for that goes on.
void Replay::Ranks::end_message(MessageId id) {
  const auto& message = messages_[id];
  if (message.is_put) return end_put(id);
  const RequestId send = message.send, receive = message.receive;
  if (send != no_request) end(send, id);
  if (receive == no_request) return;
  end(receive, id);
  messages_.forget(id);
}

void Replay::Ranks::flow_lost(std::uint32_t id, platforms::LinkId link) {
  let_happen([&] { fail_lost(trace_, messages_[id], network_.machine().link_name(link)); });
}

/// Lets the state of the rank come into the cache while another one acts, and where its program is.
void Replay::Ranks::expect(std::uint32_t rank) const {
  const auto& state = states_[Rank(rank)];
  const auto place = [](const auto& object) { return reinterpret_cast<const char*>(&object); };
  for (auto at = place(state); at < place(state.graph.first); at += 64) __builtin_prefetch(at);
  for (const int ahead : {0, 64}) __builtin_prefetch(place(*state.stream) + ahead);
}

void Replay::Ranks::timer_ended(std::uint32_t rank) {
  let_happen([this, rank] {
    auto& state = states_[Rank(rank)];
    state.computing = false;
    --computing_;
    auto& graph = state.graph;
    const auto strand = std::exchange(graph.computing, no_strand);
    if (graph.strands.size() > 0) {
      graph.first.computed = strand == no_strand ? state.history : strands_[strand].history;
      graph.first.computed_at = now();
    }
    if (strand == no_strand) return advance(state);
    state.blocked_since = now();
    strands_[strand].since = state.blocked_since;
    end_strand(strand);
    begin_strands(state);
  });
}

/// The computation of a strand on another core than the first has ended, or what its core did for a collective.
void Replay::Ranks::core_ended(StrandId id) {
  let_happen([this, id] {
    if (strands_[id].at_core) return end_core_step(id);
    auto& state = state_of(strands_[id].rank);
    auto& core = state.graph.core(strands_[id].core);
    count_other_cores(state);
    core.computing = false;
    --computing_;
    core.computed = strands_[id].history;
    core.computed_at = strands_[id].since = now();
    end_strand(id);
    begin_strands(state);
  });
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
    if (const auto unreceived = messages_.queues().unreceived(state.rank); !unreceived.empty())
      fail_unreceived(trace_, messages_[unreceived.front()], unreceived.size());
}

/// The first message that the rank waits for, or null.
const Request* Replay::Ranks::blocker(const State& state) const {
  const auto first_of = [&](const std::vector<RequestId>& round) {
    const auto open = std::find_if(round.begin(), round.end(), [&](RequestId id) { return !requests_[id].done; });
    return open == round.end() ? nullptr : &requests_[*open];
  };
  const auto* request = state.waiting.blocker();
  const auto* collective = request != nullptr && request->kind == Request::Kind::collective ? request : nullptr;
  if (collective == nullptr && (request != nullptr || !state.graph.joining)) return request;
  request = nullptr;
  for (const auto& strand : strands_.slots()) {
    const bool is_awaited =
        strand.rank == state.rank &&
        (collective == nullptr || (strand.request != no_request && &requests_[strand.request] == collective));
    const auto* message = is_awaited ? first_of(strand.round) : nullptr;
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
      visit(state.graph.first.computed);
      for (auto& core : state.graph.others) visit(core.computed);
    }
    for (auto& strand : strands_.slots()) visit(strand.history);
    messages_.for_each_history(visit);
  });
}

/// The last thing that a replay does: whoever is told may make an end of it.
void Replay::Ranks::conclude(ReplayOutcome how, std::string complaint) {
  over_ = true;
  leave_network();
  report_.runtime = since_start(now());
  if (sampling_ && how == ReplayOutcome::done) sampling_->extrapolate();
  calls_.tell(report_);
  exposure_.tell(trace_, report_);
  keep_several_cores(report_.core_spans);
  report_.activity = activity_.finish(report_.runtime);
  report_.timeline = timeline_.finish(now());
  if (options_.keep_messages)
    causes_.for_each_message([&](const CriticalStep& message) { report_.messages_sent.push_back(message); });
  const auto ended = std::move(ended_);
  ended({how, std::move(complaint), std::move(report_)});
}

void Replay::Ranks::leave_network() {
  messages_.cancel();
  for (auto& state : states_) {
    if (std::exchange(state.computing, false)) network_.clock().cancel(state.timer);
    for (auto& core : state.graph.others)
      if (std::exchange(core.computing, false)) network_.clock().cancel(core.timer);
  }
  for (auto& strand : strands_.slots())
    if (std::exchange(strand.at_core, false)) network_.clock().cancel(strand.timer);
}

Replay::Replay(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended)
    : ranks_(std::make_unique<Ranks>(trace, std::move(mapping), network, std::move(options), std::move(ended))) {}
Replay::~Replay() = default;

void Replay::start() {
  ranks_->start();
}
Repeating& Replay::repeating() {
  return *ranks_;
}
void Replay::kill() {
  ranks_->kill();
}

}  // namespace toroid::netsim
