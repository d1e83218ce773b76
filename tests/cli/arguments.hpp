#pragma once
// The arguments that commands record in their results, as the parser knows them.

#include <string>
#include <vector>

namespace toroid::test {

/// The commands that take --config.
inline const std::vector<std::string> recording_commands{"simulate", "map", "compare", "advise", "schedule"};

/// The names of all arguments that a run of the command depends on: `PLATFORM`, `--map`.
std::vector<std::string> arguments_of(const std::string& command);

}  // namespace toroid::test
