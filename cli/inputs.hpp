#pragma once
// Options and arguments for the paths of files that a command reads.

#include <CLI/CLI.hpp>
#include <string>

namespace toroid::cli {

/// Adds an option or an argument for the path of an input, or for those of several.
template <class Paths>
CLI::Option* add_input(CLI::App& command, const std::string& name, Paths& paths, const std::string& help) {
  return command.add_option(name, paths, help)->type_name("FILE");
}

}  // namespace toroid::cli
