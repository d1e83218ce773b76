#pragma once
// What grows in a run and decides nothing: bytes and messages, times of ranks and links, histories. A tally notes it at
// the beginning of a period and, when the period is over, lets it grow as it would in further ones like it.

#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

class Tally {
 public:
  // Each part shows what it counts by add(), always in the same order.

  /// From now on the tally notes what it is shown.
  void begin_note() {
    times_ = 0;
    counts_.clear();
    seconds_.clear();
    spans_.clear();
  }
  /// From now on what it is shown grows by as much as since it was noted, so many times, which take so long in all.
  void begin_growth(std::uint64_t times, const Time& by) {
    TOROID_ASSERT(times > 0 && by >= Time());
    times_ = times;
    by_ = by;
    count_ = second_ = span_ = 0;
    fits_ = true;
  }
  /// From now on it only sees whether all that it is shown can grow.
  void begin_trial(std::uint64_t times) {
    begin_growth(times, {});
    tries_ = true;
  }
  /// Whether it can: nothing has come that was not noted, and no count grows too large.
  bool end_trial() {
    tries_ = false;
    return fits_ && count_ == counts_.size() && second_ == seconds_.size() && span_ == spans_.size();
  }

  /// How many counts were noted.
  std::size_t size() const { return counts_.size() + seconds_.size() + spans_.size() + histories_.size(); }
  bool grows() const { return times_ > 0 && !tries_; }
  std::uint64_t times() const { return times_; }
  /// How much later all is when it has grown.
  const Time& by() const { return by_; }

  void add(std::uint64_t& count) {
    if (times_ == 0) return counts_.push_back(count);
    if (is_new(count_, counts_)) return;
    std::uint64_t more = 0, sum = 0;
    const bool fits =
        !__builtin_mul_overflow(count - counts_[count_++], times_, &more) && !__builtin_add_overflow(count, more, &sum);
    fits_ = fits_ && fits;
    if (!tries_) count = sum;
  }
  void add(double& seconds) {
    if (times_ == 0) return seconds_.push_back(seconds);
    if (is_new(second_, seconds_)) return;
    const double more = static_cast<double>(times_) * (seconds - seconds_[second_++]);
    if (!tries_) seconds += more;
  }
  void add(Time& span) {
    if (times_ == 0) return spans_.push_back(span);
    if (is_new(span_, spans_)) return;
    const Time more = times_of(span - spans_[span_++], times_);
    if (!tries_) span += more;
  }
  template <class... Counted>
  void each(Counted&... counted) {
    (add(counted), ...);
  }

  /// Notes histories. Each that follows from one of them knows which.
  void note(std::span<History* const> histories);
  /// Lets histories grow that stand in the same places as those that were noted.
  void grow(std::span<History* const> histories) const;

  /// A span, which is not negative, so many times.
  static Time times_of(Time span, std::uint64_t times) {
    TOROID_ASSERT_HEAVY(span >= Time());
    Time sum;
    for (; times > 0; times >>= 1U, span += span)
      if ((times & 1U) != 0) sum += span;
    return sum;
  }

 private:
  template <class Noted>
  bool is_new(std::size_t index, const Noted& noted) {
    fits_ = fits_ && index < noted.size();
    return index >= noted.size();
  }

  std::uint64_t times_ = 0;  ///< 0: it notes
  Time by_;
  bool tries_ = false, fits_ = true;
  std::vector<std::uint64_t> counts_;
  std::vector<double> seconds_;
  std::vector<Time> spans_;
  std::size_t count_ = 0, second_ = 0, span_ = 0;  ///< how many numbers of each list have grown
  std::vector<History> histories_;
};

}  // namespace toroid::netsim
