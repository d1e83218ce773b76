#include "core/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace toroid::core {

using Clock = std::chrono::steady_clock;

namespace {
constexpr double long_seconds = 10;
}

Progress::Progress(std::string title, std::uint64_t total, std::string advice)
    : title_(std::move(title)),
      advice_(std::move(advice)),
      total_(total),
      visible_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::uint64_t done) {
  const auto now = Clock::now();
  if (!visible_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (total_ == 0) {
    fmt::print(stderr, "\r\033[K{}  {}  {:.0f} s", title_, done, seconds);
    return;
  }
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double left = part > 0 ? seconds / part - seconds : 0;
  const bool advise = !advice_.empty() && seconds > 1 && seconds + left > long_seconds;
  const std::size_t width = advise ? 6 : 30;  // all of it fits on 80 characters
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  fmt::print(stderr, "\r\033[K{}  [{}{}] {:3.0f} %  {:.0f} s left{}{}", title_, std::string(filled, '#'),
             std::string(width - filled, '.'), 100 * part, left, advise ? "  " : "", advise ? advice_ : "");
}

}  // namespace toroid::core
