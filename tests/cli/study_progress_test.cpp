// How a study goes on: workers, ranks of MPI, and the journal, from which it goes on after a stop.

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "core/inputs.hpp"
#include "tests/cli/small_study.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

TEST_CASE("the number of workers does not change a byte") {
  CHECK(run_toroid(test::small_study + " --workers 1 --json -").out ==
        run_toroid(test::small_study + " --workers 4 --json -").out);
}

TEST_CASE("a stopped study goes on where it stopped") {
  const test::Scratch scratch;
  // A run that fails costs itself alone: the others are in the journal.
  const auto trace = scratch.write("deadlock.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto failing = "compare mesh:2 --trace " + trace +
                       " stencil:grid=2,flops=0f --map consecutive --no-verify --csv " + scratch.path("f.csv");
  const auto r = run_toroid(failing);
  CHECK(r.exit_code == 1);
  CHECK_THAT(r.err, Catch::Contains("1 of 2 runs failed, the first on mesh:2 with " + trace +
                                    ", map consecutive, repetition 0: ") &&
                        Catch::Contains("deadlock"));
  CHECK_THAT(content(scratch.path("f.csv")), Catch::Contains("deadlock: 2 of 2"));
  const auto journal = content(scratch.path("f.csv.journal"));
  CHECK(std::count(journal.begin(), journal.end(), '\n') == 2);
  // An unfinished line at its end is dropped.
  std::ofstream(scratch.path("f.csv.journal"), std::ios::app) << "{\"run\": 1, \"res";
  CHECK(run_toroid(failing).exit_code == 1);
  CHECK(content(scratch.path("f.csv.journal")) == journal);
}

TEST_CASE("what is known from a journal is not run again, and a larger study adds to it") {
  const test::Scratch scratch;
  const auto command = [&](const std::string& rest) {
    return "compare mesh:2x2 --trace stencil:grid=2x2,flops=0f --no-verify --csv " + scratch.path("o.csv") + rest;
  };
  REQUIRE(run_toroid(command(" --map random --repeat 2")).exit_code == 0);
  // What a known result says comes out, if it was changed.
  auto journal = content(scratch.path("o.csv.journal"));
  // Its second line, with the checksum that it then has, below its head.
  const auto head = journal.substr(0, journal.find('\n') - 17);
  const auto start = journal.find('\n') + 1, end = journal.find('\n', start);
  auto line = journal.substr(start, end - start - 17);
  const auto at = line.find("\"runtime_s\":");
  REQUIRE(at != std::string::npos);
  line.replace(at, line.find(',', at) - at, "\"runtime_s\":123.5");
  journal.replace(start, end - start, line + " " + core::sha256_of_text(head + line).substr(0, 16));
  std::ofstream(scratch.path("o.csv.journal")) << journal;
  REQUIRE(run_toroid(command(" --map consecutive random --repeat 5")).exit_code == 0);
  const auto grown = content(scratch.path("o.csv.journal"));
  CHECK_THAT(grown, Catch::StartsWith(journal));
  CHECK(std::count(grown.begin(), grown.end(), '\n') == 1 + 2 + 4);
  CHECK_THAT(content(scratch.path("o.csv")), Catch::Contains("123.5"));
  // The same again runs nothing, other settings run anew, and a smaller study is one.
  const auto whole = content(scratch.path("o.csv"));
  REQUIRE(run_toroid(command(" --map consecutive random --repeat 5")).exit_code == 0);
  CHECK(content(scratch.path("o.csv.journal")) == grown);
  CHECK(content(scratch.path("o.csv")) == whole);
  REQUIRE(run_toroid(command(" --map random --repeat 2 --eager 1MiB")).exit_code == 0);
  CHECK_THAT(content(scratch.path("o.csv")), !Catch::Contains("123.5"));
  REQUIRE(run_toroid(command(" --map random --repeat 1")).exit_code == 0);
  CHECK(std::count(whole.begin(), whole.end(), '\n') == 7);
}

TEST_CASE("a study under mpirun gives the same bytes") {
  if (std::system("command -v mpirun >/dev/null") != 0) {
    WARN("skipped: there is no mpirun");
    return;
  }
  const test::Scratch scratch;
  const auto command =
      std::string("ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root --oversubscribe -np 3 ") +
      test::toroid_command() + " " + test::small_study + " --workers 1 --json " + scratch.path("mpi.json") +
      " >/dev/null 2>" + scratch.path("err");
  const int status = std::system(command.c_str());
  INFO(content(scratch.path("err")));
  REQUIRE(status == 0);
  CHECK(content(scratch.path("mpi.json")) == run_toroid(test::small_study + " --workers 2 --json -").out);
}

TEST_CASE("MPI is needed under mpirun alone, by studies of several ranks") {
  const test::Scratch scratch;
  const auto program = scratch.path("toroid");
  std::filesystem::copy_file(test::toroid_command(), program);  // without what lies beside it
  const auto study = program + " " + test::small_study + " --no-verify";
  CHECK(test::run_script(study).exit_code == 0);
  CHECK(test::run_script("OMPI_COMM_WORLD_SIZE=1 " + study).exit_code == 0);
  CHECK(test::run_script("PMIX_RANK=0 " + program + " simulate mesh:4 stencil:grid=4 --engine fluid").exit_code == 0);
  for (const std::string launcher : {"OMPI_COMM_WORLD_SIZE=2 ", "PMI_SIZE=12 ", "PMIX_RANK=0 "}) {
    const auto r = test::run_script(launcher + study);
    CHECK(r.exit_code == 2);
    CHECK_THAT(r.err,
               Catch::StartsWith("toroid: under mpirun (package toroid-mpi): libtoroid_mpi.so cannot be loaded: "));
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}

TEST_CASE("ranks may have different numbers of workers") {
  if (std::system("command -v mpirun >/dev/null") != 0) return;
  const test::Scratch scratch;
  const auto plain = run_toroid(test::small_study + " --workers 2 --json -").out;
  for (const auto& [first, second] : {std::pair{1, 3}, std::pair{3, 1}}) {
    const auto rank = [&](int jobs) {
      return fmt::format("-np 1 {} {} --workers {} --json {}", test::toroid_command(), test::small_study, jobs,
                         scratch.path("mpi.json"));
    };
    const auto command = fmt::format(
        "ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root --oversubscribe {} : {} >/dev/null 2>&1",
        rank(first), rank(second));
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(content(scratch.path("mpi.json")) == plain);
  }
}

TEST_CASE("a study that cannot be written is refused before it runs, under mpirun too", "[slow]") {
  const auto plain = run_toroid(test::small_study + " --csv /no/such/folder/x.csv");
  CHECK(plain.exit_code == 2);
  CHECK_THAT(plain.err, Catch::Contains("cannot be written"));
  if (std::system("command -v mpirun >/dev/null") != 0) return;
  const auto command =
      std::string("ASAN_OPTIONS=detect_leaks=0 timeout 30 mpirun --allow-run-as-root --oversubscribe -np 2 ") +
      test::toroid_command() + " " + test::small_study + " --csv /no/such/folder/x.csv >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
}

TEST_CASE("a trace that changes is run again") {
  const test::Scratch scratch;
  const auto part = scratch.write("r0.ti", "0 send 1 0 8 6\n");
  const auto top = scratch.write("top", "r0.ti\n" + scratch.write("r1.ti", "1 recv 0 0 8 6\n") + "\n");
  const auto command =
      "compare mesh:2 --trace " + top + " --map consecutive --no-verify --csv " + scratch.path("o.csv");
  REQUIRE(run_toroid(command).exit_code == 0);
  const auto before = content(scratch.path("o.csv"));
  scratch.write("r0.ti", "0 send 1 0 80000 6\n");
  REQUIRE(run_toroid(command).exit_code == 0);
  CHECK(content(scratch.path("o.csv")) != before);
}

TEST_CASE("a file that is no journal is left alone") {
  const test::Scratch scratch;
  scratch.write("o.csv.journal", "my notes\n");
  const auto r = run_toroid("compare mesh:2 --trace stencil:grid=2 --map consecutive --csv " + scratch.path("o.csv"));
  CHECK(r.exit_code == 2);
  CHECK(content(scratch.path("o.csv.journal")) == "my notes\n");
}
