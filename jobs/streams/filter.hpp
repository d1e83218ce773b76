#pragma once
// Some of a log's jobs, closer together or further apart.

#include <memory>

#include "jobs/jobs.hpp"

namespace toroid::jobs {

/// Applies the keys of job_filters() to jobs. Returns `jobs` itself if none of the keys is given.
std::unique_ptr<Jobs> filtered(std::unique_ptr<Jobs> jobs, const core::Arguments& arguments);

}  // namespace toroid::jobs
