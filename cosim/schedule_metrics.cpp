#include "cosim/schedule_metrics.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"

namespace toroid::cosim {

namespace {

using Sweeps = ScheduleMetric::Sweeps;

constexpr bool less = false, more = true;  // is better

constexpr ScheduleMetric::Place placed(Sweeps in, int position) {
  return {in, position};
}

// Name, type, title, in words, what is better, scale; places among criteria and columns; whether it is drawn; format,
// and what of each job it is the mean of.
constexpr std::array all_schedule_metrics{
    ScheduleMetric{"avg_sum_pairwise_hops", "number", "pairwise hops", "pairwise hops summed in a job, mean", less,
                   "avg_sum_pairwise_hops", placed(Sweeps::logged, 5), placed(Sweeps::all, 6), true, "{:.6g}",
                   [](const Record&, double pairwise_hops) { return pairwise_hops; }},
    ScheduleMetric{"makespan_s", "seconds", "makespan", "makespan", less, "makespan_s", placed(Sweeps::simulated, 4),
                   placed(Sweeps::all, 5), false, "", nullptr},
    ScheduleMetric{"utilization", "share", "utilization", "utilization of the machine", more, "utilization",
                   placed(Sweeps::logged, 4), placed(Sweeps::logged, 4), true, "", nullptr},
    ScheduleMetric{"mean_wait_s", "seconds", "wait", "mean wait", less, "mean_response_s", placed(Sweeps::all, 1),
                   placed(Sweeps::all, 1), true, "", [](const Record& job, double) { return job.wait(); }},
    ScheduleMetric{"mean_response_s", "seconds", "response", "mean response time", less, "mean_response_s",
                   placed(Sweeps::all, 2), placed(Sweeps::all, 2), false, "",
                   [](const Record& job, double) { return job.response(); }},
    ScheduleMetric{"mean_bounded_slowdown", "number", "slowdown", "bounded slowdown (bound 10 s), mean", less,
                   "mean_bounded_slowdown", placed(Sweeps::all, 3), placed(Sweeps::all, 3), true, "{:.3f}",
                   [](const Record& job, double) { return bounded_slowdown(job); }},
    ScheduleMetric{"mean_run_time_s", "seconds", "run time", "mean run time", less, "mean_run_time_s",
                   placed(Sweeps::simulated, 5), placed(Sweeps::simulated, 4), false, "",
                   [](const Record& job, double) { return job.run_time(); }},
};

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

double bounded_slowdown(const Record& record) {
  constexpr double short_seconds = 10;
  return std::max(1.0, record.response() / std::max(record.run_time(), short_seconds));
}

TotalsObserver::TotalsObserver(const Machine& machine) : measure_(machine) {
  totals_.nodes = static_cast<std::int32_t>(machine.compute_nodes().size());
}

void TotalsObserver::submitted(const jobs::Job&, JobId id, const Time& now) {
  if (id == 1) totals_.first_submission = totals_.last_end = now.seconds();
}

void TotalsObserver::ended(const Record& record) {
  auto& t = totals_;
  if (record.end == End::rejected) {
    ++t.rejected;
    return;
  }
  t.last_end = std::max(t.last_end, record.ended.seconds());
  t.node_seconds += record.node_seconds;
  if (record.end == End::interrupted) {  // nothing was gained
    ++t.interrupted;
    t.lost += record.again ? 0U : 1U;
    return;
  }
  ++t.jobs;
  t.killed += record.end == End::killed ? 1U : 0U;
  t.failed += record.end == End::failed ? 1U : 0U;
  t.refused += record.reason.empty() ? 0U : 1U;
  t.demanded_seconds += record.demanded_seconds;
  t.wait += record.wait();
  t.longest_wait = std::max(t.longest_wait, record.wait());
  t.run_time += record.run_time();
  t.response += record.response();
  t.slowdown += bounded_slowdown(record);
  if (record.work != nullptr) add(*record.work, record.run_time());
  const auto metrics = measure_.all(record.nodes);
  t.pairwise_hops += metrics.sum_pairwise_hops;
  t.mean_pairwise_hops += metrics.mean_pairwise_hops;
  t.of_several += record.nodes.size() > 1 ? 1U : 0U;
  t.components += metrics.components;
  t.box += static_cast<double>(metrics.box_routers);
  t.surface += static_cast<double>(metrics.surface);
}

void TotalsObserver::add(const Work& work, double run_time) {
  auto& t = totals_;
  t.of_work = true;
  t.left_out += work.left_out;
  t.variation = std::max(t.variation, work.variation);
  const double slowdown = work.slowdown(run_time);
  if (slowdown <= 0) return;
  ++t.compared;
  t.contention += slowdown;
  t.worst_contention = std::max(t.worst_contention, slowdown);
}

core::Json totals_json(const Totals& t) {
  core::Json json{{"jobs", t.jobs},
                  {"killed", t.killed},
                  {"failed", t.failed},
                  {"rejected", t.rejected},
                  {"refused", t.refused},
                  {"interrupted", t.interrupted},
                  {"lost", t.lost},
                  {"node_failures", t.node_failures},
                  {"avg_sum_pairwise_hops", t.per_job(t.pairwise_hops)},
                  {"avg_mean_pairwise_hops", t.per_job_of_several(t.mean_pairwise_hops)},
                  {"avg_components", t.per_job(t.components)},
                  {"avg_box_routers", t.per_job(t.box)},
                  {"avg_surface_links", t.per_job(t.surface)},
                  {"makespan_s", t.makespan()},
                  {"utilization", t.utilization()},
                  {"allocated", t.allocated()},
                  {"mean_wait_s", t.per_job(t.wait)},
                  {"max_wait_s", t.longest_wait},
                  {"mean_run_time_s", t.per_job(t.run_time)},
                  {"mean_response_s", t.per_job(t.response)},
                  {"mean_bounded_slowdown", t.per_job(t.slowdown)},
                  {"first_submission_s", t.first_submission},
                  {"last_end_s", t.last_end},
                  {"nodes", t.nodes}};
  if (t.of_work) {
    json["mean_slowdown"] = t.mean_slowdown() ? core::Json(*t.mean_slowdown()) : core::Json();
    json["mean_computation_left_out_s"] = t.per_job(t.left_out);
    json["max_computation_variation"] = t.variation ? core::Json(*t.variation) : core::Json();
    json["max_slowdown"] = t.compared > 0 ? core::Json(t.worst_contention) : core::Json();
  }
  return json;
}

}  // namespace toroid::cosim
