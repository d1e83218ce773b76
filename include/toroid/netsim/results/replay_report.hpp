#pragma once
// What a replay tells when it has ended: how long its ranks took, what for, and what they sent.

#include "toroid/netsim/mapping.hpp"
#include "toroid/netsim/time/time.hpp"
#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::netsim {

/// What a rank spends time with. What is left of a window, the rank spent with nothing that takes time, or had ended.
enum class Doing : std::uint8_t {
  compute,   ///< computing or sleeping
  transfer,  ///< waiting for a message that was on its way
  wait       ///< waiting for another rank to send, receive or arrive
};
inline constexpr std::size_t doings = 3;

/// How long ranks waited in collectives that one algorithm carries out. A fence is carried out as a barrier.
struct CollectiveWaits {
  std::size_t algorithm = 0;   ///< index in workloads::collective_algorithms()
  std::vector<float> seconds;  ///< by rank, then by window
};

struct Activity {
  double window = 0;  ///< seconds
  std::size_t windows = 0;
  std::vector<float> seconds;  ///< by rank, then by window, then by Doing
  /// Of the seconds of `transfer` and `wait`, those in collectives, by algorithm: only algorithms that a rank waited
  /// in.
  std::vector<CollectiveWaits> collectives = {};

  float of(workloads::Rank rank, std::size_t window_number, Doing doing) const {
    return seconds[(rank.index() * windows + window_number) * doings + static_cast<std::size_t>(doing)];
  }
  float of(workloads::Rank rank, std::size_t window_number, const CollectiveWaits& waits) const {
    return waits.seconds[rank.index() * windows + window_number];
  }
};

/// Books what ranks do in at most so many windows of equal length, which double as the run goes on (as those of
/// LinkUsage do). With 0 windows it books nothing. Takes 12 bytes for each rank and window, and 4 bytes more for each
/// algorithm of collectives that ranks wait in.
class ActivityLog {
 public:
  void begin(std::size_t ranks, std::size_t windows);
  bool is_kept() const { return windows_ > 0; }
  /// From `from` to `to`, seconds since the start of the replay, the rank did that. The bookings of a rank overlap only
  /// where it does two things at once.
  void book(workloads::Rank rank, Doing doing, double from, double to);
  /// What the rank waited from `from` to `to`, which is booked as well, was in a collective that this algorithm carries
  /// out (CollectiveWaits::algorithm).
  void book_collective(workloads::Rank rank, std::size_t algorithm, double from, double to);
  /// Books what ranks did in a replay that began `start` seconds later than this log. Within a window of the replay, a
  /// rank is taken to have done one kind of things after the other, and to have waited in one collective after the
  /// other.
  void book(const Activity& replay, std::size_t ranks, double start);
  /// The windows of a replay that took so many seconds.
  Activity finish(double runtime);

 private:
  void widen(double until);
  void join_pairs(std::vector<float>& seconds, std::size_t kinds) const;
  void spread(float* row, std::size_t kinds, double from, double to) const;
  std::vector<float> first_windows(const std::vector<float>& seconds, std::size_t kinds, std::size_t windows) const;

  std::size_t ranks_ = 0, windows_ = 0;
  double window_ = 1e-6;  ///< seconds
  std::vector<float> seconds_;
  std::map<std::size_t, std::vector<float>> in_collectives_;  ///< by algorithm: by rank, then by window
};

// What happened in a run, one by one, for viewers of traces: calls of ranks, what these waited for, messages.

/// An operation of a rank, from the moment when the rank came to it to the moment when the rank went on. All times are
/// seconds since the start of the replay.
struct Call {
  double begin = 0, end = 0;
  std::uint64_t operation = 0;  ///< index in the rank's stream of operations; at the end of the stream, their number
  workloads::OpKind kind = workloads::OpKind::compute;  ///< `join` where a rank waits for the rest at its end
  workloads::SendMode mode = workloads::SendMode::standard;
  bool has_request = false;  ///< the operation gave a handle or took one: a collective does not block then
};

/// What a rank did for a while. A phase may begin before a call and go on after it where strands compute.
struct Phase {
  double begin = 0, end = 0;
  Doing doing = Doing::compute;
};

/// A message, those of collectives and within nodes included.
struct MessageFlight {
  double sent = 0;            ///< its sender's program, strand or collective came to the send
  double begin = 0, end = 0;  ///< its latency began; it arrived
  std::uint64_t bytes = 0;
  std::uint64_t operation = 0;  ///< index of the operation that sent it
  workloads::Rank from = 0, to = 0;
  std::int32_t tag = 0;
  std::uint32_t context = 0;  ///< which keeps communicators, and in them collectives, apart

  workloads::CommId comm() const { return workloads::CommId(context / 2); }
  bool is_of_collective() const { return context % 2 == 1; }
};

