#include "study/opinions.hpp"

#include "netsim/result_json.hpp"
#include "study/report.hpp"
#include "study/verdict.hpp"

namespace toroid::study {

using core::Json;

std::vector<Opinion> ask_others(const Comparison& comparison, Executor& executor, Journal* journal, double alpha) {
  std::vector<Opinion> opinions(comparison.spec().opinions.size());
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    opinions[k].rows = run_opinion(comparison, executor, journal, k);
    opinions[k].report = make_report(comparison, opinions[k].rows, alpha);
  }
  return opinions;
}

void add_opinions(Json& json, const Comparison& comparison, const Report& report,
                  const std::vector<Opinion>& opinions) {
  const auto engines = core::texts_of(comparison.spec().opinions);
  if (engines.empty()) return;
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    auto one = report_json(comparison, opinions[k].rows, opinions[k].report);
    one["engine"] = engines[k];
    json["opinions"].push_back(one);
    for (std::size_t i = 0; i < report.cases.size(); ++i)
      json["statistics"][i]["holds_under"][engines[k]] =
          holds(report.cases[i].mappers, opinions[k].report.cases[i].mappers);
  }
}

void add_remarks(Json& json, const Comparison& comparison) {
  for (const auto& machine : comparison.machines()) {
    netsim::add_remarks(json, comparison.spec().engine, machine);
    for (const auto& engine : comparison.spec().opinions) netsim::add_remarks(json, engine, machine);
  }
}

}  // namespace toroid::study
