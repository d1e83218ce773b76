#pragma once
// Results of several jobs as JSON; every field is in docs/reference/results.md.

#include "core/json.hpp"
#include "netsim/run.hpp"

namespace toroid::netsim {

/// The result of a request as JSON. The table `links` may be left out, see result_json.hpp.
core::Json jobs_json(const JobsRequest& request, const JobsResult& result, bool with_links = true);

/// The name of an end: `done`, `killed`, `failed`, or `with the others` for a job that was to run until they had ended.
std::string_view to_string(JobOutcome end);

}  // namespace toroid::netsim
