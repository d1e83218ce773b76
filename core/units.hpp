#pragma once
// Units at the border, SI inside. Texts are numbers with a unit ("1.25GBps", "100ns", "64KiB"); values are
// seconds, bytes, bytes per second and floating-point operations per second.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace toroid::core {

// Each throws InputError naming `what` (e.g. "bw") when the text is no number, has no unit, has the unit of another
// quantity, or is negative. k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024; B bytes, b bits.

double parse_duration(std::string_view text, std::string_view what);   ///< seconds: s ms us ns ps
double parse_bandwidth(std::string_view text, std::string_view what);  ///< bytes/s: Bps kBps ... TiBps, bps ... Tbps
double parse_bytes(std::string_view text, std::string_view what);      ///< bytes: plain number, B kB ... TiB
std::uint64_t parse_whole_bytes(std::string_view text, std::string_view what);  ///< bytes, a whole number up to 2^53
double parse_speed(std::string_view text, std::string_view what);               ///< flop/s: f kf Mf Gf Tf Pf

// For files: the shortest text that parses to exactly this value.

std::string exact_duration(double seconds);
std::string exact_bandwidth(double bytes_per_second);
std::string exact_speed(double flops_per_second);

// For people: three or four significant digits and the fitting prefix. Parsing the text gives nearly the value.

std::string format_duration(double seconds);
std::string format_bandwidth(double bytes_per_second);
std::string format_bytes(double bytes);
/// `+1.50 %` of 0.015 with two digits; no sign where they are all zeros.
std::string format_percent(double share, int digits);

/// One unit, and one number of digits after the point, for a column of times.
class DurationUnit {
 public:
  /// Such that the least time, but for zeros, has four significant digits or more, where six after the point suffice.
  explicit DurationUnit(std::span<const double> seconds);
  std::string_view name() const { return name_; }
  std::string format(double seconds) const;

 private:
  std::string_view name_;
  double size_ = 1;  ///< seconds
  int digits_ = 0;
};

}  // namespace toroid::core
