#include "core/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace toroid::core {

using Clock = std::chrono::steady_clock;

namespace {

constexpr double long_seconds = 10;

/// In place of what was drawn; a terminal that is gone is no reason to fail.
void draw(const std::string& text) {
  std::fputs(("\r\033[K" + text).c_str(), stderr);
}

}  // namespace

Progress::Progress(std::string title, std::uint64_t total, std::string advice)
    : title_(std::move(title)),
      advice_(std::move(advice)),
      total_(total),
      visible_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) draw("");
}

void Progress::update(std::uint64_t done) {
  const auto now = Clock::now();
  if (!visible_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double part = total_ == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double left = part > 0 ? seconds / part - seconds : 0;
  const auto advice = seconds > 1 && seconds + left > long_seconds && !advice_.empty() ? "  " + advice_ : "";
  if (total_ == 0) {
    draw(fmt::format("{}  {}  {:.0f} s{}", title_, done, seconds, advice));
    return;
  }
  const std::size_t width = advice.empty() ? 30 : 6;  // all of it fits on 80 characters
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  draw(fmt::format("{}  [{}{}] {:3.0f} %  {:.0f} s left{}", title_, std::string(filled, '#'),
                   std::string(width - filled, '.'), 100 * part, left, advice));
}

}  // namespace toroid::core
