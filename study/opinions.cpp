#include "study/opinions.hpp"

#include <utility>

#include "netsim/result_json.hpp"
#include "study/report.hpp"
#include "study/verdict.hpp"

namespace toroid::study {

using core::Json;

namespace {

/// The opinions from number `first` on, below `end`.
std::vector<Opinion> ask(const Comparison& comparison, Executor& executor, Journal* journal, double alpha,
                         std::size_t first, std::size_t end) {
  std::vector<Opinion> opinions(end - first);
  auto rows = run_opinions(comparison, executor, journal, first, end);
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    opinions[k].rows = std::move(rows[k]);
    opinions[k].report = make_report(comparison, opinions[k].rows, alpha);
  }
  return opinions;
}

/// The contest of that number in the report's JSON.
Json& contest_in(Json& json, Subject subject, std::size_t number) {
  switch (subject) {
    case Subject::map:
      return json["statistics"][number];
    case Subject::alloc:
      return json["allocators"][number];
    case Subject::platform:
      return json["machines"][number];
    default:
      return json["programs"];
  }
}

}  // namespace

std::vector<Opinion> ask_others(const Comparison& comparison, Executor& executor, Journal* journal, double alpha) {
  return ask(comparison, executor, journal, alpha, 0, comparison.first_draw());
}

std::vector<Opinion> ask_draws(const Comparison& comparison, Executor& executor, Journal* journal, double alpha) {
  return ask(comparison, executor, journal, alpha, comparison.first_draw(), comparison.opinions());
}

void add_opinions(Json& json, const Comparison& comparison, const Report& report,
                  const std::vector<Opinion>& opinions) {
  const auto engines = core::texts_of(comparison.spec().opinions);
  if (engines.empty()) return;
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    auto one = report_json(comparison, opinions[k].rows, opinions[k].report);
    one["engine"] = engines[k];
    json["opinions"].push_back(one);
    const auto contests = report.contests(), others = opinions[k].report.contests();
    for (std::size_t i = 0; i < contests.size(); ++i) {
      auto& of_contest = contest_in(json, comparison.spec().subject(), i);
      of_contest["holds_under"][engines[k]] = holds(*contests[i], *others[i]);
      auto& all = of_contest["exchanges"];
      if (all.is_null()) all = Json::array();
      for (const auto& e : exchanges(*contests[i], *others[i]))
        all.push_back({{"engine", engines[k]},
                       {name_of(comparison.spec().subject()), contests[i]->contenders[e.one].name},
                       {"other", contests[i]->contenders[e.other].name},
                       {"shown", e.shown},
                       {"shown_by_engine", e.shown_there}});
    }
  }
  json["engine_notes"] = notes_on_engines(comparison, report, opinions);
}

std::vector<std::string> remarks_on(const Comparison& comparison) {
  std::vector<std::string> all;
  const auto add = [&](const netsim::EngineChoice& engine, std::size_t machine) {
    for (auto& remark :
         netsim::named_remarks(engine, comparison.machines()[machine], comparison.draws()[machine].properties()))
      if (std::find(all.begin(), all.end(), remark) == all.end()) all.push_back(std::move(remark));
  };
  for (std::size_t machine = 0; machine < comparison.machines().size(); ++machine) {
    add(comparison.spec().engine, machine);
    for (const auto& engine : comparison.spec().opinions) add(engine, machine);
  }
  return all;
}

}  // namespace toroid::study
