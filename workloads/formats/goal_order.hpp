#pragma once
// What one rank does in GOAL is a graph: an operation begins when those that it requires have ended, or only begun.
// Here it becomes operations in an order.

#include <cstddef>
#include <cstdint>
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

/// Adds what the rank does to the trace. As a program, where there is one that allows what the graph does, no more and
/// no less, if the rank does one thing at a time: messages that do not block, posted as soon as they may, computations,
/// and waits where all that is left requires the same messages. Else as a graph, of strands. Throws InputError at a
/// cycle.
void add_goal_rank(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path);

}  // namespace toroid::workloads
