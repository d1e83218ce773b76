#pragma once
// What the rows of a comparison say: who is fastest, which differences are significant, how well proxies such as
// hop-bytes foretell run times.
//
//   study::make_report(comparison, rows, 0.05).cases[0].mappers  // judged at a level of significance of 5 %

#include "toroid/study/comparison.hpp"
#include "toroid/study/statistics/contest.hpp"

namespace toroid::study {

/// The correlation of a proxy with the run time; nothing where one of them does not vary.
struct Correlation {
  std::optional<double> spearman, pearson;
};

/// The results for one machine, one trace and one placement.
struct Case {
  Run run;  ///< the first of its runs
  Contest mappers;
  std::vector<Correlation> correlations;  ///< the correlations over all runs, by proxy
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
  std::shared_ptr<const std::vector<Row>> rows;  ///< the rows of the comparison's runs; groups point into them
  std::vector<Group> groups;
  std::vector<Case> cases;
  /// What is judged with one mapper: allocators by machine and trace, machines by trace, or the programs.
  std::vector<Contest> others;
  /// Where mappers are compared, and the programs train models: which layout is best, each with its best mapper.
  std::vector<Layout> layouts;
  std::vector<Change> changes;
  std::vector<CorrelationSummary> correlations;  ///< the correlations of each proxy
  double alpha = 0.05;                           ///< level of significance

  /// What is judged: the others, or else the mappers of all cases.
  std::vector<const Contest*> contests() const;
};

/// Evaluates the rows of a comparison. `alpha` is the level of significance, 0 to 1.
Report make_report(const Comparison& comparison, std::vector<Row> rows, double alpha);

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
/// docs/reference/results.md explains the fields. What is judged is told beside the reports of other engines, if there
/// are some: `holds_under` and `exchanges` say whether a verdict holds by them.
core::Json report_json(const Comparison& comparison, const Report& report, std::span<const Report> opinions = {});
/// Its "rows" alone.
core::Json rows_json(const Comparison& comparison, const Report& report);
/// The objects of that document, `report` first.
std::vector<core::ObjectText> report_objects();

}  // namespace toroid::study
