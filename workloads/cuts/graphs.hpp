#pragma once
// Ranks whose operations are a graph cannot be cut: what is left would begin earlier.

#include "core/error.hpp"
#include "workloads/trace.hpp"

namespace toroid::workloads {

inline void refuse_graph(const Trace& trace, Rank rank, std::uint64_t index, const Operation& op) {
  if (is_strand(op.kind) || op.kind == OpKind::join)
    core::fail_input("{}: rank {}: {}: a graph of operations cannot be cut", trace.locate(rank, index), rank,
                     to_string(op.kind));
}

}  // namespace toroid::workloads
