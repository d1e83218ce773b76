#pragma once
// A comparison carried out, and what other engines say of it, or the same engine on machines that are drawn
// (uncertainty.hpp).

#include "study/tasks/journal.hpp"
#include "toroid/study/report.hpp"

namespace toroid::study {

/// A comparison that was carried out.
struct Compared {
  const Comparison& comparison;
  Report report = {};
  std::vector<Report> opinions = {};  ///< what the other engines of the spec say, in their order
  std::vector<Report> draws = {};     ///< what the runs on each machine that is drawn say

  const ComparisonSpec& spec() const { return comparison.spec(); }
};

/// Does the runs, those again with each engine of the comparison's opinions, and those on each machine that is drawn;
/// `alpha` and `journal` as make_report() and run_study() take them.
Compared compare(const Comparison& comparison, Executor& executor, Journal* journal, double alpha);

/// The report as JSON (report_json()) with opinions, uncertainty and remarks.
core::Json compared_json(const Compared& compared);
/// The objects of the document `comparison`, which has that JSON.
std::vector<core::ObjectText> comparison_objects();

/// What a reader of the times by all engines must know: which contenders change places, whether that is shown or may be
/// chance, and what failed.
std::vector<std::string> notes_on_engines(const Comparison& comparison, const Report& report,
                                          const std::vector<Report>& opinions);

/// What a user should know of the engines on the machines, each once.
std::vector<std::string> remarks_on(const Comparison& comparison);

}  // namespace toroid::study
