#pragma once
// To whom the contention of histories is charged: kept only where somebody watches the network.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "netsim/fluid/contention.hpp"
#include "netsim/replay_report.hpp"

namespace toroid::netsim {

/// A row of seconds by job for each contention that a history of the replay has. Rows never change, so histories share
/// them; those that no history has any more go, so that memory goes to ranks and messages under way.
class Charges {
 public:
  /// Of a job on nodes such as this one.
  Charges(const Contention* contention, NodeId node)
      : contention_(contention),
        columns_(contention == nullptr ? 0 : contention->jobs() + 1),
        own_(contention == nullptr ? 0 : contention->job_of(node)) {}

  /// The message that the flow was adds `seconds` of contention to the history, which has the sum already: each job
  /// gets what the flow lost to it. What is left over is what changes of the machine took; where there were none it is
  /// rounding, and gets lost among the parts, or is the replay's own where there are none.
  void add(History& history, FlowId flow, double seconds) {
    if (contention_ == nullptr || !(seconds > 0)) return;
    const auto before = history.charged;
    history.charged = static_cast<std::uint32_t>(rows());
    const auto lost = contention_->lost(flow);
    const double sum = std::accumulate(lost.begin(), lost.end(), 0.0);
    const bool leaves_some = contention_->has_changed() && sum < seconds;
    const double scale = leaves_some ? 1 : sum > 0 ? seconds / sum : 0;
    for (std::size_t column = 0; column < columns_; ++column) {
      double part = column < lost.size() ? scale * lost[column] : leaves_some ? seconds - sum : 0;
      if (!leaves_some && !(sum > 0) && column == own_) part = seconds;
      seconds_.push_back((before == no_charges ? 0 : at(before, column)) + part);
    }
  }

  /// By job, and last what changes of the machine took; empty if nobody watches.
  std::vector<double> of(const History& history) const {
    std::vector<double> row(columns_);
    if (history.charged != no_charges)
      for (std::size_t column = 0; column < columns_; ++column) row[column] = at(history.charged, column);
    return row;
  }

  /// Whether there are so many rows that some should go.
  bool is_full() const { return rows() >= most_; }
  /// `for_each(visit)` calls visit(history) for all histories that are left; only their rows stay.
  template <class ForEach>
  void collect(ForEach for_each) {
    std::vector<double> kept;
    std::vector<std::uint32_t> places(rows(), no_charges);
    for_each([&](History& history) {
      if (history.charged == no_charges) return;
      auto& place = places[history.charged];
      if (place == no_charges) {
        place = static_cast<std::uint32_t>(kept.size() / columns_);
        for (std::size_t column = 0; column < columns_; ++column) kept.push_back(at(history.charged, column));
      }
      history.charged = place;
    });
    seconds_ = std::move(kept);
    most_ = std::max(least, 2 * rows());
  }

 private:
  static constexpr std::size_t least = 65536;

  std::size_t rows() const { return columns_ == 0 ? 0 : seconds_.size() / columns_; }
  double at(std::uint32_t row, std::size_t column) const { return seconds_[row * columns_ + column]; }

  const Contention* contention_;
  std::size_t columns_;  ///< a job each, and changes of the machine
  JobNumber own_;
  std::size_t most_ = least;     ///< rows
  std::vector<double> seconds_;  ///< by row, then by column
};

}  // namespace toroid::netsim
