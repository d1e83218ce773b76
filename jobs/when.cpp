#include "toroid/jobs/jobs.hpp"

#include <array>
#include <chrono>
#include <cmath>

#include "core/units.hpp"

namespace toroid::jobs {
namespace {

using Text = std::string_view;

constexpr Text start_comment = "UnixStartTime:", zone_comment = "TimeZone:";
constexpr double end_of_dates = 253402300800;  ///< the year 10000, in seconds since 1970

/// The number behind a word in a comment that has both.
std::optional<double> number_in(Text line, Text comment) {
  line = core::trim(line);
  if (!line.starts_with(comment)) return std::nullopt;
  const auto text = core::trim(line.substr(comment.size()));
  return core::parse_number<double>(text.substr(0, text.find_first_of(" \t")));
}

/// When the log began, in a comment that says so. Logs write 0 or -1 where nobody knows; no date has five digits.
std::optional<double> start_in(Text line) {
  const auto seconds = number_in(line, start_comment);
  return seconds && *seconds > 0 && *seconds < end_of_dates ? seconds : std::nullopt;
}

std::optional<double> zone_in(const Jobs& jobs) {
  constexpr double most = 15 * 3600;
  for (const auto& line : jobs.header())
    if (const auto seconds = number_in(line, zone_comment); seconds && std::abs(*seconds) < most) return seconds;
  return std::nullopt;
}

/// `+02:00`, `-0800` or `Z` in seconds; nothing for anything else.
std::optional<double> read_offset(Text text) {
  if (text == "Z") return 0;
  if (text.size() == 6 && text[3] != ':') return std::nullopt;
  if (text.size() != 5 && text.size() != 6) return std::nullopt;
  const auto hours = core::parse_number<unsigned>(text.substr(1, 2)),
             minutes = core::parse_number<unsigned>(text.substr(text.size() - 2));
  if ((text[0] != '+' && text[0] != '-') || !hours || !minutes || *hours > 15 || *minutes > 59) return std::nullopt;
  const double seconds = *hours * 3600.0 + *minutes * 60.0;
  return text[0] == '-' ? -seconds : seconds;
}

/// A date with its offset from UTC.
std::optional<double> read_date_of_zone(Text text) {
  constexpr std::size_t day = 10;  // the length of `2024-05-01`, whose dashes are no signs
  const auto at = text.find_first_of("Z+-", day);
  if (text.size() <= day || at == Text::npos) return std::nullopt;
  const auto date = read_date(text.substr(0, at));
  const auto offset = read_offset(text.substr(at));
  return date && offset ? std::optional(*date - *offset) : std::nullopt;
}

/// When the log began, for a time by the calendar.
double known_start(const Jobs& jobs, Text what) {
  const auto start = unix_start(jobs);
  if (!start)
    core::fail_input(
        "{}: found a date, and the log does not say when it began (UnixStartTime in its comments); "
        "expected a time since its beginning, such as 10h",
        what);
  return *start;
}

}  // namespace

std::optional<double> read_date(Text text) {
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> parts{
      {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  constexpr Text form = "0000-00-00T00:00:00";
  if (text.size() != 10 && text.size() != 16 && text.size() != form.size()) return std::nullopt;
  std::array<unsigned, 6> n{};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (form[i] != '0' && text[i] != form[i]) return std::nullopt;
  for (std::size_t i = 0; i < parts.size() && parts[i].first < text.size(); ++i) {
    const auto number = core::parse_number<unsigned>(text.substr(parts[i].first, parts[i].second));
    if (!number) return std::nullopt;
    n[i] = *number;
  }
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(n[0])), std::chrono::month(n[1]),
                                        std::chrono::day(n[2])};
  if (!day.ok() || n[3] > 23 || n[4] > 59 || n[5] > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + n[3] * 3600 + n[4] * 60 + n[5];
}

When parse_when(Text text, Text what) {
  text = core::trim(text);
  if (const auto date = read_date(text)) return {*date, true, true};
  if (const auto date = read_date_of_zone(text)) return {*date, true, false};
  if (text.find('T') != Text::npos || std::count(text.begin(), text.end(), '-') == 2)
    core::fail_input(
        "{}: found '{}', expected a date such as 2024-05-01 or 2024-05-01T10:00, with Z or +02:00 behind it if it is "
        "not of the log's time zone",
        what, core::excerpt(text));
  return {core::parse_duration(text, what), false, true};
}

core::Type<When> when_type() {
  return {"a time such as 10h or 35d, or a date such as 2024-05-01T10:00",
          [](Text text, const core::Place& place) -> std::optional<When> { return parse_when(text, place.text()); }};
}

std::optional<double> unix_start(const Jobs& jobs) {
  for (const auto& line : jobs.header())
    if (const auto seconds = start_in(line)) return seconds;
  return std::nullopt;
}

double first_midnight(const Jobs& jobs, Text what) {
  constexpr double day = 86400;
  const double local = known_start(jobs, what) + time_zone(jobs);
  return std::floor(local / day) * day - local;
}

double time_zone(const Jobs& jobs) {
  return zone_in(jobs).value_or(0);
}

std::string date_text(double seconds, const Jobs& jobs) {
  const auto start = unix_start(jobs);
  if (!start) return {};
  const auto zone = zone_in(jobs);
  const double local = std::floor(*start + seconds + zone.value_or(0));
  if (!(local < end_of_dates)) return {};
  const std::chrono::sys_seconds time{std::chrono::seconds(static_cast<std::int64_t>(local))};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  auto text =
      fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count());
  if (zone) {
    const auto minutes = static_cast<std::int64_t>(std::abs(*zone) / 60);
    text += fmt::format(" (UTC{}{:02}:{:02})", *zone < 0 ? '-' : '+', minutes / 60, minutes % 60);
  }
  return text;
}

double since_beginning(const When& when, const Jobs& jobs, Text what) {
  if (!when.is_date) return when.seconds;
  const double seconds = when.seconds - (when.is_local ? time_zone(jobs) : 0) - known_start(jobs, what);
  if (seconds < 0)
    core::fail_input("{}: the date is {} days before the beginning of the log, {}", what,
                     fmt::format("{:.1f}", -seconds / 86400), date_text(0, jobs));
  return seconds;
}

std::vector<std::string> header_from(std::vector<std::string> header, std::optional<double> seconds_later) {
  std::vector<std::string> all;
  for (auto& line : header) {
    const auto start = start_in(line);
    if (!start)
      all.push_back(std::move(line));
    else if (seconds_later)
      all.push_back(fmt::format(" {} {:.0f}", start_comment, *start + *seconds_later));
  }
  return all;
}

}  // namespace toroid::jobs
