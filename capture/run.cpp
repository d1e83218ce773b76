// The beginning and the end of the program's use of MPI.

#include <sched.h>

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

/// Counts the ranks on this machine, and the cores that they may use.
void look_around(workloads::raw::Header& header) {
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  PMPI_Comm_size(here, &header.ranks_here);
  cpu_set_t cores;
  ::sched_getaffinity(0, sizeof cores, &cores);
  PMPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, here);
  header.cores_here = CPU_COUNT(&cores);
  PMPI_Comm_free(&here);
}

void begin() {
  workloads::raw::Header header;
  int level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &header.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &header.ranks);
  PMPI_Query_thread(&level);
  find_shared_requests();
  look_around(header);
  int is_crowded = header.ranks_here > header.cores_here ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &is_crowded, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  recorder.begin(header, is_crowded != 0, level == MPI_THREAD_MULTIPLE);
  if (!recorder.is_on()) return;
  record_communicator(MPI_COMM_NULL, MPI_COMM_WORLD);
  record_communicator(MPI_COMM_NULL, MPI_COMM_SELF);
}

}  // namespace
}  // namespace toroid::capture

// Nothing is recorded before and after these, so they are not captured as the others are.

#define REPLACE(function, parameters, ...)                                          \
  extern "C" {                                                                      \
  [[gnu::visibility("default")]] int function parameters {                          \
    __VA_ARGS__                                                                     \
  }                                                                                 \
  [[gnu::visibility("default"), gnu::alias(#function)]] int P##function parameters; \
  }

REPLACE(MPI_Init, (int* argc, char*** argv), {
  const int result = toroid::capture::real_function<decltype(MPI_Init)>("MPI_Init")(argc, argv);
  if (result == MPI_SUCCESS) toroid::capture::begin();
  return result;
})
REPLACE(MPI_Init_thread, (int* argc, char*** argv, int wanted, int* provided), {
  const int result =
      toroid::capture::real_function<decltype(MPI_Init_thread)>("MPI_Init_thread")(argc, argv, wanted, provided);
  if (result == MPI_SUCCESS) toroid::capture::begin();
  return result;
})
REPLACE(MPI_Finalize, (), {
  {
    const toroid::capture::Call call("MPI_Finalize");
    toroid::capture::recorder.finish();
  }
  return toroid::capture::real_function<decltype(MPI_Finalize)>("MPI_Finalize")();
})
