#pragma once
// The axes of stencils whose ranks talk to diagonal neighbours too, as much as to others.

#include <optional>

#include "mapping/grids/plain_graph.hpp"

namespace toroid::mapping {

/// A vertex with more neighbours than this is in no stencil that is looked for (27 points have 26, 81 have 80).
constexpr std::size_t most_skeleton_neighbours = 128;

/// Vertices that have the same neighbours, themselves counted among these: ranks that differ only along an axis of
/// extent 2, or along a ring of 3.
struct Twins {
  std::vector<std::vector<Vertex>> classes;  ///< each in ascending order; ordered by their first vertices
  PlainGraph quotient;                       ///< the graph of the classes
};
Twins find_twins(const PlainGraph& graph);

/// The graph without its diagonals: of all neighbours in a grid, diagonal ones too, it leaves those along an axis. An
/// edge xy is a diagonal if there is a z that both x and y have more neighbours in common with than with each other; or
/// as many, where the degrees rise from x over z to y, as from a corner. That is the Cartesian skeleton of a strong
/// product (Hammack, Imrich, Klavzar, Handbook of Product Graphs, 8.3) but for that it counts where the skeleton
/// compares sets, so that it also holds where corners are no neighbours (19 points in space). Takes graphs without
/// twins. Returns nothing if a vertex has more than most_skeleton_neighbours.
std::optional<PlainGraph> cartesian_skeleton(const PlainGraph& graph);

}  // namespace toroid::mapping
