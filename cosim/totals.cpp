#include "cosim/totals.hpp"

#include <algorithm>

namespace toroid::cosim {

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
  const auto mean = [](double sum, std::uint64_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); };
  core::Json json{{"jobs", t.jobs},
                  {"killed", t.killed},
                  {"failed", t.failed},
                  {"rejected", t.rejected},
                  {"refused", t.refused},
                  {"interrupted", t.interrupted},
                  {"lost", t.lost},
                  {"node_failures", t.node_failures},
                  {"avg_sum_pairwise_hops", mean(t.pairwise_hops, t.jobs)},
                  {"avg_mean_pairwise_hops", mean(t.mean_pairwise_hops, t.of_several)},
                  {"avg_components", mean(t.components, t.jobs)},
                  {"avg_box_routers", mean(t.box, t.jobs)},
                  {"avg_surface_links", mean(t.surface, t.jobs)},
                  {"makespan_s", t.makespan()},
                  {"utilization", t.utilization()},
                  {"allocated", t.allocated()},
                  {"mean_wait_s", mean(t.wait, t.jobs)},
                  {"max_wait_s", t.longest_wait},
                  {"mean_run_time_s", mean(t.run_time, t.jobs)},
                  {"mean_response_s", mean(t.response, t.jobs)},
                  {"mean_bounded_slowdown", mean(t.slowdown, t.jobs)},
                  {"first_submission_s", t.first_submission},
                  {"last_end_s", t.last_end},
                  {"nodes", t.nodes}};
  if (t.of_work) {
    json["mean_slowdown"] = t.compared > 0 ? core::Json(mean(t.contention, t.compared)) : core::Json();
    json["mean_computation_left_out_s"] = mean(t.left_out, t.jobs);
    json["max_computation_variation"] = t.variation ? core::Json(*t.variation) : core::Json();
    json["max_slowdown"] = t.compared > 0 ? core::Json(t.worst_contention) : core::Json();
  }
  return json;
}

}  // namespace toroid::cosim
