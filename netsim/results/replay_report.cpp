#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

void ActivityLog::begin(std::size_t ranks, std::size_t windows) {
  ranks_ = ranks;
  windows_ = windows;
  seconds_.assign(ranks * windows * doings, 0);
  in_collectives_.clear();
}

/// Doubles the windows, joining them in pairs, until they reach to `until`.
void ActivityLog::widen(double until) {
  while (window_ * static_cast<double>(windows_) < until) {
    window_ *= 2;
    join_pairs(seconds_, doings);
    for (auto& [algorithm, seconds] : in_collectives_) join_pairs(seconds, 1);
  }
}

/// Joins the windows of each rank in pairs; each has a number of each of so many kinds.
void ActivityLog::join_pairs(std::vector<float>& seconds, std::size_t kinds) const {
  for (std::size_t r = 0; r < ranks_; ++r) {
    auto* row = seconds.data() + r * windows_ * kinds;
    for (std::size_t w = 0; w < windows_; ++w)
      for (std::size_t k = 0; k < kinds; ++k) {
        float sum = 0;
        for (const auto old : {2 * w, 2 * w + 1})
          if (old < windows_) sum += row[old * kinds + k];
        row[w * kinds + k] = sum;
      }
  }
}

/// Adds the time from `from` to `to` to the windows that it lies in; `row` has one every `kinds` numbers.
void ActivityLog::spread(float* row, std::size_t kinds, double from, double to) const {
  for (auto w = std::min(static_cast<std::size_t>(from / window_), windows_ - 1); w < windows_; ++w) {
    const double begin = std::max(from, static_cast<double>(w) * window_);
    const double end = std::min(to, static_cast<double>(w + 1) * window_);
    if (begin >= to) break;
    row[w * kinds] += static_cast<float>(std::max(0.0, end - begin));
  }
}

void ActivityLog::book(workloads::Rank rank, Doing doing, double from, double to) {
  if (windows_ == 0 || !(to > from)) return;
  widen(to);
  spread(seconds_.data() + rank.index() * windows_ * doings + static_cast<std::size_t>(doing), doings, from, to);
}

void ActivityLog::book_collective(workloads::Rank rank, std::size_t algorithm, double from, double to) {
  if (windows_ == 0 || !(to > from)) return;
  widen(to);
  auto& seconds = in_collectives_[algorithm];
  seconds.resize(ranks_ * windows_);
  spread(seconds.data() + rank.index() * windows_, 1, from, to);
}

/// The first so many windows of each rank.
std::vector<float> ActivityLog::first_windows(const std::vector<float>& seconds, std::size_t kinds,
                                              std::size_t windows) const {
  std::vector<float> kept;
  kept.reserve(ranks_ * windows * kinds);
  for (std::size_t r = 0; r < ranks_; ++r) {
    const auto row = seconds.begin() + static_cast<std::ptrdiff_t>(r * windows_ * kinds);
    kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(windows * kinds));
  }
  return kept;
}

void ActivityLog::book(const Activity& replay, std::size_t ranks, double start) {
  for (const auto rank : core::ids<workloads::Rank>(static_cast<std::int32_t>(ranks)))
    for (std::size_t window = 0; window < replay.windows; ++window) {
      const double begin = start + static_cast<double>(window) * replay.window;
      double at = begin;
      for (const auto doing : {Doing::compute, Doing::transfer, Doing::wait}) {
        const double until = at + static_cast<double>(replay.of(rank, window, doing));
        book(rank, doing, at, until);
        at = until;
      }
      at = begin + static_cast<double>(replay.of(rank, window, Doing::compute));
      for (const auto& waits : replay.collectives) {
        const double until = at + static_cast<double>(replay.of(rank, window, waits));
        book_collective(rank, waits.algorithm, at, until);
        at = until;
      }
    }
}

Activity ActivityLog::finish(double runtime) {
  if (windows_ == 0) return {};
  widen(runtime);
  Activity activity{window_, 1, {}};
  while (window_ * static_cast<double>(activity.windows) < runtime && activity.windows < windows_) ++activity.windows;
  activity.seconds = first_windows(seconds_, doings, activity.windows);
  for (const auto& [algorithm, seconds] : in_collectives_)
    activity.collectives.push_back({algorithm, first_windows(seconds, 1, activity.windows)});
  windows_ = 0;
  seconds_.clear();
  in_collectives_.clear();
  return activity;
}

}  // namespace toroid::netsim
