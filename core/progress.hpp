#pragma once
// A progress bar on standard error: only when that is a terminal, gone without trace when the work is done.

#include <chrono>
#include <cstdint>
#include <string>

namespace toroid::core {

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
  std::string title_, advice_;
  std::uint64_t total_;
  bool visible_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace toroid::core
