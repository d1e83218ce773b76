// The NAS Parallel Benchmarks against traces of the real ones where these are present, and against numbers that the
// published algorithms give by hand.

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/support.hpp"
#include "tests/workloads/errors.hpp"
#include "tests/workloads/operations.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/amounts.hpp"
#include "workloads/diff.hpp"

namespace toroid::workloads {
namespace {

std::string spec_of(const std::string& bench, const std::string& problem, int ranks, int iterations = 0) {
  auto spec = fmt::format("npb:bench={},class={},ranks={}", bench, problem, ranks);
  return iterations == 0 ? spec : fmt::format("{},iterations={}", spec, iterations);
}

/// How many messages of each size a rank sends in one iteration: those of two iterations less those of one.
std::map<std::uint64_t, int> sends_of_iteration(const std::string& bench, const std::string& problem, int ranks,
                                                Rank rank) {
  std::map<std::uint64_t, int> sizes;
  for (const int iterations : {2, 1}) {
    const auto trace = open_trace(spec_of(bench, problem, ranks, iterations));
    const auto stream = trace->open(rank);
    for (Operation op; stream->next(op);)
      if (is_send(op.kind)) sizes[op.bytes] += iterations == 2 ? 1 : -1;
  }
  std::erase_if(sizes, [](const auto& entry) { return entry.second == 0; });
  return sizes;
}

struct Captured {
  std::string bench, problem;
  int ranks;
};

TEST_CASE("The benchmarks are those that were captured, operation for operation") {
  for (const auto& [bench, problem, ranks] :
       {Captured{"bt", "A", 64}, Captured{"bt", "S", 16}, Captured{"cg", "A", 64}, Captured{"cg", "W", 64},
        Captured{"ep", "A", 64}, Captured{"ft", "A", 64}, Captured{"ft-pair", "A", 64}, Captured{"is", "A", 64},
        Captured{"is", "S", 64}, Captured{"lu", "S", 16}, Captured{"mg", "A", 64}, Captured{"mg", "W", 64},
        Captured{"sp", "S", 16}}) {
    const auto path = test::shared_data(fmt::format("traces/{}.{}.{}/trace.ti.zst", bench, problem, ranks));
    if (path.empty()) return;
    CAPTURE(bench, problem, ranks);
    const auto found = first_differences(*open_trace(path), *open_trace(spec_of(bench, problem, ranks)), {});
    CHECK(found.size() == 0);
  }
}

TEST_CASE("The longest of the captured ones are too") {
  if (test::is_sanitized) return;  // the same code as for the shorter ones of the same programs, above
  for (const std::string bench : {"lu", "sp"}) {
    const auto path = test::shared_data(fmt::format("traces/{}.A.64/trace.ti.zst", bench));
    if (path.empty()) return;
    CAPTURE(bench);
    CHECK(first_differences(*open_trace(path), *open_trace(spec_of(bench, "A", 64)), {}).size() == 0);
  }
}

TEST_CASE("The computation of the benchmarks is about as much as was recorded in all") {
  for (const std::string bench : {"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"}) {
    const auto path = test::shared_data(fmt::format("traces/{}.A.64/stats.json", bench));
    if (path.empty()) return;
    CAPTURE(bench);
    const auto recorded = core::Json::parse(test::content(path))["compute_flops"].get<double>();
    CHECK(summarize(*open_trace(spec_of(bench, "A", 64))).flops == Approx(recorded).epsilon(0.1));
  }
}

TEST_CASE("Each key of computation counts the work of its kind") {
  const auto flops = [](const std::string& spec) { return summarize(*open_trace(spec)).flops; };
  // CG, class S: 1,400 rows and 7 x 8 non-zeros in each; 16 solutions with 26 products each.
  const auto cg = [&](const std::string& counted, int ranks = 4) {
    std::string spec = fmt::format("cg:class=S,ranks={}", ranks);
    for (const std::string key : {"setup", "matrix-row", "nonzero", "element", "exchange"})
      spec += fmt::format(",{}={}f", key, key == counted ? 1 : 0);
    return flops(spec);
  };
  CHECK(cg("setup") == 4 * 1400 * 7);  // every rank makes all elements
  CHECK(cg("matrix-row") == 16 * 26 * 2 * 1400);
  CHECK(cg("nonzero") == 16 * 26 * 1400 * 56);
  // Per solution: the product's own, one sum over the row of two ranks, and 2 + 25 (2 + 5) + 2 + 4 for norms and steps.
  CHECK(cg("element") == 4 * 16 * 700 * (26 * 2 + 2 + 25 * 7 + 2 + 4));
  // Messages that a rank of a recorded run sends in each solution: with one, two and three partners in its row.
  CHECK(cg("exchange") == 4 * 16 * 105);
  CHECK(cg("exchange", 16) == 16 * 16 * 184);
  CHECK(cg("exchange", 64) == 64 * 16 * 263);
  CHECK(flops("ep:class=S,ranks=4,setup=0f,pair=1f") == 1 << 24);
  CHECK(flops("ep:class=S,ranks=4,setup=1f,pair=0f") == 4);
}

TEST_CASE("Ranks differ by the imbalance that is asked for, and by none unless it is") {
  const auto ranks_of = [](const std::string& spec) { return computation_by_rank(*open_trace(spec)); };
  for (const double imbalance : {0.1, 1.0}) {  // the deviation of the logarithm would be 1.31 times the larger one
    double sum = 0, squares = 0;
    for (const auto& rank : ranks_of(fmt::format("ep:class=A,ranks=4096,setup=0f,pair=1f,imbalance={}", imbalance))) {
      const double factor = rank.amount / 65536;
      sum += factor / 4096;
      squares += factor * factor / 4096;
    }
    CHECK(sum == Approx(1).epsilon(0.1 * imbalance));
    CHECK(std::sqrt(squares - sum * sum) / sum == Approx(imbalance).epsilon(imbalance < 1 ? 0.05 : 0.15));
  }
  for (const auto& rank : ranks_of("ep:class=S,ranks=16,setup=0f,pair=1f")) CHECK(rank.amount == 1 << 20);
}

TEST_CASE("Computations differ from one time to the next by the noise and the jitter that are asked for") {
  const auto trace =
      open_trace("cg:class=S,ranks=16,setup=0f,matrix-row=0f,nonzero=0f,element=0f,exchange=100f,noise=4f,jitter=0.1");
  double count = 0, sum = 0, squares = 0;
  std::set<double> amounts;
  for (const Rank rank : core::ids<Rank>(16)) {
    const auto stream = trace->open(rank);
    for (Operation op; stream->next(op);)
      if (op.kind == OpKind::compute) {
        ++count;
        sum += op.amount;
        squares += op.amount * op.amount;
        amounts.insert(op.amount);
      }
  }
  CHECK(count > 10'000);
  CHECK(sum / count == Approx(100).epsilon(0.01));
  CHECK(squares / count - std::pow(sum / count, 2) == Approx(4 * 100 + 0.01 * 100 * 100).epsilon(0.05));
  CHECK(static_cast<double>(amounts.size()) > 0.99 * count);
  double of_ranks = 0;
  for (const auto& rank : computation_by_rank(*trace)) of_ranks += rank.amount;
  CHECK(of_ranks == Approx(sum));
}

TEST_CASE("Iterations with noise or jitter repeat where computation does not count, and there alone") {
  for (const std::string scatter : {"noise=0f,jitter=0", "noise=9f", "jitter=0.1"}) {
    const auto trace = open_trace("cg:class=S,ranks=4," + scatter);
    const auto rounds = trace->rounds(Rank(0));
    REQUIRE(rounds.count > 2);
    const auto stream = trace->open(Rank(0));
    Operation op;
    for (std::uint64_t i = 0; i < rounds.first + rounds.length; ++i) stream->next(op);
    const auto mark = stream->mark();
    for (std::uint64_t i = 0; i < rounds.length; ++i) stream->next(op);
    CHECK(stream->repeats(mark, false) == rounds.count - 2);
    CHECK(stream->repeats(mark, true) == (scatter == "noise=0f,jitter=0" ? rounds.count - 2 : 0));
  }
}

TEST_CASE("What is sent is received, in the same order and size, by all ranks that a benchmark runs on", "[slow]") {
  const std::map<std::string, std::vector<int>> ranks{{"bt", {1, 4, 9, 16, 25, 49}},
                                                      {"sp", {1, 4, 9, 16, 25, 49, 100}},
                                                      {"lu", {1, 2, 4, 6, 8, 12, 15, 16, 20, 32, 64}},
                                                      {"cg", {1, 2, 4, 8, 16, 32, 64, 128, 256}},
                                                      {"mg", {1, 2, 4, 8, 16, 32, 64, 128, 512, 4096}},
                                                      {"ft-pair", {1, 2, 4, 32, 64, 128}},
                                                      {"is", {1, 2, 8, 128}}};
  for (const auto& [bench, counts] : ranks)
    for (const int count : counts)
      for (const std::string problem : {"S", "W", "B"}) {
        CAPTURE(bench, count, problem);
        const auto spec = spec_of(bench, problem, count, 1);
        if (bench == "is" && problem == "B") continue;  // as W, with keys that take time
        if (problem == "S" && error_of_trace(spec).find("nearby") != std::string::npos) continue;
        if (count > 512 && problem == "B") continue;
        CHECK(unmatched_channels(*open_trace(spec)).empty());
      }
}

TEST_CASE("The benchmarks run to their end") {
  for (const auto& [bench, problem, ranks] :
       {Captured{"bt", "W", 16}, Captured{"sp", "S", 9}, Captured{"lu", "W", 12}, Captured{"cg", "S", 32},
        Captured{"mg", "S", 64}, Captured{"mg", "W", 8}, Captured{"ft", "S", 16}, Captured{"ft", "W", 64},
        Captured{"ft-pair", "W", 64}, Captured{"is", "S", 16}, Captured{"ep", "S", 7}}) {
    CAPTURE(bench, problem, ranks);
    const auto trace = open_trace(spec_of(bench, problem, ranks, 1));
    const auto result = test::simulate(fmt::format("torus:{}", ranks), *trace, {}, {}, "fluid");
    CHECK(result["runtime_s"].get<double>() > 0);
  }
}

// 14000 rows on a grid of 4 x 4 ranks: segments of 3500 numbers, sums in 2 stages. 26 products, 2 + 1 exchanges each;
// 2 sums of a number in each of 25 iterations and 2 more; one of two numbers.
TEST_CASE("CG sends segments of its vectors") {
  CHECK(sends_of_iteration("cg", "A", 16, 5) == std::map<std::uint64_t, int>{{28000, 78}, {8, 104}, {16, 2}});
  CHECK(sends_of_iteration("cg", "A", 256, 5) == std::map<std::uint64_t, int>{{7000, 130}, {8, 208}, {16, 4}});
}

// 7000 rows on 4 x 8 ranks: a row has 1750 numbers, and neighbours halve them.
TEST_CASE("With twice as many columns as rows, neighbours of CG halve a segment") {
  CHECK(sends_of_iteration("cg", "W", 32, 5) == std::map<std::uint64_t, int>{{7000, 104}, {8, 156}, {16, 3}});
  // 75000 rows on 16 x 32: 4687 or 4688 numbers, halved to 2344 and 2343.
  const auto uneven = sends_of_iteration("cg", "B", 512, Rank(511));
  CHECK(uneven.at(8 * 2343) == 26 * 5);
  CHECK(uneven.at(8 * 2344) == 26);
}

// 12 points on 3 x 3 x 3 cells of 4: faces of 4 x 4 points, 2 layers of 5 numbers, 2 of 3 cells.
TEST_CASE("BT and SP copy two layers of the faces of their cells") {
  const std::uint64_t faces = 2 * 16 * 2 * 5 * 8;
  CHECK(sends_of_iteration("bt", "S", 9, 4).at(faces) == 6);
  CHECK(sends_of_iteration("sp", "S", 9, 4).at(faces) == 6);
}

TEST_CASE("Sizes of BT are those of recorded runs") {
  // 64 points, 4 cells of 16: forward 17^2 blocks of 30 numbers, backward vectors of 5.
  CHECK(sends_of_iteration("bt", "A", 16, 6) == std::map<std::uint64_t, int>{{61440, 6}, {69360, 9}, {11560, 9}});
}

// 64 points on 4 x 4: 16 points of a rank, 15 of those with one boundary; 62 planes both ways.
TEST_CASE("LU sends rows of five numbers a point, plane by plane, and two layers of faces") {
  CHECK(sends_of_iteration("lu", "A", 16, 5) == std::map<std::uint64_t, int>{{640, 248}, {81920, 4}});
  CHECK(sends_of_iteration("lu", "A", 16, 0) == std::map<std::uint64_t, int>{{600, 124}, {81920, 2}});
}

// 256 points an axis on 2 x 2 x 4 ranks: borders of 128 x 64, 130 x 64 and 130 x 130 at the finest level.
TEST_CASE("MG exchanges the borders of each grid") {
  const auto sends = sends_of_iteration("mg", "A", 16, 0);
  CHECK(sends.at(8 * 128 * 64) == 6);
  CHECK(sends.at(8 * 130 * 64) == 6);
  CHECK(sends.at(8 * 130 * 130) == 6);
}

TEST_CASE("FT transposes slabs with all ranks, pencils in rows and columns of a grid") {
  const auto alltoalls = [](const std::string& spec, Rank rank) {
    const auto trace = open_trace(spec);
    const auto stream = trace->open(rank);
    std::vector<std::vector<std::uint64_t>> found;  // first member, second, number of members, bytes
    for (Operation op; stream->next(op);)
      if (op.kind == OpKind::alltoall) {
        const auto& comm = trace->communicator(op.comm);
        found.push_back(
            {comm.member(0).index(), comm.member(1).index(), static_cast<std::uint64_t>(comm.size()), op.bytes});
      }
    return found;
  };
  // 256 x 256 x 128 points of 16 bytes.
  CHECK(alltoalls("npb:bench=ft,class=A,ranks=16", 3) ==
        std::vector<std::vector<std::uint64_t>>(8, {0, 1, 16, 524288}));
  // 128 rows of 2: 524,288 bytes a rank. Forward the columns first, twice; back the rows.
  const std::vector<std::uint64_t> column{1, 3, 128, 4096}, row{4, 5, 2, 262144};
  CHECK(alltoalls("npb:bench=ft,class=A,ranks=256,iterations=1", 5) ==
        std::vector<std::vector<std::uint64_t>>{column, row, column, row, row, column});
}

TEST_CASE("All keys of IS get somewhere") {
  const auto trace = open_trace("npb:bench=is,class=S,ranks=16");
  std::vector<std::uint64_t> sent(11), received(11);
  for (const Rank rank : core::ids<Rank>(16)) {
    const auto stream = trace->open(rank);
    std::size_t iteration = 0;
    for (Operation op; stream->next(op);) {
      if (op.kind != OpKind::alltoallv) continue;
      for (const auto count : op.send_counts) sent[iteration] += count;
      for (const auto count : op.recv_counts) received[iteration] += count;
      ++iteration;
    }
    CHECK(iteration == 11);
  }
  CHECK(sent == std::vector<std::uint64_t>(11, 4 << 16));
  CHECK(received == sent);
}

TEST_CASE("The benchmarks have names of their own") {
  for (const std::string bench : {"bt", "cg", "ep", "ft", "ft-pair", "is", "lu", "mg", "sp"}) {
    CAPTURE(bench);
    const auto named = open_trace(bench + ":class=S,ranks=4,iterations=1");
    CHECK(first_differences(*named, *open_trace(spec_of(bench, "S", 4, 1)), {true, 0, true}).empty());
    CHECK(named->locate(0, 0).starts_with(bench + ":class=S,ranks=4,iterations=1 "));
  }
  CHECK(error_of_trace("bt:ranks=48").find("nearby: 36 or 49") != std::string::npos);
}

TEST_CASE("Fewer iterations are fewer, and the trace says how many there are") {
  const auto trace = open_trace("npb:bench=lu,class=A,ranks=64,iterations=5");
  CHECK(trace->locate(0, 0) == "npb:bench=lu,class=A,ranks=64,iterations=5 (5 of 250 iterations) operation 0");
  CHECK(open_trace("npb:bench=lu,iterations=250")->locate(0, 0) == "npb:bench=lu,iterations=250 operation 0");
  CHECK(error_of_trace("npb:bench=lu,class=A,iterations=251").find("expected at most 250") != std::string::npos);
}

TEST_CASE("Numbers of ranks that a benchmark does not run on are errors that name those nearby") {
  CHECK(error_of_trace("npb:bench=bt,ranks=48").find("nearby: 36 or 49") != std::string::npos);
  CHECK(error_of_trace("npb:bench=cg,ranks=48").find("nearby: 32 or 64") != std::string::npos);
  CHECK(error_of_trace("npb:bench=lu,ranks=34").find("nearby: 32 or 35") != std::string::npos);
  CHECK(error_of_trace("npb:bench=lu,class=S,ranks=64").find("nearby: 16") != std::string::npos);
  CHECK(error_of_trace("npb:bench=sp,class=S,ranks=64").find("nearby: 16") != std::string::npos);
  CHECK(error_of_trace("npb:bench=is,class=D,ranks=2").find("nearby: 4") != std::string::npos);
  CHECK(error_of_trace("npb:bench=ft,class=S,ranks=8192").find("nearby: 4096") != std::string::npos);
  CHECK(error_of_trace("npb:bench=ep,class=S,ranks=257").find("nearby: 256") != std::string::npos);
  CHECK(error_of_trace("npb:bench=ua").find("expected") != std::string::npos);
  CHECK(error_of_trace("npb:class=E").find("expected") != std::string::npos);
}

}  // namespace
}  // namespace toroid::workloads
