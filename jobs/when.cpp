#include "jobs/when.hpp"

#include <array>
#include <chrono>

#include "core/units.hpp"

namespace toroid::jobs {
namespace {

using Text = std::string_view;

constexpr Text start_comment = "UnixStartTime:";

/// The seconds behind `UnixStartTime:` in a comment that says them. Logs write 0 or -1 where nobody knows.
std::optional<double> start_in(Text line) {
  line = core::trim(line);
  if (!line.starts_with(start_comment)) return std::nullopt;
  const auto text = core::trim(line.substr(start_comment.size()));
  const auto seconds = core::parse_number<double>(text.substr(0, text.find_first_of(" \t")));
  return seconds && *seconds > 0 ? seconds : std::nullopt;
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
  if (const auto date = read_date(text)) return {*date, true};
  if (text.find('T') != Text::npos || std::count(text.begin(), text.end(), '-') == 2)
    core::fail_input("{}: found '{}', expected a date such as 2024-05-01 or 2024-05-01T10:00", what,
                     core::excerpt(text));
  return {core::parse_duration(text, what), false};
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

double since_beginning(const When& when, const Jobs& jobs, Text what) {
  if (!when.is_date) return when.seconds;
  const auto start = unix_start(jobs);
  if (!start)
    core::fail_input(
        "{}: found a date, and the log does not say when it began (UnixStartTime in its comments); "
        "expected a time since its beginning, such as 10h",
        what);
  if (when.seconds < *start)
    core::fail_input("{}: the date is {} days before the beginning of the log", what,
                     fmt::format("{:.1f}", (*start - when.seconds) / 86400));
  return when.seconds - *start;
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
