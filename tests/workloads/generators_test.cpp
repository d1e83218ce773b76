#include <catch2/catch.hpp>
#include <map>

#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/amounts.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;

TEST_CASE("Every send of a generated trace has its receive") {
  for (const std::string spec : {"stencil", "stencil:grid=5", "stencil:grid=3x4x2,steps=3",
                                 "stencil:grid=2x2,periodic=yes", "stencil:grid=3x1x5x2,periodic=yes"}) {
    CAPTURE(spec);
    CHECK(unmatched_channels(*open_trace(spec)).empty());
  }
}

TEST_CASE("The length of a generated trace is known before it is read, if it has iterations or rounds") {
  for (const std::string spec : {"broadcasts:ranks=5,rounds=40000", "broadcasts:ranks=3,order=at-once,rounds=40000",
                                 "stencil:grid=4x4,periodic=yes,steps=5000"}) {
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    CHECK(about_length(*trace) == Approx(static_cast<double>(summarize(*trace).operations)).epsilon(0.01));
  }
  CHECK(about_length(*open_trace("broadcasts:ranks=4,rounds=1000000000")) == 16e9);
}

TEST_CASE("The matrix of a generated trace is symmetric") {
  for (const std::string spec : {"stencil:grid=3x4x2", "stencil:grid=4x2,periodic=yes", "cg:class=S,iterations=1"}) {
    const auto matrix = point_to_point_matrix(*open_trace(spec));
    std::map<std::pair<Rank, Rank>, std::uint64_t> bytes;
    for (const Rank r : core::ids<Rank>(matrix.rows.size()))
      for (const auto& cell : matrix.rows[r]) bytes[{r, cell.to}] = cell.bytes;
    for (const auto& [pair, sent] : bytes) REQUIRE(bytes[{pair.second, pair.first}] == sent);
  }
}

TEST_CASE("A step of a stencil is exchange, computation and a small sum") {
  CHECK(program(*open_trace("stencil:grid=3,steps=1,bytes=1KiB,flops=2kf"), 1) ==
        Program{"irecv from=2 tag=1 request=0 bytes=1024", "irecv request=1 bytes=1024",
                "isend to=2 request=2 bytes=1024", "isend tag=1 request=3 bytes=1024", "waitall requests=0/1/2/3",
                "compute amount=2000", "allreduce bytes=8"});
}

TEST_CASE("A step of a sharded program has collectives along each axis, the last one first") {
  const auto trace =
      open_trace("sharded:mesh=2x4,all-gather=0/64,all-to-all=0/320,reduce-scatter=10/0,all-reduce=7,flops=9f");
  CHECK(trace->ranks() == 8);
  CHECK(trace->collectives() == CollectiveWorld::torus);
  // Rank 6 is at (1, 2): along the last axis with 4, 5 and 7, along the first with 2.
  std::vector<std::string> kinds;
  std::vector<std::vector<Rank>> members;
  const auto stream = trace->open(6);
  for (Operation op; stream->next(op);) {
    kinds.push_back(fmt::format("{} {}", to_string(op.kind), op.bytes));
    members.emplace_back();
    for (CommRank i = 0; i < trace->communicator(op.comm).size(); ++i)
      members.back().push_back(trace->communicator(op.comm).member(i));
  }
  CHECK(kinds == std::vector<std::string>{"compute 0", "allgather 16", "alltoall 20", "allreduce 7", "reduce_scatter 5",
                                          "allreduce 7"});
  CHECK(members[1] == std::vector<Rank>{4, 5, 6, 7});
  CHECK(members[4] == std::vector<Rank>{2, 6});
  CHECK(error_of_trace("sharded:mesh=2x4,all-gather=1/2/3") ==
        "'sharded:mesh=2x4,all-gather=1/2/3': all-gather: found bytes of 3 axes, expected 1 or 2");
  CHECK(
      error_of_trace("sharded:mesh=2x4,all-gather=1/x") ==
      "'sharded:mesh=2x4,all-gather=1/x': all-gather: 'x' is no number with a unit; expected a size such as 64KiB (B, "
      "kB, MB, GB, KiB, MiB, GiB)");
}

TEST_CASE("A stencil sends one message to each neighbour a step") {
  const auto summary = summarize(*open_trace("stencil:grid=4x4x4,steps=10,bytes=100"));
  CHECK(summary.ranks == 64);
  CHECK(summary.messages == 10 * 2 * 3 * (3 * 16));
  CHECK(summary.bytes == 100 * summary.messages);
  CHECK(summary.partners_min == 3);
  CHECK(summary.partners_max == 6);
  CHECK(summary.partners_mean == 4.5);
  CHECK(summary.flops == 64 * 10 * 1e6);
}

TEST_CASE("On a periodic stencil all ranks have the same neighbours") {
  const auto summary = summarize(*open_trace("stencil:grid=4x4x4,steps=1,periodic=yes"));
  CHECK(summary.messages == 6 * 64);
  CHECK(summary.partners_min == 6);
  CHECK(summary.partners_max == 6);
}

TEST_CASE("A periodic dimension of two ranks has two messages each way, one of one rank none") {
  const auto summary = summarize(*open_trace("stencil:grid=2x1,steps=1,periodic=yes"));
  CHECK(summary.messages == 4);
  CHECK(summary.self_messages == 0);
}

TEST_CASE("The ranks of a stencil run along x first") {
  const auto row = point_to_point_matrix(*open_trace("stencil:grid=3x4x5")).rows[16];  // (1, 1, 1)
  std::vector<Rank> neighbours;
  for (const auto& cell : row) neighbours.push_back(cell.to);
  CHECK(neighbours == std::vector<Rank>{4, 13, 15, 17, 19, 28});
}

