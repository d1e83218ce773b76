#pragma once
// What one rank does in GOAL is a graph: an operation begins when those that it requires have ended, or only begun.
// Here it becomes operations in an order.

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

struct GoalOperation {
  enum class Kind : std::uint8_t { send, receive, calculate } kind;
  std::uint64_t amount = 0;  ///< bytes, or nanoseconds
  CommRank peer = 0;         ///< the other rank, or any_source
  CommId comm = world;
  std::int32_t tag = 0;
  std::uint64_t line = 0;
  std::int32_t cpu = 0;  ///< the cpu, as the file numbers cpus
};

struct GoalRequirement {
  std::uint32_t operation, required;  ///< indices among the rank's operations
  bool begun;                         ///< whether the required one need only have begun
};

struct GoalSchedule {
  std::vector<GoalOperation> operations;  ///< operations in the order of the file
  std::vector<GoalRequirement> requirements;
};

/// Adds the operations of a rank to the trace. They become a program if there is one that allows exactly what the graph
/// allows to a rank that does one thing at a time: messages that do not block, posted as soon as they may,
/// computations, and waits where all remaining operations require the same messages. Otherwise they become strands, and
/// so do those of a rank with several cpus, each of which is a core.
/// Throws InputError when the graph has a cycle.
void add_goal_rank(CompactTrace& trace, Rank rank, const GoalSchedule& schedule, const std::string& path);

}  // namespace toroid::workloads
