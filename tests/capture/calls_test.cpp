// Programs in C and Fortran that make every kind of call. The traces beside them say operation by operation what their
// sources do.

#include <catch2/catch.hpp>

#include <regex>
#include <set>

#include "tests/capture/captures.hpp"
#include "toroid/workloads/summary.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/dumpi/rank.hpp"
#include "workloads/formats/formats.hpp"

namespace {

using namespace toroid;

std::unique_ptr<workloads::Trace> captured(const test::Scratch& scratch, const std::string& program, int ranks) {
  const auto run = test::capture("", scratch.path("out.trace"), ranks, program);
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return workloads::read_own(scratch.path("out.trace"));
}

}  // namespace

TEST_CASE("calls of C and of Fortran are captured as the operations that they are") {
  if (!test::can_run_mpi()) return;
  const std::string source = GENERATE("kinds.c", "fortran.f90", "fortran2008.f90");
  CAPTURE(source);
  const test::Scratch scratch;
  const auto program = test::build(scratch, source);
  if (program.empty()) return;
  const auto trace = captured(scratch, program, 2);
  const auto expected = workloads::read_own(test::source_folder() + "/tests/capture/programs/" +
                                            source.substr(0, source.find('.')) + ".trace");
  CHECK(test::differences(*expected, *trace) == "");
  CHECK(test::simulate("mesh:2", *trace, {}, {}, "fluid")["runtime_s"] > 0);
}

TEST_CASE("collectives of neighbours are captured as the messages that they are, on all topologies") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "neighbours.c");
  if (program.empty()) return;
  const auto trace = captured(scratch, program, 4), messages = captured(scratch, program + " messages", 4);
  std::string differences;
  for (const auto& one : workloads::first_differences(*messages, *trace, {.tags = false}))
    differences += fmt::format("rank {}: {}, but {}\n", one.rank, one.a.operation, one.b.operation);
  CHECK(differences == "");
  netsim::ReplayOptions none;
  none.compute_scale = 0;
  CHECK(test::simulate("torus:2x2", *trace, none, {}, "fluid")["runtime_s"] ==
        test::simulate("torus:2x2", *messages, none, {}, "fluid")["runtime_s"]);
}

TEST_CASE("where ranks share cores, computation is the time of the processors, and the trace says so") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "sleeps.c");
  if (program.empty()) return;
  const auto capture = [&](const std::string& options, int ranks) {
    const auto run = test::run_script(
        test::open_mpi_settings +
        fmt::format("\ntaskset -c 0 $toroid capture {} -o {} -- mpirun --oversubscribe --bind-to none -n {} {}",
                    options, scratch.path("out.trace"), ranks, program));
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    return run.out + test::run_toroid("trace info " + scratch.path("out.trace")).out;
  };
  const auto shared = capture("", 3);
  CHECK_THAT(shared, Catch::Contains("computation is recorded by --clock cpu, 3 ranks on 1 core: waits for a core do "
                                     "not count as computation\n"));
  CHECK_THAT(shared, Catch::Contains("recorded    by --clock cpu, 3 ranks on 1 core: waits"));
  CHECK_THAT(capture("--clock wall", 3),
             Catch::Contains("recorded    by --clock wall, 3 ranks on 1 core: waits for a core "
                             "count as computation; capture with --clock cpu"));
  const auto alone = capture("", 1);
  CHECK_THAT(alone, Catch::Contains("recorded    by --clock wall, 1 rank on 1 core\n"));
  CHECK_THAT(alone, !Catch::Contains("computation is recorded"));
  // Texts keep it.
  const auto text = scratch.path("other");
  REQUIRE(test::run_toroid("trace convert --to text " + scratch.path("out.trace") + " -o " + text).exit_code == 0);
  CHECK_THAT(test::content(text), Catch::Contains("computation timed clock=wall ranks=1 cores=1\n"));
}

TEST_CASE("calls are captured as they are when UCX transports the messages, which shares other requests") {
  if (!test::can_run_mpi()) return;
  if (test::run_script("ompi_info | grep -q 'MCA pml: ucx'").exit_code != 0) {
    WARN("skipped: this Open MPI has no UCX");
    return;
  }
  const test::Scratch scratch;
  const auto program = test::build(scratch, "kinds.c");
  if (program.empty()) return;
  const auto trace = captured(scratch, "--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any " + program, 2);
  const auto expected = workloads::read_own(test::source_folder() + "/tests/capture/programs/kinds.trace");
  CHECK(test::differences(*expected, *trace) == "");
}

