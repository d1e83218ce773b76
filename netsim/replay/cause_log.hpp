#pragma once
// What caused what in a replay, for the chain behind its critical path: kept only when asked for.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "netsim/replay_report.hpp"

namespace toroid::netsim {

/// Grows with every message and computation of the replay, by about 90 bytes.
class CauseLog {
 public:
  explicit CauseLog(bool wanted) : wanted_(wanted) {}
  bool wanted() const { return wanted_; }

  /// The replay starts at this time, which its steps count from.
  void begin(const Time& start) { start_ = start; }
  double since_start(const Time& time) const { return (time - start_).seconds(); }

  /// The step becomes the cause of what comes after it in that history.
  void add(const CriticalStep& step, History& history) {
    entries_.push_back({step, history.cause});
    history.cause = static_cast<std::uint32_t>(entries_.size() - 1);
  }

  /// The steps that led to it, the first one first.
  std::vector<CriticalStep> chain(const History& history) const {
    std::vector<CriticalStep> steps;
    for (auto at = history.cause; at != no_cause; at = entries_[at].before) steps.push_back(entries_[at].step);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  /// Calls visit(step) for every message, in the order of their ends.
  template <class Visit>
  void for_each_message(Visit visit) const {
    for (const auto& entry : entries_)
      if (entry.step.is_message) visit(entry.step);
  }

 private:
  struct Entry {
    CriticalStep step;
    std::uint32_t before;
  };
  bool wanted_;
  Time start_;
  std::vector<Entry> entries_;
};

}  // namespace toroid::netsim
