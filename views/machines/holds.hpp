#pragma once
// The nodes that jobs hold, as events in the order of time, and the colours of jobs on a machine.

#include "cosim/pictures.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::views {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;

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
  std::ranges::stable_sort(holds, [](const Hold& a, const Hold& b) { return a.begin < b.begin; });
  return holds;
}

/// Goes through the beginnings and ends of `holds` in the order of time, ends first where they coincide. Calls
/// on_begin(hold) and on_end(hold).
template <class OnBegin, class OnEnd>
class HoldSweep {
 public:
  HoldSweep(const std::vector<Hold>& holds, OnBegin on_begin, OnEnd on_end)
      : on_begin_(std::move(on_begin)), on_end_(std::move(on_end)) {
    TOROID_ASSERT_HEAVY(std::ranges::is_sorted(holds, {}, &Hold::begin));
    for (const auto& hold : holds) {
      begins_.push_back(&hold);
      ends_.push_back(&hold);
    }
    std::ranges::stable_sort(ends_, [](auto* a, auto* b) { return a->end < b->end; });
  }

  /// Does all that happens until `time`, and at it.
  void go_to(double time) {
    TOROID_ASSERT(time >= now_);
    now_ = time;
    TOROID_ASSERT(ended_ <= begun_);
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
  double now_ = -std::numeric_limits<double>::infinity();
  OnBegin on_begin_;
  OnEnd on_end_;
};

/// How many colours jobs have: those of Okabe and Ito (2008) besides black.
constexpr std::uint8_t job_colours = 7;

/// Gives each job a colour that no running job beside it has: none whose routers working links join to its own, or that
/// shares a router with it. Where all colours are taken it is the one with the fewest such links; of equally good ones,
/// that which was given least recently. Jobs are coloured by their starts.
std::vector<std::uint8_t> colours_of(const platforms::Machine& machine, const std::vector<cosim::GanttJob>& jobs);

/// Colours of the jobs of one run, each of which has its nodes for itself all along.
std::vector<std::uint8_t> colours_of(const netsim::Run& request);

/// A colour as `#rrggbb`.
std::string job_colour_text(std::uint8_t colour);

}  // namespace toroid::views
