#pragma once
// Machines as files for other programs.

#include <string>

#include "core/choice.hpp"
#include "core/registry.hpp"
#include "platforms/machine.hpp"

namespace toroid::platforms {

/// The text of a file with the machine. Throws InputError where the format cannot say what the machine is.
using WriteMachine = std::string (*)(const Machine& machine);

const core::Registry<WriteMachine>& machine_formats();

using MachineFormatChoice = core::Choice<machine_formats>;

}  // namespace toroid::platforms
