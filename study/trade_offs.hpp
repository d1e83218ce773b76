#pragma once
// What speaks for each contender of a sweep, a scheduler with an allocator and a mapper. No single figure says which is
// best: fewer hops may cost longer waits. Contenders are compared two by two in several criteria, by intervals that
// hold together, and a contender is dismissed only where another one is better in some and worse in none. What is
// judged by run times alone is a contest (study/statistics/contest.hpp).

#include "study/tasks/journal.hpp"
#include "toroid/study/statistics/contest.hpp"
#include "toroid/study/sweep.hpp"

namespace toroid::study {

/// The metrics that verdicts on a sweep weigh (cosim::ScheduleMetric::criterion).
std::vector<cosim::ScheduleMetric> criteria(const Sweep& sweep);

/// A contender beside another one.
struct Contrast {
  enum class Relation : std::uint8_t {
    untold,           ///< one run of each
    undecided,        ///< the runs are too few
    alike,            ///< no criterion differs by more than `margin`
    trade,            ///< each is better in some criterion
    one_dominates,    ///< `one` is better in some criterion, and worse in none by more than `margin`
    other_dominates,  ///< the other way round
  };
  static constexpr double margin =
      0.01;  ///< the share of a mean within which two are alike; of the mean that the criterion is scaled by

  std::size_t one = 0, other = 0;  ///< numbers of groups
  /// How `one` differs from `other`, by the names of cosim::schedule_metrics(); metrics that cannot be compared have
  /// none. Their p are corrected for the number of pairs. The intervals of a metric of all pairs of contenders hold
  /// together, with 95 %.
  std::map<std::string, Difference, std::less<>> differences = {};
  Relation relation = Relation::untold;
};

/// The contenders on one machine with one log or stream.
struct TradeOffs {
  std::vector<std::size_t> groups = {};  ///< numbers of the groups that have runs
  std::vector<Contrast> contrasts = {};  ///< one for each two of these groups, in their order
  double confidence = 0.95;              ///< the confidence of each interval of a difference by itself

  /// The groups that dominate a group; `undecided` ones have pairs that are.
  std::vector<std::size_t> dominators(std::size_t group) const;
  bool is_undecided(std::size_t group) const;
  /// The pair of the two with `one` as the first.
  Contrast between(std::size_t one, std::size_t other) const;
  /// Whether there is one run of each, which says nothing about others.
  bool are_single_runs() const;
};

/// Compares the groups of a sweep. Several runs are compared by difference_of(), which takes runs of the same seed for
/// pairs where they share what the seed decides; single runs of the same jobs by difference_by_job(), in the metrics
/// that are means over jobs.
std::vector<TradeOffs> trade_offs(const Sweep& sweep, const std::vector<SweepGroup>& groups);

/// A sweep that was carried out, and what comes of it.
struct JudgedSweep {
  std::shared_ptr<const Sweep> sweep = {};
  std::shared_ptr<const std::vector<SweepRow>> rows = {};  ///< groups point into them
  std::vector<SweepGroup> groups = {};
  std::vector<TradeOffs> trade_offs = {};

  /// The trade-offs that have the group of that number; null of a group without runs.
  const TradeOffs* trade_offs_of(std::size_t group) const;
};

/// Does the runs of a sweep as run_sweep() does, and judges them.
JudgedSweep judge_sweep(std::shared_ptr<const Sweep> sweep, Executor& executor, Journal* journal);

/// For each field of a row that names something, all `name`s, each with its `label`: what people read in its place.
core::Json labels_json(const Sweep& sweep);
/// What users' scripts read; docs/reference/results.md has the fields. "rows": a tidy row for each run, all with the
/// same keys, as a table needs them; "summary": for each contender the means of its runs, and what the trade-offs say
/// of it; "trade_offs": all pairs of contenders, each contender by its number in the summary.
core::Json judged_json(const JudgedSweep& judged);
/// That JSON with the labels of the sweep before.
core::Json sweep_json(const JudgedSweep& judged);
/// The objects of the document `sweep`, which has that JSON.
std::vector<core::ObjectText> sweep_objects();

/// What comes of it in words, a line or more for each thing said; empty where there is nothing to compare.
std::string verdict_text(const Sweep& sweep, const std::vector<SweepGroup>& groups, const TradeOffs& trade_offs);

}  // namespace toroid::study
