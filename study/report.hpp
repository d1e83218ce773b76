#pragma once
// What the rows of a comparison say: who is fastest, which differences are significant, how well proxies such as
// hop-bytes foretell run times.

#include <optional>
#include <vector>

#include "core/json.hpp"
#include "study/comparison.hpp"
#include "study/groups.hpp"
#include "study/verdict.hpp"

namespace toroid::study {

/// Of a proxy with the run time; nothing where one of them does not vary.
struct Correlation {
  std::optional<double> spearman, pearson;
};

/// One machine with one trace.
struct Case {
  std::size_t platform, trace;
  Contest mappers;
  std::vector<Correlation> correlations;  ///< over all runs, by proxy
};

/// The correlations of a proxy over the machines and traces that have one.
struct CorrelationSummary {
  std::size_t count = 0;
  std::optional<double> spearman_median = {}, spearman_lowest = {}, spearman_highest = {}, pearson_median = {};
};

/// A what-if beside what it changes.
struct Change {
  std::size_t group, baseline;     ///< of the same trace and mapper, by their numbers
  std::optional<double> relative;  ///< the mean over that of the baseline, minus 1
};

struct Report {
  std::vector<Group> groups;
  std::vector<Case> cases;
  std::vector<Contest> machines;  ///< by trace: with one mapper, on several machines
  std::vector<Change> changes;
  std::vector<CorrelationSummary> correlations;  ///< by proxy
};

/// The rows must outlive the report. `alpha` is the level of significance, 0 to 1.
Report make_report(const Comparison& comparison, const std::vector<Row>& rows, double alpha);

/// The contract with users' scripts: "labels", "summary", "statistics", "correlations", "machines", "what_ifs", "rows".
/// Fields in docs/results.md.
core::Json report_json(const Comparison& comparison, const std::vector<Row>& rows, const Report& report);

}  // namespace toroid::study
