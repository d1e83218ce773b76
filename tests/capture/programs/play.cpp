// An MPI program that does what a trace in our own form says, and writes down what it did:
//
//   mpirun -np RANKS play TRACE RESULT
//
// RESULT.r is a trace in our own form with the operations of rank r: as in TRACE, but for what MPI decides: waits for
// one or some of several requests, and tests, are what they took, and receives from any source came from somewhere.

#include <cstdio>
#include <exception>

#include "tests/capture/programs/player.hpp"
#include "workloads/formats/formats.hpp"

int main(int argc, char** argv) {
  using namespace toroid;
  MPI_Init(&argc, &argv);
  try {
    const auto trace = workloads::read_own(argv[1]);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto done = test::Player(*trace, workloads::Rank(rank)).play();
    core::OutputSet outputs;
    workloads::write_own(*done, outputs, std::string(argv[2]) + "." + std::to_string(rank));
    outputs.commit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "play: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
