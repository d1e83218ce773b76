#pragma once
// The command as a function, for its program and for the module of Python, and its subcommands, one file each. Each
// subcommand adds itself to the command line; its callback does the work.

#include "cli/option.hpp"
#include "cli/plugins.hpp"

namespace toroid::cli {

/// Does what a command line says; its words begin with the program's name. Returns the exit code: 0 done, 1 the
/// simulation failed, 2 bad arguments or input files. Once in a process.
int run_command(const std::vector<std::string>& words, const RunPython& run_python = {});

/// Adds a command with its options, and what it does. Returns the command.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& help, const Options& options,
                      const std::function<void()>& run);
/// Adds a command that records its arguments (cli/config.hpp), which `run` gets.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& help, const Options& options,
                      const std::function<void(const core::Json& arguments)>& run);
/// Adds a command whose options go into a Told, as a table says; the record of the arguments goes into its `arguments`,
/// if it has such a member. `run` gets the Told.
template <class Told>
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& help, Options (*table)(Told&),
                      const std::type_identity_t<std::function<void(Told&)>>& run) {
  const auto told = std::make_shared<Told>();
  if constexpr (requires { told->arguments; })
    return add_command(app, name, help, table(*told), [told, run](const core::Json& arguments) {
      told->arguments = arguments;
      run(*told);
    });
  else
    return add_command(app, name, help, table(*told), [told, run] { run(*told); });
}
/// Adds a command that is one of its own commands, such as `trace`.
CLI::App& add_family(CLI::App& app, const std::string& name, const std::string& help);

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
void add_calibrate_collectives(CLI::App& calibrate);
void add_list(CLI::App& app);
void add_examples(CLI::App& app);
void add_pages(CLI::App& app);

/// The sections that `toroid list` can show.
std::vector<std::string> list_sections();

}  // namespace toroid::cli
