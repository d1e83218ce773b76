#pragma once
// The nodes that jobs hold, as events in the order of time.

#include <algorithm>
#include <vector>

#include "cosim/pictures.hpp"

namespace toroid::views {

/// The time in which a job holds the same nodes.
struct Hold {
  std::size_t job = 0;  ///< its position among the jobs
  const cosim::Allocation* nodes = nullptr;
  double begin = 0, end = 0;  ///< s
};

/// All holds, by their beginnings. Holds of no duration are left out. The jobs must outlive the holds.
inline std::vector<Hold> holds_of(const std::vector<cosim::GanttJob>& jobs) {
  std::vector<Hold> holds;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[i].for_each_hold([&](const cosim::Allocation& nodes, double begin, double end) {
      if (end > begin) holds.push_back({i, &nodes, begin, end});
    });
  std::stable_sort(holds.begin(), holds.end(), [](const Hold& a, const Hold& b) { return a.begin < b.begin; });
  return holds;
}

/// Goes through the beginnings and ends of `holds` in the order of time, ends first where they coincide. Calls
/// on_begin(hold) and on_end(hold).
template <class OnBegin, class OnEnd>
class HoldSweep {
 public:
  HoldSweep(const std::vector<Hold>& holds, OnBegin on_begin, OnEnd on_end)
      : on_begin_(std::move(on_begin)), on_end_(std::move(on_end)) {
    for (const auto& hold : holds) {
      begins_.push_back(&hold);
      ends_.push_back(&hold);
    }
    std::stable_sort(ends_.begin(), ends_.end(), [](auto* a, auto* b) { return a->end < b->end; });
  }

  /// Does all that happens until `time`, and at it.
  void go_to(double time) {
    while (true) {
      const bool may_end = ended_ < ends_.size() && ends_[ended_]->end <= time;
      const bool may_begin = begun_ < begins_.size() && begins_[begun_]->begin <= time;
      if (may_end && (!may_begin || ends_[ended_]->end <= begins_[begun_]->begin))
        on_end_(*ends_[ended_++]);
      else if (may_begin)
        on_begin_(*begins_[begun_++]);
      else
        return;
    }
  }

 private:
  std::vector<const Hold*> begins_, ends_;
  std::size_t begun_ = 0, ended_ = 0;
  OnBegin on_begin_;
  OnEnd on_end_;
};

}  // namespace toroid::views
