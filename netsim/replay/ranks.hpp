#pragma once
// The ranks of a replay: a state machine each, driven by the ends of flows and timers. No thread and no stack per rank.
// A file beside this one holds each part of what they do.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/flat_map.hpp"
#include "core/hash.hpp"
#include "netsim/computation_use.hpp"
#include "netsim/mapping.hpp"
#include "netsim/repeats/fast_forward.hpp"
#include "netsim/replay/messages.hpp"
#include "netsim/replay/strand.hpp"
#include "netsim/replay/waiting.hpp"
#include "netsim/simulation.hpp"

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
  void kill();

  void flow_ended(std::uint32_t message, const FlowEnd& how) override;
  void flow_lost(std::uint32_t message, platforms::LinkId link) override;
  void timer_ended(std::uint32_t rank) override;

  // What repeats (state.cpp).

  bool may_be_passed_over() const override;
  std::optional<Beat> beat() const override;
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
  /// A rank's own puts that have not arrived, and the fence that waits for them.
  struct Puts {
    bool is_open = false;  ///< there were some since the last fence
    std::uint32_t under_way = 0;
    StrandId fence = no_strand;
  };
  /// First those with the least key.
  template <class Key>
  using Least = std::priority_queue<Key, std::vector<Key>, std::greater<>>;
  /// The operations of a graph that can begin on a core of a rank.
  struct Core {
    Least<std::pair<std::uint64_t, StrandId>> messages = {};  ///< by index
    /// Computations, by the time since which they can begin, then by index; no_strand: the program's own.
    Least<std::tuple<Time, std::uint64_t, StrandId>> computations = {};
    History computed = {};  ///< of the computation that ended last beside strands, at `computed_at`
    Time computed_at = {};
    bool computing = false;  ///< whether it computes until its timer ends; of the first, State has both
    TimerId timer = 0;
  };
  /// Hears of the ends of computations on other cores than the first.
  struct OtherCores final : TimerClient {
    explicit OtherCores(Ranks& of) : ranks(of) {}
    void timer_ended(std::uint32_t strand) override { ranks.core_ended(strand); }
    Ranks& ranks;
  };
  /// The operations of a graph that a rank has under way, or before it.
  struct Graph {
    core::FlatMap<std::uint64_t, StrandId, core::Mix> strands = {};  ///< by their indices
    Core first = {};                                                 ///< the core of the program
    std::vector<Core> others = {};
    double own_seconds = 0;          ///< of the program's own computation, while another one goes on
    StrandId computing = no_strand;  ///< whose computation goes on; else it is the program's
    bool joining = false;            ///< the program waits for all of them
    History last = {};               ///< of the one that ended last, at `ended`
    Time ended = {};
    Core& core(std::uint32_t number) { return number == 0 ? first : others[number - 1]; }
  };
  struct State {
    State(Requests& requests, bool tells) : waiting(requests, tells) {}
    Rank rank = 0;
    std::unique_ptr<workloads::OperationStream> stream;
    Operation operation;               ///< the current one
    std::uint64_t next_operation = 0;  ///< index of the one after it
    /// The operations that it begins until its next iteration, if it is the rank that keeps time.
    std::uint64_t next_iteration = std::numeric_limits<std::uint64_t>::max();
    bool at_end = false, finished = false, computing = false;
    bool running = false;  ///< its program goes on at this moment
    bool blocked = false;  ///< its program
    TimerId timer = 0;
    Graph graph = {};
    Waiting waiting;
    core::FlatMap<RequestHandle, Operation, core::Mix> persistent = {};           ///< inits, by what they gave
    core::FlatMap<workloads::CommId, std::uint32_t, core::Mix> collectives = {};  ///< calls on each communicator
    core::FlatMap<workloads::CommId, Puts, core::Mix> puts = {};                  ///< into each communicator's windows
    std::int32_t open_puts = 0;                                                   ///< how many of these are open
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
  void conclude(ReplayOutcome how, std::string complaint);
  void leave_network();

  // What repeats (state.cpp).

  class Sampling;
  void find_beats();
  void take_beat();
  void begin_iteration(const State& state);
  void walk_rank(StateWalk& walk, State& state);
  void walk_queue(StateWalk& walk, Rank rank);
  void walk_history(StateWalk& walk, History& history);
  void walk_request(StateWalk& walk, RequestId id);
  void walk_message(StateWalk& walk, MessageId id);
  void walk_strand(StateWalk& walk, StrandId id);
  void walk_tag(StateWalk& walk, std::int32_t tag, std::uint32_t context);
  void walk_calls(StateWalk& walk, State& state);

  // Each bool says whether the rank can go on at once.
  void advance(State& state);
  bool run(State& state);
  bool execute(State& state);
  bool compute(State& state, double amount, double per_second);
  void begin_computation(State& state, double seconds);
  void occupy(State& state, double seconds, StrandId strand);
  double seconds_of(double amount, double per_second) const { return amount / per_second * *options_.compute_scale; }
  double speed() const { return computed_per_second(trace_, network_.machine()); }
  bool wait(State& state);
  bool block(State& state, bool ended);
  void end_block(State& state);
  bool wait_for_rest(State& state);
  void end(RequestId request, MessageId cause);
  void seen_to(MessageId id);
  void end_message(MessageId id);
  void book(State& state, const Message& cause, const workloads::CollectiveAlgorithm* collective = nullptr);
  void count_other_cores(State& state);
  /// Whether anybody keeps what ranks do, by note().
  bool is_noted() const { return activity_.is_kept() || timeline_.is_kept(); }
  void note(Rank rank, Doing doing, const Time& from, const Time& to);
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
  void core_ended(StrandId id);
  void begun(StrandId id);
  void wait_for(const Core& core, History& history, const Time& since);
  bool join(State& state);

  RequestId begin_collective(State& state);
  workloads::CollectiveCall call_of(const State& state, workloads::CommRank me, workloads::CommRank size) const;
  static std::size_t number_of(const workloads::CollectiveAlgorithm& algorithm);
  void report_collectives();
  Blocked& blocked_by(const Message& message);
  void report_exposed();
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

  std::unique_ptr<const workloads::Trace> communication_;  ///< if computations do not count
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
  /// Calls by algorithm and, if it looks at that, the members' grid.
  std::map<std::pair<const workloads::CollectiveAlgorithm*, const workloads::MemberGrid*>, std::uint64_t> calls_;
  std::vector<Blocked> blocked_;  ///< by the communicator of what ended the wait
  core::IdVector<Rank, State> states_;
  std::int32_t unfinished_;
  std::uint64_t begun_ = 0;  ///< operations
  OtherCores other_cores_{*this};
  std::int32_t computing_ = 0;    ///< how many cores compute or sleep
  std::vector<StrandId> ending_;  ///< strands that have ended, and what requires that is not told yet
  bool is_ending_ = false;
  bool over_ = false;
  /// A rank that may keep time, and its iterations.
  struct TimeKeeper {
    Rank rank = Rank::none();
    workloads::Rounds rounds = {};
    std::uint64_t iteration = 0;  ///< that it has begun, from 1 on
  };
  std::vector<TimeKeeper> keepers_;        ///< those that may take over
  TimeKeeper keeper_;                      ///< the one that does
  std::unique_ptr<Sampling> sampling_;     ///< null if no iterations are to be sampled
  std::vector<std::uint64_t> operations_;  ///< by rank: what walks are given
  StateWalk::JobNumber number_ = 0;        ///< of the replay in the present walk
  Moment arrived_;                         ///< of the message that the last receive found there; or the present
  History last_;                           ///< of all ranks that have finished, at `finished_`
  Time finished_;
};

}  // namespace toroid::netsim
