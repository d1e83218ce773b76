/* Two threads in each of two ranks, both in MPI at a time: each exchanges messages and collectives with its like, and
 * waits in synchronous sends for what the other rank does in another order. */

#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

enum { rounds = 50 };

static MPI_Comm comms[2];
static int rank;

static void* work(void* number) {
  const int me = *(int*)number, other = 1 - rank;
  static char out[64], in[2][64];
  for (int round = 0; round < rounds; ++round) {
    MPI_Request request;
    if (rank == 0) {
      MPI_Ssend(out, 10 + me, MPI_CHAR, other, 1, comms[me]);
      MPI_Recv(in[me], 64, MPI_CHAR, MPI_ANY_SOURCE, 2, comms[me], MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in[me], 64, MPI_CHAR, other, 1, comms[me], MPI_STATUS_IGNORE);
      MPI_Send(out, 20 + me, MPI_CHAR, other, 2, comms[me]);
    }
    MPI_Irecv(in[me], 64, MPI_CHAR, other, 3, comms[me], &request);
    MPI_Sendrecv(out, 30, MPI_CHAR, other, 3, in[me], 64, MPI_CHAR, MPI_PROC_NULL, 3, comms[me], MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, in[me], 4, MPI_BYTE, MPI_BOR, comms[me]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level, numbers[] = {0, 1};
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  pthread_create(&thread, NULL, work, &numbers[1]);
  work(&numbers[0]);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
