// The `toroid` command. Exit codes: 0 done, 1 the simulation failed, 2 bad arguments or input files.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/inputs.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

namespace {

/// One line, whatever is in it, on standard error, if there is one.
void complain(std::string_view message) {
  const auto line = fmt::format("toroid: {}\n", toroid::core::excerpt(message, 10000));
  std::fputs(line.c_str(), stderr);
}

/// What the parser has to print: the help, or the version.
void print_answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, none;
  app.exit(error, out, none);
  fmt::print("{}", out.str());
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0) toroid::core::fail_input("standard output cannot be written: {}", std::strerror(errno));
}

/// The parser's own words, but for an unknown command: those would not say which.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  const bool known = std::find(commands.begin(), commands.end(), first) != commands.end();
  if (known || first.empty() || first[0] == '-') return error.what();
  return fmt::format("unknown command '{}'{}", first, toroid::core::valid_instead(first, commands));
}

/// What the command line asks for.
void run(CLI::App& app, int argc, char** argv) {
  try {
    toroid::cli::prepare_config(app, argc, argv);
    const std::array<const char*, 2> bare{argv[0], "--help"};
    if (argc == 1)
      app.parse(2, bare.data());
    else
      app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      toroid::core::fail_input("{} (see --help)", what_is_wrong(app, error, argc > 1 ? argv[1] : ""));
    print_answer(app, error);
  }
  flush_standard_output();
}

int fail(int exit_code, std::string_view message) {
  complain(message);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace toroid;
  core::prepare_process();
  const core::Inputs inputs;  // all that is read from now on
  CLI::App app{"toroid: predicted run times of MPI traces on mesh and torus machines"};
  app.set_version_flag("--version", std::string("toroid ") + cli::version);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  cli::add_simulate(app);
  cli::add_map(app);
  cli::add_compare(app);
  cli::add_schedule(app);
  cli::add_trace(app);
  cli::add_capture(app);
  cli::add_jobs(app);
  cli::add_platform(app);
  cli::add_calibrate(app);
  cli::add_list(app);
  cli::add_pages(app);
  try {
    run(app, argc, argv);
    return 0;
  } catch (const core::InputError& error) {
    return fail(2, error.what());
  } catch (const core::SimulationError& error) {
    return fail(1, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(2, error.what());
  } catch (const std::system_error& error) {  // what printing throws
    return fail(2, fmt::format("standard output cannot be written: {}", error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(1, core::out_of_memory);
  } catch (const std::exception& error) {
    return fail(1, fmt::format("internal error: {}", error.what()));
  }
}
