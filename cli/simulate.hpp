#pragma once
// `toroid simulate`, which `toroid batch` does once for each line.

#include "cli/simulate_options.hpp"

namespace toroid::cli {

/// Adds the arguments of `toroid simulate` to a command, whose values go into `options`.
void add_simulate_arguments(CLI::App& command, SimulateOptions& options);
/// Does what the command does when it was told all that, `options.arguments` included.
void simulate(SimulateOptions& options, Kept& kept, const TakeResult& take = {});

}  // namespace toroid::cli
