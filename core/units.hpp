#pragma once
// Units at the border, SI inside. Texts are numbers with a unit ("1.25GBps", "100ns", "64KiB"); values are
// seconds, bytes, bytes per second and floating-point operations per second.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "toroid/core/parameter.hpp"

namespace toroid::core {

// Each throws InputError naming `what` (e.g. "bw") when the text is no number, has no unit, has the unit of another
// quantity, or is negative. k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024; B bytes, b bits.

double parse_duration(std::string_view text, std::string_view what);   ///< seconds: d h min s ms us ns ps
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
/// A share as a percentage with its sign: 0.015 with two digits is `+1.50 %`. It has no sign where all digits are
/// zeros.
std::string format_percent(double share, int digits);

/// The unit, and the number of digits after the point, that all times of a column share.
class DurationUnit {
 public:
  /// Chooses them such that the least time that is not 0 has at least four significant digits, but with at most six
  /// digits after the point.
  explicit DurationUnit(std::span<const double> seconds);
  std::string_view name() const { return name_; }
  std::string format(double seconds) const;

 private:
  std::string_view name_;
  double size_ = 1;  ///< seconds in one unit
  int digits_ = 0;
};

// Keys whose values are measured rather than counted (see parameter.hpp).

Type<double> duration();  ///< seconds, `100ns`
Type<double> flops();     ///< how much is computed, `1kf`
Type<double> real(double low, double high);

}  // namespace toroid::core
