#pragma once
// Simulated time, as fine as a message and as long as a machine's life at once.

#include <compare>
#include <cstdint>
#include <limits>
#include <utility>

namespace toroid::netsim {

/// A point in simulated time, or the span between two: a whole number of ticks of 2^-80 s. Sums and differences are
/// exact, so what happens takes the same time whenever it begins; a double alone knows no more than 7 ns after two
/// years. Seconds become ticks once, with an error below 2e-24 s (none for a double of 8 ns or more).
class Time {
 public:
  constexpr Time() = default;
  /// The time of that many seconds, which must not be NaN. From 2^45 s (a million years) on it is latest(), of either
  /// sign.
  constexpr explicit Time(double seconds) {
    if (seconds < 0) {
      *this = Time() - Time(-seconds);
    } else if (seconds < latest_seconds) {
      const double units = seconds * units_per_second;
      high_ = static_cast<std::int64_t>(units);
      // By way of a signed number: processors have no instruction for the other way.
      low_ = static_cast<std::uint64_t>(static_cast<std::int64_t>((units - static_cast<double>(high_)) * 0x1p63)) << 1U;
    } else {
      high_ = latest_units;
    }
  }

  /// The last time that a clock reaches. The sum of three times up to it is still a Time.
  static constexpr Time latest() { return Time(latest_seconds); }
  /// A time after all others.
  static constexpr Time never() {
    return Time(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::uint64_t>::max());
  }

  /// The time in seconds, as the nearest double or the one next to it.
  constexpr double seconds() const {
    if (high_ < 0) return -(Time() - *this).seconds();
    return static_cast<double>(high_) / units_per_second +
           static_cast<double>(static_cast<std::int64_t>(low_ >> 1U)) * 0x1p-79;
  }

  /// The bits of the time, in two words: equal times have the same.
  constexpr std::pair<std::uint64_t, std::uint64_t> words() const { return {static_cast<std::uint64_t>(high_), low_}; }

  constexpr Time& operator+=(const Time& other) { return *this = *this + other; }
  constexpr Time& operator-=(const Time& other) { return *this = *this - other; }
  friend constexpr Time operator+(const Time& a, const Time& b) { return of_ticks(a.ticks() + b.ticks()); }
  friend constexpr Time operator-(const Time& a, const Time& b) { return of_ticks(a.ticks() - b.ticks()); }
  friend constexpr bool operator==(const Time&, const Time&) = default;
  friend constexpr std::strong_ordering operator<=>(const Time&, const Time&) = default;
  friend constexpr bool operator<(const Time& a, const Time& b) {
    return static_cast<Signed>(a.ticks()) < static_cast<Signed>(b.ticks());  // without a branch
  }

 private:
  __extension__ using Ticks = unsigned __int128;
  __extension__ using Signed = __int128;
  static constexpr double units_per_second = 0x1p16;  ///< units of `high_` in a second
  static constexpr std::int64_t latest_units = std::int64_t{1} << 61U;
  static constexpr double latest_seconds = 0x1p45;

  constexpr Time(std::int64_t high, std::uint64_t low) : high_(high), low_(low) {}
  constexpr Ticks ticks() const { return (static_cast<Ticks>(static_cast<std::uint64_t>(high_)) << 64U) | low_; }
  static constexpr Time of_ticks(Ticks ticks) {
    return {static_cast<std::int64_t>(static_cast<std::uint64_t>(ticks >> 64U)), static_cast<std::uint64_t>(ticks)};
  }

  // Two halves: the whole would have to lie at multiples of 16 bytes.
  std::int64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace toroid::netsim
