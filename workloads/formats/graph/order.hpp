#pragma once
// What one rank does in GOAL or Chakra is a graph: an operation begins when those that it requires have ended, or only
// begun. Here it becomes operations in an order.

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

struct GraphOperation {
  Operation strand;  ///< a strand that requires nothing yet, on the core of that number in the file; or a collective
  std::uint64_t line = 0;
};

struct GraphRequirement {
  std::uint32_t operation, required;  ///< indices among the rank's operations
  bool begun;                         ///< whether the required one need only have begun
};

struct RankGraph {
  std::vector<GraphOperation> operations;  ///< operations in the order of the file
  std::vector<GraphRequirement> requirements;
};

/// Adds the operations of a rank to the trace. They become a program if there is one that allows exactly what the graph
/// allows to a rank that does one thing at a time: messages that do not block, posted as soon as they may,
/// computations, and waits where all remaining operations require the same messages. Otherwise they become strands, and
/// so do those of a rank with several cpus, each of which is a core, with collectives, or with computations that touch
/// memory. Throws InputError when the graph has a cycle.
void add_graph_rank(CompactTrace& trace, Rank rank, const RankGraph& schedule, const std::string& path);

}  // namespace toroid::workloads
