#pragma once
// Programs of others, run by this one.

#include <map>
#include <string>
#include <vector>

namespace toroid::core {

/// Runs a program and waits for its end. `words` are its name, which is looked up as the shell does, and its arguments.
/// The program has our standard streams, and our environment with `variables` set. Signals that would end this process
/// are passed on to it meanwhile. Throws InputError if it cannot be started, SimulationError if it fails.
void run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables);

}  // namespace toroid::core
