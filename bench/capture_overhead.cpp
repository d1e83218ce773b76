// What capturing costs: nanoseconds per call of MPI, of calls that do as little as calls can. Run it without and with:
//
//   mpirun -n 1 capture_overhead
//   toroid capture -- mpirun -n 1 capture_overhead

#include <mpi.h>

#include <chrono>
#include <cstdio>

namespace {

constexpr int repetitions = 300'000;

template <class Calls>
void measure(const char* name, int calls, Calls&& make) {
  for (int i = 0; i < repetitions / 10; ++i) make();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) make();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%-28s %8.1f ns per call\n", name, taken.count() / repetitions / calls);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto self = MPI_COMM_SELF;
  long out = 1, in = 0;
  MPI_Request requests[2];
  measure("Send, Recv, no partner", 2, [&] {
    MPI_Send(&out, 1, MPI_LONG, MPI_PROC_NULL, 0, self);
    MPI_Recv(&in, 1, MPI_LONG, MPI_PROC_NULL, 0, self, MPI_STATUS_IGNORE);
  });
  measure("Send, Recv to itself", 2, [&] {
    MPI_Send(&out, 1, MPI_LONG, 0, 0, self);
    MPI_Recv(&in, 1, MPI_LONG, 0, 0, self, MPI_STATUS_IGNORE);
  });
  measure("Irecv, Isend, Waitall", 3, [&] {
    MPI_Irecv(&in, 1, MPI_LONG, 0, 0, self, &requests[0]);
    MPI_Isend(&out, 1, MPI_LONG, 0, 0, self, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  });
  measure("Allreduce", 1, [&] { MPI_Allreduce(&out, &in, 1, MPI_LONG, MPI_SUM, self); });
  MPI_Finalize();
}
