#pragma once
// The logical grid of a job: where each rank stands in a stencil.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/parameter.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

constexpr std::size_t most_axes = 8;

/// Extents of up to 8 axes. Rank x + X*(y + Y*(z + ...)) stands at (x, y, z, ...), as in the workload `stencil`.
using JobGrid = std::vector<std::int32_t>;

/// The key `grid` of a mapper, such as 4x8x2.
extern const core::OptionalParameter<JobGrid> grid_parameter;

/// The grid that most traffic is a stencil of, if there is one: at least 90 % of the bytes are between ranks at most
/// one step apart along every axis, wraps included. The axes follow from who exchanges bytes with whom: a row along an
/// axis ends where the next rank of the stride is not spoken to. Axes of extent 1 are left out. A job of one rank has
/// the grid 1.
std::optional<JobGrid> grid_of_traffic(const TrafficGraph& graph);

/// The grid in space of least surface for so many ranks, the longest axis first.
JobGrid compact_grid(std::int32_t ranks);

/// A grid in space for so many ranks: for 4 to 4,096, powers of two, those of the miniGhost runs of Balzuweit et al.
/// 2014, figure 3; otherwise compact_grid.
JobGrid usual_grid(std::int32_t ranks);

/// The first of these that there is: grid_of_traffic, usual_grid.
JobGrid derived_grid(const TrafficGraph& graph);

/// `grid`. Throws InputError, naming `spec`, unless it has one place for each rank.
const JobGrid& checked_grid(const JobGrid& grid, std::int32_t ranks, const std::string& spec);

}  // namespace toroid::mapping
