#pragma once
// What MPI calls the operations of a program.

#include <string>

#include "netsim/activity.hpp"

namespace toroid::views {

/// The function of MPI that a call stands for: `MPI_Iallreduce`, `MPI_Ssend`. Empty for what is no call of MPI:
/// computations, the operations of a graph, and a rank that waits for the rest at its end.
std::string mpi_name(const netsim::Call& call);

}  // namespace toroid::views
