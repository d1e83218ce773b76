#pragma once
// What a study keeps of its runs.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "netsim/metrics.hpp"
#include "netsim/result.hpp"

namespace toroid::study {

/// One run: of a machine, a trace, a placement and a mapper, by their indices in the study.
struct Run {
  std::size_t platform, trace, alloc, map;
  std::size_t repetition;
};

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
/// Whether it is one of the fields that not all runs have.
bool is_optional_field(std::string_view name);
/// Reads measures back from what measures_json() returned; nothing if `json` is no such object.
std::optional<Measures> measures_from(const core::Json& json);

}  // namespace toroid::study
