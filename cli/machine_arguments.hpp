#pragma once
// What-ifs: a platform with some of its properties changed, alike for every command that takes a PLATFORM.

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace toroid::cli {

struct MachineArguments {
  std::vector<std::string> set, wrap, fail_link, fail_node, fail_router;

  void add_to(CLI::App& command);
  /// The changes as properties and values. Throws InputError.
  std::vector<std::pair<std::string, std::string>> properties() const;
  /// The PLATFORM argument with the changes in it: `bigben` becomes `bigben:z.wrap=mesh`. Throws InputError, also when
  /// the argument is a trace: two arguments were swapped.
  std::string apply(const std::string& platform) const;
};

/// Adds `--uncertainty N`: how many machines are drawn from the intervals of a PLATFORM argument.
void add_uncertainty_option(CLI::App& command, std::size_t& draws, const std::string& help);

/// `PLATFORM` as the help of every command explains it.
inline constexpr const char* platform_help =
    "machine: mesh:8x8, torus:4x4x4, ring:12x8, a preset such as bigben, an XML file, or a topology.yaml of Slurm, "
    "each with properties: "
    "mesh:8x8,bandwidth=2GBps (toroid list platforms, toroid list properties)";

}  // namespace toroid::cli
