#pragma once
// The ranks of a replay: a state machine each, driven by the ends of flows and timers. No thread and no stack per rank.
//
// An example: rank 0 sends 1 MB to rank 1 and computes; rank 1 receives.
//   1. start() opens the streams of both ranks and lets each advance() until it is blocked. Rank 0 comes to its `send`:
//      execute() calls send(), which makes a request, as a message above the eager threshold has to wait for its
//      receiver, and hands the message to `messages_`. wait() blocks the rank on the request.
//   2. Rank 1 comes to its `recv`: receive() finds the message in the rank's queue (MatchQueues), and it sets out: a
//      flow begins on the network. Rank 1 is blocked on a request of its own.
//   3. The flow ends: the network calls flow_ended() with the number of the message. end_message() ends both requests:
//      end() finds that each was all that its owner waited for, so resume() books the wait, lets the rank's history
//      follow the message's, and calls advance() again.
//   4. Rank 0 comes to its `compute`: occupy() starts a timer, and the rank is blocked until timer_ended().
//   5. The streams end. advance() counts the ranks that have finished; let_happen() sees after each event that nothing
//      is left, and conclude() gives the report to whoever added the job.
// A collective goes the same way, but as a *strand* beside the program: advance_collective() posts the messages of a
// step of its schedule, end_step() hears of their ends, and the request of the whole collective ends with its last
// step.
//
// What a rank has is in rank_state.hpp. Each part of what ranks do is in a file of its own, which the private functions
// below name.

#include "netsim/placed_grid.hpp"
#include "netsim/replay/beats.hpp"
#include "netsim/simulation.hpp"
#include "toroid/netsim/computation_use.hpp"

namespace toroid::netsim {

using workloads::Operation;
using workloads::OpKind;
using workloads::SendMode;
using workloads::Step;

class Replay::Ranks final : public FlowClient, public TimerClient, public Repeating {
 public:
  Ranks(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended);
  ~Ranks() override;

  void start();
  void kill() {
    if (!over_) conclude(ReplayOutcome::killed, {});
  }

  void flow_ended(std::uint32_t message, const FlowEnd& how) override;
  void flow_lost(std::uint32_t message, platforms::LinkId link) override;
  void timer_ended(std::uint32_t rank) override;
  void expect(std::uint32_t rank) const override;

  // What repeats (state.cpp).

  bool may_be_passed_over() const override;
  std::optional<Beat> beat() const override { return beats_.beat(); }
  std::uint64_t size() const override;
  std::uint64_t messages() const override { return report_.messages; }
  void walk_ranks(StateWalk& walk) override;
  void walk_flow(StateWalk& walk, std::uint32_t message) override;
  void walk_cores(StateWalk& walk) override;
  void tally(Tally& tally) override;
  Marks marks() const override;
  std::uint64_t repeats(const Marks& since, std::uint64_t most) const override;
  void begin_move(const Marks& since, std::uint64_t times) override;
  void end_move(const Marks& since, std::uint64_t times, const RepeatedIterations& iterations) override;

 private:
  using State = RankState;
  /// Hears of the ends of computations on other cores than the first, and of what cores do for collectives.
  struct StrandCores final : TimerClient {
    explicit StrandCores(Ranks& of) : ranks(of) {}
    void timer_ended(std::uint32_t strand) override { ranks.core_ended(strand); }
    Ranks& ranks;
  };
  /// The other side of a message, and what keeps it apart from others.
  struct Partner {
    Rank rank;
    std::int32_t tag;
    std::uint32_t context;
  };

  const Time& now() const { return network_.clock().now(); }
  double since_start(const Time& time) const { return (time - report_.start).seconds(); }
  State& state_of(Rank rank) { return states_[rank]; }
  RankReport& report_of(const State& state) { return report_.ranks[state.rank]; }

  // The beginning and the end of the replay, and the events in between (ranks.cpp).

  template <class Action>
  void let_happen(Action action);
  void seen_to(MessageId id);
  void end_message(MessageId id);
  void core_ended(StrandId id);
  void check_complete() const;
  const Request* blocker(const State& state) const;
  void collect_charges();
  void conclude(ReplayOutcome how, std::string complaint);
  void leave_network();

  // Programs, operation by operation (programs.cpp). Each bool says whether the rank can go on at once.

  void advance(State& state);
  bool run(State& state);
  bool execute(State& state);
  bool compute(State& state, double seconds);
  void begin_computation(State& state, double seconds);
  void occupy(State& state, double seconds, StrandId strand);
  double seconds_of(const Operation& op) const;
  bool wait_for_rest(State& state);
  std::uint64_t operation_of(const State& state, StrandId strand) const;

  // Waits, and what ends them (waits.cpp).

