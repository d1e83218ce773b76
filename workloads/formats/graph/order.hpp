#pragma once
// What one rank does in GOAL or Chakra is a graph: an operation begins when those that it requires have ended, or only
// begun. Here it becomes operations in an order.

#include <queue>
#include <span>

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

// Orders of a graph in which each operation stands behind those that it requires.

/// The operations that each one leads to, in one list.
class GraphSuccessors {
 public:
  GraphSuccessors(std::size_t operations, std::span<const GraphRequirement> requirements)
      : begins_(operations + 1, 0), edges_(requirements.size()) {
    for (const auto& edge : requirements) ++begins_[edge.required + 1];
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    auto next = begins_;
    for (const auto& edge : requirements) edges_[next[edge.required]++] = {edge.operation, edge.begun};
    TOROID_ASSERT(begins_.back() == edges_.size());
  }

  struct Edge {
    std::uint32_t to;
    bool begun;
  };
  std::span<const Edge> of(std::uint32_t operation) const {
    return std::span(edges_).subspan(begins_[operation], begins_[operation + 1] - begins_[operation]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<Edge> edges_;
};

template <class Key>
using Least = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

template <class Key>
Key take(Least<Key>& queue) {
  TOROID_ASSERT(!queue.empty());
  const auto first = queue.top();
  queue.pop();
  return first;
}

/// The operations of a rank so that each stands behind those that it requires, and each collective behind those of its
/// communicator that stand before it in the file, and else as in the file. Throws InputError if there is no such order.
std::vector<std::uint32_t> topological_order(const RankGraph& schedule, const std::string& path);

}  // namespace toroid::workloads
