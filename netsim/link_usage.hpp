#pragma once
// What each directed link of a machine carried, and when.

#include "toroid/netsim/time/time.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::netsim {

class Tally;
struct LinkLoad;

/// Books every transfer on the links of its route, in O(hops). If windows are measured, the peak utilization of a link
/// is the largest share of its capacity used in any of up to so many equal windows of the run. The bytes of a flow
/// count evenly over its transfer; a last window shorter than half counts as part of the window before. The peak is
/// never below the mean utilization. Times never go back.
class LinkUsage {
 public:
  using Route = std::span<const platforms::LinkId>;

  /// The machine must outlive it, and so must those that it changes into.
  explicit LinkUsage(const platforms::Machine& machine) : machines_{{0, &machine}} {}

  /// Gives links, from `now` on, the bandwidths of another machine with the same links.
  void change(const platforms::Machine& machine, const Time& now) {
    TOROID_ASSERT(machine.link_count() == machines_.back().second->link_count());
    TOROID_ASSERT(now.seconds() >= machines_.back().first);
    machines_.emplace_back(now.seconds(), &machine);
  }

  /// Sets the most windows that are measured; 0: none. Called before the first transfer.
  void measure_windows(std::size_t count) { windows_ = count; }

  /// Lets it book nothing, as if no link carried anything. Called before the first transfer.
  void ignore() { ignores_ = true; }

  /// How often links were given other bandwidths.
  std::size_t changes() const { return machines_.size() - 1; }

  /// Shows what the links have carried to a tally. From a note on it remembers all transfers that end, as those of the
  /// windows, until the tally makes it grow or forget() is called.
  void tally(Tally& tally, const Time& now);
  /// Whether it remembers, for engines that else book packets together.
  bool remembers() const { return remembers_; }
  void forget() {
    remembers_ = false;
    remembered_.clear();
    last_of_.clear();
  }

  /// Begins a transfer.
  void begin(Route route, const Time& now);
  /// Ends a transfer that began at `began`. A cancelled one counts with the bytes it is given here. `flows` is 0 for a
  /// part of a flow that does not count as one, such as all packets of a message but one.
  void end(Route route, std::uint64_t bytes, const Time& began, const Time& now, std::uint64_t flows = 1);
  /// What a link has carried so far, for engines that count by themselves instead of calling begin() and end(). `busy`
  /// is the busy time until `busy_since`; since then `active` transfers are under way.
  struct Count {
    std::uint64_t bytes = 0, flows = 0;
    std::uint32_t active = 0, peak = 0;
    Time busy, busy_since;
  };
  void set(platforms::LinkId link, const Count& count);
  /// Books bytes that went over a link evenly from `began` to `now`, but only in its windows.
  void book_windows(platforms::LinkId link, std::uint64_t bytes, const Time& began, const Time& now);
  /// Books bytes that went over a link within one window, in which book_windows() must have booked others.
  void book_window(platforms::LinkId link, std::uint64_t bytes, std::size_t window) {
    auto& profile = links_[link].profile;
    if (!profile) profile = std::make_unique<double[]>(windows_);
    profile[window] += static_cast<double>(bytes);
  }
  /// Books bytes that went over a link evenly from `began` to `now` and belong to no flow.
  void add(platforms::LinkId link, std::uint64_t bytes, const Time& began, const Time& now);

  /// The load of a link in a run that lasted until `now`.
  LinkLoad load(platforms::LinkId link, const Time& now) const;
  /// The bytes that a link could have carried in `seconds` seconds from `start` on; none while it is down.
  double capacity(platforms::LinkId link, double start, double seconds) const;
  /// The seconds that a link needs from `start` on for so many bytes, at the bandwidths that it has meanwhile.
  double seconds_for(platforms::LinkId link, std::uint64_t bytes, double start) const;
  /// The windows of a run that lasted until `now`, which may end within the last of them: how long each is, as the run
  /// may have gone on after the last transfer, and how many there are. There must be windows.
  struct Windows {
    double seconds = 0;
    std::size_t count = 1;
  };
  Windows windows_until(const Time& now) const;
  /// The bytes of ended transfers in each of the windows of windows_until().
  std::vector<double> bytes_by_window(platforms::LinkId link, const Time& now) const;
  std::size_t windows() const { return windows_; }
  double window_seconds() const { return window_; }

 private:
  struct alignas(64) Link : Count {     // which fills a line of the cache
    std::unique_ptr<double[]> profile;  ///< bytes per window
  };

  /// The bytes of a transfer by windows: in the first one, in each between, and in the last one.
  struct Shares {
    std::size_t first, last;
    double head, body, tail;
  };

  /// A transfer that has ended, to be booked again.
  struct Booking {
    std::vector<platforms::LinkId> route;
    double bytes = 0, began = 0, ended = 0;
  };

  void remember(platforms::LinkId link, Booking&& packet);
  void book_again(const Booking& booking, std::uint64_t times, double period);
  void make_links() {
    if (links_.empty()) links_.resize(machines_[0].second->link_count());
  }
  void widen(double until);
  Shares spread(double bytes, double began, double now) const;
  void book(Link& link, const Shares& shares) const;
  double peak(platforms::LinkId id, double now) const;

  std::vector<std::pair<double, const platforms::Machine*>>
      machines_;                                   ///< each machine and the time since which it counts
  core::IdVector<platforms::LinkId, Link> links_;  ///< empty until there is something to book
  bool ignores_ = false;
  std::size_t windows_ = 0;
  double window_ = 1e-6;  ///< seconds
  bool remembers_ = false;
  std::vector<Booking> remembered_;
  core::IdVector<platforms::LinkId, std::size_t> last_of_;  ///< the number of each link's last booking, from 1
};

}  // namespace toroid::netsim
