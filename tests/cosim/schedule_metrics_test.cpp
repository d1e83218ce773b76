#include "toroid/cosim/schedule_metrics.hpp"

#include <catch2/catch.hpp>

#include "alloc/metrics.hpp"
#include "tests/support/support.hpp"
#include "toroid/cosim/schedule.hpp"
#include "toroid/jobs/jobs.hpp"

using namespace toroid;
using cosim::ScheduleMetric;

namespace {

/// Adds up what metrics are the means of.
class Sums final : public cosim::Observer {
 public:
  explicit Sums(const cosim::Machine& machine) : measure_(machine), sums(cosim::schedule_metrics().size()) {}
  void ended(const cosim::Record& record) override {
    ++jobs;
    for (std::size_t m = 0; m < sums.size(); ++m)
      if (const auto of_job = cosim::schedule_metrics()[m].of_job)
        sums[m] += of_job(record, measure_.sum_pairwise_hops(record.nodes));
  }

 private:
  alloc::Measure measure_;

 public:
  std::vector<double> sums;
  double jobs = 0;
};

}  // namespace

TEST_CASE("each metric of schedules is a field of the totals, and the mean over jobs that its row says") {
  const auto machine = platforms::make_machine("mesh:8x8");
  const auto jobs = jobs::JobsSource("derose:side=8,jobs=200").open(jobs::Reading::strict, 1);
  cosim::ScheduleRequest request{machine, *jobs};
  Sums seen(machine);
  request.observers.push_back(&seen);
  const auto totals = cosim::totals_json(cosim::run_schedule(request).totals);
  REQUIRE(seen.jobs == 200);
  for (std::size_t m = 0; m < seen.sums.size(); ++m) {
    const auto& metric = cosim::schedule_metrics()[m];
    INFO(metric.name);
    REQUIRE(totals.contains(metric.name));
    if (metric.of_job != nullptr) CHECK(totals[metric.name].get<double>() == Approx(seen.sums[m] / seen.jobs));
    CHECK(totals.contains(metric.scale));
    CHECK((metric.type == "number") == !metric.format.empty());
  }
}

TEST_CASE("metrics stand in the order of their places") {
  const auto names = [](auto place, bool simulated) {
    std::vector<std::string_view> all;
    for (const auto& metric : cosim::placed_metrics(place, simulated)) all.push_back(metric.title);
    return all;
  };
  using Names = std::vector<std::string_view>;
  CHECK(names(&ScheduleMetric::criterion, false) ==
        Names{"wait", "response", "slowdown", "utilization"});
  CHECK(names(&ScheduleMetric::criterion, true) == Names{"wait", "response", "slowdown", "makespan", "run time"});
  CHECK(names(&ScheduleMetric::column, false) ==
        Names{"wait", "response", "slowdown", "utilization", "makespan", "pairwise hops"});
  CHECK(names(&ScheduleMetric::column, true) ==
        Names{"wait", "response", "slowdown", "run time", "makespan", "pairwise hops"});
}
