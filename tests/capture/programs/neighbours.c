/* Collectives of neighbours, on four ranks. With the argument "messages" the same by messages between the neighbours that
   MPI's standard names, in the order that it gives them. */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

static int by_messages, rank, ways = 2;
static char out[4096], in[4096];

/* Sends sizes_out[i] bytes to each of `to`, and receives sizes_in[i] of each of `from`; tags tell the directions. */
static void exchange(MPI_Comm comm, int n_from, const int* from, const int* tags_in, const int* sizes_in, int n_to,
                     const int* to, const int* tags_out, const int* sizes_out) {
  MPI_Request requests[2 * MOST];
  int n = 0;
  for (int i = 0; i < n_from; ++i)
    if (from[i] != MPI_PROC_NULL)
      MPI_Irecv(in + 100 * i, sizes_in[i], MPI_CHAR, from[i], tags_in[i], comm, &requests[n++]);
  for (int i = 0; i < n_to; ++i)
    if (to[i] != MPI_PROC_NULL)
      MPI_Isend(out + 100 * i, sizes_out[i], MPI_CHAR, to[i], tags_out[i], comm, &requests[n++]);
  if (n > 0) MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* All collectives, blocking and, as the second way, not. sizes_in and sizes_out are those of the versions whose blocks differ. */
static void all(MPI_Comm comm, int n_from, const int* from, const int* tags_in, const int* sizes_in, int n_to,
                const int* to, const int* tags_out, const int* sizes_out) {
  int same[MOST], mine_in[MOST], mine_out[MOST], places[MOST];
  MPI_Aint offsets[MOST];
  MPI_Datatype types[MOST];
  for (int i = 0; i < MOST; ++i) {
    same[i] = 7;
    mine_out[i] = rank + 1; /* allgatherv: as much as the sender has */
    mine_in[i] = i < n_from && from[i] != MPI_PROC_NULL ? from[i] + 1 : 0;
    places[i] = 100 * i;
    offsets[i] = 100 * i;
    types[i] = MPI_CHAR;
  }
  for (int way = 0; way < ways; ++way) {
    if (by_messages) {
      exchange(comm, n_from, from, tags_in, same, n_to, to, tags_out, same);
      exchange(comm, n_from, from, tags_in, mine_in, n_to, to, tags_out, mine_out);
      exchange(comm, n_from, from, tags_in, same, n_to, to, tags_out, same);
      exchange(comm, n_from, from, tags_in, sizes_in, n_to, to, tags_out, sizes_out);
      exchange(comm, n_from, from, tags_in, sizes_in, n_to, to, tags_out, sizes_out);
      continue;
    }
    if (way == 0) {
      MPI_Neighbor_allgather(out, 7, MPI_CHAR, in, 7, MPI_CHAR, comm);
      MPI_Neighbor_allgatherv(out, rank + 1, MPI_CHAR, in, mine_in, places, MPI_CHAR, comm);
      MPI_Neighbor_alltoall(out, 7, MPI_CHAR, in, 7, MPI_CHAR, comm);
      MPI_Neighbor_alltoallv(out, sizes_out, places, MPI_CHAR, in, sizes_in, places, MPI_CHAR, comm);
      MPI_Neighbor_alltoallw(out, sizes_out, offsets, types, in, sizes_in, offsets, types, comm);
      continue;
    }
    MPI_Request request;
    MPI_Ineighbor_allgather(out, 7, MPI_CHAR, in, 7, MPI_CHAR, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_allgatherv(out, rank + 1, MPI_CHAR, in, mine_in, places, MPI_CHAR, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoall(out, 7, MPI_CHAR, in, 7, MPI_CHAR, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoallv(out, sizes_out, places, MPI_CHAR, in, sizes_in, places, MPI_CHAR, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ineighbor_alltoallw(out, sizes_out, offsets, types, in, sizes_in, offsets, types, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* A grid with an open axis, one of two ranks with a wrap, on which a rank is its neighbour's neighbour twice, and one of
   a single rank, which is its own neighbour. */
static void grid(void) {
  const int extents[] = {2, 2, 1}, periods[] = {0, 1, 1};
  int near[6], tags_in[6], tags_out[6], sizes_in[6], sizes_out[6];
  MPI_Comm cart;
  MPI_Cart_create(MPI_COMM_WORLD, 3, extents, periods, 0, &cart);
  for (int d = 0; d < 3; ++d) MPI_Cart_shift(cart, d, 1, &near[2 * d], &near[2 * d + 1]);
  for (int i = 0; i < 6; ++i) { /* block i comes from the side that the sender calls i ^ 1 */
    tags_in[i] = i;
    tags_out[i] = i ^ 1;
    sizes_in[i] = 10 + i;
    sizes_out[i] = 10 + (i ^ 1);
  }
  ways = 1; /* those of Open MPI 4.1 that do not block mix the two directions up */
  all(cart, 6, near, tags_in, sizes_in, 6, near, tags_out, sizes_out);
  ways = 2;
  for (int i = 0; i < 6; ++i) sizes_in[i] = sizes_out[i] = 10 + i / 2;
  all(cart, 6, near, tags_in, sizes_in, 6, near, tags_out, sizes_out);
}

/* A star around rank 0, and a ring in which each rank sends to the next and the one after that. */
static void graphs(void) {
  const int index[] = {3, 4, 5, 6}, edges[] = {1, 2, 3, 0, 0, 0}, zeros[MOST] = {0};
  int near[MOST], count, sizes[MOST];
  MPI_Comm star, ring;
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &star);
  MPI_Graph_neighbors_count(star, rank, &count);
  MPI_Graph_neighbors(star, rank, MOST, near);
  for (int i = 0; i < count; ++i) sizes[i] = 10 + rank + near[i];
  all(star, count, near, zeros, sizes, count, near, zeros, sizes);
  const int from[] = {(rank + 3) % 4, (rank + 2) % 4}, to[] = {(rank + 1) % 4, (rank + 2) % 4};
  const int sizes_in[] = {20 + from[0], 40 + from[1]}, sizes_out[] = {20 + rank, 40 + rank};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  all(ring, 2, from, zeros, sizes_in, 2, to, zeros, sizes_out);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  by_messages = argc > 1 && !strcmp(argv[1], "messages");
  grid();
  graphs();
  MPI_Finalize();
  return 0;
}