  /// Waits for what the current operation has posted.
  bool wait(State& state) { return block(state, state.waiting.wait_for_added()); }
  bool block(State& state, bool ended);
  void end_block(State& state);
  void end(RequestId request, MessageId cause);
  void resume(State& state, const History& cause);
  void meet_taken(State& state, const Time& since);
  void book(State& state, const Message& cause, const workloads::CollectiveAlgorithm* collective = nullptr);
  void book_sums(State& state, const workloads::CollectiveAlgorithm& collective);
  void count_other_cores(State& state);
  /// Whether anybody keeps what ranks do, by note().
  bool is_noted() const { return activity_.is_kept() || timeline_.is_kept(); }
  void note(Rank rank, Doing doing, const Time& from, const Time& to);

  // Single messages (point_to_point.cpp).

  Partner partner(const Operation& operation, workloads::CommRank rank) const;
  void post(State& state, const Operation& operation);
  void start(State& state, RequestHandle handle);
  RequestId send(State& state, const Partner& to, std::uint64_t bytes, SendMode mode, const History& history,
                 StrandId strand = no_strand);
  RequestId receive(State& state, const Partner& from, const History& history, StrandId strand = no_strand);
  void receive_now(State& state);
  RequestId new_request(const State& state, const Partner& partner, Request::Kind kind, StrandId strand);
  void count(const State& state, std::uint64_t bytes);

  // Collectives as strands, puts and fences (collectives.cpp).

  RequestId begin_collective(State& state, StrandId graph = no_strand);
  workloads::CollectiveCall call_of(const State& state, workloads::CommRank me, workloads::CommRank size) const;
  bool advance_collective(StrandId id);
  void clear_round(Strand& strand);
  bool begin_core_step(StrandId id, const Step& step);
  void end_core_step(StrandId id);
  void end_step(StrandId id, MessageId cause);
  /// Whether the strand is an operation of a graph, or a lane of one.
  bool is_of_graph(const Strand& strand) const {
    return strand.request == no_request || requests_[strand.request].strand != no_strand;
  }
  void put(State& state);
  bool waits_for_puts(State& state, StrandId id);
  void end_put(MessageId id);

  // Operations of graphs as strands (graphs.cpp).

  void add_strand(State& state);
  std::size_t require(const State& state, StrandId id, std::span<const std::uint64_t> distances,
                      std::vector<StrandId> Strand::*waiters);
  void go_on_with(History& history, const Time& since, const History& other);
  void satisfy(StrandId id, const History& history);
  void begin_strand(StrandId id);
  void begin_strands(State& state);
  void begun(StrandId id);
  void post_strand(StrandId id);
  void begin_lanes(StrandId id);
  void end_lanes(RequestId whole, const History& history);
  void end_strand(StrandId id);
  void wait_for(const GraphCore& core, History& history, const Time& since);
  bool join(State& state);

  // What the replay shows of its state (state.cpp), and what a sample of iterations leaves out (sampling.hpp).

  class Sampling;
  void walk_rank(StateWalk& walk, State& state);
  void walk_graph(StateWalk& walk, State& state);
  void walk_queue(StateWalk& walk, Rank rank);
  void walk_history(StateWalk& walk, History& history);
  void walk_request(StateWalk& walk, RequestId id);
  void walk_message(StateWalk& walk, MessageId id);
  void walk_strand(StateWalk& walk, StrandId id);
  void walk_tag(StateWalk& walk, std::int32_t tag, std::uint32_t context);
  void walk_calls(StateWalk& walk, State& state);

  std::unique_ptr<const workloads::Trace> communication_;  ///< the trace without computations, if these do not count
  const workloads::Trace& trace_;                          ///< the one that is replayed
  Network& network_;
  ReplayOptions options_;
  Ended ended_;
  ReplayReport report_;
  CauseLog causes_;
  Charges charges_;
  Processors processors_;
  ActivityLog activity_;
  TimelineLog timeline_;
  Messages messages_;
  Requests requests_;
  Strands strands_;
  PlacedGrids grids_;
  CollectiveCalls calls_;
  Exposure exposure_;
  RankStates states_;
  std::int32_t unfinished_;
  std::uint64_t begun_ = 0;  ///< operations
  StrandCores strand_cores_{*this};
  std::int32_t computing_ = 0;    ///< number of cores that compute or sleep
  std::vector<StrandId> ending_;  ///< strands that have ended, and what requires that is not told yet
  bool is_ending_ = false;
  bool over_ = false;
  Beats beats_;
  std::unique_ptr<Sampling> sampling_;     ///< null if no iterations are to be sampled
  std::vector<std::uint64_t> operations_;  ///< operations by rank, as walks are given them
  StateWalk::JobNumber number_ = 0;        ///< number of the replay in the present walk
  Moment arrived_;                         ///< moment of the message that the last receive found; or the present
  History last_;                           ///< history of all ranks that have finished, at `finished_`
  Time finished_;
};

}  // namespace toroid::netsim
