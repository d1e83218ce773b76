#pragma once
// Communicators, by the ranks of the world that are in them.

#include <mpi.h>

namespace toroid::capture {

/// Records a communicator that all ranks of `parent` have made together, or, for record_communicator_of_group(), that
/// its own ranks have made with a tag. `made` is MPI_COMM_NULL if this rank is not in it.
void record_communicator(MPI_Comm parent, MPI_Comm made);
void record_communicator_of_group(MPI_Comm parent, int tag, MPI_Comm made);

}  // namespace toroid::capture
