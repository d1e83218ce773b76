#pragma once
// Captured runs, as the tests make them.

#include <memory>
#include <string>
#include <vector>

#include "tests/support/support.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::test {

/// The MPI program that does what a trace says: tests/capture/programs/play.cpp.
std::string play_program();

/// Whether mpirun can run something here. If not, a message in the test's output says that it is skipped.
bool can_run_mpi();

/// `toroid capture OPTIONS -o OUTPUT -- mpirun -n RANKS PROGRAM`.
CommandResult capture(const std::string& options, const std::string& output, int ranks, const std::string& program);

/// `toroid capture -o OUTPUT -- COMMAND`, with any command in the place of mpirun.
CommandResult capture_command(const std::string& output, const std::string& command);

/// Builds a program of tests/capture/programs with mpicc or mpifort; its path, or an empty string and a message if
/// there is no such compiler.
std::string build(const Scratch& scratch, const std::string& source);

/// The first differences of the two programs, computation left out; empty if they are the same.
std::string differences(const workloads::Trace& a, const workloads::Trace& b);

}  // namespace toroid::test