TEST_CASE("Broadcasts go to the next rank, the one after, ..., one after the other, unless all at once") {
  CHECK(program(*open_trace("broadcasts:ranks=4,rounds=1,bytes=100,flops=7f"), 3) ==
        Program{"sendrecv from=2 bytes=100", "sendrecv to=1 from=1 bytes=100", "sendrecv to=2 bytes=100",
                "compute amount=7"});
  CHECK(program(*open_trace("broadcasts:ranks=3,rounds=1,bytes=100,order=at-once,flops=0f"), 1) ==
        Program{"irecv request=0 bytes=100", "irecv from=2 request=1 bytes=100", "isend to=2 request=2 bytes=100",
                "isend request=3 bytes=100", "waitall requests=0/1/2/3"});
}

TEST_CASE("In each round of broadcasts every rank sends once to each other") {
  for (const std::string order : {"shift", "at-once"}) {
    CAPTURE(order);
    const auto trace = open_trace("broadcasts:ranks=13,rounds=3,bytes=10,order=" + order);
    const auto matrix = point_to_point_matrix(*trace);
    for (const Rank rank : core::ids<Rank>(13)) {
      REQUIRE(matrix.rows[rank].size() == 12);
      for (const auto& cell : matrix.rows[rank]) CHECK((cell.messages == 3 && cell.bytes == 30));
    }
    CHECK(summarize(*trace).flops == 13 * 3 * 1e5);
    CHECK(test::simulate("mesh:13", *trace, {}, {}, "fluid")["runtime_s"].get<double>() > 0);
  }
  CHECK(program(*open_trace("broadcasts:ranks=1,rounds=2,flops=5f"), 0) ==
        Program{"compute amount=5", "compute amount=5"});
}

// Three ranks in a row, each link 1 byte a second: at once, 2 -> 0 and 1 -> 0 share a link, and so the other way.
TEST_CASE("A round of broadcasts takes as long as its busiest link") {
  const auto seconds = [](const std::string& order) {
    const auto trace = open_trace("broadcasts:ranks=3,rounds=1,bytes=1000,order=" + order);
    return test::simulate("mesh:3,bw=1Bps,lat=0s", *trace, {}, {}, "fluid")["runtime_s"].get<double>();
  };
  CHECK(seconds("at-once") == Approx(2000));
  // First 2 -> 0 over both links backwards while 0 -> 1 -> 2 go forwards; then 0 -> 2 forwards, 1 -> 0 and 2 -> 1 back.
  CHECK(seconds("shift") == Approx(2000));
}

TEST_CASE("A generated trace may have no steps and no computation") {
  CHECK(program(*open_trace("stencil:grid=2,steps=0"), 0).empty());
  CHECK(summarize(*open_trace("stencil:grid=2,flops=0f")).by_kind[static_cast<std::size_t>(OpKind::compute)] == 0);
}

TEST_CASE("A long generated trace is not held in memory") {
  const auto trace = open_trace("stencil:grid=64x64x64,steps=1000000000");
  CHECK(trace->memory_bytes() == 0);
  Operation op;
  CHECK(trace->open(Rank(trace->ranks() - 1))->next(op));
}

TEST_CASE("Operations of a generated trace are located by their number") {
  const auto trace = open_trace("stencil:grid=2x2,steps=1");
  CHECK(trace->locate(3, 4) == "stencil:grid=2x2,steps=1 operation 4");
  CHECK(trace->communicator(world).size() == 4);
}

TEST_CASE("Unknown generators and keys are errors that list the valid ones") {
  CHECK(error_of_trace("nonsense:grid=4") == "nonsense:grid=4: no such file and no such generator" +
                                                 core::valid_instead("nonsense", generators().names()) +
                                                 ", or a trace file");
  CHECK(error_of_trace("cg:grid=4").find("has no key 'grid'; valid: class, ranks, iterations") != std::string::npos);
}

TEST_CASE("Every generator has help, and defaults that it takes") {
  for (const auto& entry : generators().entries()) {
    CHECK_FALSE(entry.help.empty());
    for (const auto& key : entry.parameters)
      CHECK_FALSE((key.help.empty() || key.values.empty() || key.fallback.empty()));
    if (entry.argument.empty()) CHECK(generators().make(entry.name)->ranks() == 64);
  }
}

TEST_CASE("Bad parameters of a stencil are errors") {
  for (const std::string grid : {"0", "4x", "4x0", "-4", "4X4", "a", "5000x5000"}) {
    CAPTURE(grid);
    CHECK(error_of_trace("stencil:grid=" + grid).find("expected extents such as 8x8") != std::string::npos);
  }
  CHECK(error_of_trace("stencil:steps=-1").find("expected a whole number") != std::string::npos);
  CHECK(error_of_trace("stencil:periodic=maybe").find("expected yes or no") != std::string::npos);
  CHECK(error_of_trace("stencil:bytes=1us").starts_with("'stencil:bytes=1us': bytes: "));
  CHECK(error_of_trace("stencil:flops=1GBps").starts_with("'stencil:flops=1GBps': flops: "));
}

TEST_CASE("Sizes of messages that no memory holds are errors") {
  CHECK_FALSE(error_of_trace("stencil:bytes=1e30").empty());
  CHECK_FALSE(error_of_trace("broadcasts:bytes=1e30").empty());
}

}  // namespace
}  // namespace toroid::workloads
