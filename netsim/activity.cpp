#include "netsim/activity.hpp"

#include <algorithm>

namespace toroid::netsim {

void ActivityLog::begin(std::size_t ranks, std::size_t windows) {
  ranks_ = ranks;
  windows_ = windows;
  seconds_.assign(ranks * windows * doings, 0);
}

/// Doubles the windows, joining them in pairs, until they reach to `until`.
void ActivityLog::widen(double until) {
  while (window_ * static_cast<double>(windows_) < until) {
    window_ *= 2;
    for (std::size_t r = 0; r < ranks_; ++r) {
      auto* row = seconds_.data() + r * windows_ * doings;
      for (std::size_t w = 0; w < windows_; ++w)
        for (std::size_t k = 0; k < doings; ++k) {
          float sum = 0;
          for (const auto old : {2 * w, 2 * w + 1})
            if (old < windows_) sum += row[old * doings + k];
          row[w * doings + k] = sum;
        }
    }
  }
}

void ActivityLog::book(workloads::Rank rank, Doing doing, double from, double to) {
  if (windows_ == 0 || !(to > from)) return;
  widen(to);
  auto* row = seconds_.data() + rank.index() * windows_ * doings + static_cast<std::size_t>(doing);
  for (auto w = std::min(static_cast<std::size_t>(from / window_), windows_ - 1); w < windows_; ++w) {
    const double begin = std::max(from, static_cast<double>(w) * window_);
    const double end = std::min(to, static_cast<double>(w + 1) * window_);
    if (begin >= to) break;
    row[w * doings] += static_cast<float>(std::max(0.0, end - begin));
  }
}

Activity ActivityLog::finish(double runtime) {
  if (windows_ == 0) return {};
  widen(runtime);
  Activity activity{window_, 1, {}};
  while (window_ * static_cast<double>(activity.windows) < runtime && activity.windows < windows_) ++activity.windows;
  activity.seconds.reserve(ranks_ * activity.windows * doings);
  for (std::size_t r = 0; r < ranks_; ++r) {
    const auto row = seconds_.begin() + static_cast<std::ptrdiff_t>(r * windows_ * doings);
    activity.seconds.insert(activity.seconds.end(), row, row + static_cast<std::ptrdiff_t>(activity.windows * doings));
  }
  windows_ = 0;
  seconds_.clear();
  return activity;
}

}  // namespace toroid::netsim
