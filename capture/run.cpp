// The beginning and the end of the program's use of MPI.

#include "capture/communicators.hpp"
#include "capture/handles.hpp"
#include "capture/wrap.hpp"

namespace toroid::capture {
namespace {

void begin() {
  int rank = 0, ranks = 0, level = MPI_THREAD_SINGLE;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Query_thread(&level);
  find_shared_requests();
  recorder.begin(rank, ranks, level == MPI_THREAD_MULTIPLE);
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
