#pragma once
// What one rank does in GOAL is a graph: an operation begins when those that it requires have ended, or only begun.
// Here the graph becomes a program, operations in an order.

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

struct GoalOrderOptions {
  bool in_file_order = false;  ///< of two operations that may begin in any order, that which stands first is first
  /// So many times it may be noted, of a rank, that an operation waits for a message: joins of joins of joins could
  /// fill the memory.
  std::uint64_t most_waits = std::uint64_t{1} << 26U;
};
/// From TOROID_GOAL_ORDER and TOROID_GOAL_WAITS in the environment. Throws InputError at other values than
/// docs/traces.md has.
GoalOrderOptions goal_order_options();

/// Adds the rank's program to the trace: messages that do not block, posted as soon as they may, computations, and
/// waits where all that is left requires the same messages. The program allows what the graph does, no more and no
/// less, if the rank does one thing at a time; a graph of which that cannot be said is an InputError, and so is a
/// cycle.
void add_goal_program(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path,
                      const GoalOrderOptions& options);

}  // namespace toroid::workloads
