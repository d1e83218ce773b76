#pragma once
// What ranks did, window by window: how much of each window each of them spent computing and waiting, and waiting in
// which collectives.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

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
  /// Of the seconds of `transfer` and `wait`, those in collectives, by algorithm: only algorithms that a rank waited in.
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

}  // namespace toroid::netsim
