#pragma once
// Graph partitioners know no direction: the weight of an edge is what its two ranks send each other, both ways
// together.

#include <string>

#include "workloads/summary.hpp"

namespace toroid::workloads {

/// The edges of a matrix: row r has the weights of rank r's edges, so each edge is there twice. Pairs of ranks that
/// send each other messages without bytes have none.
CommunicationMatrix edges_of(const CommunicationMatrix& matrix);

/// The matrix that has these edges: each rank of an edge sends half of its weight, the lower rank the odd byte. Throws
/// InputError, which names the file, unless each edge is there twice, with the same weight.
CommunicationMatrix both_ways(CommunicationMatrix edges, const std::string& path);

/// Number of edges, each counted once.
std::size_t edge_count(const CommunicationMatrix& edges);

}  // namespace toroid::workloads
