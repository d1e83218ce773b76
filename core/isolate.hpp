#pragma once
// Work in a process of its own: for libraries that allow one instance per process, and so that their crashes are
// errors.

#include <cstdint>
#include <functional>
#include <string>

#include "core/progress.hpp"

namespace toroid::core {

/// Runs `work` in a child process and returns what it returns. An InputError or SimulationError thrown there is thrown
/// here; a crash is a SimulationError with the first line that the child wrote to standard error, which goes nowhere
/// else. `work` may count its progress in the number it is given; the bar, if any, shows it.
std::string run_isolated(const std::function<std::string(std::uint64_t& progress)>& work, Progress* bar = nullptr);

}  // namespace toroid::core
