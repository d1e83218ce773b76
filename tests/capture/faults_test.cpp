// Runs that are no trace: one line that says why, and no file.

#include <catch2/catch.hpp>

#include <filesystem>

#include "tests/capture/captures.hpp"

namespace {

using namespace toroid;

/// One line of ours at the end, and neither a trace nor anything of the raw files.
void check_refused(const test::Scratch& scratch, const test::CommandResult& run, int exit_code,
                   const std::string& text) {
  INFO(run.err);
  CHECK(run.exit_code == exit_code);
  const auto begin = run.err.rfind("toroid: ");
  REQUIRE(begin != std::string::npos);
  const auto line = run.err.substr(begin);
  CHECK(line.find('\n') == line.size() - 1);
  CHECK_THAT(line, Catch::Contains(text));
  CHECK_FALSE(std::filesystem::exists(scratch.path("out.trace")));
}

}  // namespace

TEST_CASE("calls that a trace cannot say are refused by their names") {
  if (!test::can_run_mpi()) return;
  const auto [what, why] =
      GENERATE(table<std::string, std::string>({{"one_sided", ": MPI_Win_create cannot be captured"},
                                                {"files", ": MPI_File_open cannot be captured; --leave-out files"},
                                                {"inter_communicator", ": MPI_Intercomm_create cannot be captured"},
                                                {"cancelled", ": MPI_Cancel cannot be captured"},
                                                {"truncated", ": MPI_Recv failed"}}));
  CAPTURE(what);
  const test::Scratch scratch;
  const auto program = test::build(scratch, "faults.c");
  if (program.empty()) return;
  const auto beyond = scratch.path("beyond");
  const auto run = test::capture("", scratch.path("out.trace"), 2, program + " " + what + " " + beyond);
  check_refused(scratch, run, 2, "no trace of this program: rank ");
  CHECK_THAT(run.err, Catch::Contains(why));
  CHECK_FALSE(std::filesystem::exists(beyond));  // it has ended at that call
}

TEST_CASE("with --leave-out files a program is captured without what it does with files") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "faults.c");
  if (program.empty()) return;
  const auto run =
      test::capture("--leave-out files", scratch.path("out.trace"), 2, program + " files " + scratch.path("written"));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(std::filesystem::file_size(scratch.path("written")) == 16 * sizeof(long));
  const auto info = test::run_toroid("trace info " + scratch.path("out.trace"));
  CHECK_THAT(info.out, Catch::Contains("  barrier                   4\nmessages    0 point-to-point"));
  CHECK(test::run_toroid("simulate mesh:2 " + scratch.path("out.trace") + " --engine fluid").exit_code == 0);
}

TEST_CASE("capture asks for -- before a program that has options of its own") {
  const auto run = test::run_toroid("capture -o x mpirun -n 2 ./f");
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Catch::Contains("put -- before the program: toroid capture ... -- mpirun -n 2 ./f"));
}

TEST_CASE("programs that fail or die leave no trace") {
  if (!test::can_run_mpi()) return;
  const auto [what, code] =
      GENERATE(table<std::string, std::string>({{"aborts", "3"}, {"crashes", "139"}, {"fails", "7"}}));
  CAPTURE(what);
  const test::Scratch scratch;
  const auto program = test::build(scratch, "faults.c");
  if (program.empty()) return;
  check_refused(scratch, test::capture("", scratch.path("out.trace"), 2, program + " " + what), 1,
                "mpirun ended with exit code " + code);
}