TEST_CASE("a rank whose threads are in MPI at a time is captured as a program that ends") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "threads.c");
  if (program.empty()) return;
  const auto trace = captured(scratch, program, 2);
  const auto summary = workloads::summarize(*trace);
  // 50 rounds of two threads: one there, one back, and one more from each rank.
  CHECK(summary.messages == 50 * 2 * (1 + 1 + 2));
  CHECK(summary.bytes == 50 * (10 + 11 + 20 + 21 + 4 * 30));
  for (const std::string engine : {"fluid", "packet"})
    CHECK(test::simulate("mesh:2", *trace, {}, {}, engine)["runtime_s"] > 0);
}

TEST_CASE("what goes by between calls is captured as computation, by the clock that is asked for") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "sleeps.c");
  if (program.empty()) return;
  const auto computed = [&](const std::string& clock) {
    const auto run = test::capture("--clock " + clock, scratch.path("out.trace"), 1, program);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    const auto trace = workloads::read_own(scratch.path("out.trace"));
    CHECK(trace->computation() == workloads::Computation::timed);
    return workloads::summarize(*trace).flops;
  };
  // It sleeps for a fifth of a second between two barriers, which takes no time of a processor.
  CHECK(computed("wall") > 0.2e9);
  CHECK(computed("cpu") < 0.1e9);
  // What was captured counts, and as long as it took, however fast the machine's cores are.
  REQUIRE(computed("wall") > 0.2e9);
  const auto run = test::run_toroid("simulate mesh:1,speed=100Gf " + scratch.path("out.trace") + " --engine fluid");
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::StartsWith("run time       2") && Catch::Contains(" ms\n") &&
                          Catch::Contains("by all ranks together, as measured"));
}

TEST_CASE("waiting for a message is no computation, and a request that Open MPI replaces is the same") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto program = test::build(scratch, "waits.c");
  if (program.empty()) return;
  const auto summary = workloads::summarize(*captured(scratch, program, 2));
  CHECK(summary.messages == 3 + 1);
  CHECK(summary.bytes == 3U << 20U);
  // One rank sleeps for half a second, the other one probes for what it sends then.
  CHECK(summary.flops > 0.5e9);
  CHECK(summary.flops < 0.9e9);
}

TEST_CASE("every function of MPI is captured, refused, or known to concern its own rank alone") {
  if (!test::can_run_mpi()) return;
  const test::Scratch scratch;
  const auto folder = std::filesystem::path(test::toroid_command()).parent_path().string();
  const auto said =
      test::run_script("nm -D --defined-only " + folder +
                       "/libtoroid_capture.so | awk '{print $3}' | grep '^MPI_'\n"
                       "echo END\nmpicc -E " +
                       scratch.write("header.c", "#include <mpi.h>\n") + " | grep -oE ' MPI_[A-Z][a-z]\\w*\\('\n");
  const auto end = said.out.find("END\n");
  const auto names = [](const std::string& text) {
    std::set<std::string> all;
    const std::regex name("MPI_\\w+");
    for (std::sregex_iterator at(text.begin(), text.end(), name), last; at != last; ++at) all.insert(at->str());
    return all;
  };
  const auto exported = names(said.out.substr(0, end)), declared = names(said.out.substr(end));
  if (declared.empty()) {
    WARN("skipped: there is no mpicc");
    return;
  }
  REQUIRE(exported.size() > 100);
  for (const auto& name : declared) {
    CAPTURE(name);
    // Local ones are captured where a trace begins, and where they take time that is no computation.
    const bool is_local = workloads::dumpi::is_local(name) &&
                          !std::regex_match(name, std::regex("MPI_(Init|Init_thread|Probe|Iprobe|Buffer_detach)"));
    // These need what is refused: a window, a file, another communicator's other side, or the tool interface.
    const bool needs_refused = std::regex_match(
        name,
        std::regex("MPI_(Win_.*|File_.*|T_.*|(R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap|"
                   "Intercomm_merge|Grequest_complete).*)",
                   std::regex::icase));
    CHECK((exported.contains(name) || is_local || needs_refused || name == "MPI_Abort"));
    CHECK_FALSE((exported.contains(name) && is_local));
  }
}
