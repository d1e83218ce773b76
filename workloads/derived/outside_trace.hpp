#pragma once
// What no reader and no generator may let through, and traces of generators that are not toroid's own.

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

/// The trace, whose operations are checked as they are read: InputError, which names the generator, the rank and the
/// operation, says what is wrong with one.
std::unique_ptr<Trace> checked_trace(const std::string& generator, std::unique_ptr<Trace> trace);

/// What is wrong with an operation of a rank in a trace, `found ..., expected ...`; empty if it is valid.
std::string fault_in(const Trace& trace, Rank rank, const Operation& operation);

/// What is wrong with a rank's operation on a communicator with these members, `found ..., expected ...`; empty if it
/// is valid.
std::string fault_of(const Operation& operation, const Communicator& members, Rank rank);

}  // namespace toroid::workloads
