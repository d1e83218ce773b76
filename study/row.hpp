#pragma once
// What a study keeps of its runs.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/json.hpp"
#include "netsim/result.hpp"

namespace toroid::study {

/// One run: of a machine, a trace, a placement and a mapper, by their indices in the study.
struct Run {
  std::size_t platform, trace, alloc, map;
  std::size_t repetition;
};

/// A run's time, the proxies that mappings are usually judged by, and what the time was made of.
struct Measures {
  double runtime = 0;  ///< seconds
  /// Half of the 95 % interval of the run time, in seconds, if it is an estimate from a sample of iterations.
  std::optional<double> half_width = {};
  std::uint64_t hop_bytes = 0;
  double hops_per_byte = 0, dilation_mean = 0;
  std::uint64_t dilation_max = 0, max_link_load = 0;
  double mean_link_load = 0;
  std::uint64_t links_used = 0;
  double max_link_time = 0;  ///< see netsim::LinkLoads::max_seconds
  double compute_share = 0, latency_share = 0, bandwidth_share = 0, sharing_share = 0;

  /// Seconds that a rank waits, on average, by what for: see netsim::ReplayReport::exposed. What has no purpose is
  /// called `other`.
  std::map<std::string, double> exposed = {};

  bool operator==(const Measures&) const = default;
};

/// A field of Measures under its name in docs/reference/results.md.
struct Column {
  const char* name;
  std::variant<double Measures::*, std::uint64_t Measures::*> member;

  double of(const Measures& measures) const;
};
std::span<const Column> columns();  ///< all columns
std::span<const Column> proxies();  ///< the columns by which mappings are usually judged

/// A run and its result.
struct Row {
  Run run = {};
  std::optional<Measures> measures = {};        ///< none if the run failed
  std::optional<double> verified_runtime = {};  ///< run time by the reference engine, in seconds
  std::optional<double> with_computation = {};  ///< run time with the computation that is left out, in seconds
  std::string error = {}, verification_error = {}, with_computation_error = {};
};

Measures measures_of(const netsim::Result& result);

/// Measures as a JSON object with a field for each column, null without measures; and for each purpose in
/// Measures::exposed a field such as `exposed_tensor_s`.
core::Json measures_json(const std::optional<Measures>& measures);
/// Whether it is one of the fields that not all runs have.
bool is_optional_field(std::string_view name);
/// Reads measures back from what measures_json() returned; nothing if `json` is no such object.
std::optional<Measures> measures_from(const core::Json& json);

}  // namespace toroid::study
