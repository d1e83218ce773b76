// miniGhost against recorded runs where these are present, miniGhost and LULESH against numbers worked out by hand.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;

std::uint64_t count_of(const TraceSummary& summary, OpKind kind) {
  return summary.by_kind[static_cast<std::size_t>(kind)];
}

/// The operations of a rank between two of a kind: from the `from`-th (0, 1, ...) to before the next.
Program part_of(const Trace& trace, Rank rank, const std::string& begins_with, int from) {
  Program part;
  int at = -1;
  for (const auto& line : program(trace, rank)) {
    at += line.starts_with(begins_with) ? 1 : 0;
    if (at == from) part.push_back(line);
  }
  return part;
}

TEST_CASE("miniGhost is the program that was recorded") {
  for (const auto& [ranks, grid] : std::map<int, std::string>{{16, "2x4x2"}, {64, "4x8x2"}}) {
    const auto path = test::shared_data(fmt::format("traces/miniGhost.{}.{}/trace.ti.zst", grid, ranks));
    if (path.empty()) return;
    CAPTURE(grid);
    const auto recorded = open_trace(path);
    CHECK(first_differences(*recorded, *open_trace("minighost:grid=" + grid), {}).size() == 0);
    CHECK(first_differences(*recorded, *open_trace(fmt::format("minighost:ranks={}", ranks)), {}).size() == 0);
    const auto flops = summarize(*open_trace("minighost:grid=" + grid)).flops;
    CHECK(flops == Approx(summarize(*recorded).flops).epsilon(0.1));
  }
}

// 4 x 8 x 2 ranks have 3*8*2 + 4*7*2 + 4*8 pairs of neighbours; a face has 34 x 34 points.
TEST_CASE("miniGhost sends all variables in a message, or each in one of its own") {
  const auto pairs = 48 + 56 + 32;
  const auto bspma = summarize(*open_trace("minighost")), svaf = summarize(*open_trace("minighost:method=svaf"));
  CHECK(bspma.messages == 20 * 2 * pairs);
  CHECK(bspma.bytes == bspma.messages * 5 * 34 * 34 * 8);
  CHECK(svaf.messages == 5 * bspma.messages);
  CHECK(svaf.bytes == bspma.bytes);
  CHECK(svaf.flops == Approx(bspma.flops));
  CHECK(count_of(svaf, OpKind::allreduce) == count_of(bspma, OpKind::allreduce));
  CHECK(count_of(bspma, OpKind::allreduce) == 64 * (1 + 20 * 5 + 5));
  CHECK(count_of(summarize(*open_trace("minighost:sums=2")), OpKind::allreduce) == 64 * (1 + 20 * 2 + 5));
}

TEST_CASE("Faces of miniGhost have the points of two axes, and a frame") {
  // In the middle of 3 x 3 x 3: 13, with 13 +- 1 along x, 3 along y, 9 along z.
  const auto trace = open_trace("minighost:grid=3x3x3,points=8x18x28,variables=1,steps=1,sums=0,face=0f");
  const auto begin = part_of(*trace, 13, "allreduce", 0);
  CHECK(begin[1] == "irecv from=4 tag=6000 request=4 bytes=1600");   // z - 1: 10 x 20 points
  CHECK(begin[2] == "irecv from=22 tag=5000 request=5 bytes=1600");  // z + 1
  CHECK(begin[3] == "irecv from=14 tag=4000 request=2 bytes=4800");  // x + 1: 20 x 30
  CHECK(begin[4] == "irecv from=12 tag=3000 request=3 bytes=4800");  // x - 1
  CHECK(begin[5] == "irecv from=16 tag=2000 request=0 bytes=2400");  // y + 1: 10 x 30
  CHECK(begin[7] == "isend to=4 tag=5000 request=10 bytes=1600");
}

TEST_CASE("Stencils with corners exchange along one axis after the other") {
  const auto trace = open_trace("minighost:grid=2x2x2,points=8x8x8,variables=1,steps=1,sums=0,stencil=3d27pt,face=0f");
  const auto begin = part_of(*trace, 0, "allreduce", 0);
  CHECK(Program(begin.begin() + 1, begin.begin() + 13) ==
        Program{"irecv from=2 tag=2000 request=0 bytes=800", "isend to=2 tag=1000 request=6 bytes=800",
                "wait request=0", "wait request=6", "irecv from=1 tag=4000 request=2 bytes=800",
                "isend to=1 tag=3000 request=8 bytes=800", "wait request=2", "wait request=8",
                "irecv from=4 tag=5000 request=5 bytes=800", "isend to=4 tag=6000 request=11 bytes=800",
                "wait request=5", "wait request=11"});
}

