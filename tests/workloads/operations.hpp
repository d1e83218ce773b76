#pragma once
// Operations as text, so that a test says exactly what it expects.

#include <string>
#include <vector>

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

/// The kind and every field that is not at its default: `send to=1 tag=7 bytes=80`.
std::string describe(const Operation& op);

/// The operations of a rank.
std::vector<std::string> program(const Trace& trace, Rank rank);

/// The channels (sender, receiver, tag) on which what is sent is not what is received, in order and size, as text.
/// Empty if all is well. Receives must name their source and have the size of their message.
std::vector<std::string> unmatched_channels(const Trace& trace);

}  // namespace toroid::workloads
