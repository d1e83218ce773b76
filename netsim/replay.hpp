#pragma once
// The replay of one placed trace: a state machine per rank, driven by the ends of flows and timers. No thread and no
// stack per rank; any number of replays may share one network.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netsim/matching.hpp"
#include "netsim/network.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/trace.hpp"

namespace toroid::netsim {

struct ReplayOptions {
  /// Recorded computation takes flops / core speed * this; 0: processors of infinite speed.
  double compute_scale = 0;
  /// Messages up to this size travel as soon as they are sent and their sender goes on at once (eager); longer ones
  /// travel once the receive is posted and their sender waits for their end (rendezvous).
  std::uint64_t eager_threshold = 65536;
  /// Bytes that every message carries besides its own, collectives' included (SMPI: 16).
  std::uint64_t envelope = 0;
  workloads::CollectiveChoice collectives = {};
  /// If set, counts the operations that have begun: for progress bars.
  std::uint64_t* progress = nullptr;
};

/// `none`, `trace`, or `xF` with a factor F >= 0: 0, 1, F. Throws InputError.
double parse_compute(std::string_view text);

/// How a point in time came about, in seconds since the start of the replay: the parts add up to that time. Each wait
/// takes over the history of the message that ended it, so that the history of the last rank to finish is the critical
/// path of the run.
struct History {
  double compute = 0;     ///< computing and sleeping
  double latency = 0;     ///< latencies of messages
  double bandwidth = 0;   ///< transfers, had they had their routes to themselves
  double contention = 0;  ///< what sharing links added to the transfers
};

struct RankReport {
  NodeId node = 0;
  double compute = 0;                     ///< seconds computing or sleeping
  double transfer = 0;                    ///< seconds waiting for a message that was on its way
  double wait = 0;                        ///< seconds waiting for another rank to send, receive or arrive
  double finish = 0;                      ///< seconds after the start of the replay
  std::uint64_t messages = 0, bytes = 0;  ///< sent, collectives included
};

struct ReplayReport {
  double start = 0, runtime = 0;  ///< seconds; runtime until the last rank finished
  std::vector<RankReport> ranks;
  History critical_path;
  std::uint64_t messages = 0, bytes = 0;  ///< all messages, collectives and messages within nodes included
  std::uint64_t network_messages = 0, network_bytes = 0;  ///< those between nodes
  std::uint64_t hops = 0;                                 ///< sum over messages
  std::uint64_t hop_bytes = 0;
  std::int32_t dilation_max = 0;  ///< most hops of a message
};

class Replay final : public NetworkClient {
 public:
  /// `placement`: the node of each rank. `ended` is called when the last rank finishes. Trace and network must outlive
  /// the replay.
  Replay(const workloads::Trace& trace, std::vector<NodeId> placement, Network& network, ReplayOptions options,
         std::function<void()> ended = {});
  ~Replay() override;

  void start();
  /// Ends the replay now and takes all it has under way out of the network.
  void kill();
  bool finished() const { return unfinished_ == 0; }

  /// Once nothing happens any more: throws SimulationError if ranks are blocked (naming them, what they wait for and
  /// where it stands in the trace) or if messages were sent that nobody received.
  void check_complete() const;

  const ReplayReport& report() const { return report_; }

  void flow_ended(std::uint32_t message) override;
  void timer_ended(std::uint32_t rank) override;

 private:
  using RequestId = std::uint32_t;
  using MessageId = std::uint32_t;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Request;
  struct Message;
  struct RankState;

  // Progress of a rank: each returns false when the rank is blocked.
  void advance(Rank rank);
  bool execute(RankState& state);
  bool run_schedule(RankState& state);
  bool finish_rank(RankState& state);
  bool compute(RankState& state, double seconds);
  void resume(RankState& state, const Message& cause);

  // Point to point.
  RequestId start_send(RankState& state, Rank to, std::int32_t tag, std::uint32_t context, std::uint64_t bytes,
                       workloads::SendMode mode);
  RequestId start_receive(RankState& state, Rank from, std::int32_t tag, std::uint32_t context);
  void match(MessageId message, RequestId receive);
  void launch(Message& message, MessageId id, const History& history);
  void complete(RequestId request, const Message& cause);
  Rank world_rank(const workloads::Operation& operation, Rank rank) const;

  // Waiting.
  bool await(RankState& state, std::span<const RequestId> requests);
  bool await(RankState& state, RequestId request) { return await(state, {&request, 1}); }
  void choose_awaited(RankState& state, std::size_t count);
  bool await_any(RankState& state, std::size_t count);
  bool wait_for(RankState& state);
  void test(RankState& state);
  bool wait_all(RankState& state);
  void end_early(RankState& state, RequestId id);
  std::size_t find_outstanding(const RankState& state, const workloads::Operation& wait) const;
  void release_awaited(RankState& state);

  // Pools and messages to the user.
  RequestId new_request(Rank owner, Rank peer, std::int32_t tag, std::uint32_t context, bool is_send);
  MessageId new_message();
  void free_request(RequestId id);
  void drop_message_if_done(MessageId id);
  std::string describe(const RankState& state) const;
  std::string where(const RankState& state) const;

  const workloads::Trace& trace_;
  std::vector<NodeId> placement_;
  Network& network_;
  ReplayOptions options_;
  std::function<void()> ended_;
  std::vector<RankState> ranks_;
  std::vector<Request> requests_;
  std::vector<RequestId> free_requests_;
  std::vector<Message> messages_;
  std::vector<MessageId> free_messages_;
  Rank unfinished_ = 0;
  bool killed_ = false;
  ReplayReport report_;
};

}  // namespace toroid::netsim
