#pragma once
// Results as JSON: the contract with users' scripts. Every field is in docs/reference/results.md; names stay stable.
//
//   std::cout << core::json_text(netsim::result_json(machine, result), 2);

#include "toroid/core/json.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "toroid/netsim/results/metrics.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::core {
struct ObjectText;
}

namespace toroid::netsim {

/// What a document of a run has of a job besides its result.
struct ToldOfJob {
  std::optional<ComputationUse> computation = {};
  std::optional<workloads::TrainingWork> training = {};
  core::Json explanation = core::absent();
  std::vector<std::string> notes = {};  ///< what the mapper says of its work
  std::string trace = {}, map = {};
  std::uint64_t seed = 0;
  std::vector<platforms::NodeId> nodes = {};
};

/// What a document of a run has besides the result itself. The tables of a result may be left out: `links` takes
/// seconds and gigabytes on the largest machines, and `bottleneck_links` longer than the smallest of runs.
struct ToldOfRun {
  bool links = true, ranks = true, bottlenecks = true;
  std::optional<bool> steps = {};  ///< whether to have those of the critical path; unless told, if there are any
  std::vector<std::string> remarks = {};
  std::vector<ToldOfJob> jobs = {};  ///< nothing of any, or of each
  // What other folders tell of the run.
  core::Json events = core::absent(), verification = core::absent(), uncertainty = core::absent(),
             manifest = core::absent();
};

/// The whole result of a run of one job, except for the engine's settings, which belong into a manifest.
core::Json result_json(const Machine& machine, const Result& result, const ToldOfRun& told = {});
/// The whole result of a run with a line for each job, whose names stand for them.
core::Json jobs_json(const Run& run, const Result& result, const ToldOfRun& told = {});

/// The name of an end: `done`, `killed`, `failed`, or `with the others` for a job that was to run until they had ended.
std::string_view to_string(JobOutcome end);

/// The objects of the document of one job that are of this folder, `run` first; those that only a document of several
/// jobs has, `several jobs` first.
std::vector<core::ObjectText> run_objects();
std::vector<core::ObjectText> jobs_objects();

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
/// `allgather by rings of 4x4, allreduce by swing:ports=6 of 4x4`; empty where there are none.
std::string collectives_in_words(const std::vector<CollectiveUse>& uses);

}  // namespace toroid::netsim
