#include "workloads/amounts.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/summary.hpp"

namespace toroid::workloads {
namespace {

std::uint64_t bytes_of(const Trace& trace, OpKind kind) {
  return collective_bytes(trace)[static_cast<std::size_t>(kind)];
}

TEST_CASE("Ranks hand in to collectives what their algorithms send if nothing is sent on") {
  // Where each rank sends its own bytes straight to those who get them, the matrix has what was handed in, but for what
  // a rank keeps: one of its four blocks, or its own part of a root's.
  const auto sent = [](const std::string& call, const std::string& algorithm) {
    std::string text;
    for (const char* rank : {"0 ", "1 ", "2 ", "3 "}) text += rank + call + "\n";
    const auto trace = test::trace_of(text);
    std::uint64_t handed = 0;
    for (const auto bytes : collective_bytes(*trace)) handed += bytes;
    return std::pair(handed,
                     communication_matrix(*trace, CollectiveChoice::parse("default:" + algorithm)).total_bytes());
  };
  const auto alltoall = sent("alltoall 12 12 6 6", "alltoall=linear");
  CHECK(alltoall == std::pair<std::uint64_t, std::uint64_t>{4 * 4 * 12, 4 * 3 * 12});
  const auto scatter = sent("scatter 7 7 2 6 6", "scatter=linear");
  CHECK(scatter == std::pair<std::uint64_t, std::uint64_t>{4 * 7, 3 * 7});
  const auto gather = sent("gather 7 7 2 6 6", "gather=linear");
  CHECK(gather == std::pair<std::uint64_t, std::uint64_t>{4 * 7, 3 * 7});
  const auto bcast = sent("bcast 9 1 6", "bcast=linear");
  CHECK(bcast == std::pair<std::uint64_t, std::uint64_t>{9, 3 * 9});
}

TEST_CASE("Blocks that differ are added up at those who have them") {
  CompactTrace trace(2);
  const std::vector<std::uint64_t> counts{3, 4};
  for (const Rank rank : core::ids<Rank>(2)) {
    trace.add(rank, {.kind = OpKind::alltoallv, .send_counts = counts, .recv_counts = counts});
    trace.add(rank, {.kind = OpKind::reduce_scatter, .recv_counts = counts});
    trace.add(rank, {.kind = OpKind::scatterv, .root = 1, .bytes = 3, .send_counts = counts});
    trace.add(rank, {.kind = OpKind::reduce, .root = 1, .bytes = 5});
  }
  trace.finish();
  CHECK(bytes_of(trace, OpKind::alltoallv) == 14);
  CHECK(bytes_of(trace, OpKind::reduce_scatter) == 14);
  CHECK(bytes_of(trace, OpKind::scatterv) == 7);
  CHECK(bytes_of(trace, OpKind::reduce) == 10);
  CHECK(bytes_of(trace, OpKind::barrier) == 0);
}

}  // namespace
}  // namespace toroid::workloads
