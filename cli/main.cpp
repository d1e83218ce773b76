// The `toroid` command. Exit codes: 0 done, 1 the simulation failed, 2 bad arguments or input files.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace {

/// The parser's own words, but for an unknown command: those would not say which.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  const bool known = std::find(commands.begin(), commands.end(), first) != commands.end();
  if (known || first.empty() || first[0] == '-') return error.what();
  return fmt::format("unknown command '{}'{}", first, toroid::core::valid_instead(first, commands));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace toroid;
  CLI::App app{"toroid: predicted run times of MPI traces on mesh and torus machines"};
  app.set_version_flag("--version", std::string("toroid ") + cli::version);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  cli::add_simulate(app);
  cli::add_map(app);
  cli::add_compare(app);
  cli::add_trace(app);
  cli::add_platform(app);
  cli::add_list(app);
  cli::add_pages(app);
  try {
    app.parse(argc, argv);
    if (std::fflush(stdout) != 0) core::fail_input("standard output cannot be written");
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "toroid: {} (see --help)\n", what_is_wrong(app, error, argc > 1 ? argv[1] : ""));
    return 2;
  } catch (const core::InputError& error) {
    fmt::print(stderr, "toroid: {}\n", error.what());
    return 2;
  } catch (const std::system_error& error) {  // what printing throws
    fmt::print(stderr, "toroid: standard output cannot be written: {}\n", error.what());
    return 2;
  } catch (const core::SimulationError& error) {
    fmt::print(stderr, "toroid: {}\n", error.what());
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "toroid: internal error: {}\n", error.what());
    return 1;
  }
}
