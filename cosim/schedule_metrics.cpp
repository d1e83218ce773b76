#include "cosim/totals_observer.hpp"
#include "toroid/core/fields.hpp"

namespace toroid::cosim {
namespace {

using Sweeps = ScheduleMetric::Sweeps;

constexpr bool less = false, more = true;  // is better

constexpr ScheduleMetric::Place no_place{};
constexpr ScheduleMetric::Place placed(Sweeps in, int position) {
  return {in, position};
}

// Name, type, title, in words, what is better, scale; places among criteria and columns; whether it is drawn; format,
// and what of each job it is the mean of.
constexpr std::array all_schedule_metrics{
    ScheduleMetric{"avg_sum_pairwise_hops", "number", "pairwise hops", "pairwise hops summed in a job, mean", less,
                   "avg_sum_pairwise_hops", no_place, placed(Sweeps::all, 6), true, "{:.6g}",
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

core::Json of_work(const Totals& totals, const core::Json& value) {
  return totals.of_work ? value : core::absent();
}

const core::Object<Totals> totals_object{
    "schedule totals",
    {{"jobs", "count", "that ran", &Totals::jobs},
     {"killed", "count", "of these, ended at their estimate", &Totals::killed},
     {"failed", "count", "of these, whose program could not go on", &Totals::failed},
     {"rejected", "count", "jobs that could never fit", &Totals::rejected},
     {"refused", "count", "that waited although enough nodes were free", &Totals::refused},
     {"interrupted", "count", "runs that a failing node ended", &Totals::interrupted},
     {"lost", "count", "given up after such a run", &Totals::lost},
     {"node_failures", "count", "with or without a job", &Totals::node_failures},
     {"avg_sum_pairwise_hops", "number",
      "mean over jobs of the hops between all pairs of nodes, summed (Walker, Bunde and Leung 2010); on a torus the "
      "shorter way, or the mean of both",
      [](auto& t) { return t.per_job(t.pairwise_hops); }},
     {"avg_mean_pairwise_hops", "number", "mean over jobs of two nodes or more of the mean over pairs",
      [](auto& t) { return t.per_job_of_several(t.mean_pairwise_hops); }},
     {"avg_components", "number", "parts of a job's nodes that no working link joins",
      [](auto& t) { return t.per_job(t.components); }},
     {"avg_box_routers", "number", "of the smallest box around the nodes, across wraps if that is smaller",
      [](auto& t) { return t.per_job(t.box); }},
     {"avg_surface_links", "number", "working links from its routers to others, both ways as one",
      [](auto& t) { return t.per_job(t.surface); }},
     {"makespan_s", "seconds", "from the first submission to the last end", &Totals::makespan},
     {"utilization", "share", "of node-seconds in the makespan, of nodes asked for", &Totals::utilization},
     {"allocated", "share", "of node-seconds in the makespan, of nodes held", &Totals::allocated},
     {"mean_wait_s", "seconds", "from submission to start, on average", [](auto& t) { return t.per_job(t.wait); }},
     {"max_wait_s", "seconds", "from submission to start, at most", &Totals::longest_wait},
     {"mean_run_time_s", "seconds", "from start to end", [](auto& t) { return t.per_job(t.run_time); }},
     {"mean_response_s", "seconds", "from submission to end", [](auto& t) { return t.per_job(t.response); }},
     {"mean_bounded_slowdown", "number", "response over run time, at least 1; run times count as 10 s at least",
      [](auto& t) { return t.per_job(t.slowdown); }},
     {"first_submission_s", "seconds", "since the beginning of the log", &Totals::first_submission},
     {"last_end_s", "seconds", "since the beginning of the log", &Totals::last_end},
     {"nodes", "count", "that compute", &Totals::nodes},
     {"mean_slowdown", "number or null", "of programs: run time over that alone on the same nodes",
      [](auto& t) { return of_work(t, t.mean_slowdown()); }},
     {"mean_logged_run_time_s", "seconds", "where jobs are programs: of all jobs",
      [](auto& t) { return of_work(t, t.per_job(t.logged)); }},
     {"mean_alone_s", "seconds",
      "where jobs are programs: of all jobs, alone on their nodes; beside others where not known",
      [](auto& t) { return of_work(t, t.per_job(t.alone)); }},
     {"mean_computation_left_out_s", "seconds", "of programs: of the busiest rank, where --compute leaves it out",
      [](auto& t) { return of_work(t, t.per_job(t.left_out)); }},
     {"max_slowdown", "number or null", "of programs",
      [](auto& t) { return of_work(t, t.compared > 0 ? core::Json(t.worst_contention) : core::Json()); }}}};

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
  TOROID_ASSERT(record.submitted <= record.started && record.started <= record.ended && record.node_seconds >= 0);
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
  t.logged += std::max(0.0, record.job.run_time);
  t.alone += record.work != nullptr && record.work->alone > 0 ? record.work->alone : record.run_time();
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
  const double slowdown = work.slowdown(run_time);
  if (slowdown <= 0) return;
  ++t.compared;
  t.contention += slowdown;
  t.worst_contention = std::max(t.worst_contention, slowdown);
}

core::Json totals_json(const Totals& totals) {
  return totals_object(totals);
}

core::ObjectText totals_text() {
  return totals_object;
}

}  // namespace toroid::cosim