TEST_CASE("runs that are not one MPI program leave no trace") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "faults.c");
  if (program.empty()) return;
  const auto check = [&](const std::string& command, int exit_code, const std::string& why) {
    CAPTURE(command);
    check_refused(scratch, test::capture_command(scratch.path("out.trace"), command), exit_code, why);
  };
  check("true", 2, "nothing was recorded: the program has not called MPI_Init, is linked statically");
  check("mpirun -n 2 true", 2, "nothing was recorded");
  check(scratch.path("none"), 2, "cannot be started: No such file or directory");
  check(program + " quits", 2, "rank 0 has not called MPI_Finalize");
  check("bash -c '" + program + "; " + program + "'", 2, "more than one MPI program has run");
  const auto lasting = test::build(scratch, "sleeps.c");
  check("bash -c '" + lasting + " & sleep 0.05; " + lasting + "; wait'", 2, "more than one MPI program has run");
  // What a full disk does, too: a write fails.
  check("bash -c 'trap \"\" XFSZ; ulimit -f 4096; " + program + " many'", 2, "rank 0 could not be recorded: ");
}

TEST_CASE("capture is refused before the program runs if its output cannot be written, or there is no library") {
  const test::Scratch scratch;
  const auto started = "touch " + scratch.path("started");
  check_refused(scratch, test::capture_command(scratch.path("none/out.trace"), started), 2, "cannot be written");
  check_refused(scratch, test::capture_command("-", started), 2, "expected a file");
  std::filesystem::copy_file(test::toroid_command(), scratch.path("toroid"));  // without what lies beside it
  check_refused(
      scratch, test::run_script(scratch.path("toroid") + " capture -o " + scratch.path("out.trace") + " -- " + started),
      2, "libtoroid_capture.so cannot be loaded: ");
  CHECK_FALSE(std::filesystem::exists(scratch.path("started")));
}

TEST_CASE("a pipe is opened once, before the program runs, and gets the trace") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "faults.c");
  if (program.empty()) return;
  const auto in_folder = "cd " + scratch.path("") + "; mkfifo pipe; ";
  const auto run = test::run_script(in_folder + test::open_mpi_settings +
                                    "; cat pipe > got.trace & $toroid capture -o pipe -- "
                                    "mpirun -n 2 " +
                                    program + " fine > said; code=$?; wait; exit $code");
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(test::run_toroid("trace info " + scratch.path("got.trace")).exit_code == 0);
}

TEST_CASE("capture waits for the reader of a pipe before it runs the program, and says so") {
  const test::Scratch scratch;
  const auto run = test::run_script("cd " + scratch.path("") +
                                    "; mkfifo pipe; $toroid capture -o pipe -- touch started 2> said & toroid=$!\n"
                                    "for i in {1..400}; do [ -s said ] && break; sleep 0.01; done; sleep 0.1\n"
                                    "kill $toroid; cat said; ls");
  CHECK_THAT(run.out, Catch::Contains("pipe: a pipe that nobody reads yet: waiting for its reader"));
  CHECK_THAT(run.out, !Catch::Contains("started"));
}

TEST_CASE("capture writes neither to the program's standard output nor over what it runs") {
  const test::Scratch scratch;
  const auto tool = scratch.write("tool", "#!/bin/sh\ntouch started\n");
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  for (const std::string arguments : {"-o /dev/stdout -- ./tool", "-o /dev/fd/1 -- ./tool", "-o tool -- ./tool",
                                      "-o tool -- env ./tool", "-o link -- ./tool"}) {
    CAPTURE(arguments);
    const auto run = test::run_script("cd " + scratch.path("") + "; ln -sf tool link; $toroid capture " + arguments);
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, Catch::Contains("expected a file") || Catch::Contains("is an input of this run"));
    CHECK(test::content(tool) == "#!/bin/sh\ntouch started\n");
    CHECK_FALSE(std::filesystem::exists(scratch.path("started")));
  }
}

TEST_CASE("a signal that ends capture ends the program, and nothing is left") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto folder = scratch.path("temporary");
  std::filesystem::create_directory(folder);
  const auto run =
      test::run_script("export TMPDIR=" + folder + "\n$toroid capture -o " + scratch.path("out.trace") +
                       " -- sleep 50 & sleep 1; ls -d " + folder + "/toroid-capture-*; kill -TERM $!; wait $!");
  CHECK_THAT(run.out, Catch::Contains("toroid-capture-"));
  check_refused(scratch, run, 1, "sleep was ended by signal 15");
  CHECK(std::filesystem::is_empty(folder));
}
