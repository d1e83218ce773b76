#include "cosim/schedule_metrics.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"
#include "cosim/totals.hpp"

namespace toroid::cosim {
namespace {

using Sweeps = ScheduleMetric::Sweeps;

constexpr std::array all_schedule_metrics{
    ScheduleMetric{.name = "avg_sum_pairwise_hops",
                   .type = "number",
                   .title = "pairwise hops",
                   .in_words = "pairwise hops summed in a job, mean",
                   .more_is_better = false,
                   .scale = "avg_sum_pairwise_hops",
                   .criterion = {Sweeps::logged, 5},
                   .column = {Sweeps::all, 6},
                   .is_drawn = true,
                   .format = "{:.6g}",
                   .of_job = [](const Record&, double pairwise_hops) { return pairwise_hops; }},
    ScheduleMetric{.name = "makespan_s",
                   .type = "seconds",
                   .title = "makespan",
                   .in_words = "makespan",
                   .more_is_better = false,
                   .scale = "makespan_s",
                   .criterion = {Sweeps::simulated, 4},
                   .column = {Sweeps::all, 5},
                   .is_drawn = false,
                   .format = {},
                   .of_job = nullptr},
    ScheduleMetric{.name = "utilization",
                   .type = "share",
                   .title = "utilization",
                   .in_words = "utilization of the machine",
                   .more_is_better = true,
                   .scale = "utilization",
                   .criterion = {Sweeps::logged, 4},
                   .column = {Sweeps::logged, 4},
                   .is_drawn = true,
                   .format = {},
                   .of_job = nullptr},
    ScheduleMetric{.name = "mean_wait_s",
                   .type = "seconds",
                   .title = "wait",
                   .in_words = "mean wait",
                   .more_is_better = false,
                   .scale = "mean_response_s",
                   .criterion = {Sweeps::all, 1},
                   .column = {Sweeps::all, 1},
                   .is_drawn = true,
                   .format = {},
                   .of_job = [](const Record& job, double) { return job.wait(); }},
    ScheduleMetric{.name = "mean_response_s",
                   .type = "seconds",
                   .title = "response",
                   .in_words = "mean response time",
                   .more_is_better = false,
                   .scale = "mean_response_s",
                   .criterion = {Sweeps::all, 2},
                   .column = {Sweeps::all, 2},
                   .is_drawn = false,
                   .format = {},
                   .of_job = [](const Record& job, double) { return job.response(); }},
    ScheduleMetric{.name = "mean_bounded_slowdown",
                   .type = "number",
                   .title = "slowdown",
                   .in_words = "bounded slowdown (bound 10 s), mean",
                   .more_is_better = false,
                   .scale = "mean_bounded_slowdown",
                   .criterion = {Sweeps::all, 3},
                   .column = {Sweeps::all, 3},
                   .is_drawn = true,
                   .format = "{:.3f}",
                   .of_job = [](const Record& job, double) { return bounded_slowdown(job); }},
    ScheduleMetric{.name = "mean_run_time_s",
                   .type = "seconds",
                   .title = "run time",
                   .in_words = "mean run time",
                   .more_is_better = false,
                   .scale = "mean_run_time_s",
                   .criterion = {Sweeps::simulated, 5},
                   .column = {Sweeps::simulated, 4},
                   .is_drawn = false,
                   .format = {},
                   .of_job = [](const Record& job, double) { return job.run_time(); }}};

}  // namespace

std::span<const ScheduleMetric> schedule_metrics() {
  return all_schedule_metrics;
}

const ScheduleMetric& schedule_metric(std::string_view name) {
  const auto found = std::ranges::find(all_schedule_metrics, name, &ScheduleMetric::name);
  TOROID_ASSERT(found != all_schedule_metrics.end());
  return *found;
}

std::vector<ScheduleMetric> placed_metrics(ScheduleMetric::Place ScheduleMetric::*place, bool simulated) {
  std::vector<ScheduleMetric> placed;
  for (const auto& metric : all_schedule_metrics)
    if ((metric.*place).is_in(simulated)) placed.push_back(metric);
  std::ranges::stable_sort(placed, {}, [&](const ScheduleMetric& metric) { return (metric.*place).position; });
  return placed;
}

}  // namespace toroid::cosim
