#pragma once
// What ranks did, window by window: how much of each window each of them spent computing and waiting.

#include <cstddef>
#include <cstdint>
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

struct Activity {
  double window = 0;  ///< seconds
  std::size_t windows = 0;
  std::vector<float> seconds;  ///< by rank, then by window, then by Doing

  float of(workloads::Rank rank, std::size_t window_number, Doing doing) const {
    return seconds[(rank.index() * windows + window_number) * doings + static_cast<std::size_t>(doing)];
  }
};

/// Books what ranks do in at most so many windows of equal length, which double as the run goes on (as those of
/// LinkUsage do). With 0 windows it books nothing. Takes 12 bytes for each rank and window.
class ActivityLog {
 public:
  void begin(std::size_t ranks, std::size_t windows);
  bool is_kept() const { return windows_ > 0; }
  /// From `from` to `to`, seconds since the start of the replay, the rank did that. The bookings of a rank overlap only
  /// where it does two things at once.
  void book(workloads::Rank rank, Doing doing, double from, double to);
  /// The windows of a replay that took so many seconds.
  Activity finish(double runtime);

 private:
  void widen(double until);

  std::size_t ranks_ = 0, windows_ = 0;
  double window_ = 1e-6;  ///< seconds
  std::vector<float> seconds_;
};

}  // namespace toroid::netsim
