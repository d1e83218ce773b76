#pragma once
// The metrics of a mapping: one list. Results, tables, columns of CSV, pictures and the reference of fields have what
// stands in it.

#include "toroid/netsim/result.hpp"

namespace toroid::netsim {

/// What a metric is: a whole number, which stays exact, or a real one.
using MetricValue = std::variant<std::uint64_t, double>;
double number(const MetricValue& value);

/// A number that says something of a mapping: how far its messages travel, or what links have to carry.
struct Metric {
  enum class Use : std::uint8_t {
    result,  ///< results of runs and of mappings have the metric
    proxy,   ///< mappings are judged by the metric, too: studies keep it, and say how well it foretells run times
  };

  std::string_view name;      ///< its field in JSON and its column in CSV: `hop_bytes`
  std::string_view type;      ///< its unit or kind, as `toroid list fields` tells it: bytes, seconds, count, number
  std::string_view meaning;   ///< what it is, for that list
  std::string_view in_words;  ///< what axes of pictures call it: `hop-bytes`
  Use use;
  /// How it is computed, from the messages that were sent or from what links carried.
  std::variant<MetricValue (*)(const SentMessages&), MetricValue (*)(const LinkLoads&)> compute;

  bool is_of_links() const { return compute.index() == 1; }
  MetricValue of(const SentMessages& sent, const LinkLoads& loads) const;
};

/// All metrics, in the order in which results have them.
std::span<const Metric> metrics();
/// The metrics by which mappings are judged without a simulation, in the same order.
const std::vector<Metric>& proxies();
/// The metric of that name, or null.
const Metric* find_metric(std::string_view name);

}  // namespace toroid::netsim
