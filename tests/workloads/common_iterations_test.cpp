#include "workloads/iterations.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/support.hpp"
#include "tests/workloads/random_program.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::workloads {
namespace {

/// The numbers of what a rank does besides computing, one after another.
std::vector<std::uint64_t> structures(const Trace& trace, Rank rank) {
  std::vector<std::uint64_t> all;
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);)
    if (op.kind != OpKind::compute) all.push_back(structure_of(op));
  return all;
}

/// All iterations of a rank are alike.
void check_loops(const Trace& trace, const CommonIterations& common) {
  REQUIRE(common.ranks.size() == static_cast<std::size_t>(trace.ranks()));
  for (const Rank rank : common.ranks.ids()) {
    const auto all = structures(trace, rank);
    const auto [first, length] = common.ranks[rank];
    REQUIRE(length > 0);
    REQUIRE(first + common.count * length <= all.size());
    for (auto i = first + length; i < first + common.count * length; ++i) REQUIRE(all[i] == all[i - length]);
  }
}

}  // namespace

TEST_CASE("Iterations of generators are those that they know of") {
  for (const std::string spec :
       {"stencil:grid=3x3,steps=50", "lulesh:ranks=8,steps=40", "minighost:ranks=8,steps=60", "cg:class=S,ranks=4",
        "lu:class=S,ranks=4", "llm:layers=4,tensor=2,pipeline=2,data=2,steps=30"}) {
    INFO(spec);
    const auto trace = open_trace(spec);
    const auto common = common_iterations(*trace);
    CHECK(common.why_none.empty());
    CHECK(common.count == trace->rounds(0).count);
    check_loops(*trace, common);
  }
}

TEST_CASE("Iterations of recorded programs are found whatever is computed, and where some computations are missing") {
  core::Random random(4, "iterations");
  int found = 0;
  for (int i = 0; i < 30; ++i) {
    RandomProgramOptions options;
    options.ranks = 4;
    options.events = 12;
    const auto once = random_program(random, options);
    const auto trace = recorded(random, *once, 50, 0.5, 400);
    const auto common = common_iterations(*trace);
    if (common.count == 0) {
      CHECK(!common.why_none.empty());
      continue;
    }
    ++found;
    check_loops(*trace, common);
    CHECK(common.count >= 49);
    CHECK(common.count <= 50);
    for (const Rank rank : common.ranks.ids()) CHECK(common.ranks[rank].length == structures(*once, rank).size());
  }
  CHECK(found > 20);
}

TEST_CASE("A rank may go round several times in an iteration; what fits nowhere has none") {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text +=
        "0 send 1 0 8 6\n0 send 1 0 8 6\n0 recv 1 0 9 6\n1 recv 0 0 8 6\n1 recv 0 0 8 6\n1 send 0 0 9 6\n2 barrier\n2 "
        "barrier\n";
  const auto trace = test::trace_of(text);
  const auto common = common_iterations(*trace);
  CHECK(common.count == 60);
  CHECK(common.ranks[Rank(2)].length == 2);
  check_loops(*trace, common);
  text.clear();
  for (int i = 0; i < 100; ++i) text += i < 70 ? "0 send 1 0 8 6\n1 recv 0 0 8 6\n" : "1 recv 0 0 8 6\n";
  CHECK(common_iterations(*test::trace_of(text)).why_none == "rank 1 goes round 100 times, and another rank 70 times");
  CHECK(common_iterations(*test::trace_of("0 barrier\n1 barrier\n")).why_none == "rank 0 has no iterations");
}

TEST_CASE("The structure of an operation is all but how long it computes") {
  const std::uint64_t counts[] = {1, 2}, others[] = {1, 3};
  const Operation op{.kind = OpKind::alltoallv, .comm = 1, .bytes = 7, .send_counts = counts, .recv_counts = counts};
  const auto differs = [&](auto change) {
    auto other = op;
    change(other);
    return structure_of(other) != structure_of(op);
  };
  CHECK(!differs([](Operation&) {}));
  CHECK(!differs([](Operation& o) { o.amount = 3; }));
  CHECK(differs([](Operation& o) { o.kind = OpKind::alltoall; }));
  CHECK(differs([](Operation& o) { o.comm = 2; }));
  CHECK(differs([](Operation& o) { o.bytes = 8; }));
  CHECK(differs([](Operation& o) { o.tag = 1; }));
  CHECK(differs([](Operation& o) { o.to = 1; }));
  CHECK(differs([](Operation& o) { o.from = 1; }));
  CHECK(differs([](Operation& o) { o.root = 1; }));
  CHECK(differs([](Operation& o) { o.request = 1; }));
  CHECK(differs([](Operation& o) { o.mode = SendMode::buffered; }));
  CHECK(differs([&](Operation& o) { o.send_counts = others; }));
  CHECK(differs([&](Operation& o) { o.recv_counts = others; }));
}

}  // namespace toroid::workloads
