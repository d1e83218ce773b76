#include "tests/capture/captures.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "workloads/diff.hpp"

namespace toroid::test {

std::string play_program() {
  return TOROID_PLAY_PROGRAM;
}

namespace {

/// The library that is put before a program comes before the sanitizers' own then, and MPI leaves things behind.
const std::string settings = open_mpi_settings + " ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0\n";

}  // namespace

bool can_run_mpi() {
  static const bool can = run_script(settings + "timeout 30 mpirun -n 2 true").exit_code == 0;
  if (!can) WARN("skipped: mpirun cannot run anything here");
  return can;
}

CommandResult capture(const std::string& options, const std::string& output, int ranks, const std::string& program) {
  return run_script(settings +
                    fmt::format("$toroid capture {} -o {} -- mpirun -n {} {}", options, output, ranks, program));
}

CommandResult capture_command(const std::string& output, const std::string& command) {
  return run_script(settings + fmt::format("$toroid capture -o {} -- {}", output, command));
}

std::string build(const Scratch& scratch, const std::string& source) {
  const std::string compiler = source.ends_with(".c") ? "mpicc" : "mpifort";
  const auto program = scratch.path(source.substr(0, source.find('.')));
  const auto built =
      run_script(fmt::format("command -v {0} && {0} -O1 {1}/tests/capture/programs/{2}{3} -o {4}", compiler,
                             source_folder(), source, source.ends_with(".c") ? " -lpthread" : "", program));
  if (built.exit_code == 0) return program;
  if (built.out.empty())
    WARN("skipped: there is no " + compiler);
  else
    FAIL(built.err);
  return {};
}

std::string differences(const workloads::Trace& a, const workloads::Trace& b) {
  if (a.ranks() != b.ranks()) return fmt::format("{} ranks and {}", a.ranks(), b.ranks());
  std::string text;
  for (const auto& difference : workloads::first_differences(a, b, {}))
    text += fmt::format("rank {}\n- {} ({})\n+ {} ({})\n", difference.rank, difference.a.operation, difference.a.place,
                        difference.b.operation, difference.b.place);
  return text;
}

}  // namespace toroid::test