struct Timeline {
  /// By rank, in their order: each call begins where the one before it ended.
  core::IdVector<workloads::Rank, std::vector<Call>> calls;
  /// By rank, in the order of their beginnings: waits, and what ranks computed within calls that are no computations.
  core::IdVector<workloads::Rank, std::vector<Phase>> phases;
  /// In the order in which they were sent. Of the messages between two ranks with one context and tag, the first that
  /// was sent is the first that is received.
  std::vector<MessageFlight> messages;
};

/// A computation of a core of a rank, of which several compute beside each other: operations of a graph do.
struct CoreSpan {
  double begin = 0, end = 0;    ///< seconds since the start of the replay
  std::uint64_t operation = 0;  ///< index in the rank's stream of operations
  workloads::Rank rank = 0;
  std::uint32_t core = 0;
};

inline constexpr std::uint32_t no_cause = ~std::uint32_t{0};
inline constexpr std::uint32_t no_charges = ~std::uint32_t{0};

/// How a point in time came about, in seconds since the start of the replay: the parts add up to that time. Each wait
/// takes over the history of the message that ended it, so that the history of the last rank to finish is the critical
/// path of the run.
struct History {
  double compute = 0;                  ///< computing and sleeping
  double latency = 0;                  ///< latencies of messages
  double bandwidth = 0;                ///< the senders' own messages at full speed (netsim/replay/hosts.hpp)
  double sharing = 0;                  ///< what other messages added to that: behind them in line, or beside them
  double others = 0;                   ///< of `sharing`, what messages of other jobs added, if the network was watched
  std::uint32_t cause = no_cause;      ///< the last step that led here, in the replay's log of causes, if it keeps one
  std::uint32_t charged = no_charges;  ///< row of the replay's Charges, if the replay keeps them
  std::uint32_t origin = 0;            ///< the history that it followed from, among those that a Tally noted last

  /// Adds the parts of another one, so many times.
  void add(const History& other, double times) {
    for (const auto part :
         {&History::compute, &History::latency, &History::bandwidth, &History::sharing, &History::others})
      this->*part += times * (other.*part);
  }
  /// Takes over the history of what ended a wait, but for `charged`: that follows from all that was waited for.
  void follow(const History& last) {
    const auto own = charged;
    *this = last;
    charged = own;
  }
};

/// One step of the chain that a history sums up: a computation, or a message from its launch to its arrival. Each step
/// begins when the one before it ends. Times are seconds since the start of the replay.
struct CriticalStep {
  bool is_message = false;
  std::optional<workloads::OpKind> collective = {};  ///< the collective that a message is of, or a sum
  workloads::Rank rank = 0;                          ///< the rank that computes or sleeps, or the sender
  workloads::Rank receiver = 0;                      ///< the receiver of a message
  std::uint64_t bytes = 0;                           ///< bytes of a message
  std::uint64_t operation = 0;                       ///< index in the rank's stream of operations
  double begin = 0, end = 0;
  /// What a message took its time for, as in History.
  double latency = 0, bandwidth = 0, sharing = 0;
  double at_core = 0;  ///< the part of `sharing` in which the core of its receiver saw to messages before it

  /// What it lost on links, ports and cards.
  double lost_on_the_way() const { return sharing - at_core; }
};

/// A message that was on a link of a critical message's route while that one travelled.
struct Obstacle {
  std::size_t step = 0;  ///< position of the critical message in ReplayReport::critical_steps
  workloads::Rank from = 0, to = 0;
  std::uint64_t bytes = 0;     ///< bytes of the whole message
  double begin = 0, end = 0;   ///< when the message travelled, in seconds since the start of the replay
  double bytes_meanwhile = 0;  ///< those that travelled in the time of both, if its bytes travelled evenly
  platforms::LinkId link = 0;  ///< the first one that both routes have
  std::uint32_t job = 0;       ///< whose message it is: a number in Run::jobs, 0 in a run of one job
};

/// The messages between nodes whose sizes and distances are alike.
struct MessageClass {
  std::uint32_t size = 0;  ///< 0: messages without bytes; n: those of 2^(n-1) up to 2^n - 1 bytes
  std::int32_t hops = 0;
  std::uint64_t messages = 0, bytes = 0;
};

struct RankReport {
  platforms::NodeId node = 0;
  double compute = 0;                     ///< seconds computing or sleeping
  double transfer = 0;                    ///< seconds waiting for a message that was on its way
  double wait = 0;                        ///< seconds waiting for another rank to send, receive or arrive
  double finish = 0;                      ///< seconds after the start of the replay
  std::uint64_t messages = 0, bytes = 0;  ///< sent, collectives included
};

/// Seconds in which ranks were blocked, as RankReport has them.
struct Blocked {
  double transfer = 0, wait = 0;
};

/// The part of a whole; 0 of nothing.
inline double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// The messages that set out.
struct SentMessages {
  std::uint64_t messages = 0, bytes = 0;                  ///< all, collectives and messages within nodes included
  std::uint64_t network_messages = 0, network_bytes = 0;  ///< those between nodes
  std::uint64_t hops = 0;                                 ///< sum over messages
  std::uint64_t hop_bytes = 0;
  std::int32_t dilation_max = 0;  ///< most hops of a message

