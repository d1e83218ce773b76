#pragma once
// Operations as text, so that a test says exactly what it expects.

#include <string>
#include <vector>

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// The kind and every field that is not at its default: `send to=1 tag=7 bytes=80`.
std::string describe(const Operation& op);

/// The operations of a rank.
std::vector<std::string> program(const Trace& trace, Rank rank);

}  // namespace toroid::workloads
