#pragma once
// The subcommands, one file each. Each adds itself to the command line; its callback does the work.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace toroid::cli {

void add_simulate(CLI::App& app);
void add_map(CLI::App& app);
void add_compare(CLI::App& app);
void add_merge(CLI::App& app);
void add_batch(CLI::App& app);
void add_diff(CLI::App& app);
void add_plot(CLI::App& app);
void add_advise(CLI::App& app);
void add_trace(CLI::App& app);
void add_capture(CLI::App& app);
void add_jobs(CLI::App& app);
void add_schedule(CLI::App& app);
void add_platform(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_calibrate_program(CLI::App& calibrate);
void add_list(CLI::App& app);
void add_pages(CLI::App& app);

/// The sections that `toroid list` can show.
std::vector<std::string> list_sections();

}  // namespace toroid::cli
