#include "workloads/compact_trace.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/ids.hpp"
#include "tests/workloads/operations.hpp"

namespace toroid::workloads {
namespace {

using Program = std::vector<std::string>;

Operation random_operation(core::Random& random, std::vector<std::uint64_t>& counts,
                           std::vector<RequestHandle>& handles) {
  Operation op;
  op.kind = static_cast<OpKind>(random.below(op_kind_count));
  if (op.kind == OpKind::compute) {
    op.amount = random.unit() * 1e9;
    return op;
  }
  op.mode = static_cast<SendMode>(random.below(3));
  op.comm = CommId(random.below(2));
  op.to = static_cast<CommRank>(random.below(5)) - 2;
  op.from = static_cast<CommRank>(random.below(3));
  op.root = static_cast<CommRank>(random.below(2));
  if (random.below(2) == 0) op.request = static_cast<RequestHandle>(random.below(4));
  op.tag = static_cast<std::int32_t>(random.below(3)) - 1;
  op.bytes = random.below(4) << random.below(62);
  if (random.below(2) == 0) op.amount = 0.25 * static_cast<double>(random.below(3));
  counts.assign(8, 0);
  for (auto& count : counts) count = random.below(1000);
  const std::span<const std::uint64_t> all(counts);
  handles = {3, 1, 4, 1, 5};
  if (op.kind == OpKind::waitall) op.requests = std::span<const RequestHandle>(handles).first(random.below(6));
  if (is_strand(op.kind)) op.after = all.first(random.below(3)), op.after_begin = all.last(random.below(3));
  if (is_collective(op.kind) && random.below(3) == 0) op.send_counts = all.first(random.below(5));
  if (is_collective(op.kind) && random.below(3) == 0) op.recv_counts = all.last(random.below(5));
  return op;
}

TEST_CASE("Random programs come back operation by operation") {
  core::Random random(1, "programs");
  for (int round = 0; round < 50; ++round) {
    CompactTrace trace;
    std::vector<Program> programs(1 + random.below(6));
    std::vector<std::uint64_t> counts;
    std::vector<RequestHandle> handles;
    for (int i = 0; i < 500; ++i) {
      const auto rank = Rank(i == 0 ? programs.size() - 1 : random.below(programs.size()));
      const auto op = random_operation(random, counts, handles);
      trace.add(rank, op);
      programs[rank.index()].push_back(describe(op));
    }
    trace.finish();
    REQUIRE(trace.ranks() == static_cast<std::int32_t>(programs.size()));
    REQUIRE(trace.operation_count() == 500);
    for (const Rank r : core::ids<Rank>(trace.ranks())) {
      REQUIRE(program(trace, r) == programs[r.index()]);
    }
  }
}

TEST_CASE("More different operations than one, two or three bytes can number come back") {
  CompactTrace trace(1);
  for (int i = 0; i < 20'000; ++i) trace.add(0, {.kind = OpKind::send, .tag = i});
  trace.finish();
  const auto stream = trace.open(0);
  Operation op;
  for (int i = 0; i < 20'000; ++i) {
    REQUIRE(stream->next(op));
    REQUIRE(op.tag == i);
  }
  CHECK_FALSE(stream->next(op));
}

TEST_CASE("Counts are copied") {
  CompactTrace trace(1);
  std::vector<std::uint64_t> counts{1, 2};
  trace.add(0, {.kind = OpKind::alltoallv, .send_counts = counts});
  counts = {3, 4};
  trace.add(0, {.kind = OpKind::alltoallv, .send_counts = counts});
  counts = {5, 6};
  trace.finish();
  CHECK(program(trace, 0) == Program{"alltoallv sends=1/2", "alltoallv sends=3/4"});
}

TEST_CASE("A builder makes a trace of operations and communicators, once") {
  TraceBuilder builder(3);
  const auto pair = builder.add_communicator(Communicator({0, 2}));
  builder.add(2, {.kind = OpKind::barrier, .comm = pair});
  builder.add(0, {.kind = OpKind::send, .to = 1});
  const auto trace = builder.finished();
  CHECK(trace->ranks() == 3);
  CHECK(trace->communicator(pair).member(1) == Rank(2));
  CHECK(program(*trace, 0) == Program{"send to=1"});
  CHECK(program(*trace, 1).empty());
  CHECK_THROWS_AS(builder.add(0, {}), core::ContractError);
}

TEST_CASE("Ranks without operations have empty programs") {
  CompactTrace trace(2);
  trace.add(3, {.kind = OpKind::barrier});
  trace.finish();
  CHECK(trace.ranks() == 4);
  CHECK(program(trace, 0).empty());
  CHECK(program(trace, 2).empty());
  CHECK(program(trace, 3) == Program{"barrier"});
}

TEST_CASE("Streams of one rank do not disturb each other") {
  CompactTrace trace(1);
  for (int i = 0; i < 3; ++i) trace.add(0, {.kind = OpKind::send, .tag = i});
  trace.finish();
  const auto first = trace.open(0), second = trace.open(0);
  Operation a, b;
  first->next(a);
  first->next(a);
  second->next(b);
  CHECK(a.tag == 1);
  CHECK(b.tag == 0);
}

TEST_CASE("An operation is located by file and line") {
  CompactTrace trace(2);
  trace.set_file(0, "a.ti");
  trace.set_file(1, "b.ti");
  for (const std::uint64_t line : {2U, 3U, 7U, 8U, 9U, 20U}) trace.add(0, {.kind = OpKind::barrier}, line);
  trace.add(1, {.kind = OpKind::barrier}, 4);
  trace.finish();
  const std::vector<std::string> expected{"a.ti:2", "a.ti:3", "a.ti:7", "a.ti:8", "a.ti:9", "a.ti:20"};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(trace.locate(0, i) == expected[i]);
  CHECK(trace.locate(1, 0) == "b.ti:4");
}

TEST_CASE("An operation without a line is located by its number") {
  CompactTrace trace(1);
  trace.add(0, {.kind = OpKind::barrier});
  trace.add(0, {.kind = OpKind::barrier});
  trace.finish();
  CHECK(trace.locate(0, 1) == "operation 1");
}

TEST_CASE("Operations with and without a line may alternate") {
  CompactTrace trace(1);
  trace.set_file(0, "a.ti");
  trace.add(0, {.kind = OpKind::barrier});
  trace.add(0, {.kind = OpKind::barrier}, 7);
  trace.add(0, {.kind = OpKind::barrier});
  trace.finish();
  CHECK(trace.locate(0, 1) == "a.ti:7");
  CHECK(trace.locate(0, 0) == "operation 0");
  CHECK(trace.locate(0, 2) == "operation 2");
}

TEST_CASE("A repeated operation takes a byte or two") {
  CompactTrace trace(1);
  for (int i = 0; i < 200'000; ++i) trace.add(0, {.kind = OpKind::send, .to = 1, .tag = i % 200}, i + 1ULL);
  trace.finish();
  CHECK(trace.memory_bytes() > 200'000);
  CHECK(trace.memory_bytes() < 350'000);
}

/// Of 100,000 computations.
std::size_t bytes_of_computations(double amount) {
  CompactTrace trace(1);
  for (int i = 0; i < 100'000; ++i) trace.add(0, {.kind = OpKind::compute, .amount = amount});
  trace.finish();
  return trace.memory_bytes();
}

TEST_CASE("A computation of a whole amount takes three or five bytes, of any other nine") {
  for (const auto& [amount, bytes] : std::vector<std::pair<double, std::size_t>>{
           {0, 3}, {65'535, 3}, {65'536, 5}, {4'294'967'295, 5}, {4'294'967'296, 9}, {0.5, 9}}) {
    CAPTURE(amount);
    CHECK(bytes_of_computations(amount) >= bytes * 100'000);
    CHECK(bytes_of_computations(amount) < bytes * 100'000 + 1'000);
  }
}

TEST_CASE("Computations and repeated operations are appended without looking anything up") {
  CompactTrace trace(1);
  trace.set_file(0, "a.ti");
  const auto send = trace.add(0, {.kind = OpKind::send, .to = 1}, 1);
  trace.compute(0, 2.5, 2);
  const auto barrier = trace.add(0, {.kind = OpKind::barrier}, 3);
  trace.repeat(0, send, 4);
  trace.compute(0, 70'000, 6);
  trace.repeat(0, barrier, 7);
  trace.finish();
  CHECK(program(trace, 0) ==
        Program{"send to=1", "compute amount=2.5", "barrier", "send to=1", "compute amount=70000", "barrier"});
  CHECK(trace.locate(0, 3) == "a.ti:4");
  CHECK(trace.locate(0, 5) == "a.ti:7");
  CHECK(trace.operation_count() == 6);
}

TEST_CASE("Equal counts and equal lists of requests are kept once, by whatever ranks") {
  const auto memory = [](std::int32_t ranks, std::uint64_t different) {
    CompactTrace trace(ranks);
    for (const Rank r : core::ids<Rank>(ranks)) {
      std::vector<std::uint64_t> counts(1000, 7);
      counts[0] = r.index() % different;
      trace.add(r, {.kind = OpKind::allgatherv, .recv_counts = counts});
    }
    trace.finish();
    return trace.memory_bytes();
  };
  CHECK(memory(100, 1) < 100 * 1000 + 8 * 1000);
  CHECK(memory(100, 100) > 100 * 8 * 1000);
}

TEST_CASE("Different operations are visited once, with their first line") {
  CompactTrace trace(1);
  trace.add(0, {.kind = OpKind::barrier}, 3);
  trace.add(0, {.kind = OpKind::compute, .amount = 5}, 4);
  trace.add(0, {.kind = OpKind::bcast, .bytes = 8}, 5);
  trace.add(0, {.kind = OpKind::barrier}, 6);
  Program visited;
  trace.for_each_distinct(
      0, [&](Operation& op, std::uint64_t line) { visited.push_back(describe(op) + " " + std::to_string(line)); });
  CHECK(visited == Program{"barrier 3", "bcast bytes=8 5"});
}

TEST_CASE("A visited operation may be changed") {
  CompactTrace trace(1);
  trace.add(0, {.kind = OpKind::barrier});
  trace.for_each_distinct(0, [](Operation& op, std::uint64_t) { op.bytes = 9; });
  trace.finish();
  CHECK(program(trace, 0) == Program{"barrier bytes=9"});
}

TEST_CASE("Communicator 0 is all ranks, others are as added") {
  CompactTrace trace(3);
  CHECK(trace.add_communicator(Communicator({2, 0})) == 1);
  CHECK(trace.add_communicator(Communicator({1})) == 2);
  trace.finish();
  CHECK(trace.communicator(world).size() == 3);
  CHECK(trace.communicator(world).member(2) == 2);
  CHECK(trace.communicator(1).member(0) == 2);
  CHECK(trace.communicator(1).rank_of(0) == 1);
  CHECK(trace.communicator(2).size() == 1);
}

TEST_CASE("A trace knows its files") {
  CompactTrace trace(4);
  for (const Rank r : core::ids<Rank>(2)) trace.set_file(r, "a");
  trace.set_file(2, "b");
  CHECK(trace.files() == std::vector<std::string>{"a", "b"});
  CHECK(trace.file_of(1) == "a");
  CHECK(trace.file_of(2) == "b");
  CHECK(trace.file_of(3).empty());
}

}  // namespace
}  // namespace toroid::workloads
