#include "study/job_correlations.hpp"

#include <algorithm>

#include "study/statistics.hpp"

namespace toroid::study {

using core::Json;

namespace {

constexpr std::array<const char*, 6> names{"sum_pairwise_hops", "mean_pairwise_hops", "components",
                                           "box_routers",       "hop_bytes",          "max_link_load_bytes"};
constexpr std::size_t enough = 10;  ///< jobs of a program

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

void JobCorrelations::ended(const cosim::Record& record) {
  if (record.work == nullptr || record.work->alone <= 0) return;
  const auto& work = *record.work;
  const auto [program, is_new] = shortest_.try_emplace(work.program, work.alone);
  program->second = std::min(program->second, work.alone);
  const auto metrics = measure_.all(record.nodes);
  jobs_.push_back({{metrics.sum_pairwise_hops, metrics.mean_pairwise_hops, static_cast<double>(metrics.components),
                    static_cast<double>(metrics.box_routers), static_cast<double>(work.traffic.hop_bytes),
                    static_cast<double>(work.max_link_load)},
                   work.slowdown(record.run_time()),
                   record.run_time(),
                   &program->first});
}

Json JobCorrelations::lines(const std::vector<Job>& jobs) const {
  Sample slowdown, stretch;
  for (const auto& job : jobs) {
    slowdown.push_back(job.slowdown);
    stretch.push_back(job.run_time / shortest_.at(*job.program));
  }
  Json all = Json::array();
  for (std::size_t p = 0; p < names.size(); ++p) {
    Sample proxy;
    for (const auto& job : jobs) proxy.push_back(job.proxies[p]);
    all.push_back({{"metric", names[p]},
                   {"slowdown_pearson", or_null(pearson(proxy, slowdown))},
                   {"slowdown_spearman", or_null(spearman(proxy, slowdown))},
                   {"stretch_pearson", or_null(pearson(proxy, stretch))},
                   {"stretch_spearman", or_null(spearman(proxy, stretch))}});
  }
  return all;
}

Json JobCorrelations::json() const {
  std::map<std::string, std::vector<Job>> by_program;
  for (const auto& job : jobs_) by_program[*job.program].push_back(job);
  Json json{{"jobs", jobs_.size()}, {"all", lines(jobs_)}, {"programs", Json::array()}};
  for (const auto& [program, jobs] : by_program)
    if (jobs.size() >= enough)
      json["programs"].push_back({{"program", program}, {"jobs", jobs.size()}, {"lines", lines(jobs)}});
  return json;
}

}  // namespace toroid::study
