#pragma once
// Tables of measured times, and what benchmarks of MPI print, line by line.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::study {

/// Where a benchmark prints sizes and times, in us, below a comment that has `comment` in it.
struct BenchmarkColumns {
  std::string_view comment;
  std::size_t bytes, time;
};

/// A line of measured times.
struct TimedLine {
  std::vector<std::string> named;  ///< the fields of the columns that were asked for; empty where the file has none
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// What somebody reads from a file of times.
struct TimesReader {
  std::vector<std::string_view> columns;  ///< columns of a table besides bytes and the time
  std::span<const BenchmarkColumns> benchmarks;
  std::string_view expected;  ///< what a file can be, for messages
  /// Called with the columns that a table has, empty ones for what a benchmark prints, before its first line.
  std::function<void(const std::vector<bool>& has)> begin;
  std::function<void(const TimedLine& line)> take;
  /// Called with each comment, which may say what follows.
  std::function<void(std::string_view comment)> hear = [](std::string_view) {};
};

/// Reads a file: a table with a header, which has the columns bytes and one of s, ms, us, ns (CSV), or the output of a
/// benchmark. Throws InputError with file and line where a line is neither, a time is none of 1 ps to 1000000 s, or the
/// reader's functions throw one.
void read_times(const std::string& path, const TimesReader& reader);

}  // namespace toroid::study
