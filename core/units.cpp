#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <tuple>

#include "toroid/core/assert.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

enum class Quantity { duration, bytes, bandwidth, speed };

constexpr std::array<std::pair<double, std::string_view>, 4> duration_units{
    {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};

struct Unit {
  Quantity quantity;
  double factor;
};

std::string_view describe(Quantity quantity) {
  constexpr std::array<std::string_view, 4> texts{
      "a time such as 100ns (d, h, min, s, ms, us, ns, ps)", "a size such as 64KiB (B, kB, MB, GB, KiB, MiB, GiB)",
      "a bandwidth such as 1.25GBps (Bps, kBps, MBps, GBps, GiBps, bits: Gbps)",
      "a speed, or flops, such as 1Gf (f, kf, Mf, Gf, Tf, Pf)"};
  return texts[static_cast<std::size_t>(quantity)];
}

/// The factor of an SI or binary prefix, or nothing.
std::optional<double> prefix_factor(std::string_view prefix) {
  constexpr std::string_view letters = "kMGTP";
  if (prefix.empty()) return 1.0;
  if (prefix == "K") return 1e3;
  const bool binary = prefix.size() == 2 && prefix[1] == 'i';
  if (prefix.size() > (binary ? 2U : 1U)) return std::nullopt;
  const auto power = letters.find(binary && prefix[0] == 'K' ? 'k' : prefix[0]);
  if (power == std::string_view::npos) return std::nullopt;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

std::optional<Unit> unit_with_suffix(std::string_view unit, std::string_view suffix, Quantity quantity, double scale) {
  if (!unit.ends_with(suffix)) return std::nullopt;
  const auto factor = prefix_factor(unit.substr(0, unit.size() - suffix.size()));
  if (!factor) return std::nullopt;
  return Unit{quantity, *factor * scale};
}

std::optional<Unit> find_unit(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 8> times{{{"s", 1.0},
                                                                      {"ms", 1e-3},
                                                                      {"us", 1e-6},
                                                                      {"ns", 1e-9},
                                                                      {"ps", 1e-12},
                                                                      {"min", 60.0},
                                                                      {"h", 3600.0},
                                                                      {"d", 86400.0}}};
  for (const auto& [name, seconds] : times)
    if (unit == name) return Unit{Quantity::duration, seconds};
  if (auto found = unit_with_suffix(unit, "Bps", Quantity::bandwidth, 1.0)) return found;
  if (auto found = unit_with_suffix(unit, "B/s", Quantity::bandwidth, 1.0)) return found;
  if (auto found = unit_with_suffix(unit, "bps", Quantity::bandwidth, 0.125)) return found;
  if (auto found = unit_with_suffix(unit, "b/s", Quantity::bandwidth, 0.125)) return found;
  if (auto found = unit_with_suffix(unit, "B", Quantity::bytes, 1.0)) return found;
  return unit_with_suffix(unit, "f", Quantity::speed, 1.0);
}

double parse_quantity(std::string_view text, std::string_view what, Quantity wanted) {
  const auto end_of_number = text.find_first_not_of("0123456789.+-eE");
  // "1e3" ends in digits; the unit of "2.5e" or "3E" would be a typing error either way.
  const auto digits = text.substr(0, end_of_number);
  const auto unit_text =
      end_of_number == std::string_view::npos ? std::string_view{} : trim(text.substr(end_of_number));
  const auto number = parse_number<double>(digits);
  if (!number || !std::isfinite(*number))
    fail_input("{}: '{}' is no number with a unit; expected {}", what, text, describe(wanted));
  if (*number < 0) fail_input("{}: '{}' is negative; expected {}", what, text, describe(wanted));
  if (unit_text.empty()) {
    if (wanted == Quantity::bytes) return *number;
    fail_input("{}: '{}' has no unit; expected {}", what, text, describe(wanted));
  }
  const auto unit = find_unit(unit_text);
  if (!unit) fail_input("{}: unknown unit '{}' in '{}'; expected {}", what, unit_text, text, describe(wanted));
  if (unit->quantity != wanted)
    fail_input("{}: '{}' has the unit of another quantity; expected {}", what, text, describe(wanted));
  if (!std::isfinite(*number * unit->factor)) fail_input("{}: '{}' is too large", what, text);
  // Divide by powers of ten below one: 100ns is then the double nearest to 1e-7.
  return unit->factor < 1 ? *number / std::round(1 / unit->factor) : *number * unit->factor;
}

std::string with_prefix(double value, std::string_view unit, double base, std::string_view infix) {
  constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t power = 0;
  while (std::abs(value) >= base && power + 1 < prefixes.size()) {
    value /= base;
    ++power;
  }
  return fmt::format("{:.4g} {}{}{}", value, prefixes[power], power == 0 ? "" : infix, unit);
}

/// Of the units that fit, the one with the shortest number that parses to exactly `value`.
std::string exact(double value, Quantity quantity, std::initializer_list<std::pair<double, std::string_view>> units) {
  std::string best;
  for (const auto& [size, unit] : units) {
    const double number = size < 1 ? value * std::round(1 / size) : value / size;
    if (!std::isfinite(number)) continue;
    const auto text = fmt::format("{}{}", number, unit);
    const bool shorter = best.empty() || text.size() < best.size();
    if (shorter && parse_quantity(text, "", quantity) == value) best = text;
  }
  TOROID_ASSERT(!best.empty() || !(value >= 0) || !std::isfinite(value));  // the text reads back as the value
  return best;
}

}  // namespace

double parse_duration(std::string_view text, std::string_view what) {
  return parse_quantity(text, what, Quantity::duration);
}
double parse_bandwidth(std::string_view text, std::string_view what) {
  return parse_quantity(text, what, Quantity::bandwidth);
}
double parse_bytes(std::string_view text, std::string_view what) {
  return parse_quantity(text, what, Quantity::bytes);
}
std::uint64_t parse_whole_bytes(std::string_view text, std::string_view what) {
  const double bytes = parse_bytes(text, what);
  if (bytes != std::floor(bytes) || bytes > 0x1p53)
    fail_input("{}: '{}' is no whole number of bytes up to 2^53", what, text);
  return static_cast<std::uint64_t>(bytes);
}
double parse_speed(std::string_view text, std::string_view what) {
  return parse_quantity(text, what, Quantity::speed);
}

std::string exact_duration(double seconds) {
  return exact(seconds, Quantity::duration, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}});
}
std::string exact_bandwidth(double bytes_per_second) {
  return exact(bytes_per_second, Quantity::bandwidth, {{1, "Bps"}, {1e3, "kBps"}, {1e6, "MBps"}, {1e9, "GBps"}});
}
std::string exact_speed(double flops_per_second) {
  return exact(flops_per_second, Quantity::speed, {{1, "f"}, {1e6, "Mf"}, {1e9, "Gf"}, {1e12, "Tf"}});
}

