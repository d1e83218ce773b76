#pragma once
// Advice on a job log.

#include "cli/advise_options.hpp"

namespace toroid::cli {

/// Advises on schedulers and allocators for the job log, and writes what was asked for. Throws InputError.
void advise_on_jobs(const AdviseOptions& options);

}  // namespace toroid::cli
