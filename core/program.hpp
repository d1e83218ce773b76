#pragma once
// Programs of others, run by this one.

#include <map>
#include <string>
#include <vector>

namespace toroid::core {

/// Runs a program and waits for its end: its name, looked for as the shell does, and its arguments. It has our standard
/// streams, and the environment with these variables in it. Signals that would end this process are given on to it
/// meanwhile. Throws InputError if it cannot be started, SimulationError if it fails.
void run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables);

}  // namespace toroid::core
