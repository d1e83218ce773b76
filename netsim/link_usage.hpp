#pragma once
// What each directed link of a machine carried, and when.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::netsim {

struct LinkLoad {
  std::uint64_t bytes = 0;
  std::uint64_t flows = 0;
  std::uint32_t peak_flows = 0;  ///< most flows at one time
  double busy = 0;               ///< seconds with at least one flow
  double peak_utilization = 0;   ///< see LinkUsage
};

/// Books every transfer on the links of its route, in O(hops). The peak utilisation of a link is the largest share of
/// its capacity used in any of up to 64 equal windows of the run, the bytes of a flow counted evenly over its transfer.
/// Times are in seconds and never go back.
class LinkUsage {
 public:
  using Route = std::span<const platforms::LinkId>;

  /// The machine must outlive it.
  explicit LinkUsage(const platforms::Machine& machine);

  /// Begins a transfer.
  void begin(Route route, double now);
  /// Ends a transfer that began at `began`. A cancelled one counts with the bytes it is given here.
  void end(Route route, std::uint64_t bytes, double began, double now);

  /// The load of a link in a run that lasted until `now`.
  LinkLoad load(platforms::LinkId link, double now) const;
  double window_seconds() const { return window_; }

 private:
  static constexpr std::size_t windows = 64;
  using Profile = std::array<double, windows>;  ///< bytes per window
  struct Link {
    std::uint64_t bytes = 0, flows = 0;
    std::uint32_t active = 0, peak = 0;
    double busy = 0, busy_since = 0;
    std::unique_ptr<Profile> profile;
  };

  /// The bytes of a transfer by windows: the first, each between, the last.
  struct Shares {
    std::size_t first, last;
    double head, body, tail;
  };

  void widen(double until);
  Shares spread(double bytes, double began, double now) const;
  static void book(Link& link, const Shares& shares);

  const platforms::Machine& machine_;
  std::vector<Link> links_;
  double window_ = 1e-6;
};

}  // namespace toroid::netsim
