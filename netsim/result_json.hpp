#pragma once
// Results as JSON: the contract with users' scripts. Every field is in docs/reference/results.md; names stay stable.

#include "core/json.hpp"
#include "netsim/computation_use.hpp"
#include "netsim/metrics.hpp"
#include "netsim/result.hpp"

namespace toroid::netsim {

/// The tables of a result, each of which may be left out: `links` takes seconds and gigabytes on the largest machines,
/// and `bottleneck_links` longer than the smallest of runs.
struct ResultTables {
  bool links = true, ranks = true, bottlenecks = true;
};
/// The whole result, except for the engine's settings, which belong into a manifest.
core::Json result_json(const Machine& machine, const Result& result, ResultTables tables = {});
/// Adds what a user should know of the engine on a machine (named_remarks()) to a result, as `remarks`, if that is
/// anything.
void add_remarks(core::Json& result, const std::vector<std::string>& remarks);
core::Json settings_json(const std::vector<std::pair<std::string, std::string>>& engine_settings);

// Its parts.

core::Json metric_json(const MetricValue& value);
/// The metrics (netsim::metrics()) of the messages that were sent.
core::Json traffic_json(const SentMessages& sent);
/// The metrics of what links have to carry.
core::Json loads_json(const LinkLoads& loads);
core::Json critical_path_json(const History& history, double runtime);
/// What a run makes of its trace's computations; without its time, in seconds, not what a mapping can gain.
core::Json computation_json(const ComputationUse& use, std::optional<double> runtime = {});
/// How fast a run of so many ranks and seconds trains a model; null of other programs, and null rates of a run whose
/// computation is left out.
core::Json training_json(const std::optional<workloads::TrainingWork>& work, const ComputationUse& use,
                         std::int32_t ranks, double runtime_s);
/// The grid of the members of a collective's communicator, `4x4`; empty for algorithms that do not look at one.
std::string grid_in_words(const CollectiveUse& use);
core::Json ranks_json(const core::IdVector<workloads::Rank, RankReport>& ranks);
/// The table of links; `peaks` says whether peak utilisations were measured.
core::Json links_json(const Machine& machine, const std::vector<LinkResult>& links, bool peaks);

}  // namespace toroid::netsim
