// Random programs, played by MPI: what is captured is what was played.

#include <catch2/catch.hpp>

#include "tests/capture/captures.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/formats/formats.hpp"

namespace {

using namespace toroid;
using namespace toroid::workloads;

void write(const Trace& trace, const std::string& path) {
  core::OutputSet outputs;
  write_own(trace, outputs, path);
  outputs.commit();
}

/// Captures what tests/capture/programs/play does with a trace, and what it says that it did.
struct Played {
  std::unique_ptr<Trace> captured, done;
};

/// The ranks of several traces, each of which has one.
std::unique_ptr<Trace> joined(const std::string& path, std::int32_t ranks) {
  auto all = std::make_unique<CompactTrace>(ranks);
  for (const Rank rank : core::ids<Rank>(ranks)) {
    const auto one = read_own(path + "." + std::to_string(rank.value()));
    std::map<CommId, CommId> comms{{world, world}};
    Operation op;
    for (const auto stream = one->open(rank); stream->next(op);) {
      const auto [known, is_new] = comms.emplace(op.comm, world);
      if (is_new) known->second = all->add_communicator(one->communicator(op.comm));
      op.comm = known->second;
      all->add(rank, op);
    }
  }
  all->finish();
  return all;
}

Played play(const test::Scratch& scratch, const Trace& trace) {
  write(trace, scratch.path("in.trace"));
  const auto run =
      test::capture("", scratch.path("out.trace"), trace.ranks(),
                    fmt::format("{} {} {}", test::play_program(), scratch.path("in.trace"), scratch.path("done")));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return {read_own(scratch.path("out.trace")), joined(scratch.path("done"), trace.ranks())};
}

/// On any machine: what is captured ends.
void check_replays(const Trace& trace) {
  for (const std::string engine : {"fluid", "simgrid"})
    CHECK(test::simulate("torus:2x2", trace, {}, {}, engine)["runtime_s"] > 0);
}

}  // namespace

TEST_CASE("what random programs of MPI do is captured: all kinds of calls, communicators, waits as they ended") {
  if (!test::can_run_mpi()) return;
  const auto seed = GENERATE(range(1, 5));
  CAPTURE(seed);
  core::Random random(static_cast<std::uint64_t>(seed), "capture");
  const auto program = random_program(random, {.events = 150, .all_kinds = true});
  const test::Scratch scratch;
  const auto played = play(scratch, *program);
  CHECK(test::differences(*played.done, *played.captured) == "");
  check_replays(*played.captured);
}

TEST_CASE("a program that leaves nothing to MPI is captured as it is written") {
  if (!test::can_run_mpi()) return;
  const auto seed = GENERATE(range(1, 3));
  CAPTURE(seed);
  core::Random random(static_cast<std::uint64_t>(seed), "capture");
  const auto program = random_program(random, {.events = 150, .uncertain = false});
  const test::Scratch scratch;
  CHECK(test::differences(*program, *play(scratch, *program).captured) == "");
}

TEST_CASE("generated programs that MPI plays are captured as the generators say") {
  if (!test::can_run_mpi()) return;
  const std::string name =
      GENERATE("stencil:grid=2x2,steps=3", "cg:class=S,ranks=4,iterations=2", "ft:class=S,ranks=4,iterations=2",
               "is:class=S,ranks=4,iterations=1", "lu:class=S,ranks=4,iterations=1");
  CAPTURE(name);
  const auto trace = open_trace(name);
  const test::Scratch scratch;
  CHECK(test::differences(*trace, *play(scratch, *trace).captured) == "");
}
