#pragma once
// Distances between nodes, as costs of a byte that travels between them.

#include "core/registry.hpp"
#include "platforms/machine.hpp"

namespace toroid::mapping {

using platforms::Machine;
using platforms::NodeId;

/// A distance from the hops that the route takes along each dimension of the machine's grid: on a torus the shorter way
/// round, on a one-way ring the only way. It is 0 without hops.
using Distance = double (*)(const Machine& machine, const platforms::Coordinates& hops);

/// The sum of the hops: h_x + h_y + ...
double classic_distance(const Machine& machine, const platforms::Coordinates& hops);

/// Traffic Distribution, eq. 7 of Pascual, Miguel-Alonso, Lozano 2011: the sum of the hops, plus the difference
/// |h_d - h_e| for each pair of dimensions d < e. Of two routes with as many hops, the one that spreads them evenly
/// over the dimensions is shorter. Dimensions of extent 1, which have no links, do not count.
double td_distance(const Machine& machine, const platforms::Coordinates& hops);

/// Traffic Distribution with all three dimensions of the printed equation: those that a grid does not have count as 0
/// hops, so that on a plane it is 2 (h_x + h_y) + |h_x - h_y|. On grids of three dimensions or more it is td_distance.
double td_eq7_distance(const Machine& machine, const platforms::Coordinates& hops);

/// The hops of the fastest dimension that take as long: h_x * b/b_x + h_y * b/b_y + ..., where b_d is the bandwidth of
/// dimension d and b the largest of them. Where all dimensions are alike it is the classic distance.
double weighted_distance(const Machine& machine, const platforms::Coordinates& hops);

/// The distances by name: `classic`, `td`, `td-eq7` and `weighted`.
const core::Registry<Distance>& distances();

}  // namespace toroid::mapping
