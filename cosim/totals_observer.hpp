#pragma once
// Adds up what a run comes to, job by job.

#include "alloc/metrics.hpp"
#include "cosim/record.hpp"
#include "toroid/cosim/schedule_metrics.hpp"

namespace toroid::cosim {

class TotalsObserver final : public Observer {
 public:
  explicit TotalsObserver(const Machine& machine);
  void submitted(const jobs::Job&, JobId id, const Time& now) override;
  void ended(const Record& record) override;
  void node_out(NodeId, const Time&) override { ++totals_.node_failures; }
  const Totals& totals() const { return totals_; }

 private:
  void add(const Work& work, double run_time);

  alloc::Measure measure_;
  Totals totals_;
};

}  // namespace toroid::cosim
