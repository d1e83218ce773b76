#pragma once
// What a finished run says.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netsim/network.hpp"
#include "netsim/replay_report.hpp"

namespace toroid::netsim {

/// What a link carried in a run.
struct LinkResult : LinkLoad {
  platforms::LinkId link = 0;
  double mean_utilization = 0;  ///< bytes divided by what it could have carried in the run time
};

/// What links carried, window by window; the windows begin with the run.
struct LinkWindows {
  double window = 0;  ///< seconds
  std::size_t windows = 0;
  std::vector<float> bytes;  ///< by position in Result::links, then by window
};

/// What links have to carry, in a few numbers. A link is one of the grid; the injection and ejection links of nodes,
/// where the machine limits them, are ports.
struct LinkLoads {
  std::uint64_t max_bytes = 0, sum_bytes = 0, links = 0;  ///< of the links that carry anything, and how many these are
  std::uint64_t max_port_bytes = 0;
  double max_seconds = 0;  ///< most that a link or port needs for its bytes at full speed: no run can be shorter

  /// Adds what a link carries, in so many seconds at full speed.
  void add(const platforms::Machine& machine, platforms::LinkId link, std::uint64_t bytes, double seconds);
  /// Adds what a link carries at its bandwidth.
  void add(const platforms::Machine& machine, platforms::LinkId link, std::uint64_t bytes) {
    add(machine, link, bytes, static_cast<double>(bytes) / machine.link_bandwidth(link));
  }
  double mean_bytes() const { return share(static_cast<double>(sum_bytes), static_cast<double>(links)); }
};

/// The result of a job that had the network to itself: its times, its messages, and the loads of links.
struct Result : ReplayReport {
  std::vector<LinkResult> links;             ///< links that carried anything, in the order of their numbers
  LinkLoads loads;                           ///< what these carried
  std::optional<double> utilization_window;  ///< seconds, see LinkUsage; none: no peak utilisation was measured
  std::vector<std::pair<std::string, std::string>> engine_settings;
  std::optional<Profile> profile;
  LinkWindows link_windows;  ///< if they were asked for (RunRequest::keep_windows)

  std::vector<LinkResult> bottlenecks() const;  ///< the busiest links, see busiest()
};

/// The up to ten links with the highest utilisation, the busiest first; equal ones by number.
std::vector<LinkResult> busiest(const std::vector<LinkResult>& links);

/// The links that carried anything in a run from `start` on that took `seconds`, in the order of their numbers.
std::vector<LinkResult> links_of(const Network& network, const Time& start, double seconds);

/// What these links carried in each window of a run that began at 0 and lasted until `end`. There must be windows.
LinkWindows windows_of(const Network& network, const std::vector<LinkResult>& links, const Time& end);

/// The result of a replay that has ended, from its report and from the network under it; with what links carried in
/// each window, if `keep_windows`.
Result make_result(const Network& network, ReplayReport report, bool keep_windows = false);

/// The result as bytes for another process of the same program, which unpacked() reads back.
std::string packed(const Result& result);
Result unpacked(std::string_view bytes);

}  // namespace toroid::netsim
