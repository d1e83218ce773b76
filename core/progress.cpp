#include "core/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/standard_error.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

namespace {

constexpr double long_seconds = 10;
constexpr double redrawn_after = 0.1;  // s
constexpr double said_after = 60;      // s

/// In place of what was drawn; a terminal that is gone is no reason to fail.
void put(const std::string& text) {
  std::fputs(("\r\033[K" + text).c_str(), stderr);
}

bool is_left_to_errors = false;

Seconds pause_between_lines() {
  const char* text = std::getenv("TOROID_PROGRESS");
  constexpr Seconds never(std::numeric_limits<double>::infinity());
  if (text == nullptr) return is_left_to_errors ? never : Seconds(said_after);
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 0 && *seconds <= 1e9))
    fail_input("TOROID_PROGRESS: found '{}', expected seconds, from 0 on", text);
  return *seconds > 0 && !is_left_to_errors ? Seconds(*seconds) : never;
}

/// Of the work that is done, 0 to 1; 0 where nobody knows.
double share(std::uint64_t done, std::uint64_t total) {
  return total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

}  // namespace

Progress::Progress(std::string title, std::uint64_t total, std::string advice)
    : title_(excerpt(title)),
      advice_(std::move(advice)),
      total_(total),
      on_terminal_(is_watched()),
      pause_(on_terminal_ ? Seconds(redrawn_after) : pause_between_lines()),
      start_(Clock::now()),
      looked_(start_),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) put("");
}

void Progress::update(std::uint64_t done) {
  const auto now = Clock::now();
  if (now - looked_ < std::min(pause_, Seconds(redrawn_after))) return;
  looked_ = now;
  const double seconds = Seconds(now - start_).count(), part = share(done, total_);
  if (seconds >= 2 * newer_.seconds) older_ = std::exchange(newer_, {seconds, part});
  const double rate = (part - older_.part) / (seconds - older_.seconds), more = rate > 0 ? (1 - part) / rate : 0;
  const bool will_be_long =
      last_ == start_ && pause_.count() == said_after && seconds > long_seconds && more > said_after;
  if (now - last_ < pause_ && !will_be_long) return;
  last_ = now;
  if (on_terminal_)
    draw(done, seconds, more);
  else
    print(done, seconds, more);
}

void Progress::draw(std::uint64_t done, double seconds, double more) {
  drawn_ = true;
  const double part = share(done, total_);
  const auto advice = seconds > 1 && seconds + more > long_seconds && !advice_.empty() ? "  " + advice_ : "";
  if (total_ == 0) return put(fmt::format("{}  {}  {:.0f} s{}", title_, done, seconds, advice));
  const std::size_t width = advice.empty() ? 30 : 6;  // all of it fits on 80 characters
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  put(fmt::format("{}  [{}{}] {:3.0f} %  {:.0f} s left{}", title_, std::string(filled, '#'),
                  std::string(width - filled, '.'), 100 * part, more, advice));
}

void Progress::print(std::uint64_t done, double seconds, double more) const {
  announce(total_ == 0 ? fmt::format("{}: {} done in {:.0f} s", title_, about(static_cast<double>(done)), seconds)
                       : fmt::format("{}: {:.1f} % in {:.0f} s, about {:.0f} s left", title_, 100 * share(done, total_),
                                     seconds, more));
}

void leave_to_errors() {
  is_left_to_errors = true;
}

bool is_watched() {
  return !is_left_to_errors && ::isatty(STDERR_FILENO) == 1;
}

void announce(std::string_view text) {
  if (!is_left_to_errors) std::fputs(fmt::format("toroid: {}\n", text).c_str(), stderr);
}

std::string about(double number) {
  constexpr double thousand = 1e3, million = 1e6, milliard = 1e9, most = 1e15;
  if (number < 10 * thousand) return fmt::format("{:.0f}", number);
  if (number < million) return fmt::format("{:.0f} thousand", number / thousand);
  if (number < milliard) return fmt::format("{:.3g} million", number / million);
  return number < most ? fmt::format("{:.3g} thousand million", number / milliard) : fmt::format("{:.1e}", number);
}

}  // namespace toroid::core
