#pragma once
// The generators, one file each; registered in generators.cpp.

#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {

/// Halo exchange with the neighbours on an n-D grid of ranks, computation, and a small allreduce: one step of an
/// explicit solver. Rank = x + X*y + X*Y*z.
std::unique_ptr<Trace> make_stencil(const core::Spec& spec);

/// The communication skeleton of a conjugate-gradient solver with its matrix on a square grid of ranks (as NPB CG has
/// it): sums over the row by exchanges at distances 1, 2, 4, ..., a swap with the transposed rank, two dot products.
std::unique_ptr<Trace> make_cg(const core::Spec& spec);

}  // namespace toroid::workloads
