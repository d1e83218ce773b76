#pragma once
// The command as a function, for its program and for the module of Python.

#include <string>
#include <vector>

#include "cli/plugins.hpp"

namespace toroid::cli {

/// Does what a command line says; its words begin with the program's name. Returns the exit code: 0 done, 1 the
/// simulation failed, 2 bad arguments or input files. Once in a process.
int run_command(const std::vector<std::string>& words, const RunPython& run_python = {});

}  // namespace toroid::cli
