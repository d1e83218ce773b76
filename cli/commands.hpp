#pragma once
// The subcommands, one file each. Each adds itself to the command line; its callback does the work.

#include <CLI/CLI.hpp>

namespace toroid::cli {

void add_simulate(CLI::App& app);
void add_map(CLI::App& app);
void add_compare(CLI::App& app);
void add_trace(CLI::App& app);
void add_platform(CLI::App& app);
void add_list(CLI::App& app);

}  // namespace toroid::cli
