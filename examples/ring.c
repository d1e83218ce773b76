// A ring: every rank sends 64 KiB to the next one and receives as much from the one before, ten times.
#include <mpi.h>

int main(int argc, char** argv) {
  static char out[65536], in[65536];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 10; ++step)
    MPI_Sendrecv(out, sizeof out, MPI_CHAR, (rank + 1) % size, 0, in, sizeof in, MPI_CHAR, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
