#pragma once
// What a command says on standard error while it works.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace toroid::core {

/// A bar on a terminal, gone without trace when the work is done; elsewhere a line each minute
/// (TOROID_PROGRESS=SECONDS: that often; 0: never).
class Progress {
 public:
  /// `total` steps of work called `title`; with `total` 0 only the title and the count are shown. The advice, some 40
  /// characters, is given when the work turns out to be long.
  Progress(std::string title, std::uint64_t total, std::string advice = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` steps are done; redraws at most ten times a second.
  void update(std::uint64_t done);

 private:
  void draw(std::uint64_t done, double seconds);
  void print(std::uint64_t done, double seconds) const;

  std::string title_, advice_;
  std::uint64_t total_;
  bool on_terminal_, drawn_ = false;
  std::chrono::duration<double> pause_;  ///< between two of them
  std::chrono::steady_clock::time_point start_, last_;
};

/// A line on standard error, for what is good to know before long work: how much there is.
void announce(std::string_view text);

/// `3.2 million`, for numbers that are about right.
std::string about(double number);

}  // namespace toroid::core