TEST_CASE("miniGhost runs on all grids of the published experiments, and on others") {
  for (const auto& [ranks, grid] : std::map<int, std::string>{
           {4, "1x4x1"}, {32, "2x8x2"}, {128, "4x8x4"}, {512, "8x16x4"}, {1024, "8x16x8"}, {4096, "16x32x8"}}) {
    const auto trace = open_trace(fmt::format("minighost:ranks={},steps=1", ranks));
    CHECK(first_differences(*trace, *open_trace("minighost:steps=1,grid=" + grid), {}).empty());
    if (ranks <= 128) CHECK(unmatched_channels(*trace).empty());
  }
  for (const std::string method : {"bspma", "svaf"})
    for (const std::string stencil : {"2d5pt", "2d9pt", "3d7pt", "3d27pt"}) {
      const auto trace =
          open_trace(fmt::format("minighost:grid=3x2x2,points=9x8x7,method={},stencil={},steps=2", method, stencil));
      CAPTURE(method, stencil);
      CHECK(unmatched_channels(*trace).empty());
      CHECK(test::simulate("torus:12", *trace, {}, {}, "fluid")["runtime_s"].get<double>() > 0);
    }
  CHECK(error_of_trace("minighost:ranks=48").find("expected 4, 8, 16") != std::string::npos);
  CHECK(error_of_trace("minighost:ranks=64,grid=4x8x2").find("either ranks or grid") != std::string::npos);
}

/// Size -> how many of the messages that a rank sends with a tag, in a step.
std::map<std::uint64_t, int> sent_in_step(const std::string& spec, Rank rank, int tag) {
  std::map<std::uint64_t, int> sizes;
  for (const int steps : {2, 1}) {
    const auto trace = open_trace(fmt::format("{},steps={}", spec, steps));
    const auto stream = trace->open(rank);
    for (Operation op; stream->next(op);)
      if (is_send(op.kind) && op.tag == tag) sizes[op.bytes] += steps == 2 ? 1 : -1;
  }
  std::erase_if(sizes, [](const auto& entry) { return entry.second == 0; });
  return sizes;
}

// 4 x 4 x 4 ranks of 8 x 8 x 8 elements: 9 x 9 nodes on a face. Rank 21 is (1, 1, 1): it has all 26 neighbours.
TEST_CASE("LULESH sends faces, edges and corners to 26 neighbours") {
  const std::string spec = "lulesh:ranks=64,elements=8";
  using Sizes = std::map<std::uint64_t, int>;
  CHECK(sent_in_step(spec, 21, 1024) == Sizes{{3 * 81 * 8, 6}, {3 * 9 * 8, 12}, {3 * 8, 8}});
  // Positions only go to neighbours with lower numbers.
  CHECK(sent_in_step(spec, 21, 2048) == Sizes{{6 * 81 * 8, 3}, {6 * 9 * 8, 6}, {6 * 8, 4}});
  CHECK(sent_in_step(spec, 21, 3072) == Sizes{{3 * 64 * 8, 6}});
  CHECK(sent_in_step(spec, 0, 1024) == Sizes{{3 * 81 * 8, 3}, {3 * 9 * 8, 3}, {3 * 8, 1}});
  CHECK(sent_in_step(spec, 0, 2048).empty());
  CHECK(sent_in_step(spec, 63, 2048) == Sizes{{6 * 81 * 8, 3}, {6 * 9 * 8, 3}, {6 * 8, 1}});
}

TEST_CASE("LULESH runs on cubes of ranks") {
  for (const int ranks : {1, 8, 27, 64}) {
    const auto trace = open_trace(fmt::format("lulesh:ranks={},elements=4,steps=2", ranks));
    CAPTURE(ranks);
    CHECK(unmatched_channels(*trace).empty());
    const auto summary = summarize(*trace);
    CHECK(count_of(summary, OpKind::allreduce) == static_cast<std::uint64_t>(ranks));  // the first step has none
    CHECK(summary.flops == Approx(ranks * 2 * 64 * 1000.0));
    CHECK(test::simulate(fmt::format("torus:{}", ranks), *trace, {}, {}, "fluid").contains("runtime_s"));
  }
  CHECK(error_of_trace("lulesh:ranks=36").find("expected a cube") != std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads
