#pragma once
// What ranks did over time: window by window, and call by call.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/id.hpp"
#include "workloads/operation.hpp"

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

}  // namespace toroid::netsim
