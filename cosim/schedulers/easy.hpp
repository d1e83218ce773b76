#pragma once

#include "cosim/schedulers/kept_nodes.hpp"

namespace toroid::cosim {

/// EASY backfilling: the first job of the queue has a reservation; others may overtake it if they do not delay that.
/// In detail as the simulations of Walker, Bunde and Leung 2010 have it:
/// - The reservation is for the time at which enough nodes come free for the first job, by the estimates of the running
///   jobs.
/// - Another job, the first in the queue that can, is started if it ends (by its estimate) by the time of the
///   reservation, or if what is free then suffices for both.
/// - While a job that has started in this very instant is to end in it nothing is started: its end is yet to come. If
///   it does not come, the next instant is soon enough.
/// - One that outlasts its estimate is taken to end at once.
/// Where an allocator may refuse a job although enough nodes are free the reservation is one of nodes (KeptNodes): who
/// does not end by its time gets none of these.
class Easy : public QueueScheduler {
 public:
  explicit Easy(Order order) : QueueScheduler(order) {}

  std::optional<Start> next(const View& view) override {
    wake_ = Time::never();
    if (queue().empty()) return std::nullopt;
    if (one_ends_at_once(view.now)) {
      wake_ = view.now;
      return std::nullopt;
    }
    auto& first = queue().begin()->second;
    kept_.forget_late(first, view);
    if (const auto start = start_first(first, view)) return start;
    if (!KeptNodes::are_needed(first, view)) {
      look_anew_unless_as(counted(first, view));
    } else {
      if (kept_.update(first, view.now, running(), reservations(), *view.outlook)) {
        ask_again();
        candidates_ = front;
        if (const auto start = start_first(first, view)) return start;
      }
      look_anew_unless_as(kept_.reservation());
    }
    return backfill(view);
  }

  Time wake() const override { return wake_; }

  void submitted(const Queued& job) override {
    QueueScheduler::submitted(job);
    candidates_ = std::min(candidates_, key(job));
  }
  void ended(HolderId holder, const Time& now) override {
    QueueScheduler::ended(holder, now);
    candidates_ = front;
    kept_.seek_again();
  }
  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    QueueScheduler::resized(job, nodes, now);
    candidates_ = front;
    kept_.forget();
  }
  void node_out(NodeId node, const Time& now, const Time& until) override {
    QueueScheduler::node_out(node, now, until);
    kept_.forget();
  }
  void freed() override {
    QueueScheduler::freed();
    candidates_ = front;
    kept_.seek_again();
  }

 protected:
  /// Puts the waiting jobs in order again, as their keys have changed.
  void reorder() {
    QueueScheduler::reorder();
    candidates_ = front;
  }

 private:
  static constexpr Key front{-std::numeric_limits<double>::infinity(), 0};
  static constexpr Key behind{std::numeric_limits<double>::infinity(), 0};

  std::optional<Start> start_first(Waiting& first, const View& view) {
    return fits(first, view) ? ask(first, view, {}, kept_.of(first.id)) : std::nullopt;
  }

  /// The reservation of the first job where any nodes suit it. What runs, and which job is first, decide it alone: no
  /// state is kept that could become untrue. A job that is refused all the same waits for any node that comes free.
  Reservation counted(const Waiting& first, const View& view) const {
    Reservation reserved{first.id, view.now, view.free - first.nodes};
    bool waits = is_refused(first);
    for (const auto& job : running()) {
      if (!waits && reserved.spare >= 0 && reserved.from < job.expected_end) break;
      waits = false;
      reserved.spare += job.nodes;
      reserved.from = std::max(reserved.from, job.expected_end);
    }
    return reserved;
  }

  void look_anew_unless_as(const Reservation& reserved) {
    if (reserved.job != reserved_.job || reserved.from != reserved_.from) candidates_ = front;
    reserved_ = reserved;
  }

  /// What could not overtake the same reservation before cannot do so now, unless something has ended: time goes on,
  /// nodes are taken. Each job is thus looked at once, not again with every job that is submitted or started.
  std::optional<Start> backfill(const View& view) {
    for (auto at = queue().lower_bound(candidates_); at != queue().end(); ++at) {
      auto& job = at->second;
      candidates_ = at->first;
      if (job.id == reserved_.job || !fits(job, view)) continue;
      const bool ends_before = reserved_.is_after(job, view.now);
      if (!ends_before && job.nodes > reserved_.spare) continue;
      if (const auto start = ask(job, view, ends_before ? std::span<const NodeId>() : reserved_.nodes)) return start;
    }
    candidates_ = behind;
    return std::nullopt;
  }

  KeptNodes kept_;
  Time wake_ = Time::never();
  Reservation reserved_;    ///< the reservation when jobs were looked at last
  Key candidates_ = front;  ///< jobs before this cannot overtake it
};

}  // namespace toroid::cosim
