#pragma once
// Times of a log, as users give them: since its beginning, `10h`, or by the calendar, `2024-05-01T10:00`.

#include <optional>
#include <string_view>
#include <vector>

#include "core/parameter.hpp"
#include "jobs/jobs.hpp"

namespace toroid::jobs {

struct When {
  double seconds = 0;    ///< since the beginning of the log, or, for a date, since the beginning of 1970
  bool is_date = false;  ///< in UTC with SWF's UnixStartTime, in the zone of the log's own times with sacct
};

/// Seconds since the beginning of 1970 of `2024-05-01`, `2024-05-01T10:00` or `2024-05-01T10:00:30`; nothing if the
/// text is none of these.
std::optional<double> read_date(std::string_view text);

/// Reads a duration with its unit, or a date. Throws InputError, which begins with `what`.
When parse_when(std::string_view text, std::string_view what);
/// The type of keys whose value is such a time.
core::Type<When> when_type();

/// When the log began, in seconds since the beginning of 1970: the UnixStartTime of its comments. Nothing where it does
/// not say.
std::optional<double> unix_start(const Jobs& jobs);

/// The time in seconds since the beginning of the log. Throws InputError, which begins with `what`, for a date where
/// the log does not say when it began, and for one before that.
double since_beginning(const When& when, const Jobs& jobs, std::string_view what);

/// The comments of a log that began so many seconds later, or, for nothing, no one knows when.
std::vector<std::string> header_from(std::vector<std::string> header, std::optional<double> seconds_later);

}  // namespace toroid::jobs
