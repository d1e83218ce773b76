#pragma once
// What a command says on standard error while it works.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace toroid::core {

/// Shows the progress of work on standard error: on a terminal by a bar, which is removed when the work is done,
/// elsewhere by a line each minute, the first one after ten seconds where more than a minute is left. TOROID_PROGRESS
/// sets another number of seconds between lines; 0 shows none. What is left is told by how fast the work has gone in
/// the later part of its time: saturated networks become slow.
class Progress {
 public:
  /// `total` steps of work called `title`; with `total` 0 only the title and the count are shown. The advice, some 40
  /// characters, is given when the work turns out to be long.
  Progress(std::string title, std::uint64_t total, std::string advice = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says that `done` steps are done in all. Redraws at most ten times a second.
  void update(std::uint64_t done);

 private:
  /// How much was done when.
  struct Mark {
    double seconds = 0, part = 0;
  };

  void draw(std::uint64_t done, double seconds, double more);
  void print(std::uint64_t done, double seconds, double more) const;

  std::string title_, advice_;
  std::uint64_t total_;
  bool on_terminal_, drawn_ = false;
  std::chrono::duration<double> pause_;  ///< least time between two bars or lines
  std::chrono::steady_clock::time_point start_, looked_, last_;
  Mark older_ = {}, newer_ = {};  ///< a mark from before half of the time, and one twice as old or more
};

/// Prints a line on standard error, for what is good to know before long work, such as how much there is.
void announce(std::string_view text);

/// An approximate number in words: `3.2 million`.
std::string about(double number);

}  // namespace toroid::core
