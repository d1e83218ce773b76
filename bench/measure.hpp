#pragma once
// CPU time, a piece of work measured as a whole process, and what the programs of this folder do at their start.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>

#include "core/table.hpp"
#include "toroid/core/error.hpp"

namespace toroid::bench {

/// CPU seconds of this process so far: other people's processes do not count.
inline double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double cpu_seconds(const rusage& usage) {
  double seconds = 0;
  for (const auto& time : {usage.ru_utime, usage.ru_stime})
    seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  return seconds;
}

/// CPU seconds of some work in this process and in children of this process that end meanwhile, such as workers.
template <class Work>
double cpu_seconds_of(Work work) {
  const auto all = [] {
    double seconds = 0;
    for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage usage{};
      ::getrusage(whose, &usage);
      seconds += cpu_seconds(usage);
    }
    return seconds;
  };
  const double before = all();
  work();
  return all() - before;
}

struct Measured {
  double cpu_s = 0, memory_mb = 0;  ///< memory: the largest process
};

/// Runs `work`, which returns an exit code, in a child process; its own children count. Throws SimulationError when it
/// fails.
template <class Work>
Measured measure(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw core::SimulationError("a run failed");
  return {cpu_seconds(usage), static_cast<double>(usage.ru_maxrss) / 1024};
}

/// Reads the options of the program and does its work. Returns the exit code.
template <class Work>
int run_program(CLI::App& app, int argc, char** argv, Work work) {
  CLI11_PARSE(app, argc, argv);
  try {
    return work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 1;
  }
}

}  // namespace toroid::bench
