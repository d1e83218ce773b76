#pragma once
// What no reader may let through, whatever its file says.

#include <string>

#include "workloads/communicator.hpp"

namespace toroid::workloads {

/// What is wrong with a rank's operation on a communicator with these members, `found ..., expected ...`; empty if it
/// is valid.
std::string fault_of(const Operation& operation, const Communicator& members, Rank rank);

}  // namespace toroid::workloads
