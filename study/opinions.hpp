#pragma once
// What other engines say of a comparison, or the same engine on machines that are drawn (uncertainty.hpp).

#include <vector>

#include "core/json.hpp"
#include "study/report.hpp"
#include "study/study.hpp"

namespace toroid::study {

struct Opinion {
  std::vector<Row> rows;
  Report report;
};

/// Does the runs again with each engine of the comparison's opinions, in their order; `alpha` and `journal` as
/// make_report() and run_study() take them.
std::vector<Opinion> ask_others(const Comparison& comparison, Executor& executor, Journal* journal, double alpha);

/// Does the runs again on each machine that is drawn.
std::vector<Opinion> ask_draws(const Comparison& comparison, Executor& executor, Journal* journal, double alpha);

/// What a reader of the times by all engines must know: which contenders change places, whether that is shown or may be
/// chance, and what failed.
std::vector<std::string> notes_on_engines(const Comparison& comparison, const Report& report,
                                          const std::vector<Opinion>& opinions);

/// Adds to the report's JSON the reports of all engines, as `opinions`, and the notes on them, as `engine_notes`; to
/// each of its contests whether the verdict holds under them, as `holds_under`, and what changes places, as
/// `exchanges`.
void add_opinions(core::Json& json, const Comparison& comparison, const Report& report,
                  const std::vector<Opinion>& opinions);

/// What a user should know of the engines on the machines, each once.
std::vector<std::string> remarks_on(const Comparison& comparison);

}  // namespace toroid::study
