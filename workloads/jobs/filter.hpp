#pragma once
// Some of a log's jobs, closer together or further apart.

#include <memory>

#include "workloads/jobs/jobs.hpp"

namespace toroid::workloads {

/// `jobs` with the keys of job_filters() applied. As they are if none of the keys is given.
std::unique_ptr<Jobs> filtered(std::unique_ptr<Jobs> jobs, const core::Arguments& arguments);

}  // namespace toroid::workloads