  void add(const SentMessages& more) {
    messages += more.messages;
    bytes += more.bytes;
    network_messages += more.network_messages;
    network_bytes += more.network_bytes;
    hops += more.hops;
    hop_bytes += more.hop_bytes;
    dilation_max = std::max(dilation_max, more.dilation_max);
  }
  double hops_per_byte() const { return share(static_cast<double>(hop_bytes), static_cast<double>(network_bytes)); }
  double dilation_mean() const { return share(static_cast<double>(hops), static_cast<double>(network_messages)); }
};

/// Iterations that were not simulated, as each began in the same state as one of the `period` iterations before them.
/// They count from 1, as the trace has them (workloads::Trace::rounds()). If `period` is 0 they were left out of a
/// sample, and count as workloads::common_iterations() does.
struct RepeatedIterations {
  std::uint64_t first = 0, count = 0, period = 0;
  std::uint64_t messages = 0;  ///< messages in these iterations
  bool is_sampled() const { return period == 0; }
};

struct CarriedByLink {
  std::uint64_t bytes = 0, flows = 0;
  double busy = 0;  ///< seconds
};

/// What a run by a sample of iterations says of itself.
struct SampledIterations {
  double wanted = 0;             ///< half width of the interval, as a share of the time of all iterations
  std::uint64_t iterations = 0;  ///< iterations of the program; 0: the program has none
  std::uint64_t left_out = 0;    ///< how many of these were left out; 0: all were simulated
  std::uint64_t warm_up = 0;     ///< iterations before they were steady
  std::uint64_t clusters = 0;    ///< clusters of successive iterations, whose means are the sample
  double half_width = 0;         ///< seconds either way that the run time is known to, at 95 % confidence
  std::string why_whole = {};    ///< why nothing was left out, in words

  bool is_estimate() const { return left_out > 0; }
};

/// How often an algorithm ran on communicators whose members stood in such a grid.
struct CollectiveUse {
  std::size_t algorithm = 0;      ///< index in workloads::collective_algorithms()
  platforms::Coordinates grid{};  ///< extents; all 0 for algorithms that do not look at it
  workloads::CollectiveTuning tuning = {};
  std::uint64_t calls = 0;  ///< one for all ranks of a communicator
};

struct ReplayReport : SentMessages {
  Time start;
  double runtime = 0;  ///< seconds, until the last rank finished or the replay was ended before that
  core::IdVector<workloads::Rank, RankReport> ranks;
  History critical_path;
  std::vector<CriticalStep> critical_steps;  ///< if the replay logged causes: what `critical_path` is the sum of
  /// Messages in the way, if the replay logged causes: for each of those of the critical path that lost most, up to
  /// 2,000 of them, the up to four messages that had the most bytes in its way, in the order of the path. Routes are in
  /// dimension order.
  std::vector<Obstacle> obstacles;
  std::vector<MessageClass> message_classes;  ///< classes by size, then by hops; if the replay logged causes
  /// All messages, if they were asked for (ReplayOptions::keep_messages), in the order of their ends.
  std::vector<CriticalStep> messages_sent;
  Activity activity;  ///< what ranks did; if it was asked for (ReplayOptions::activity_windows)
  /// What cores computed on ranks on which several did, if either of these two was asked for; by rank, core and begin.
  std::vector<CoreSpan> core_spans;
  Timeline timeline;  ///< calls and messages; if they were asked for (ReplayOptions::keep_timeline)
  /// Charges, if the network was watched (Contention): seconds of `runtime` by the jobs that cost them, and last those
  /// that changes of the machine cost (replay/charges.hpp).
  std::vector<double> charges;
  std::vector<RepeatedIterations> repeated;  ///< all else is told as if they had been simulated
  /// What the sample says, if one was wanted, and iterations did not repeat exactly.
  std::optional<SampledIterations> sampled;
  /// What links carried in iterations that were left out of a sample, by link; empty if none were. All else that the
  /// report tells counts these iterations.
  core::IdVector<platforms::LinkId, CarriedByLink> left_out_on_links;
  std::vector<CollectiveUse> collectives;  ///< uses in the order of the algorithms
  /// Waits by purpose, if the program says what its communicators are for (workloads::Trace::purpose()): how long all
  /// ranks together were blocked, by the purpose of the message that ended each wait, in the order of their names. What
  /// has no purpose is the last one, under an empty name.
  std::vector<std::pair<std::string, Blocked>> exposed;
};

/// How a replay came to its end: its ranks have finished, somebody ended it, or its program cannot go on.
enum class ReplayOutcome : std::uint8_t { done, killed, failed };

struct ReplayEnd {
  ReplayOutcome how = ReplayOutcome::done;
  std::string complaint;  ///< which rank of a failed replay cannot go on, where in its trace, and why
  ReplayReport report;    ///< report of what was done until then
};

}  // namespace toroid::netsim
