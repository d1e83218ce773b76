#pragma once
// What the rows of a comparison say: who is fastest, which differences are significant, how well proxies such as
// hop-bytes foretell run times.

#include <optional>
#include <vector>

#include "core/json.hpp"
#include "study/comparison.hpp"
#include "study/rows.hpp"
#include "study/statistics/verdict.hpp"

namespace toroid::study {

/// The correlation of a proxy with the run time; nothing where one of them does not vary.
struct Correlation {
  std::optional<double> spearman, pearson;
};

/// The results for one machine, one trace and one placement.
struct Case {
  Run run;  ///< the first of its runs
  Contest mappers;
  std::vector<Correlation> correlations;  ///< by proxy, over all runs
};

/// The correlations of a proxy over the machines and traces that have one.
struct CorrelationSummary {
  std::size_t count = 0;
  std::optional<double> spearman_median = {}, spearman_lowest = {}, spearman_highest = {}, pearson_median = {};
};

/// A what-if compared with the machine that it changes.
struct Change {
  std::size_t group, baseline;     ///< numbers of groups of the same trace and mapper
  std::optional<double> relative;  ///< the group's mean run time divided by the baseline's, minus 1
  std::optional<double> whole;     ///< the same of typical runs with the computation that is left out
};

/// A program that trains a language model, with the mapper that has the lowest mean there.
struct Layout {
  std::size_t group;  ///< the number of its group
  double seconds;     ///< the mean, for Comparison::equal_tokens() if there are any
  double normalized;  ///< over the least of all programs on the same machine and placement
};

struct Report {
  std::vector<Group> groups;
  std::vector<Case> cases;
  /// What is judged with one mapper: allocators by machine and trace, machines by trace, or the programs.
  std::vector<Contest> others;
  /// Where mappers are compared, and the programs train models: which layout is best, each with its best mapper.
  std::vector<Layout> layouts;
  std::vector<Change> changes;
  std::vector<CorrelationSummary> correlations;  ///< by proxy
  double alpha = 0.05;                           ///< level of significance

  /// What is judged: the others, or else the mappers of all cases.
  std::vector<const Contest*> contests() const;
};

/// Evaluates the rows of a comparison, which must outlive the report. `alpha` is the level of significance, 0 to 1.
Report make_report(const Comparison& comparison, const std::vector<Row>& rows, double alpha);

/// How fast the group's mean run trains a model; nothing of other programs, where computation is left out, and where
/// all runs failed.
std::optional<netsim::TrainingRate> training_rate(const Comparison& comparison, const Group& group);

/// The number of the mapper over which other mappings are said to gain: the baseline, or else the first.
std::size_t map_to_gain_over(const ComparisonSpec& spec);

/// The mean run time of a trace on a machine with that mapper, in seconds, the largest over placements; nothing if all
/// runs failed.
std::optional<double> mean_to_gain_over(const Comparison& comparison, const Report& report, std::size_t platform,
                                        std::size_t trace);

/// What a reader of the gains must know: how intervals and p are meant, what equal runs do, and what failed. Only notes
/// that apply.
std::vector<std::string> notes_on_gains(const Comparison& comparison, const Report& report);

/// The report as JSON, which users' scripts read: "labels", "subject", "computation", "summary", "statistics",
/// "correlations", "allocators", "machines", "programs", "layouts", "gain_notes", "what_ifs", "rows".
/// docs/reference/results.md explains the fields.
core::Json report_json(const Comparison& comparison, const std::vector<Row>& rows, const Report& report);
/// Its "rows" alone.
core::Json rows_json(const Comparison& comparison, const std::vector<Row>& rows);

}  // namespace toroid::study