DurationUnit::DurationUnit(std::span<const double> seconds) : name_("s") {
  const double most = seconds.empty() ? 0 : *std::ranges::max_element(seconds);
  if (most <= 0) return;
  double least = most;
  for (const double time : seconds)
    if (time > 0) least = std::min(least, time);
  std::tie(size_, name_) = duration_units.back();
  for (const auto& [size, name] : duration_units)
    if (most >= size) {
      std::tie(size_, name_) = std::pair(size, name);
      break;
    }
  digits_ = std::clamp(3 - static_cast<int>(std::floor(std::log10(least / size_))), 0, 6);
}

std::string DurationUnit::format(double seconds) const {
  return fmt::format("{:.{}f}", seconds / size_, digits_);
}

std::string format_percent(double share, int digits) {
  const auto text = fmt::format("{:+.{}f}", 100 * share, digits);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return (is_zero ? text.substr(1) : text) + " %";
}

std::string format_duration(double seconds) {
  for (const auto& [size, name] : duration_units)
    if (std::abs(seconds) >= size) return fmt::format("{:.4g} {}", seconds / size, name);
  return seconds == 0 ? "0 s" : fmt::format("{:.4g} ns", seconds / 1e-9);
}

std::string format_bandwidth(double bytes_per_second) {
  return with_prefix(bytes_per_second, "B/s", 1000, "");
}
std::string format_bytes(double bytes) {
  return with_prefix(bytes, "B", 1000, "");
}

}  // namespace toroid::core
