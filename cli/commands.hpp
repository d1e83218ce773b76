#pragma once
// The command as a function, for its program and for the module of Python, and its subcommands, one file each. Each
// subcommand adds itself to the command line; its callback does the work.

#include <CLI/CLI.hpp>

#include "cli/plugins.hpp"

namespace toroid::cli {

/// Does what a command line says; its words begin with the program's name. Returns the exit code: 0 done, 1 the
/// simulation failed, 2 bad arguments or input files. Once in a process.
int run_command(const std::vector<std::string>& words, const RunPython& run_python = {});

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
void add_list(CLI::App& app);
void add_pages(CLI::App& app);

/// The sections that `toroid list` can show.
std::vector<std::string> list_sections();

}  // namespace toroid::cli
