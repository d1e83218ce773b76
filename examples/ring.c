/* A token goes round all ranks, a megabyte at a time: what smpirun can run on a machine of toroid's (docs/reference/machines.md). */

#include <mpi.h>
#include <stdio.h>

static char token[1000000];

int main(int argc, char** argv) {
  int rank, size;
  double start;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  if (rank == 0) {
    MPI_Send(token, sizeof token, MPI_CHAR, 1 % size, 0, MPI_COMM_WORLD);
    MPI_Recv(token, sizeof token, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("once round %d ranks takes %.6f s\n", size, MPI_Wtime() - start);
  } else {
    MPI_Recv(token, sizeof token, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(token, sizeof token, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
