#pragma once
// A comparison carried out, and what other engines say of it; what the same engine says on machines that are drawn: how
// far times spread, on how many machines verdicts hold, and what winners gain there.

#include "study/draws.hpp"
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
/// What was compared, and how, as the manifest of that document says it.
core::Json manifest_of(const ComparisonSpec& spec, double alpha);
/// The objects of the document `comparison`, which has that JSON.
std::vector<core::ObjectText> comparison_objects();

/// What a reader of the times by all engines must know: which contenders change places, whether that is shown or may be
/// chance, and what failed.
std::vector<std::string> notes_on_engines(const Comparison& comparison, const Report& report,
                                          const std::vector<Report>& opinions);

/// The number of machines on which the verdict of a contest holds, and what is said on the others.
struct DrawnVerdict {
  std::size_t holds_on = 0;
  std::vector<std::pair<std::string, std::size_t>> otherwise =
      {};  ///< what is said on the others; the most frequent first
};

/// How many times as fast one contender of a contest is as another one.
struct DrawnGain {
  std::size_t contest, one, other;  ///< numbers: in Report::contests(), and of its contenders
  Spread ratio;                     ///< the ratio of the mean times of `other` to those of `one`, by the machines alone
  PredictedRatio predicted;         ///< the same with the engine's deviation
  std::size_t faster_on, draws;     ///< on how many machines `one` is faster, of how many
};

struct Uncertainty {
  netsim::Deviation deviation;         ///< the deviation of the engine
  std::vector<DrawnTimes> times;       ///< the means of each group, by machine
  std::vector<DrawnVerdict> verdicts;  ///< what is said of each contest
  /// What the baseline's rivals gain over the baseline or, without a baseline, what the contender with the lowest mean
  /// gains over all others.
  std::vector<DrawnGain> gains;
};

/// What the comparison's runs on drawn machines say; there must be some.
Uncertainty uncertainty_of(const Compared& compared);

/// The uncertainty as JSON: what was drawn, how far the mean times of each group spread, on how many machines the
/// verdict of each contest holds, the gains, and all rows. docs/reference/results.md explains the fields.
core::Json uncertainty_json(const Compared& compared);
/// The objects of that document, `drawn comparison` first, but for those of drawn_objects().
std::vector<core::ObjectText> drawn_comparison_objects();

}  // namespace toroid::study
