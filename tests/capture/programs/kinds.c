/* Calls of MPI that the player does not make. What they are as a trace stands in calls_test.cpp. Two ranks. */

#include <mpi.h>

enum { any = MPI_ANY_SOURCE };

static char out[4096], in[4096];
static MPI_Status status, statuses[8];
static int rank, other, flag, index_, count, indices[8];

static void tests(MPI_Comm comm) {
  MPI_Request requests[2];
  MPI_Irecv(in, 8, MPI_INT, other, 1, comm, &requests[0]);
  MPI_Isend(out, 2, MPI_INT, other, 1, comm, &requests[1]);
  for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, 8, MPI_INT, other, 2, comm, &requests[0]);
  MPI_Isend(out, 2, MPI_INT, other, 2, comm, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Testany(2, requests, &index_, &flag, &status);
  MPI_Testany(2, requests, &index_, &flag, &status); /* none is left */
  MPI_Irecv(in, 8, MPI_INT, any, MPI_ANY_TAG, comm, &requests[0]);
  MPI_Send(out, 3, MPI_INT, other, 7, comm);
  for (count = 0; count == 0;) MPI_Testsome(1, requests, &count, indices, statuses);
  /* Several sends that have ended when they are posted: each is waited for by its own name. */
  MPI_Isend(out, 1, MPI_CHAR, other, 8, comm, &requests[0]);
  MPI_Isend(out, 2, MPI_CHAR, other, 8, comm, &requests[1]);
  MPI_Recv(in, 9, MPI_CHAR, other, 8, comm, MPI_STATUS_IGNORE);
  MPI_Recv(in, 9, MPI_CHAR, other, 8, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void probes(MPI_Comm comm) {
  MPI_Message message;
  MPI_Request request;
  MPI_Send(out, 5, MPI_CHAR, other, 3, comm);
  MPI_Send(out, 6, MPI_CHAR, other, 4, comm);
  MPI_Probe(any, 3, comm, &status);
  for (flag = 0; !flag;) MPI_Iprobe(other, 4, comm, &flag, MPI_STATUS_IGNORE);
  MPI_Mprobe(any, 4, comm, &message, &status);
  MPI_Mrecv(in, 99, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Improbe(other, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 99, MPI_CHAR, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 4, comm, &message, &status);
  MPI_Mrecv(in, 99, MPI_CHAR, &message, MPI_STATUS_IGNORE);
}

static void others(MPI_Comm comm) {
  MPI_Request requests[3];
  MPI_Irecv(in, 8, MPI_DOUBLE, other, 5, comm, &requests[0]);
  MPI_Barrier(comm);
  MPI_Rsend(out, 8, MPI_DOUBLE, other, 5, comm);
  MPI_Wait(&requests[0], &status);
  MPI_Sendrecv(out, 1, MPI_SHORT, other, 6, in, 4, MPI_SHORT, other, 6, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 1, MPI_SHORT, other, 10 + rank, in, 4, MPI_SHORT, any, 10 + other, comm, &status);
  MPI_Isend(out, 3, MPI_CHAR, other, 9, comm, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Recv(in, 3, MPI_CHAR, other, 9, comm, MPI_STATUS_IGNORE);
  MPI_Recv_init(in, 9, MPI_CHAR, other, 11, comm, &requests[0]);
  MPI_Rsend_init(out, 9, MPI_CHAR, MPI_PROC_NULL, 11, comm, &requests[1]);
  MPI_Bsend_init(out, 9, MPI_CHAR, other, 11, comm, &requests[2]);
  MPI_Startall(3, requests);
  MPI_Waitsome(1, requests, &count, indices, statuses);
  MPI_Waitall(3, requests, statuses); /* the first takes no part any more */
  for (count = 0; count < 3; ++count) MPI_Request_free(&requests[count]);
}

/* A receive from any source is posted in its turn among those that are started with it; one that nobody waits for. */
static void started(MPI_Comm comm) {
  MPI_Request requests[3];
  MPI_Recv_init(in, 9, MPI_CHAR, other, 13, comm, &requests[0]);
  MPI_Recv_init(in + 16, 9, MPI_CHAR, any, 13, comm, &requests[1]);
  MPI_Send_init(out, 4, MPI_CHAR, other, 13, comm, &requests[2]);
  MPI_Startall(3, requests);
  MPI_Send(out, 5, MPI_CHAR, other, 13, comm);
  MPI_Waitall(3, requests, statuses);
  for (count = 0; count < 3; ++count) MPI_Request_free(&requests[count]);
  MPI_Irecv(in, 3, MPI_CHAR, any, 14, comm, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Send(out, 3, MPI_CHAR, other, 14, comm);
}

static void communicators(void) {
  const int extents[] = {2, 1}, periods[] = {1, 0}, remain[] = {0, 1}, index[] = {1, 2}, edges[] = {1, 0};
  MPI_Comm dup, cart, row, node, graph, reversed, idup;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Bcast(out, 1, MPI_CHAR, 1, dup);
  MPI_Comm_free(&dup);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Bcast(out, 2, MPI_CHAR, 1, reversed);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &cart);
  MPI_Bcast(out, 3, MPI_CHAR, 1, cart);
  MPI_Cart_sub(cart, remain, &row);
  MPI_Bcast(out, 4, MPI_CHAR, 0, row);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Bcast(out, 5, MPI_CHAR, 1, node);
  MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph);
  MPI_Bcast(out, 6, MPI_CHAR, 1, graph);
  MPI_Comm_idup(reversed, &idup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Bcast(out, 7, MPI_CHAR, 1, idup);
  MPI_Bcast(out, 8, MPI_CHAR, 0, MPI_COMM_SELF);
}

int main(int argc, char** argv) {
  static char buffer[4096];
  MPI_Init(&argc, &argv);
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  tests(MPI_COMM_WORLD);
  probes(MPI_COMM_WORLD);
  others(MPI_COMM_WORLD);
  started(MPI_COMM_WORLD);
  communicators();
  MPI_Finalize();
  return 0;
}
