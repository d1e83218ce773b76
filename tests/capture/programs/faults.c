/* What no trace can say, and programs that end as they should not: its argument is what it does. */

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long window[8];

static void one_sided(void) {
  MPI_Win win;
  MPI_Win_create(window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(window, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void files(const char* path) {
  MPI_File file;
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, "none/none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* there is none */
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, window, 8, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 8, window, 8, MPI_LONG, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, window, 8, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void inter_communicator(int rank) {
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
  MPI_Barrier(between);
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Irecv(window, 1, MPI_LONG, 0, 0, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void truncated(void) {
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Isend(window, 2, MPI_LONG, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(window + 4, 1, MPI_LONG, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void many(void) {
  for (int i = 0; i < 400000; ++i)
    MPI_Sendrecv(window, 1, MPI_LONG, 0, 0, window + 4, 1, MPI_LONG, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank;
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(what, "one_sided")) one_sided();
  if (!strcmp(what, "files")) files(argc > 2 ? argv[2] : "/dev/null");
  if (!strcmp(what, "inter_communicator")) inter_communicator(rank);
  if (!strcmp(what, "cancelled")) cancelled();
  if (!strcmp(what, "truncated")) truncated();
  if (!strcmp(what, "many")) many();
  if (argc > 2) fclose(fopen(argv[2], "a")); /* it has come here */
  if (!strcmp(what, "quits")) _exit(0);
  if (!strcmp(what, "aborts")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(what, "crashes")) *(volatile int*)0 = 1;
  MPI_Finalize();
  return !strcmp(what, "fails") ? 7 : 0;
}
