// Puts and fences in programs: what is done with them besides the replay by hand in tests/netsim.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "tests/workloads/operations.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;

TEST_CASE("Random programs with puts end, with all that they send, and alike each time") {
  core::Random random(5, "test/puts");
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const auto ranks = 2 + static_cast<std::int32_t>(random.below(6));
    const auto trace = random_program(random, {.ranks = ranks, .events = 80, .uncertain = false, .puts = true});
    netsim::ReplayOptions options;
    options.eager_threshold = 1000;
    const auto result = test::simulate("torus:2x4", *trace, options, {}, "fluid");
    const auto matrix = communication_matrix(*trace, options.collectives);
    CHECK(result["network_messages"] == matrix.total_messages());
    CHECK(result["network_bytes"] == matrix.total_bytes());
    CHECK(test::simulate("torus:2x4", *trace, options, {}, "fluid")["runtime_s"] == result["runtime_s"]);
    for (const std::string engine : {"packet", "simgrid"})
      CHECK(test::simulate("torus:2x4", *trace, options, {}, engine)["runtime_s"] > 0);
  }
}

TEST_CASE("Programs with puts in our own form are read as they were written") {
  core::Random random(6, "test/puts/own");
  for (int round = 0; round < 20; ++round) {
    const auto trace = random_program(random, {.puts = true});
    const test::Scratch scratch;
    const auto path = scratch.path("t.trace");
    core::OutputSet outputs;
    write_own(*trace, outputs, path);
    outputs.commit();
    CHECK(first_differences(*trace, *open_trace(path), {true, 0, true}).empty());
  }
}

std::unique_ptr<CompactTrace> put_then_fence(Rank to, std::uint64_t bytes) {
  auto trace = std::make_unique<CompactTrace>(3);
  trace->add(0, {.kind = OpKind::put, .to = to.value(), .bytes = bytes});
  for (const Rank rank : core::ids<Rank>(3)) trace->add(rank, {.kind = OpKind::fence});
  trace->finish();
  return trace;
}

TEST_CASE("Puts differ by their targets and bytes") {
  const auto one = put_then_fence(1, 10);
  CHECK(first_differences(*one, *put_then_fence(1, 10), {}).empty());
  const auto other_target = first_differences(*one, *put_then_fence(2, 10), {});
  REQUIRE(other_target.size() == 1);
  CHECK(other_target[0].a.operation == "put to 1 of 3 ranks, 10 bytes");
  CHECK(other_target[0].b.operation == "put to 2 of 3 ranks, 10 bytes");
  CHECK(first_differences(*one, *put_then_fence(1, 11), {}).size() == 1);
}

TEST_CASE("Puts count as messages") {
  const auto trace = put_then_fence(2, 10);
  CHECK(point_to_point_matrix(*trace).total_bytes() == 10);
  CHECK(point_to_point_matrix(*trace).rows[0][0].to == 2);
  const auto summary = summarize(*trace);
  CHECK(summary.messages == 1);
  CHECK(summary.bytes == 10);
  // The fence is a barrier besides.
  CHECK(communication_matrix(*trace, {}).total_messages() > 1);
}

TEST_CASE("The time-independent format cannot say a put") {
  const test::Scratch scratch;
  core::OutputSet outputs;
  const auto error = test::error_of([&] { write_ti(*put_then_fence(1, 10), outputs, scratch.path("t.ti")); });
  CHECK_THAT(error,
             Catch::EndsWith("rank 0: put of one-sided communication: the time-independent format cannot say that"));
}

TEST_CASE("The stencil with puts tells each neighbour as many bytes as with messages") {
  const auto matrix = [](const std::string& spec) { return point_to_point_matrix(*open_trace(spec)); };
  const auto sent = matrix("stencil:grid=3x4,steps=3"), put = matrix("stencil:grid=3x4,steps=3,method=put");
  CHECK(matrix_csv(sent, false) == matrix_csv(put, false));
  CHECK(matrix_csv(sent, true) == matrix_csv(put, true));
}

}  // namespace
}  // namespace toroid::workloads
