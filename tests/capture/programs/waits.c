/* What waits without being an operation, and a buffered send that is started while its last message is on its way. */

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { bytes = 1 << 20, times = 3 };

int main(int argc, char** argv) {
  int rank, size;
  char *data = calloc(bytes, 1), *space;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Request request;
    size = times * (bytes + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(malloc(size), size);
    MPI_Bsend_init(data, bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
    for (int i = 0; i < times; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Probe(1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, 0, MPI_BYTE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&space, &size);
  } else {
    usleep(500000);
    MPI_Send(data, 0, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    for (int i = 0; i < times; ++i) MPI_Recv(data, bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
