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
  double mean_utilization = 0;  ///< bytes over what it could have carried in the run time
};

/// A job that had the network to itself: its times, what it sent, and what that did to the links.
struct Result : ReplayReport {
  std::vector<LinkResult> links;             ///< those that carried anything, in the order of their numbers
  std::optional<double> utilization_window;  ///< seconds, see LinkUsage; none: no peak utilisation was measured
  std::vector<std::pair<std::string, std::string>> engine_settings;
  std::optional<Profile> profile;

  std::uint64_t max_link_load() const;
  double mean_link_load() const;                ///< of the links that carried anything
  std::vector<LinkResult> bottlenecks() const;  ///< the busiest
};

/// The links that carried most for their width, up to ten of them, the busiest first; ties by number.
std::vector<LinkResult> busiest(const std::vector<LinkResult>& links);

/// The links that carried anything in a run of so many seconds, in the order of their numbers.
std::vector<LinkResult> links_of(const Network& network, const Time& start, double seconds);

/// What the replay and the network under it tell when the replay has ended.
Result make_result(const Network& network, ReplayReport report);

/// For another process of the same program.
std::string packed(const Result& result);
Result unpacked(std::string_view bytes);

}  // namespace toroid::netsim
