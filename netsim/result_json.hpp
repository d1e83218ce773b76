#pragma once
// Results as JSON: the contract with users' scripts. Every field is in docs/reference/results.md; names stay stable.

#include "core/fields.hpp"
#include "netsim/computation_use.hpp"
#include "netsim/metrics.hpp"
#include "netsim/result.hpp"

namespace toroid::netsim {

/// What a document of a run has besides the result itself. The tables of a result may be left out: `links` takes
/// seconds and gigabytes on the largest machines, and `bottleneck_links` longer than the smallest of runs.
struct ToldOfRun {
  bool links = true, ranks = true, bottlenecks = true;
  std::optional<bool> steps = {};  ///< whether to have those of the critical path; unless told, if there are any
  std::optional<ComputationUse> computation = {};
  std::optional<workloads::TrainingWork> training = {};
  double read_s = 0, map_s = 0;  ///< real time, for the profile
  std::vector<std::string> notes = {}, remarks = {};
  // What other folders tell of the run.
  core::Json events = core::absent(), verification = core::absent(), uncertainty = core::absent(),
             explanation = core::absent(), manifest = core::absent();
};
/// The whole result, except for the engine's settings, which belong into a manifest.
core::Json result_json(const Machine& machine, const Result& result, const ToldOfRun& told = {});

/// The objects of that document that are of this folder, `run` first; and `profile`.
std::vector<core::ObjectText> run_objects();
core::ObjectText profile_object();

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
/// The table of links; `peaks` says whether peak utilisations were measured, and `bytes_by_job` of a link, if it is
/// given, what the link carried for each job.
core::Json links_json(const Machine& machine, const std::vector<LinkResult>& links, bool peaks,
                      const std::function<core::Json(platforms::LinkId)>& bytes_by_job = {});

}  // namespace toroid::netsim
