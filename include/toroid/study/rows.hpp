#pragma once
// What a comparison keeps of its runs: rows, and groups of those that differ in the repetition alone.

#include "toroid/netsim/results/metrics.hpp"
#include "toroid/study/design.hpp"
#include "toroid/study/statistics/statistics.hpp"

namespace toroid::study {

/// A run's time, the metrics that mappings are judged by, and what the time was made of.
struct Measures {
  double runtime = 0;  ///< seconds
  /// Half of the 95 % interval of the run time, in seconds, if it is an estimate from a sample of iterations.
  std::optional<double> half_width = {};
  /// The values of netsim::proxies(), in their order.
  std::vector<netsim::MetricValue> proxies = std::vector<netsim::MetricValue>(netsim::proxies().size());
  /// What the critical path of the run is made of, as shares of the run time.
  double compute_share = 0, latency_share = 0, bandwidth_share = 0, sharing_share = 0;

  /// Seconds that a rank waits, on average, by what for: see netsim::ReplayReport::exposed. What has no purpose is
  /// called `other`.
  std::map<std::string, double> exposed = {};
  std::string algorithms = {};  ///< netsim::collectives_in_words()

  bool operator==(const Measures&) const = default;
};

/// A run and its result.
struct Row {
  Run run = {};
  std::optional<Measures> measures = {};        ///< none if the run failed
  std::optional<double> verified_runtime = {};  ///< run time by the reference engine, in seconds
  std::optional<double> with_computation = {};  ///< run time with the computation that is left out, in seconds
  std::string error = {}, verification_error = {}, with_computation_error = {};
};

Measures measures_of(const netsim::Result& result);

/// Measures as a JSON object with a field for the run time, each proxy and each share, null without measures; and for
/// each purpose in Measures::exposed a field such as `exposed_tensor_s`. docs/reference/results.md has the fields.
core::Json measures_json(const std::optional<Measures>& measures);
core::ObjectText measures_text();
/// Whether it is one of the fields that not all runs have.
bool is_optional_field(std::string_view name);
/// Reads measures back from what measures_json() returned; nothing if `json` is no such object.
std::optional<Measures> measures_from(const core::Json& json);

/// The rows of one mapper on one machine with one trace on the nodes of one placement.
struct Group {
  Run run = {};  ///< the run with repetition 0
  std::span<const Row> rows = {};
  Sample times = {};                          ///< run times of the runs that succeeded, in seconds
  std::vector<std::size_t> repetitions = {};  ///< repetitions of these runs
  double half_width = 0;                      ///< half of the interval of their mean that samples of iterations leave
  std::size_t failed = 0;                     ///< number of runs that failed
  std::optional<std::size_t> best = {};       ///< the row with the shortest time, by its number in the study
  std::optional<std::size_t> typical = {};    ///< the row with the median time, the lower one of two
  std::optional<double> off_reference = {};   ///< the best run's time divided by that of the reference engine, minus 1
  std::optional<double> with_computation = {};  ///< seconds of the typical run with the computation that is left out
  // Beside the groups that this one is compared with; see Report.
  std::optional<double> normalized = {};        ///< the mean divided by the best mean, both for as many tokens
  std::optional<double> whole_normalized = {};  ///< `with_computation` divided by the least
  std::optional<std::size_t> place = {};        ///< the place by the mean, from 1; see places()
};

/// Seconds that a rank waits, on average over ranks and over the runs that succeeded, by what for (Measures::exposed).
std::map<std::string, double> exposed_of(const Group& group);

/// The groups in the order of the rows; the rows of a group follow each other. The rows must outlive the groups.
std::vector<Group> groups_of(std::span<const Row> rows);

}  // namespace toroid::study
