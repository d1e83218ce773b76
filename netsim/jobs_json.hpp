#pragma once
// Results of several jobs as JSON; every field is in docs/reference/results.md.

#include "core/json.hpp"
#include "netsim/result_json.hpp"
#include "netsim/run.hpp"

namespace toroid::netsim {

/// What the document of a run of several jobs has besides their results.
struct ToldOfJobs {
  struct OfJob {
    core::Json explanation = core::absent();
    ComputationUse computation;
    std::string trace, map;
    std::uint64_t seed;
    std::vector<platforms::NodeId> nodes;
  };
  bool links = true;  ///< as in ToldOfRun
  std::vector<std::string> remarks = {};
  std::vector<OfJob> jobs = {};  ///< nothing of any, or of each
  core::Json events = core::absent(), manifest = core::absent();
};
core::Json jobs_json(const JobsRequest& request, const JobsResult& result, const ToldOfJobs& told = {});

/// The objects of that document that a run of one job has not, `several jobs` first.
std::vector<core::ObjectText> jobs_objects();

/// The name of an end: `done`, `killed`, `failed`, or `with the others` for a job that was to run until they had ended.
std::string_view to_string(JobOutcome end);

}  // namespace toroid::netsim
