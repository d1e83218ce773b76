#pragma once
// Several jobs on one machine at once: `simulate --job`.

#include "cli/simulate_options.hpp"

namespace toroid::cli {

/// Runs several jobs on the machine at once. Throws InputError, also on options that only a single job has.
void simulate_jobs(const SimulateOptions& options, Kept& kept, const TakeResult& take = {});

}  // namespace toroid::cli
