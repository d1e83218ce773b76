#pragma once
// The metrics in which schedules are compared: one list. Summaries of sweeps, their tests and verdicts, tables,
// pictures and the reference of fields have what stands in it.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cosim/record.hpp"

namespace toroid::cosim {

/// A number that says something of a schedule. A field of totals_json() has its name and its value.
struct ScheduleMetric {
  /// The sweeps in which a metric has a place: all, or those whose run times are logged, or simulated by a network.
  enum class Sweeps : std::uint8_t { none, all, logged, simulated };
  /// Where a metric stands among others.
  struct Place {
    Sweeps in = Sweeps::none;
    int position = 0;  ///< the lowest comes first
    bool is_in(bool simulated) const {
      return in == Sweeps::all || (in == Sweeps::simulated && simulated) || (in == Sweeps::logged && !simulated);
    }
  };

  std::string_view name;      ///< its field in JSON and its column in CSV: `mean_wait_s`
  std::string_view type;      ///< its unit or kind, as `toroid list fields` tells it: seconds, share, number
  std::string_view title;     ///< what tables and verdicts call it: `wait`
  std::string_view in_words;  ///< what axes of pictures call it: `mean wait`
  bool more_is_better;        ///< else less is
  /// The metric of whose mean a difference must be a hundredth to count. A wait weighs as much as it prolongs the
  /// response.
  std::string_view scale;
  /// Its place among the criteria of verdicts. Where the network decides how long jobs run, the run time takes the
  /// place of the hops, which stand for it, and the makespan that of the utilization, as slow jobs use more of a
  /// machine.
  Place criterion;
  Place column;             ///< its place in the table of a sweep
  bool is_drawn;            ///< whether pictures of advice on a log show it
  std::string_view format;  ///< how tables print a number; times have the unit that suits them all, shares per cent
  /// What the metric is the mean of over the jobs that ran, from a job's record and the sum of the hops between all
  /// pairs of its nodes; null if it is no such mean.
  double (*of_job)(const Record& job, double pairwise_hops);
};

/// All metrics, in the order in which summaries have them.
std::span<const ScheduleMetric> schedule_metrics();
/// The metric of that name, which must be one of them.
const ScheduleMetric& schedule_metric(std::string_view name);
/// The metrics that have a place of this kind (ScheduleMetric::criterion or ScheduleMetric::column) in sweeps whose run
/// times are simulated, or logged, in the order of their positions.
std::vector<ScheduleMetric> placed_metrics(ScheduleMetric::Place ScheduleMetric::*place, bool simulated);

}  // namespace toroid::cosim
