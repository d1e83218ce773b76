#pragma once
// A comparison carried out, and what other engines say of it, or the same engine on machines that are drawn
// (uncertainty.hpp).

#include <vector>

#include "core/json.hpp"
#include "study/comparison.hpp"
#include "study/report.hpp"

namespace toroid::study {

struct Opinion {
  std::vector<Row> rows;
  Report report;  ///< points into the rows: an opinion may move, but no copy is right
};

/// A comparison that was carried out. The report points to rows.
struct Compared {
  const Comparison& comparison;
  std::vector<Row> rows = {};
  Report report = {};
  std::vector<Opinion> opinions = {};  ///< by the engines of the spec
  std::vector<Opinion> draws = {};     ///< by machine that is drawn

  const ComparisonSpec& spec() const { return comparison.spec(); }
};

/// Does the runs, those again with each engine of the comparison's opinions, and those on each machine that is drawn;
/// `alpha` and `journal` as make_report() and run_study() take them.
Compared compare(const Comparison& comparison, Executor& executor, Journal* journal, double alpha);

/// The report as JSON (report_json()) with opinions, uncertainty and remarks.
core::Json compared_json(const Compared& compared);

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
