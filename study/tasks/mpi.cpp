#include "study/tasks/mpi.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "core/process.hpp"

namespace toroid::study {
namespace {

/// Whether a launcher of Open MPI, MPICH or Slurm has started this process beside others.
bool has_other_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* ranks = std::getenv(name)) return ranks != std::string_view("1");
  return std::getenv("PMIX_RANK") != nullptr;
}

/// The libraries of an MPI take 20 ms to load, and are not on every machine: only a study under mpirun opens them.
auto load() {
  void* library = core::open_library("libtoroid_mpi.so", RTLD_NOW | RTLD_GLOBAL, "under mpirun (package toroid-mpi): ");
  return reinterpret_cast<decltype(toroid_with_ranks)*>(::dlsym(library, "toroid_with_ranks"));
}

}  // namespace

void with_workers(const DoTask& work, std::size_t workers, const Lead& lead) {
  const MakeLocal local = [&](std::size_t ranks_here) {
    return make_local_executor(work, workers == 0 ? default_workers(ranks_here) : workers);
  };
  if (has_other_ranks()) return load()(local, lead);
  lead(*local(1));
}

}  // namespace toroid::study
