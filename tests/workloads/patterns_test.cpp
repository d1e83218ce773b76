// Programs that are patterns more than programs, against the definitions of the patterns.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/diff.hpp"

namespace toroid::workloads {
namespace {

using Bytes = std::map<std::pair<int, int>, std::uint64_t>;

Bytes bytes_of(const Trace& trace) {
  Bytes bytes;
  const auto matrix = point_to_point_matrix(trace);
  for (const Rank rank : core::ids<Rank>(trace.ranks()))
    for (const auto& cell : matrix.rows[rank]) bytes[{rank.value(), cell.to.value()}] = cell.bytes;
  return bytes;
}

/// Receiver of each rank's messages: the first one's.
std::vector<int> receivers(const std::string& spec) {
  const auto trace = open_trace(spec);
  std::vector<int> found;
  for (const Rank rank : core::ids<Rank>(trace->ranks())) {
    const auto stream = trace->open(rank);
    for (Operation op; stream->next(op);)
      if (op.kind == OpKind::send) {
        found.push_back(op.to);
        break;
      }
  }
  return found;
}

double runtime(const std::string& platform, const Trace& trace, double compute_scale = 0) {
  netsim::ReplayOptions options;
  options.compute_scale = compute_scale;
  return test::simulate(platform, trace, options, {}, "fluid")["runtime_s"].get<double>();
}

// Every element goes from the rank that has it to the one that has its mirror image.
TEST_CASE("PTRANS sends each element of the matrix where its transposed one is") {
  for (const auto& [rows, columns, order, block] : std::vector<std::array<int, 4>>{{1, 1, 9, 2},
                                                                                   {2, 2, 16, 2},
                                                                                   {2, 3, 17, 3},
                                                                                   {3, 2, 30, 4},
                                                                                   {4, 6, 50, 3},
                                                                                   {4, 4, 33, 5},
                                                                                   {1, 5, 21, 2},
                                                                                   {8, 2, 64, 4},
                                                                                   {3, 3, 2, 1}}) {
    CAPTURE(rows, columns, order, block);
    const auto owner = [&, r = rows, c = columns, b = block](int i, int j) { return i / b % r * c + j / b % c; };
    Bytes expected;
    for (int i = 0; i < order; ++i)
      for (int j = 0; j < order; ++j)
        if (owner(i, j) != owner(j, i)) expected[{owner(i, j), owner(j, i)}] += 8;
    const auto trace =
        open_trace(fmt::format("ptrans:grid={}x{},order={},block={},steps=1", rows, columns, order, block));
    CHECK(bytes_of(*trace) == expected);
    CHECK(unmatched_channels(*trace).empty());
    CHECK(runtime(fmt::format("mesh:{}", rows * columns), *trace) >= 0);
  }
  CHECK(error_of_trace("ptrans:grid=8").find("expected rows and columns") != std::string::npos);
}

// 32^3 complex numbers of 16 bytes; a rank has the 64th part of them.
TEST_CASE("Slabs are transposed by all ranks, pencils by the rows and columns of a grid") {
  const auto alltoalls = [](const Trace& trace, Rank rank) {
    std::vector<std::array<std::uint64_t, 4>> found;  // first member, last member, members, bytes to each
    const auto stream = trace.open(rank);
    for (Operation op; stream->next(op);)
      if (op.kind == OpKind::alltoall) {
        const auto& comm = trace.communicator(op.comm);
        found.push_back({comm.member(0).index(), comm.member(comm.size() - 1).index(),
                         static_cast<std::uint64_t>(comm.size()), op.bytes});
      }
    return found;
  };
  const std::uint64_t field = 32 * 32 * 32 * 16 / 64;
  const std::array<std::uint64_t, 4> row{16, 31, 16, field / 16}, column{5, 53, 4, field / 4};
  const auto slabs = open_trace("fft:points=64x64x64,grid=1x64,fields=2,steps=3");
  CHECK(alltoalls(*slabs, 21) == std::vector(3 * 2 * 2, std::array<std::uint64_t, 4>{0, 63, 64, 8 * field / 64}));
  const auto pencils = open_trace("fft:points=32x32x32,grid=4x16,fields=1,steps=1");
  CHECK(alltoalls(*pencils, 21) == std::vector{row, column, column, row});
  CHECK(alltoalls(*open_trace("fft:points=32x32x64,grid=1x32,fields=1,steps=1"), 3).size() == 2);
  CHECK(runtime("torus:8x8", *pencils) > 0);
  CHECK(summarize(*pencils).flops == Approx(300.0 * 32 * 32 * 32));
  CHECK(summarize(*slabs).flops == Approx(300.0 * 64 * 64 * 64 * 2 * 3));
  CHECK(error_of_trace("fft:points=512x512x512,grid=1x192").find("512 points along y cannot be divided") !=
        std::string::npos);
  CHECK(error_of_trace("fft:points=384x384x384,grid=1x192").empty());
  CHECK(error_of_trace("fft:points=24x32x32,grid=2x16").find("24 points along x") != std::string::npos);
  CHECK(error_of_trace("fft:points=64x64").find("three axes") != std::string::npos);
}

TEST_CASE("Proxies send as many forces as they get positions") {
  for (const std::string spec : {"namd:ranks=64,steps=1", "namd:ranks=1000,patches=3x3x2,steps=1",
                                 "namd:ranks=5,steps=1", "namd:ranks=8,patches=2x1x1,steps=1"}) {
    CAPTURE(spec);
    const auto trace = open_trace(spec);
    const auto bytes = bytes_of(*trace);
    for (const auto& [pair, sent] : bytes) {
      CHECK(sent % 24 == 0);
      REQUIRE(bytes.at({pair.second, pair.first}) == sent);
    }
    CHECK(unmatched_channels(*trace).empty());
    CHECK(runtime(fmt::format("torus:{}", trace->ranks()), *trace, 1) > 0);
    CHECK(summarize(*trace).flops == Approx(92224 * 20e3));
  }
  CHECK(bytes_of(*open_trace("namd:ranks=1,steps=2")).empty());
}

// A patch a rank: the home of each patch lends it, if at all, to homes of patches that touch it, and gets theirs.
TEST_CASE("With a rank for each patch, neighbours in space are neighbours in the program") {
  const auto trace = open_trace("namd:ranks=125,patches=5x5x5,steps=1,spread=0,atoms=12500");
  std::uint64_t pairs = 0;
  for (const auto& [pair, sent] : bytes_of(*trace)) {
    const auto apart = [&, p = pair](int stride) {
      const int d = std::abs(p.first / stride % 5 - p.second / stride % 5);
      return std::min(d, 5 - d);
    };
    CHECK((apart(1) <= 1 && apart(5) <= 1 && apart(25) <= 1));
    CHECK(sent == 24 * 100);  // one of both has the compute of the two
    ++pairs;
  }
  CHECK(pairs == 125 * 26);
  const auto other = open_trace("namd:ranks=125,patches=5x5x5,steps=1,spread=0,atoms=12500,seed=2");
  CHECK_FALSE(first_differences(*trace, *other, {}).empty());
}

TEST_CASE("The receivers of permutations are those of the book") {
  const auto of = [](const std::string& pattern, const std::string& grid) {
    return receivers(fmt::format("traffic:pattern={},grid={},messages=1", pattern, grid));
  };
  CHECK(of("neighbour", "4x2") == std::vector{5, 6, 7, 4, 1, 2, 3, 0});
  CHECK(of("tornado", "8") == std::vector{3, 4, 5, 6, 7, 0, 1, 2});
  CHECK(of("tornado", "5") == std::vector{2, 3, 4, 0, 1});
  CHECK(of("transpose", "3x2") == std::vector{0, 2, 4, 1, 3, 5});
  CHECK(of("bit-complement", "8") == std::vector{7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(of("bit-reverse", "8") == std::vector{0, 4, 2, 6, 1, 5, 3, 7});
  CHECK(of("shuffle", "8") == std::vector{0, 2, 4, 6, 1, 3, 5, 7});
  const auto transposed = of("transpose", "8x8");
  for (int rank = 0; rank < 64; ++rank) CHECK(transposed[static_cast<std::size_t>(rank)] == rank % 8 * 8 + rank / 8);
  for (const std::string pattern : {"random", "neighbour", "tornado", "transpose", "bit-complement"})
    for (const std::string grid : {"1", "2", "7", "4x3", "3x4x5", "2x2x2x3"}) {
      CAPTURE(pattern, grid);
      const auto to = of(pattern, grid);
      CHECK(std::set<int>(to.begin(), to.end()).size() == to.size());
      CHECK(unmatched_channels(*open_trace(fmt::format("traffic:pattern={},grid={}", pattern, grid))).empty());
    }
  CHECK(of("random", "64") != receivers("traffic:pattern=random,grid=64,messages=1,seed=2"));
  CHECK(error_of_trace("traffic:pattern=shuffle,grid=3x4").find("12 ranks, expected a power of two") !=
        std::string::npos);
}

TEST_CASE("Uniform random traffic goes everywhere alike, to a hot spot more often") {
  const auto to_rank = [](const std::string& spec) {
    std::vector<std::uint64_t> messages(16);
    const auto matrix = point_to_point_matrix(*open_trace(spec));
    for (const auto& row : matrix.rows)
      for (const auto& cell : row) messages[cell.to.index()] += cell.messages;
    return messages;
  };
  // 16,000 messages: 1000 to each rank, with a standard deviation of 31.
  for (const auto count : to_rank("traffic:pattern=uniform,grid=16,messages=1000"))
    CHECK(std::abs(int(count) - 1000) < 160);
  // Each of 15 ranks sends 0.3 and a 15th of 0.7 of its messages to rank 0.
  const auto hot = to_rank("traffic:pattern=hot-spot,hot=0.3,grid=16,messages=1000");
  CHECK(std::abs(double(hot[0]) - 15000 * (0.3 + 0.7 / 15)) < 5 * 58);
}

TEST_CASE("Random traffic is received, and injected at its rate") {
  for (const std::string rate : {"", ",rate=100MBps"}) {
    const auto trace = open_trace("traffic:pattern=uniform,grid=4x4,messages=500,bytes=1000" + rate);
    const auto summary = summarize(*trace);
    CHECK(summary.by_kind[static_cast<std::size_t>(OpKind::irecv)] == 16 * 500);
    CHECK(summary.messages == 16 * 500);
    // 10 us between messages, with a standard deviation as large.
    CHECK(summary.slept_seconds == Approx(rate.empty() ? 0 : 16 * 500 * 10e-6).epsilon(0.05));
    CHECK(runtime("torus:4x4", *trace, 1) > (rate.empty() ? 0 : 500 * 10e-6 * 0.8));
  }
  // A rank that has the link alone: one message at a time, 1 ms each.
  const auto alone = open_trace("traffic:pattern=neighbour,grid=2,messages=10,bytes=1000000");
  CHECK(runtime("mesh:2,bw=1GBps,lat=0s", *alone) == Approx(0.01));
  CHECK(error_of_trace("traffic:rate=0Bps").find("expected a bandwidth") != std::string::npos);
  CHECK(error_of_trace("traffic:grid=1024x1024,messages=1000").find("at most 16777216 messages") != std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads
