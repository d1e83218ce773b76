#pragma once
// What one rank does in GOAL is a graph: an operation begins when those that it requires have ended, or only begun.
// Here the graph becomes a program, operations in an order.

#include <string>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

struct GoalOperation {
  enum class Kind : std::uint8_t { send, receive, calculate } kind;
  std::uint64_t amount = 0;  ///< bytes, or nanoseconds
  CommRank peer = 0;         ///< or any_source
  CommId comm = world;
  std::int32_t tag = 0;
  std::uint64_t line = 0;
};

struct GoalRequirement {
  std::uint32_t operation, required;  ///< by their places among the rank's operations
  bool begun;                         ///< that it has only begun
};

struct GoalSchedule {
  std::vector<GoalOperation> operations;  ///< as they stand in the file
  std::vector<GoalRequirement> requirements;
};

/// Adds the rank's program to the trace: messages that do not block, posted as soon as they may, computations, and
/// waits where all that is left requires the same messages. The program allows what the graph does, no more and no
/// less, if the rank does one thing at a time; a graph of which that cannot be said is an InputError, and so is a
/// cycle.
void add_goal_program(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path);

}  // namespace toroid::workloads
